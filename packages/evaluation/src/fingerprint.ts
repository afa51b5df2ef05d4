/**
 * @file Fingerprints: one hash of everything that decides how an environment, an agent or a scorer behaves. Programs count with all that they
 * import, checkpoints by their weights, files by their content, what is built in by its name. What cannot be hashed, such as a server, is
 * named as unpinned.
 */

import { existsSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { modelName, parseKind } from '@ludus-agents/agents/internal/agent-kind';
import { isBot, readBotSettings } from '@ludus-agents/agents/internal/bot/settings';
import { findEncoder } from '@ludus-agents/agents/internal/encoders/installed';
import { nestedSpecs } from '@ludus-agents/agents/internal/kind-rules';
import { agentKinds } from '@ludus-agents/agents/internal/kinds';
import { pinnedRevision } from '@ludus-agents/agents/internal/models/kinds';
import { pulledModel } from '@ludus-agents/agents/internal/models/local';
import { usualSampling, usualSetting } from '@ludus-agents/agents/internal/models/usual-settings';
import { readSearch } from '@ludus-agents/agents/internal/search/settings';
import { findAgent } from '@ludus-agents/agents/internal/workspace/agents';
import { readConfigIn } from '@ludus-agents/agents/internal/workspace/config';
import { checkFile } from '@ludus-agents/agents/internal/workspace/consent';
import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { agentKind, environmentKind, modelKind, toolKind } from '@ludus-agents/agents/internal/workspace/kinds';
import { findSource } from '@ludus-agents/agents/internal/workspace/load';
import { isFileModel, readDefaultModel } from '@ludus-agents/agents/internal/workspace/models';
import { findNameResolver } from '@ludus-agents/agents/internal/workspace/name-resolvers';
import { objectNamed } from '@ludus-agents/agents/internal/workspace/objects';
import { digestFile, digestPath, isReadable } from '@ludus-agents/agents/internal/workspace/programs';
import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { environmentNames } from '@ludus-agents/environments/internal/built-in';
import { type AgentSpec, hash, isFault, isObject, type Json, type JsonObject, type Kind } from '@ludus-agents/kernel/internal/core/index';
import { PromiseCache } from '@ludus-agents/kernel/internal/core/promise-cache';
import { withoutKeys } from '@ludus-agents/kernel/internal/core/spec-keys';
import { version } from '@ludus-agents/store/internal/version';
import { type Fingerprint, FingerprintParts, type Source } from './fingerprint-parts.ts';
import { rubricKind, scorerKind } from './kinds.ts';

export type { Fingerprint, Source } from './fingerprint-parts.ts';

/** Whose files are meant, and who names them. */
export interface FingerprintPlace {
  readonly cwd: string;
  readonly trust: Trust;
  /** Takes a name that nothing here has for something in memory, which cannot be hashed. */
  readonly isLenient?: boolean | undefined;
  /** Takes programs by their sources and runs none of them: the hashes are comparable with each other only. */
  readonly isIdle?: boolean | undefined;
}

/** Hashes things once: it lives as long as one invocation, in which nothing is to change. */
export class Fingerprints {
  readonly #cwd: string;
  readonly #trust: Trust;
  readonly #isLenient: boolean;
  readonly #isIdle: boolean;
  readonly #prints = new PromiseCache<Fingerprint>();
  readonly #sources = new Map<string, Source>();

  constructor({ cwd, trust, isLenient = false, isIdle = false }: FingerprintPlace) {
    this.#cwd = cwd;
    this.#isLenient = isLenient;
    this.#isIdle = isIdle;
    this.#trust = trust;
  }

  /** The sources of the fingerprints so far, each once. */
  get sources(): readonly Source[] {
    return [...this.#sources.values()];
  }

  /** The hash of one source; null where nothing here has its name. */
  async source({ kind, name }: Source): Promise<string | null> {
    if (kind === 'agent' || kind === 'model' || kind === 'environment') return (await this[kind](name)).hash;
    if (kind === 'scorer') return (await this.scorer(name))?.hash ?? null;
    if (kind === 'file') return this.file(name);
    const print = await this.#once([kind, name], async (parts) => {
      if (kind === 'tools') await this.#tools(name, parts);
      else this.#command(JSON.parse(name) as readonly string[], parts);
    });
    return print.hash;
  }

  /** The hash of a document by what it says, of another file with what its sources name, or of a folder; null where there is none. */
  file(name: string): string | null {
    const path = checkFile(name, this.#trust, { cwd: this.#cwd, env: process.env });
    const document = path.endsWith('.json') ? readObject(path) : {};
    if (Object.keys(document).length > 0) return hash(document);
    return existsSync(path) ? digestPath(path) : null;
  }

  /** An environment by its name or file. One that is built in is what its id says: a change of its rules is a new version of the id. */
  environment(name: string): Promise<Fingerprint> {
    return this.#once(['environment', name], async (parts) => {
      if (await this.#resolved(environmentKind, name, parts)) return parts.uses('environment', name);
      if (!this.#isIdle) parts.note('environment', (await resolveEnvironment(name, this.#cwd, this.#trust)).id);
      const plain = name.split('@', 1)[0];
      if (environmentNames().includes(plain)) return;
      const isOwnId = name !== plain && Object.hasOwn((await readConfigIn(this.#cwd)).kinds?.[environmentKind.name] ?? {}, plain);
      parts.uses('environment', name);
      parts.source('rules', await findSource(environmentKind, isOwnId ? plain : name, this.#cwd, this.#trust));
    });
  }

  /** An agent, with its persona, its texts, its model, its program, and the agents that it brings along. */
  agent(named: AgentSpec | string): Promise<Fingerprint> {
    const spec: AgentSpec = typeof named === 'string' ? { name: named, kind: named } : named;
    return this.#once(['agent', spec], (parts) => this.#agent(spec, parts));
  }

  /** A scorer by its name or file. One that is built in has none: its scores say by themselves which version of it made them. */
  async scorer(name: string): Promise<Fingerprint | null> {
    const [, rubric, judge] = /^judge=([^,]+),(.+)$/s.exec(name) ?? [];
    if (rubric !== undefined && judge !== undefined)
      return this.#once(['scorer', name], async (parts) => {
        parts.note('scorer', name);
        parts.uses('scorer', name);
        parts.source('rubric', await findSource(rubricKind, rubric.trim(), this.#cwd, this.#trust));
        const model = modelName(judge.trim());
        if (!model.startsWith('fake')) parts.add('model', await this.model(model));
      });
    const [, by] = /^(?:apc|sentence-alignment)=(.+)$/s.exec(name) ?? [];
    if (by === undefined && (await findNameResolver(scorerKind.name, name, this.#cwd)) === null) {
      const source = await findSource(scorerKind, name, this.#cwd, this.#trust);
      return source === undefined || 'builtIn' in source
        ? null
        : this.#once(['scorer', name], async (parts) => {
            parts.uses('scorer', name);
            parts.source('scorer', source);
          });
    }
    return this.#once(['scorer', name], async (parts) => {
      if (by === undefined) await this.#resolved(scorerKind, name, parts);
      else {
        parts.note('scorer', name);
        parts.uses('scorer', name);
        if (by.startsWith('onnx:')) parts.note('weights', digestFolderOf(resolve(this.#cwd, by.slice('onnx:'.length))));
        else parts.add('model', await this.model(by));
      }
    });
  }

  /** A model by its name. */
  model(name: string): Promise<Fingerprint> {
    return this.#once(['model', name], (parts) => this.#model(name, parts));
  }

  /** Adds what a name of another form means, as the part of Ludus that reads such names lists it; false for an ordinary name. */
  async #resolved(kind: Pick<Kind<unknown>, 'name' | 'one'>, name: string, parts: FingerprintParts): Promise<boolean> {
    const resolver = await findNameResolver(kind.name, name, this.#cwd);
    if (resolver === null) return false;
    const { weights, file, tasks, environment, model } = (await resolver.contents?.(name, this.#cwd)) ?? {};
    // A checkpoint is its weights, whatever its run is called.
    if (weights !== undefined) parts.note('weights', weights);
    else parts.note(kind.one, name);
    if (file !== undefined) parts.program('file', resolve(this.#cwd, file));
    if (tasks !== undefined && this.#isIdle) parts.note('tasks', this.file(tasks));
    if (environment !== undefined) parts.add('environment', await this.environment(environment));
    if (model !== undefined) parts.add('model', await this.model(model));
    return true;
  }

  #once(key: readonly [kind: string, named: Json], collect: (parts: FingerprintParts) => Promise<void>): Promise<Fingerprint> {
    return this.#prints.get(hash(key), async () => {
      const parts = new FingerprintParts(this.#isIdle);
      try {
        if (isObjectName(key)) parts.unpin('it exists only in memory');
        await collect(parts);
      } catch (thrown) {
        if (!this.#isLenient || !isFault(thrown)) throw thrown;
        parts.note('named', key);
        parts.unpin('it is given in memory');
      }
      const print = parts.fingerprint();
      for (const source of print.sources) this.#sources.set(`${source.kind} ${source.name}`, source);
      return print;
    });
  }

  async #agent(spec: AgentSpec, parts: FingerprintParts): Promise<void> {
    const { parent: _, ...decides } = spec;
    // A key that was renewed makes no other agent.
    const { casts } = withoutKeys({ environments: [], seeds: [], casts: [{ seat: decides }] });
    parts.note('spec', casts[0]['seat'] as Json);
    if (!this.#isIdle) parts.note('ludus', version);
    if (isBot(spec)) this.#bot(spec, parts);
    else await this.#kind(spec, parts);
    for (const [i, nested] of nestedSpecs(spec).entries()) parts.add(`nested ${i}`, await this.agent(nested));
    for (const name of spec.tools ?? []) await this.#tools(name, parts);
    const settings = (spec.settings ?? {}) as JsonObject;
    if (settings['lasting'] === true && process.env['LUDUS_MEMORY'] !== 'off') parts.unpin(`${spec.name} remembers earlier episodes`);
    const { members: _members, base: _base, judge: _judge, ...plain } = settings;
    this.#namedFiles([plain, spec.persona ?? null], parts);
  }

  async #kind(spec: AgentSpec, parts: FingerprintParts): Promise<void> {
    const { kind, rest = '' } = parseKind(spec.kind);
    if (kind === 'openenv') parts.unpin(rest);
    else if (kind === 'local') {
      parts.uses('agent', spec.model ?? `local/${rest}`);
      await this.#resolved(agentKind, spec.model ?? `local/${rest}`, parts);
    } else if (kind === 'llm') {
      const name = spec.model || rest || (await readDefaultModel(this.#cwd)) || 'local';
      parts.note('model', name);
      parts.add('model', await this.model(name));
      this.#encoder(parts);
    } else {
      if (kind === 'finder' || (kind === 'search' && readSearch(spec).reflections)) this.#encoder(parts);
      if (spec.model !== undefined) parts.add('model', await this.model(spec.model));
      const isBuiltIn = agentKinds.some((entry) => entry.kind === kind) || ['uniform', 'script', 'me'].includes(kind);
      if (!isBuiltIn) await this.#program(spec.kind, parts);
    }
  }

  /** The encoder decides what is recalled and found. Without one, the fingerprint is unchanged. */
  #encoder(parts: FingerprintParts): void {
    const encoder = findEncoder();
    if (encoder !== null) parts.note('encoder', encoder.name);
  }

  /** A program or a document of the user; a document says in turn what plays. */
  async #program(name: string, parts: FingerprintParts): Promise<void> {
    const form = { name: 'agent folders', one: 'agent' };
    if ((await findNameResolver(form.name, name, this.#cwd))?.contents !== undefined) {
      await this.#resolved(form, name, parts);
      return;
    }
    // A member of a team is what the team's file says of it.
    if (!name.startsWith('member:')) {
      parts.uses('agent', name);
      parts.source('program', await findSource(agentKind, name, this.#cwd, this.#trust));
    }
    if (this.#isIdle) return;
    const exported = await findAgent(name, this.#cwd, this.#trust);
    if (exported !== undefined && typeof exported !== 'function' && !('act' in exported) && exported.kind !== name)
      parts.add('exported', await this.agent(exported));
  }

  #bot(spec: AgentSpec, parts: FingerprintParts): void {
    const { url, file, command, version: declared, open, close, hooks } = readBotSettings(spec);
    if (file !== '') {
      parts.uses('file', file.split('#', 1)[0]);
      parts.program('program', resolve(this.#cwd, file.split('#', 1)[0]));
    }
    if (command.length > 0 && !this.#command(command, parts) && declared === '')
      parts.unpin(`the files that "${command.join(' ')}" reads cannot be determined`);
    const address = [url, open?.url, close?.url, hooks.state, hooks.mcp].find((place) => typeof place === 'string' && place !== '');
    if (address !== undefined && declared === '') parts.unpin(`${address} has no "version"`);
  }

  /** The files among the words of a command, by their content; false where none is a program whose imports can be read. */
  #command(command: readonly string[], parts: FingerprintParts): boolean {
    const files = command
      .map((word) => resolve(this.#cwd, word))
      .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);
    for (const file of this.#isIdle ? files : []) checkFile(file, this.#trust, { cwd: this.#cwd, env: process.env });
    if (files.length > 0) parts.uses('command', JSON.stringify(command));
    for (const file of files) parts.program('program', file);
    return files.some(isReadable);
  }

  async #model(name: string, parts: FingerprintParts): Promise<void> {
    if (await this.#resolved(modelKind, name, parts)) return parts.uses('model', name);
    const { endpoints = {}, kinds = {} } = await readConfigIn(this.#cwd);
    if (!name.startsWith('fake') && !this.#isIdle) {
      const context = usualSetting('context', process.env);
      parts.note('sampling', { ...usualSampling(process.env), ...(context === undefined ? {} : { context }) } as Json);
    }
    if (Object.hasOwn(kinds['models'] ?? {}, name) || isFileModel(name)) {
      parts.uses('model', name);
      const source = await findSource(modelKind, name, this.#cwd, this.#trust);
      parts.source('model', source);
      if (source !== undefined && 'file' in source && source.file.endsWith('.json')) unpinEndpoint(readObject(source.file), name, parts);
      return;
    }
    const [place = ''] = name.split(/[/:]/, 1);
    if (Object.hasOwn(endpoints, place)) {
      parts.uses('model', name);
      const { key: _, ...endpoint } = endpoints[place];
      const written = { ...endpoint } as JsonObject;
      parts.note('endpoint', written);
      unpinEndpoint(written, name, parts);
      return;
    }
    const address = name === 'local' ? `gguf:${(pulledModel(process.env) ?? 'local').replace(/^gguf:/, '')}` : name;
    if (/^gguf[:/]|\.gguf/i.test(address)) {
      parts.note('model', address);
      parts.uses('model', name);
      // A name or an address of a GGUF is downloaded once and then stays what it is.
      for (const file of filesIn(address.replace(/^gguf[:/]/i, ''))) {
        const path = resolve(this.#cwd, file.split('#', 1)[0]);
        if (existsSync(path)) parts.note('weights', digestFile(path));
      }
      return;
    }
    if (place === 'fake' || pinnedRevision(name)) return;
    parts.unpin(`${name} names no revision`);
  }

  async #tools(name: string, parts: FingerprintParts): Promise<void> {
    parts.uses('tools', name);
    const [, csv] = /^table=(.+)$/s.exec(name) ?? [];
    if (csv !== undefined) {
      parts.note(`tools ${name}`, digestFile(resolve(this.#cwd, csv)));
      return;
    }
    const table = process.env['LUDUS_TOOLS'];
    const servers = table ? (readObject(resolve(table))['mcpServers'] as JsonObject | undefined) : undefined;
    const server = servers?.[name];
    if (isObject(server)) this.#server(name, server, parts);
    else {
      const source = await findSource(toolKind, name, this.#cwd, this.#trust);
      parts.source(`tools ${name}`, source);
      if (source !== undefined && 'file' in source && source.file.endsWith('.json')) this.#server(name, readObject(source.file), parts);
    }
  }

  #server(name: string, { command, args, url }: JsonObject, parts: FingerprintParts): void {
    parts.note(`tools ${name}`, [command ?? null, args ?? null, url ?? null]);
    const parameters = Array.isArray(args) ? args : [];
    const program = [command, ...parameters].filter((word) => typeof word === 'string');
    if (typeof url === 'string') parts.unpin(`the tools of ${url} have no version`);
    else if (!this.#command(program, parts)) parts.unpin(`the files that the tools "${name}" read cannot be determined`);
  }

  /** Files that settings name: a dream to search in, a list of words … */
  #namedFiles(value: Json, parts: FingerprintParts): void {
    if (typeof value === 'string') {
      const path = /^\.{1,2}[\\/]/.test(value) ? resolve(this.#cwd, value.split('#', 1)[0]) : null;
      if (path !== null && statSync(path, { throwIfNoEntry: false })?.isFile() === true) {
        parts.uses('file', value.split('#', 1)[0]);
        parts.program(value, path);
      }
    } else if (Array.isArray(value)) for (const item of value) this.#namedFiles(item, parts);
    else if (isObject(value)) for (const item of Object.values(value)) this.#namedFiles(item, parts);
  }
}

/** A model file and its adapters, joined by "+" after each ".gguf" and its checksum. */
function filesIn(address: string): readonly string[] {
  const files: string[] = [];
  let start = 0;
  for (let at = address.indexOf('+'); at >= 0; at = address.indexOf('+', at + 1)) {
    const [file = ''] = address.slice(start, at).split('#', 1);
    if (!file.toLowerCase().endsWith('.gguf')) continue;
    files.push(address.slice(start, at));
    start = at + 1;
  }
  return [...files, address.slice(start)];
}

/** A server is what it was only where its configuration says which version it serves, or the name of its model does. */
function unpinEndpoint({ url, model, version: declared }: JsonObject, name: string, parts: FingerprintParts): void {
  if (typeof declared === 'string' && declared !== '') return;
  if (typeof model === 'string' && pinnedRevision(model)) return;
  parts.unpin(`${name} at ${String(url)} names no revision`);
}

function readObject(file: string): JsonObject {
  try {
    const read = JSON.parse(readFileSync(file, 'utf8')) as Json;
    return isObject(read) ? read : {};
  } catch {
    // Errors in the file are reported where it is used.
    return {};
  }
}

/** The content of a file, or of the files that a folder holds next to its config.json. */
function digestFolderOf(path: string): Json {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [digestFile(path)];
  return ['config.json', 'model.onnx', 'tokenizer.json', 'best.json', 'last.json', 'run.json'].map((name) =>
    digestFile(resolve(path, name)),
  );
}

/** Whether an agent or an environment exists only in the memory of a program. */
function isObjectName([, named]: readonly [kind: string, named: Json]): boolean {
  const name = isObject(named) ? named['kind'] : named;
  return typeof name === 'string' && objectNamed(name) !== undefined;
}
