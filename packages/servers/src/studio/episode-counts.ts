/** @file Cached counts of episode results: a page may request them often, and a million rows are counted once. */

import { versionJournal } from '@ludus-agents/agents/internal/workspace/versions';
import { currentIn, readVersions } from '@ludus-agents/evaluation/internal/current-versions';
import type { EpisodeQuery, EpisodeTally, Store } from '@ludus-agents/kernel/internal/core/index';

type Query = Omit<EpisodeQuery, 'before' | 'limit'>;

interface Kept {
  readonly mark: string;
  /** The time until which it is returned regardless of changes. */
  until: number;
  readonly tallies: Promise<readonly EpisodeTally[]>;
}

/** While something runs, counts are renewed after this many milliseconds, at most as often as keeps counting below 5% of the time. */
const fresh = 2000;
const share = 20;
/** The number of cached queries. */
const most = 5000;

export class EpisodeCounts {
  readonly #store: Store;
  readonly #kept = new Map<string, Kept>();
  /** Returns the same object for the same counts, so readers can detect that nothing changed. */
  readonly #present = new WeakMap<readonly EpisodeTally[], { readonly key: string; readonly tallies: readonly EpisodeTally[] }>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** For a run, only its current episodes. */
  async of(query: Query = {}): Promise<readonly EpisodeTally[]> {
    const tallies = await this.#all(query);
    if (query.run === undefined) return tallies;
    const current = await readVersions(this.#store, query.run);
    const key = JSON.stringify([
      [...current.superseded],
      [...current.agents.keys()],
      [...current.dropped],
      [...current.droppedTasks],
      current.reuse,
    ]);
    const existing = this.#present.get(tallies);
    if (existing?.key === key) return existing.tallies;
    const { tallies: present } = await currentIn(tallies, current, { store: this.#store, run: query.run });
    this.#present.set(tallies, { key, tallies: present });
    return present;
  }

  async #all(query: Query): Promise<readonly EpisodeTally[]> {
    const key = JSON.stringify(query);
    const [newest] = await this.#store.episodes({ ...query, limit: 1 });
    const [running] = query.status === undefined ? await this.#store.episodes({ ...query, status: 'running', limit: 1 }) : [undefined];
    const mark = `${newest?.order} ${newest?.status}`;
    const saved = this.#kept.get(key);
    if (saved !== undefined && (performance.now() < saved.until || (saved.mark === mark && running === undefined))) return saved.tallies;
    const began = performance.now();
    // The mark of a continuing run never matches; failed counts are repeated.
    const counted: Kept = { mark: running === undefined ? mark : 'running', until: Infinity, tallies: this.#store.tally(query) };
    counted.tallies.then(
      () => {
        const took = performance.now() - began;
        counted.until = performance.now() + Math.max(fresh, share * took);
      },
      () => this.#kept.delete(key),
    );
    this.#kept.delete(key);
    this.#kept.set(key, counted);
    if (this.#kept.size > most) this.#kept.delete(this.#kept.keys().next().value as string);
    return counted.tallies;
  }
}

interface RunCounts {
  /** When the last episode of the run was stored. */
  readonly last: number | null;
  /** No episode of it is running, and its count is newer than its last episode by more than the cache time. */
  readonly isSettled: boolean;
  readonly tallies: readonly EpisodeTally[];
}

/** The number of runs that are recounted on each request although nothing indicates a change: an edit may exclude episodes. */
const recounted = 20;
/** Above this number, runs are counted together. */
const mostSingly = 50;
/** Milliseconds after its last episode during which a run is counted each time. */
const young = 15_000;

/** Counts of all runs of a store. A run is recounted when an episode was added or continues; recounting 1,000 runs would be too slow. */
class RunTallies {
  readonly #store: Store;
  readonly #runs = new Map<string, RunCounts>();

  constructor(store: Store) {
    this.#store = store;
  }

  async all(runs: readonly string[]): Promise<ReadonlyMap<string, readonly EpisodeTally[]>> {
    const times = await this.#store.catalog?.runTimes();
    const currentRuns = new Set(runs);
    for (const run of this.#runs.keys()) if (!currentRuns.has(run)) this.#runs.delete(run);
    // The least recently counted come first.
    const oldest = new Set([...this.#runs.keys()].slice(0, recounted));
    const lastOf = (run: string) => times?.get(run)?.last ?? null;
    const isDue = (run: string) => {
      const before = this.#runs.get(run);
      return times === undefined || before?.last !== lastOf(run) || !before.isSettled || oldest.has(run);
    };
    const due = new Set(runs.filter(isDue));
    const bulkCounts = due.size > mostSingly ? await this.#together([...due]).catch(() => null) : null;
    const counted = await Promise.allSettled(
      runs.map(async (run) => {
        const [last, before] = [lastOf(run), this.#runs.get(run)];
        if (before !== undefined && !due.has(run)) return [run, before.tallies] as const;
        const tallies = bulkCounts?.get(run) ?? (await countsOf(this.#store).of({ run }));
        this.#runs.delete(run);
        const isSettled = Date.now() - (last ?? 0) > young && tallies.every(({ status }) => status !== 'running');
        this.#runs.set(run, { last, isSettled, tallies });
        return [run, tallies] as const;
      }),
    );
    return new Map(counted.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])));
  }

  /** Counts many runs in a few queries: separately, each takes four. Fails if a single record is damaged. */
  async #together(runs: readonly string[]): Promise<ReadonlyMap<string, readonly EpisodeTally[]> | null> {
    const { catalog } = this.#store;
    if (catalog === undefined) return null;
    const [all, notes] = await Promise.all([catalog.runTallies(), catalog.runNotes(versionJournal, runs)]);
    const present = async (run: string) => {
      const current = await readVersions(this.#store, run, notes.get(run) ?? []);
      return [run, (await currentIn(all.get(run) ?? [], current, { store: this.#store, run })).tallies] as const;
    };
    return new Map(await Promise.all(runs.map(present)));
  }
}

const runTallies = new WeakMap<Store, RunTallies>();

/** The counts of each of these runs, without those that fail. */
export function talliesOfRuns(store: Store, runs: readonly string[]): Promise<ReadonlyMap<string, readonly EpisodeTally[]>> {
  const existing = runTallies.get(store) ?? new RunTallies(store);
  runTallies.set(store, existing);
  return existing.all(runs);
}

const counts = new WeakMap<Store, EpisodeCounts>();

export function countsOf(store: Store): EpisodeCounts {
  const episodeCounts = counts.get(store) ?? new EpisodeCounts(store);
  counts.set(store, episodeCounts);
  return episodeCounts;
}
