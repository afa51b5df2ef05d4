/**
 * @file The versions of agents and environments of a run. Each invocation writes the fingerprints of what it plays into the run's journal
 * "versions", so that every reader of the run knows which stored episodes are current, and which belong to a version that has changed
 * since.
 */

import { count } from '@ludus-agents/kernel/internal/core/format';
import type { AgentSpec, EpisodeRecord, EpisodeVersions, Json, Store } from '@ludus-agents/kernel/internal/core/index';
import { hash } from '@ludus-agents/kernel/internal/core/index';

export const versionJournal = 'versions';
/** Specs added to a run after its plan, each once under its fingerprint. */
export const specJournal = 'specs';

/** The fingerprints of one name in a run: several for a name shared by people of a population. */
export type NamedVersions = {
  /** Equal wherever exactly these versions play; different for each invocation if any version is unpinned. */
  readonly id: string;
  readonly versions: readonly string[];
};

/** An entry of the journal: what an invocation plays, as far as it differs from earlier entries. */
export type VersionEntry = {
  readonly environments?: Readonly<Record<string, NamedVersions>>;
  readonly agents?: Readonly<Record<string, NamedVersions>>;
  /** Episodes without fingerprints were counted as played. */
  readonly reuse?: boolean;
  /** Casts that the plan no longer contains (`castKey`); replaces earlier entries. */
  readonly dropped?: readonly string[];
  /** Tasks that the plan no longer contains (`taskKey`); replaces earlier entries. */
  readonly droppedTasks?: readonly string[];
  /** A hash of the plan's loaded tasks, because files that a task names may change. */
  readonly tasks?: string;
  /** A hash of the tasks and casts of the plan. */
  readonly plan?: string;
  /** New casts and tasks of the plan that no stored episode has (`castKey`, `taskKey`), if an earlier entry has another plan. */
  readonly added?: { readonly casts: readonly string[]; readonly tasks: readonly string[] };
  /** Fingerprints of agents and environments that changed during play: their episodes mix two versions. */
  readonly mixed?: readonly string[];
  /** The stored episodes that the invocation plays again or leaves out, and why. */
  readonly changes?: readonly VersionChange[];
};

/** The current versions of a run. */
export interface CurrentVersions {
  readonly environments: ReadonlyMap<string, NamedVersions>;
  readonly agents: ReadonlyMap<string, NamedVersions>;
  /** Fingerprints that were replaced. */
  readonly superseded: ReadonlySet<string>;
  /** The identity of an agent across runs, by fingerprint: equal in two runs if the user named the same agent. */
  readonly identities: ReadonlyMap<string, string>;
  /** Casts that the plan no longer contains (`castKey`). */
  readonly dropped: ReadonlySet<string>;
  /** Tasks that the plan no longer contains (`taskKey`). */
  readonly droppedTasks: ReadonlySet<string>;
  readonly tasks: string | null;
  readonly plan: string | null;
  /** Fingerprints that changed during play. */
  readonly mixed: ReadonlySet<string>;
  readonly reuse: boolean;
}

/** The environment and cast of an episode, as one text. */
export function castKey({ environment, agents }: EpisodeVersions): string {
  return JSON.stringify([environment, Object.entries(agents).sort(([a], [b]) => (a < b ? -1 : 1))]);
}

/** The environment and task of an episode, as one text. */
export function taskKey(environment: string, task: Json): string {
  return hash([environment, task]).slice(0, 16);
}

const nothing: CurrentVersions = {
  ...{ environments: new Map(), agents: new Map(), superseded: new Set(), identities: new Map() },
  ...{ dropped: new Set(), droppedTasks: new Set(), tasks: null, plan: null, mixed: new Set(), reuse: false },
};

export function foldEntries(entries: readonly VersionEntry[]): CurrentVersions {
  return entries.reduce(foldInto, nothing);
}

export function foldInto(before: CurrentVersions, entry: VersionEntry): CurrentVersions {
  const environments = new Map([...before.environments, ...Object.entries(entry.environments ?? {})]);
  const agents = new Map([...before.agents, ...Object.entries(entry.agents ?? {})]);
  const present = new Set([...environments.values(), ...agents.values()].flatMap(({ versions }) => versions));
  const replaced = [
    ...Object.keys(entry.environments ?? {}).flatMap((id) => before.environments.get(id)?.versions ?? []),
    ...Object.keys(entry.agents ?? {}).flatMap((name) => before.agents.get(name)?.versions ?? []),
  ];
  const mixed = new Set([...before.mixed, ...(entry.mixed ?? [])]);
  const superseded = new Set([...before.superseded, ...replaced].filter((mark) => !present.has(mark)));
  const identities = new Map([...agents.values()].flatMap(({ id, versions }) => versions.map((mark) => [mark, id] as const)));
  const dropped = entry.dropped === undefined ? before.dropped : new Set(entry.dropped);
  const droppedTasks = entry.droppedTasks === undefined ? before.droppedTasks : new Set(entry.droppedTasks);
  const { tasks = before.tasks, plan = before.plan, reuse = before.reuse } = entry;
  return { environments, agents, superseded, identities, dropped, droppedTasks, tasks, plan, mixed, reuse };
}

type Versioned = Pick<EpisodeRecord, 'environment' | 'cast' | 'versions'> & Partial<Pick<EpisodeRecord, 'task'>>;

/**
 * Whether an episode was played by the current versions of the run. An episode without fingerprints counts as current, unless something in
 * it now has one.
 */
export function isCurrent({ environment, cast, versions, task }: Versioned, current: CurrentVersions): boolean {
  if (task !== undefined && current.droppedTasks.size > 0 && current.droppedTasks.has(taskKey(environment, task))) return false;
  if (versions === undefined)
    return current.reuse || !(current.environments.has(environment) || Object.values(cast).some((name) => current.agents.has(name)));
  if (current.dropped.size > 0 && current.dropped.has(castKey(versions))) return false;
  if (current.superseded.size === 0) return true;
  if (current.superseded.has(versions.environment)) return false;
  for (const seat in versions.agents) if (current.superseded.has(versions.agents[seat]!)) return false;
  return true;
}

/** A table's note about the episodes that it leaves out. */
export function earlierText(episodes: number): string {
  return `${count(episodes, 'stored episode')} of other versions ${episodes === 1 ? 'is' : 'are'} left out.`;
}

/** Why stored episodes do not count, and their number: those to play again, or those that the plan no longer contains. */
export type VersionChange = {
  readonly what: 'agent' | 'environment' | 'suite' | 'questionnaire' | 'population' | 'run';
  readonly name: string;
  /** Different from before, changed during play, not verifiable, without a fingerprint, or no longer in the plan. */
  readonly reason: 'changed' | 'mixed' | 'unpinned' | 'unknown' | 'dropped';
  readonly why?: string;
  /** The run with the earlier version, if it is another run. */
  readonly since?: string;
  /** The number of stored episodes of exactly this version, which count again. */
  readonly restored?: number;
  readonly episodes: number;
};

/** A change as a sentence, which ends with how to keep the episodes. */
export function changeText(change: VersionChange, run: string, remedy = '--reuse keeps them'): string {
  const { what, name, reason, why, episodes, since = run, restored = 0 } = change;
  const again = `${count(episodes, 'episode')} ${episodes === 1 ? 'is' : 'are'} played again`;
  const stored =
    restored === 0 ? '' : `; ${count(restored, 'stored episode')} of this version ${restored === 1 ? 'counts' : 'count'} again`;
  if (what === 'population') return `The people are not those of run ${since}: ${again}.`;
  if (reason === 'changed') return `${what} ${name} changed since run ${since}: ${again}${stored}.`;
  if (reason === 'mixed')
    return `${what} ${name} changed while run ${since} was played: its ${count(episodes, 'episode')} may mix two versions, and will be played again.`;
  if (reason === 'dropped')
    return `The plan of run ${run}, or a file that it names, changed: ${count(episodes, 'episode')} with other agents, environments, or tasks ${episodes === 1 ? 'is' : 'are'} left out.`;
  if (reason === 'unpinned')
    return `${what} ${name} may have changed since run ${run} (${why ?? 'it is not pinned'}): ${again}; ${remedy}.`;
  return `${count(episodes, 'episode')} of run ${run} ${episodes === 1 ? 'was' : 'were'} stored without a version of what played, and ${episodes === 1 ? 'does' : 'do'} not count; ${remedy}.`;
}

/** A spec with which a run was played, and its fingerprint. */
export type PlayedSpec = {
  readonly hash: string;
  readonly spec: AgentSpec;
};

/** The specs of a run that its plan does not contain: the stored plan never changes. */
export async function readPlayedSpecs(store: Pick<Store, 'notes'>, run: string): Promise<readonly PlayedSpec[]> {
  return (await store.notes(run, specJournal)) as readonly PlayedSpec[];
}
