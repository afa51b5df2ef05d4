/**
 * @file The identity of an agent: the named file or kind with its settings. It is shown by its name, or by its name and file if another
 * agent of the run has that name. Each run records what its names mean.
 */

import { relative, resolve } from 'node:path';
import { type AgentSpec, equal, Fault, type Json, type Plan, type Store } from '@ludus-agents/kernel/internal/core/index';
import { isFileName } from './load.ts';
import { readPlayedSpecs } from './versions.ts';

/** The source of a spec. */
export interface AgentOrigin {
  /** The user's text, with a file path relative to the folder. */
  readonly word: string;
  /** Its name before disambiguation. */
  readonly name: string;
  /** The files of the document, including those of its personas. */
  readonly files: ReadonlySet<string>;
}

const origins = new WeakMap<AgentSpec, AgentOrigin>();
/** The source files of the agents with these names in this process. */
const documents = new Map<string, ReadonlySet<string>>();

/** Records the source of a spec. */
export function originate(spec: AgentSpec, origin: AgentOrigin, cwd: string): AgentSpec {
  origins.set(spec, origin);
  noteDocuments(spec.name, origin.files, cwd);
  return spec;
}

/** The source of a spec; undefined if the user did not type it. */
export function originOf(spec: AgentSpec): AgentOrigin | undefined {
  return origins.get(spec);
}

/** The files of a spec's source document. */
export function filesBehind(spec: AgentSpec): Iterable<string> {
  return origins.get(spec)?.files ?? [];
}

export function noteDocuments(agent: string, files: ReadonlySet<string>, cwd: string): void {
  documents.set(documentKey(agent, cwd), files);
}

function documentKey(agent: string, cwd: string): string {
  return `${cwd}\n${agent}`;
}

/** The source files of the agent with this name; empty if it was not read from a file. */
export function documentsOf(agent: string, cwd: string): readonly string[] {
  return [...(documents.get(documentKey(agent, cwd)) ?? [])];
}

/** The canonical word for an agent, however its file path is written. */
export function wordFor(word: string, cwd: string): string {
  if (!isFileName(word) || /^[a-z][a-z0-9]+:|^local\//.test(word)) return word;
  const path = relative(cwd, resolve(cwd, word)).replaceAll('\\', '/');
  return path.startsWith('../') ? path : `./${path}`;
}

function withName(spec: AgentSpec, name: string, cwd: string): AgentSpec {
  const origin = origins.get(spec);
  const copy = spec.name === name ? spec : { ...spec, name };
  return origin === undefined ? copy : originate(copy, origin, cwd);
}

/** An agent's contents without its name and persona: people of a population are one agent. */
function contentOf({ name: _, parent: __, ...content }: AgentSpec): Json {
  return content as Json;
}

/** Gives agents distinct names: an agent with another one's name but different contents gets its file in its name. */
export function distinguish(specs: readonly AgentSpec[], typedNames: readonly string[], cwd = process.cwd()): readonly AgentSpec[] {
  const distinct: AgentSpec[] = [];
  for (const [i, spec] of specs.entries()) {
    const alike = distinct.find((agentSpec) => agentSpec.name === spec.name);
    const first = alike === undefined ? undefined : typedNames[distinct.indexOf(alike)];
    const isSame = alike !== undefined && equal(contentOf(spec), contentOf(alike));
    if (isSame && first !== typedNames[i])
      throw new Fault('input', `${first} and ${typedNames[i]} are the same agent, "${spec.name}". Remove one of them.`);
    if (isSame || (alike !== undefined && typedNames[i] === undefined)) throw sharedName(spec.name);
    distinct.push(withName(spec, alike === undefined ? spec.name : `${spec.name} (${wordFor(typedNames[i]!, cwd)})`, cwd));
  }
  return distinct;
}

function sharedName(name: string): Fault {
  return new Fault('input', `Two agents are named "${name}". Give one of them a different "name".`);
}

/** The names of the agents of one plan, in order. People of a population have the name of the agent that plays them. */
export class PlanNames {
  readonly #cwd: string;
  readonly #contents = new Map<string, Json>();
  readonly #words = new Map<string, string>();

  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  /** The spec, renamed if a previous agent has the same name but different contents. */
  distinguish(spec: AgentSpec): AgentSpec {
    const { persona: _, population: __, ...rest } = spec;
    const content = contentOf(rest);
    const word = origins.get(spec)?.word;
    const what = word ?? spec.model ?? spec.kind;
    for (const name of [spec.name, `${spec.name} (${what})`]) {
      const other = this.#contents.get(name);
      if (other !== undefined && !equal(other, content)) continue;
      this.#contents.set(name, content);
      if (word !== undefined) this.#words.set(name, word);
      return withName(spec, name, this.#cwd);
    }
    throw sharedName(spec.name);
  }

  /** The plan with its names resolved. */
  noteIn(plan: Plan): Plan {
    planWords.set(plan, this.#words);
    return plan;
  }
}

const planWords = new WeakMap<Plan, ReadonlyMap<string, string>>();

const nameJournal = 'agent-names';

/** What an agent name of a run means, as far as it is stored. */
export interface RunAgent {
  readonly word?: string;
  readonly spec?: AgentSpec;
}

/** The agents of a run by their names in it. An older run has no notes: a program is named in its spec, and a second agent by its file. */
export async function readRunAgents(store: Pick<Store, 'notes' | 'run'>, run: string, cwd: string): Promise<ReadonlyMap<string, RunAgent>> {
  const agents = new Map<string, RunAgent>();
  const casts = (await store.run(run))?.plan.casts ?? [];
  const played = (await readPlayedSpecs(store, run)).map(({ spec }) => spec);
  for (const spec of [...casts.flatMap((cast) => Object.values(cast)), ...played]) {
    if (typeof spec === 'string') continue;
    const [, file] = / \(([^()]+)\)$/.exec(spec.name) ?? [];
    const word = [file, spec.kind].find((text) => text !== undefined && isFileName(text));
    agents.set(spec.name, { spec, ...(word === undefined ? {} : { word: wordFor(word, cwd) }) });
  }
  for (const note of await store.notes(run, nameJournal))
    for (const [name, word] of Object.entries(note as Readonly<Record<string, string>>)) agents.set(name, { ...agents.get(name), word });
  return agents;
}

/** The run's name for an agent; undefined if it has not played there. `isNew` contains the name it would get. */
export function nameInRun(agents: ReadonlyMap<string, RunAgent>, spec: AgentSpec): string | undefined {
  const origin = origins.get(spec);
  if (origin === undefined) return agents.has(spec.name) ? spec.name : undefined;
  const { name, word } = origin;
  const names = [name, `${name} (${word})`];
  const byWord = names.find((label) => agents.get(label)?.word === word);
  if (byWord !== undefined) return byWord;
  return names.find((label) => {
    const agent = agents.get(label);
    return agent?.word === undefined && agent?.spec !== undefined && equal(contentOf(agent.spec), contentOf(spec));
  });
}

/** Agents under the names that they already have in a run; a new one gets a name that is unused there. */
export async function namedInRun(
  store: Pick<Store, 'notes' | 'run'>,
  run: string,
  specs: readonly AgentSpec[],
  cwd: string,
): Promise<readonly AgentSpec[]> {
  const before = await readRunAgents(store, run, cwd);
  const wordByName = new Map([...before].flatMap(([name, { word }]) => (word === undefined ? [] : [[name, word] as const])));
  const names = specs.map((spec) => nameInRun(before, spec));
  return specs.map((spec, i) => {
    const origin = origins.get(spec);
    if (origin === undefined) return spec;
    const { name, word } = origin;
    const isFree = (wordByName.get(name) ?? word) === word && !names.includes(name);
    const label = names[i] ?? (isFree ? name : `${name} (${word})`);
    wordByName.set(label, word);
    return withName(spec, label, cwd);
  });
}

/** Records in a run what the names of its plan, or of some agents, mean. */
export async function noteNames(store: Pick<Store, 'note' | 'notes'>, run: string, agents: Plan | readonly AgentSpec[]): Promise<void> {
  const currentWords = 'casts' in agents ? planWords.get(agents) : new Map(agents.map((spec) => [spec.name, origins.get(spec)?.word]));
  const entries = (await store.notes(run, nameJournal)) as readonly Readonly<Record<string, string>>[];
  const before: Readonly<Record<string, string>> = Object.assign({}, ...entries);
  const fresh = [...(currentWords ?? [])].filter(([name, word]) => word !== undefined && before[name] !== word);
  // Another process with the same agents writes the same notes.
  if (fresh.length > 0) await store.note(run, nameJournal, entries.length, [Object.fromEntries(fresh) as Json]).catch(() => {});
}
