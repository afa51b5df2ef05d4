/** @file Counts of what episodes came to, kept while nothing changes: a page may ask often, and a million rows are counted once. */

import type { EpisodeQuery, EpisodeTally, Store } from '../../core/index.ts';

type Query = Omit<EpisodeQuery, 'before' | 'limit'>;

interface Kept {
  readonly mark: string;
  readonly at: number;
  readonly tallies: Promise<readonly EpisodeTally[]>;
}

/** While something runs, counts are this old at most, in milliseconds. */
const fresh = 2000;
/** Queries that are remembered. */
const most = 200;

export class Counts {
  readonly #store: Store;
  readonly #kept = new Map<string, Kept>();

  constructor(store: Store) {
    this.#store = store;
  }

  async of(query: Query = {}): Promise<readonly EpisodeTally[]> {
    const key = JSON.stringify(query);
    const [newest] = await this.#store.episodes({ ...query, limit: 1 });
    const [running] = query.status === undefined ? await this.#store.episodes({ ...query, status: 'running', limit: 1 }) : [undefined];
    const mark = `${newest?.order} ${newest?.status}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined && (Date.now() - kept.at < fresh || (kept.mark === mark && running === undefined))) return kept.tallies;
    const tallies = this.#store.tally(query);
    this.#kept.delete(key);
    // What could not be counted is counted again; the mark of a run that goes on never matches.
    this.#kept.set(key, { mark: running === undefined ? mark : 'running', at: Date.now(), tallies });
    tallies.catch(() => this.#kept.delete(key));
    if (this.#kept.size > most) this.#kept.delete(this.#kept.keys().next().value as string);
    return tallies;
  }
}

const counts = new WeakMap<Store, Counts>();

export function countsOf(store: Store): Counts {
  const known = counts.get(store) ?? new Counts(store);
  counts.set(store, known);
  return known;
}
