/** @file The user's own agents, from a file or a package: a spec as data, an agent, or a function that creates one for a seat. */

import { existsSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { specDocument } from '@ludus-agents/kernel/internal/core/agent-spec';
import type { Agent, AgentSpec, AnyEnvironment, Cast, Json, Plan, Seat } from '@ludus-agents/kernel/internal/core/index';
import { Fault, findEntry, isFault, isObject } from '@ludus-agents/kernel/internal/core/index';
import { readAs } from '@ludus-agents/kernel/internal/core/shape';
import { withSlashes } from '@ludus-agents/store/internal/files/portable-path';
import { checkSettings } from '../kind-rules.ts';
import type { Persona } from '../personas/index.ts';
import { readTeam } from '../team/settings.ts';
import { filesBehind, noteDocuments, originate, PlanNames, wordFor } from './agent-names.ts';
import { readConfigIn } from './config.ts';
import { agentKind } from './kinds.ts';
import { findNamed, isFileName, loadEntry } from './load.ts';
import { findNameResolver } from './name-resolvers.ts';
import type { Trust } from './trust.ts';

/** Creates an agent for a seat. */
export type AgentFactory = (seat: Seat, environment: AnyEnvironment) => Agent | Promise<Agent>;

export type AgentSource = AgentSpec | Agent | AgentFactory;

/** Parses the contents of a file or the export of a program; undefined if it is not an agent. */
export function readAgent(value: unknown, where: string): AgentSource | undefined {
  if (typeof value === 'function')
    return isBotFunction(value, where) ? { name: fileIn(where), kind: `bot:${where}` } : (value as AgentFactory);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { name, kind, act } = value as Readonly<Record<string, unknown>>;
  if (typeof name !== 'string' || name === '') return undefined;
  if (typeof act === 'function') return value as Agent;
  if (typeof kind !== 'string' || kind === '') return undefined;
  const spec = readAs(specDocument, value, { where, called: 'an agent' });
  // Errors are reported before it takes a seat. Other personas that it names are loaded later.
  const { others } = spec.settings ?? {};
  const named = Array.isArray(others) ? { others: others.filter((other) => typeof other !== 'string') } : {};
  checkSettings({ ...spec, ...(spec.settings === undefined ? {} : { settings: { ...spec.settings, ...named } }) });
  return spec;
}

/**
 * Whether a function is a bot rather than an agent factory: it is named bot, it is the default export of a file named bot, or it is an
 * async generator.
 */
function isBotFunction(value: { readonly name: string }, where: string): boolean {
  return (
    value.name === 'bot' || value.constructor.name === 'AsyncGeneratorFunction' || /#bot$|(^|[\\/.-])bot\.[cm]?[jt]s#default$/.test(where)
  );
}

function fileIn(where: string): string {
  return where.replace(/#default$/, '');
}

/** The user's own agent with this name; undefined if there is none. */
export async function findAgent(name: string, cwd: string, trust: Trust): Promise<AgentSource | undefined> {
  const [, team, member] = /^member:(.+)#([^#]+)$/s.exec(name) ?? [];
  if (team !== undefined && member !== undefined) return findMember({ team, member }, cwd, trust);
  const folder = await findNameResolver<AgentFactory>('agent folders', name, cwd);
  if (folder !== null) return folder.resolve(name, { cwd, trust });
  const source = await findNamed(agentKind, name, cwd, trust);
  if (source === undefined || typeof source === 'function' || 'act' in source) return source;
  const target = findEntry((await readConfigIn(cwd)).kinds?.['agents'] ?? {}, name) ?? name;
  const home = isFileName(target) ? dirname(resolve(cwd, target)) : cwd;
  const files = new Set(isFileName(target) ? [target] : []);
  const placed = withProgramPath(source, home, cwd);
  const spec = namesPersonas(placed) ? await withPersonas(placed, placed.name, { folders: [home, cwd], trust, files }) : placed;
  return originate(spec, { word: wordFor(name, cwd), name: source.name, files }, cwd);
}

/** Makes the path of a bot's program, which is next to its document, relative to the working folder, like all other names. */
function withProgramPath(spec: AgentSpec, folder: string, cwd: string): AgentSpec {
  const file = spec.settings?.['file'];
  if (spec.kind !== 'bot' || typeof file !== 'string' || isAbsolute(file)) return spec;
  const [path = '', ...exported] = file.split('#');
  const isBeside = folder !== cwd && !existsSync(resolve(cwd, path)) && existsSync(resolve(folder, path));
  if (!isBeside) return spec;
  const named = withSlashes(relative(cwd, resolve(folder, path)));
  return { ...spec, settings: { ...spec.settings, file: [named.startsWith('.') ? named : `./${named}`, ...exported].join('#') } };
}

/** Folders in which names in a document are looked up, in order. */
interface Lookup {
  readonly folders: readonly string[];
  readonly trust: Trust;
  /** Collects the loaded files, by their names in the last folder. */
  readonly files?: Set<string>;
}

/** Whether a spec, or one inside its settings, names a persona instead of containing it. */
function namesPersonas({ persona, settings }: AgentSpec): boolean {
  const { others, members, base } = (settings ?? {}) as Readonly<Record<string, Json | undefined>>;
  const inside = [...(Array.isArray(members) ? members : []), base].filter(isObject) as AgentSpec[];
  return (
    typeof persona === 'string' ||
    (Array.isArray(others) && others.some((other) => typeof other === 'string')) ||
    inside.some(namesPersonas)
  );
}

/** A spec with every persona name, also in the specs in its settings, replaced by the document. */
async function withPersonas(spec: AgentSpec, where: string, lookup: Lookup): Promise<AgentSpec> {
  const { persona, settings } = spec;
  const written = typeof persona === 'string' ? await withPersona(spec, where, lookup) : spec;
  if (settings === undefined) return written;
  const { others, members, base } = settings as Readonly<Record<string, Json | undefined>>;
  const inner = async (member: Json): Promise<Json> => (isObject(member) ? await withPersonas(member as AgentSpec, where, lookup) : member);
  const other = async (input: Json): Promise<Json> => (typeof input === 'string' ? ((await personaNamed(input, lookup)) as Json) : input);
  return {
    ...written,
    settings: {
      ...settings,
      ...(Array.isArray(others) ? { others: await Promise.all(others.map(other)) } : {}),
      ...(Array.isArray(members) ? { members: await Promise.all(members.map(inner)) } : {}),
      ...(base === undefined ? {} : { base: await inner(base) }),
    },
  };
}

/** A persona by its name, or from a file in the first folder that contains it. */
async function personaNamed(name: string, { folders, trust, files }: Lookup): Promise<Persona> {
  const { resolvePersona } = await import('./personas.ts');
  const { Readable } = await import('node:stream');
  const home = folders.find((folder) => existsSync(resolve(folder, name)));
  const cwd = home ?? folders.at(-1)!;
  if (home !== undefined) files?.add(relative(folders.at(-1)!, resolve(home, name)));
  return (await resolvePersona(name, { cwd, stdin: Readable.from([]), trust })).persona;
}

/** The agent named "member:TEAM#NAME": a member of a team, as defined in the team's file. */
async function findMember(
  { team, member }: { readonly team: string; readonly member: string },
  cwd: string,
  trust: Trust,
): Promise<AgentSource | undefined> {
  const { called } = readTeam(await readSpec(team, cwd, trust));
  const match = called.find(({ name }) => name === member);
  if (match === undefined)
    throw new Fault('input', `${team}: expected a member, got "${member}"; its members are ${called.map(({ name }) => name).join(', ')}.`);
  const { spec } = match;
  return typeof spec === 'string' ? { name: member, kind: spec } : spec;
}

/**
 * Throws if a word names no agent. This runs before its spec is inspected, because a spec of an unknown kind looks like one without parts.
 */
export async function checkAgentName(word: string, cwd: string, trust: Trust): Promise<void> {
  if (/^[\w.-]+$/.test(word)) await loadEntry(agentKind, word, cwd, trust);
}

/** A spec from a word of a command line or a plan; a spec is returned unchanged. A data file is replaced by its contents, so that logs, costs, and workers have it. */
export async function readSpec(typed: string | AgentSpec, cwd: string, trust: Trust): Promise<AgentSpec> {
  if (typeof typed !== 'string') return typed;
  // A file is one agent, however its path is written.
  const word = wordFor(typed, cwd);
  const isOwn = isFileName(word) && !/^[a-z][a-z0-9]+:|^local\//.test(word);
  const agentSource = isOwn
    ? await findAgent(word, cwd, trust).catch(async (thrown) => Promise.reject(await withModelHint(typed, thrown)))
    : undefined;
  if (agentSource !== undefined && typeof agentSource !== 'function' && !('act' in agentSource)) return agentSource;
  // A program stays a name, because its behavior cannot be serialized.
  const name = agentSource === undefined || typeof agentSource === 'function' ? word : agentSource.name;
  return originate({ name, kind: word }, { word, name, files: new Set() }, cwd);
}

/** The error for a word that names no agent, with a hint if it names a model. */
async function withModelHint(word: string, thrown: unknown): Promise<unknown> {
  if (!isFault(thrown) || thrown.code !== 'E_UNREADABLE_FILE') return thrown;
  const { isReservedModel } = await import('../models/kinds.ts');
  if (!isReservedModel(word.split(/[/:]/)[0]!)) return thrown;
  return new Fault('input', `"${word}" is the name of a model. Where an agent is expected, use "llm:${word}".`, {
    code: 'E_UNKNOWN_NAME',
    details: { kind: 'agents', name: word },
  });
}

/** The same for one seat, with its persona as a document: from the gallery, from a file, or inline. */
export async function readSeatSpec(
  word: string | AgentSpec,
  seat: Seat,
  place: { readonly cwd: string; readonly trust: Trust },
): Promise<AgentSpec> {
  const { cwd, trust } = place;
  return withPersona(await readSpec(word, cwd, trust), `The persona on ${seat}`, { folders: [cwd], trust });
}

/** A plan with the contents of its agent files, and with one cast for each person of its populations. */
export async function withOwnAgents(plan: Plan, cwd: string, trust: Trust): Promise<Plan> {
  const names = new PlanNames(cwd);
  const casts: Cast[] = [];
  for (const cast of plan.casts) {
    const seats: Record<Seat, AgentSpec | string> = {};
    for (const [seat, input] of Object.entries(cast)) {
      const read = typeof input === 'string' ? await readSpec(input, cwd, trust) : input;
      const spec = names.distinguish(read);
      const isName = spec.kind === input && spec.name === read.name;
      const files = new Set(filesBehind(spec));
      seats[seat] = isName ? input : await withPersona(spec, `The persona on ${seat}`, { folders: [cwd], trust, files });
      if (!isName) noteDocuments(spec.name, files, cwd);
    }
    casts.push(...(await castsOfPeople(seats, cwd, trust)));
  }
  return names.noteIn({ ...plan, casts });
}

/**
 * A spec whose persona is a document. A text is a name in the gallery, a file, or a population; `{"of": …}` draws people. Documents are
 * read once here, so that the plan, the log, and the scorer use the same hash.
 */
async function withPersona(spec: AgentSpec, where: string, lookup: Lookup): Promise<AgentSpec> {
  const { persona: input, ...rest } = spec;
  if (input === undefined || input === null) return rest;
  if (isObject(input) && 'of' in input) return { ...rest, population: input };
  const { parsePersona } = await import('../personas/index.ts');
  if (typeof input !== 'string') return { ...rest, persona: parsePersona(input) };
  const { findPopulation, tableName } = await import('./populations.ts');
  if (tableName.test(input)) return { ...rest, population: input };
  try {
    return { ...rest, persona: await personaNamed(input, lookup) };
  } catch (thrown) {
    const isPopulation = await findPopulation(input, lookup.folders.at(-1)!, lookup.trust).then(
      () => true,
      () => false,
    );
    if (isPopulation) return { ...rest, population: input };
    throw isFault(thrown) ? new Fault('input', `${where}: ${thrown.message}`, { cause: thrown }) : thrown;
  }
}

/** One cast for each person. People on several seats are paired in order, so each seat must have the same number. */
async function castsOfPeople(cast: Cast, cwd: string, trust: Trust): Promise<readonly Cast[]> {
  const sample = new Map<Seat, readonly AgentSpec[]>();
  for (const [seat, spec] of Object.entries(cast)) {
    if (typeof spec === 'string' || spec.population === undefined) continue;
    const { population, ...rest } = spec;
    const { drawPeople } = await import('./populations.ts');
    const people = await drawPeople(population, `The population on ${seat}`, { cwd, trust });
    sample.set(
      seat,
      people.map((persona) => ({ ...rest, persona: persona })),
    );
  }
  const sizes = [...new Set([...sample.values()].map((people) => people.length))];
  if (sizes.length > 1)
    throw new Fault('input', `A cast draws ${sizes.join(' and ')} people for its seats. Draw the same number for each seat.`);
  return sizes.length === 0
    ? [cast]
    : Array.from({ length: sizes[0]! }, (_, i) => ({
        ...cast,
        ...Object.fromEntries([...sample].map(([seat, people]) => [seat, people[i]!])),
      }));
}
