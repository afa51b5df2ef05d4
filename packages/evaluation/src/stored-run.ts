/** @file Reads the current episodes of a run, or of an agent, with their scores. */

import { setImmediate as breath } from 'node:timers/promises';
import { type CurrentVersions, isCurrent } from '@ludus-agents/agents/internal/workspace/versions';
import {
  type EpisodeEvent,
  type EpisodeQuery,
  type EpisodeRecord,
  readScoredEpisodes,
  type Score,
  type ScoredEpisode,
  type Seat,
  type Store,
} from '@ludus-agents/kernel/internal/core/index';
import { folderOf } from '@ludus-agents/store/internal/stores';
import { PresentFiles, readVersions } from './current-versions.ts';
import { readSourceNotes } from './source-notes.ts';

const page = 500;
/** The number of episodes processed without a pause. */
export const breathing = 5000;

/** The selected episodes: of a run, of an agent, or all. */
export interface RecordQuery {
  readonly run?: string;
  readonly agent?: string;
  /** Also include those by players that have changed since. */
  readonly all?: boolean;
}

/** Every current episode of a run, or of the whole store, newest first. */
export async function* recordsOf(store: Store, { all = false, ...query }: RecordQuery = {}): AsyncGenerator<EpisodeRecord> {
  const current = new CurrentRuns(store);
  const rows = pagesOf(
    (of) => store.episodes(of),
    query,
    ({ order }) => order,
  );
  for await (const row of rows) for (const record of row) if (all || (await current.has(record))) yield record;
}

/** The logs of the episodes of an environment, of one run or of the whole store, newest first. */
export async function logsIn(store: Store, environment: string, run?: string): Promise<readonly (readonly EpisodeEvent[])[]> {
  const logs: (readonly EpisodeEvent[])[] = [];
  for await (const record of recordsOf(store, run === undefined ? {} : { run }))
    if (record.environment === environment) logs.push(await store.events(record.id));
  return logs;
}

/** The same with their scores, in batches. */
export async function* scoredPages(store: Store, { all = false, ...query }: RecordQuery): AsyncGenerator<readonly ScoredEpisode[]> {
  const current = new CurrentRuns(store);
  const pages = pagesOf(
    (of) => readScoredEpisodes(store, of),
    query,
    ({ record }) => record.order,
  );
  for await (const page of pages) {
    if (all) {
      yield page;
      continue;
    }
    const scoredEpisodes: ScoredEpisode[] = [];
    for (const scoredEpisode of page) if (await current.has(scoredEpisode.record)) scoredEpisodes.push(scoredEpisode);
    if (scoredEpisodes.length > 0) yield scoredEpisodes;
  }
}

/** The current versions of the runs of a store, each read once. */
export class CurrentRuns {
  readonly #store: Store;
  readonly #runs = new Map<string, CurrentVersions>();
  readonly #files = new Map<string, PresentFiles>();

  constructor(store: Store) {
    this.#store = store;
  }

  async has(record: EpisodeRecord): Promise<boolean> {
    return record.run === null || isCurrent(record, this.#runs.get(record.run) ?? (await this.of(record.run)));
  }

  /** The identity of the agent on a seat, equal in all runs with the same agent; undefined if its fingerprint is unknown. */
  async identify({ run, versions }: EpisodeRecord, seat: Seat): Promise<string | undefined> {
    const mark = versions?.agents[seat];
    if (run === null || mark === undefined) return undefined;
    return (await this.of(run)).identities.get(mark) ?? mark;
  }

  /** Whether an agent was played with its current files; false if that is unknown. */
  async isPresent({ run, versions }: EpisodeRecord, seat: Seat): Promise<boolean> {
    const mark = versions?.agents[seat];
    if (run === null || mark === undefined || (await this.of(run)).mixed.has(mark)) return false;
    return (await this.#filesOf(run))?.has(mark) ?? false;
  }

  /** Whether the plan of a run matches its current files: an edited suite has a run for each of its versions. */
  async isPlanPresent(run: string): Promise<boolean> {
    const { plan } = await this.of(run);
    return plan !== null && ((await this.#filesOf(run))?.has(plan) ?? false);
  }

  async #filesOf(run: string): Promise<PresentFiles | null> {
    const cwd = folderOf(this.#store);
    if (cwd === undefined) return null;
    const files = this.#files.get(run) ?? new PresentFiles(await readSourceNotes(this.#store, run), cwd, run);
    this.#files.set(run, files);
    return files;
  }

  async of(run: string): Promise<CurrentVersions> {
    const currentVersions = this.#runs.get(run) ?? (await readVersions(this.#store, run));
    this.#runs.set(run, currentVersions);
    return currentVersions;
  }
}

/** Pages of a list, yielding to other work of the process in between. */
async function* pagesOf<T>(
  read: (query: EpisodeQuery) => Promise<readonly T[]>,
  query: EpisodeQuery,
  orderOf: (item: T) => number,
): AsyncGenerator<readonly T[]> {
  for (let [before, full] = [{}, true]; full; ) {
    await breath();
    const items = await read({ ...query, limit: page, ...before });
    if (items.length > 0) yield items;
    full = items.length === page;
    before = full ? { before: orderOf(items[items.length - 1]) } : {};
  }
}

/** Episodes with their scores, from one reading of the store. */
export interface StoredRun {
  readonly records: ReadonlyMap<string, EpisodeRecord>;
  readonly scores: ReadonlyMap<string, readonly Score[]>;
  /** The number of episodes excluded because their players have changed since. */
  readonly earlier?: number;
}

export async function* pagesIn({ records, scores }: StoredRun): AsyncGenerator<readonly ScoredEpisode[]> {
  const all = [...records.values()];
  for (let from = 0; from < all.length; from += breathing) {
    await breath();
    yield all.slice(from, from + breathing).map((record) => ({ record, scores: scores.get(record.id) ?? [] }));
  }
}

/** Which episodes are read with their scores; with null for the run, those of no run. */
export type StoredQuery = Omit<RecordQuery, 'run'> & { readonly run?: string | null };

/** Reads episodes with their scores. Those that something played which has changed since are left out, and counted. */
export async function readStoredRun(store: Store, queries: readonly StoredQuery[]): Promise<StoredRun> {
  const current = new CurrentRuns(store);
  const records = new Map<string, EpisodeRecord>();
  const scores = new Map<string, readonly Score[]>();
  const earlier = new Set<string>();
  for (const { run, ...query } of queries)
    for await (const scoredEpisodes of scoredPages(store, { ...query, ...(run == null ? {} : { run }), all: true }))
      for (const { record, scores: inputScores } of scoredEpisodes) {
        if (run === null && record.run !== null) continue;
        if (query.all !== true && !(await current.has(record))) {
          earlier.add(record.id);
          continue;
        }
        records.set(record.id, record);
        scores.set(record.id, inputScores);
      }
  return { records, scores, earlier: earlier.size };
}
