/**
 * @file The interface of a store for runs, specs, episodes, and scores. Logs are append-only; a crash loses nothing that was acknowledged.
 */

import type { AgentSpec } from './agent.ts';
import type { Seat } from './environment.ts';
import type { EndReason, EpisodeEvent } from './event.ts';
import type { Json, JsonObject } from './json.ts';
import type { Plan } from './plan.ts';
import type { Seed } from './rng.ts';
import type { Score } from './scorer.ts';

export type RunRecord = {
  readonly id: string;
  readonly plan: Plan;
  /** The number of episodes in the plan. */
  readonly episodes: number;
  /** The work of the run besides playing its plan: `{ kind: 'train', recipe: … }`. */
  readonly work?: JsonObject & { readonly kind: string };
};

/**
 * Fingerprints of an episode's players: hashes of everything that decides it besides its task and seed. They are stored next to the
 * log, not in it. A fingerprint that ends in "~N" has a part that cannot be hashed, such as a server: N counts the invocations that played it.
 */
export type EpisodeVersions = {
  readonly environment: string;
  readonly agents: Readonly<Record<Seat, string>>;
};

/** Summary of an episode, available without reading its log. `status` is "running" until an end event is stored. */
export interface EpisodeRecord {
  readonly id: string;
  readonly run: string | null;
  readonly environment: string;
  readonly task: Json;
  readonly seed: Seed;
  readonly cast: Readonly<Record<Seat, string>>;
  readonly status: 'running' | EndReason;
  readonly events: number;
  readonly turns: number;
  readonly returns: Readonly<Record<Seat, number>> | null;
  /** Omitted if unknown: the episode was imported, played by hand, or stored by a version without fingerprints. */
  readonly versions?: EpisodeVersions;
  /** Order of arrival: later episodes have larger numbers. */
  readonly order: number;
}

/** All fields narrow the list; newest first; `before` is the `order` of the last row of the previous page. */
export interface EpisodeQuery {
  readonly run?: string;
  readonly environment?: string;
  readonly agent?: string;
  readonly status?: EpisodeRecord['status'];
  readonly before?: number;
  readonly limit?: number;
  /** Stored at or after `since`, and before `until`, in milliseconds since 1970. */
  readonly since?: number;
  readonly until?: number;
}

/** The number of equal episodes: the same environment, the same cast in the same versions, the same end, the same returns. */
export interface EpisodeTally extends Pick<EpisodeRecord, 'environment' | 'cast' | 'versions' | 'status' | 'returns'> {
  readonly count: number;
}

/** Episodes with matching messages, each with an excerpt. */
export interface FoundEpisodes {
  readonly found: readonly { readonly episode: EpisodeRecord; readonly excerpt: string }[];
  /** Episodes not yet indexed for search: repeating the same search continues. */
  readonly pending: number;
}

/** The parts of episodes to read together. */
export interface EpisodeParts {
  readonly record?: boolean;
  readonly events?: boolean;
  readonly scores?: boolean;
}

/** The stored data of an episode; parts that were not requested are empty. */
export interface StoredEpisode {
  readonly record: EpisodeRecord | null;
  readonly events: readonly EpisodeEvent[];
  readonly scores: readonly Score[];
}

/** An episode of a list, and its scores. */
export interface ScoredEpisode {
  readonly record: EpisodeRecord;
  readonly scores: readonly Score[];
}

/** When a run was stored, in milliseconds since 1970. Times are metadata of a store: no log holds them, so replay is exact. */
export interface RunTimes {
  /** When the run was stored; if unknown, its first episode; null if it has none. */
  readonly created: number | null;
  /** When its first and its last episode were stored; null if it has none. */
  readonly first: number | null;
  readonly last: number | null;
}

/** A store's metadata about its records. */
export interface StoreCatalog {
  /** The times of every run in the store, by its id. */
  runTimes(): Promise<ReadonlyMap<string, RunTimes>>;
  /** The episode counts of every run that has episodes, as by `tally`: in a few queries for any number of runs. */
  runTallies(): Promise<ReadonlyMap<string, readonly EpisodeTally[]>>;
  /** The entries of one journal in each of these runs that has it. */
  runNotes(journal: string, runs: readonly string[]): Promise<ReadonlyMap<string, readonly Json[]>>;
  /** When each of these episodes was stored, in milliseconds since 1970. */
  episodeTimes(episodes: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Deletes runs with their episodes, scores and journals; resolves with the number of episodes. The bytes stay until "ludus store forget". */
  deleteRuns(runs: readonly string[]): Promise<number>;
}

/** Storage for runs, episodes, specs, scores, and journals. */
export interface Store {
  /** Adds or keeps: a run's plan never changes once it is stored under its id. */
  putRun(run: RunRecord): Promise<void>;
  run(id: string): Promise<RunRecord | null>;
  runs(): Promise<readonly RunRecord[]>;

  /** Adds a spec under its hash and returns it. */
  putSpec(spec: AgentSpec): Promise<string>;
  spec(hash: string): Promise<AgentSpec | null>;
  specs(query?: { readonly parent?: string }): Promise<readonly { readonly hash: string; readonly spec: AgentSpec }[]>;

  /**
   * Appends events to a log at `index`, which must be its length; the first event of a log is its start. Resolves once they are durable;
   * many appends share one commit. `run` and `versions` are read at index 0. A `writer`, its own number, may send an append before the
   * last one is decided: if that one is refused, so is this.
   */
  append(
    episode: string,
    index: number,
    events: readonly EpisodeEvent[],
    run?: string,
    writer?: number,
    versions?: EpisodeVersions,
  ): Promise<void>;
  /** Events from `from` to the end of the stored log. */
  events(episode: string, from?: number): Promise<readonly EpisodeEvent[]>;
  episode(id: string): Promise<EpisodeRecord | null>;
  episodes(query?: EpisodeQuery): Promise<readonly EpisodeRecord[]>;
  /** The same with their scores, in one query; `readScoredEpisodes` works with any store. */
  scoredEpisodes?(query?: EpisodeQuery): Promise<readonly ScoredEpisode[]>;
  /** The number of matching episodes by outcome, in no order; small if many have the same outcome. */
  tally(query?: Omit<EpisodeQuery, 'before' | 'limit' | 'since' | 'until'>): Promise<readonly EpisodeTally[]>;
  /** Ids that start with `prefix`, at most `limit` of them, because users type short prefixes. */
  find(prefix: string, limit?: number): Promise<readonly string[]>;
  /** Episodes with messages that contain all of these words, best first; "two words" in quotes must be adjacent. */
  search?(words: string, limit?: number): Promise<FoundEpisodes>;
  /** Status of every episode of a run. */
  statuses(run: string): Promise<ReadonlyMap<string, EpisodeRecord['status']>>;

  putScores(episode: string, scores: readonly Score[]): Promise<void>;
  scores(episode: string): Promise<readonly Score[]>;

  /**
   * Appends to a journal of a run at `index`, which must be its length: the metrics of a training, the candidates of an improvement. Resolves
   * once the entries are durable.
   */
  note(run: string, journal: string, index: number, entries: readonly Json[]): Promise<void>;
  /** The entries of a journal from `from` to its end; empty if it has none. */
  notes(run: string, journal: string, from?: number): Promise<readonly Json[]>;
  /** The journals of a run with their lengths. */
  journals(run: string): Promise<Readonly<Record<string, number>>>;

  /**
   * `episode`, `events`, and `scores` of many episodes in a few queries, yielding to other work of the process in between; by id, in the
   * requested order. `readEpisodes` works with any store.
   */
  read?(episodes: readonly string[], parts: EpisodeParts): Promise<ReadonlyMap<string, StoredEpisode>>;

  /** Times of records, and deletion of runs, where the store supports them. */
  readonly catalog?: StoreCatalog;
  /** True if every write is rejected. */
  readonly readOnly?: boolean;
  /** Damaged records that were skipped, with the reason; "ludus doctor" finds all of them. */
  readonly unreadable?: ReadonlyMap<string, string>;

  close(): Promise<void>;
}

/** Parts of some episodes, from a store with or without batch reads; keep `episodes` short, because all are in memory. */
export async function readEpisodes(
  store: Pick<Store, 'episode' | 'events' | 'scores' | 'read'>,
  episodes: readonly string[],
  parts: EpisodeParts,
): Promise<ReadonlyMap<string, StoredEpisode>> {
  if (store.read !== undefined) return store.read(episodes, parts);
  const matches = new Map<string, StoredEpisode>();
  for (const id of episodes) {
    const record = parts.record === true ? await store.episode(id) : null;
    const events = parts.events === true ? await store.events(id) : [];
    matches.set(id, { record, events, scores: parts.scores === true ? await store.scores(id) : [] });
  }
  return matches;
}

/** A page of a list with the scores of its episodes. */
export async function readScoredEpisodes(
  store: Pick<Store, 'episode' | 'episodes' | 'scoredEpisodes' | 'events' | 'scores' | 'read'>,
  query: EpisodeQuery,
): Promise<readonly ScoredEpisode[]> {
  if (store.scoredEpisodes !== undefined) return store.scoredEpisodes(query);
  const records = await store.episodes(query);
  const ids = records.map(({ id }) => id);
  const stored = await readEpisodes(store, ids, { scores: true });
  return records.map((record) => ({ record, scores: stored.get(record.id)?.scores ?? [] }));
}
