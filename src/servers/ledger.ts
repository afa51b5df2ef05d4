/**
 * @file The ledger hands the logs of tables to a store: what is over at once, what goes on a few times a second, often enough to be watched.
 *
 * Of a table one append is under way at a time. One that fails is made again alone, so that it does not suffer for another in its batch, and
 * for as long as the reason may pass. A log that cannot be kept ends its own episode and no other.
 */

import { Fault, isFault, report, type Store, safely, sentenceOf } from '../core/index.ts';
import type { Health } from './health.ts';
import { type RetryOptions, retryTransient } from './retry.ts';
import type { Table } from './table.ts';

/** Logs that may be waiting for the store before new episodes wait for them. */
const room = 1024;
const milliseconds = 250;

/** How far a table's log has come. */
interface Progress {
  /** Events that are durable. */
  saved: number;
  saving: boolean;
}

export class Ledger {
  readonly #store: Store | null;
  readonly #retry: RetryOptions;
  readonly #progress = new WeakMap<Table, Progress>();
  readonly #grown = new Set<Table>();
  readonly #under = new Set<Promise<void>>();
  readonly #runs = new Set<string>();
  /** Appends that failed are made again one after the other. */
  #line: Promise<unknown> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #health: Health = { status: 'healthy' };
  /** Episodes that could not be kept since the last one that could. */
  #lost = 0;
  #probing: Promise<void> | null = null;

  /** Without a store nothing is kept. */
  constructor(store: Store | null, retry: RetryOptions = {}) {
    this.#store = store;
    this.#retry = { ...retry, failed: (fault) => this.#trouble('degraded', `The store is tried again: ${sentenceOf(fault)}`) };
  }

  /** Notes that a table's log has grown. */
  readonly note = (table: Table): void => {
    if (this.#store === null || table.fault !== null) return;
    if (table.course.over) {
      // At once, so that its events need not outlive it.
      this.#grown.delete(table);
      this.#write(this.#store, table);
      return;
    }
    this.#grown.add(table);
    this.#timer ??= setTimeout(
      safely('Writing episodes', () => this.#flush(this.#store as Store)),
      milliseconds,
    );
  };

  /** Resolves when another episode of a run may begin; a fault while the store takes nothing: nothing is played that is not kept. */
  async room(run: string): Promise<void> {
    const store = this.#store;
    if (store === null) return;
    while (this.#grown.size + this.#under.size >= room) {
      this.#flush(store);
      await Promise.race(this.#under);
    }
    if (this.#health.status === 'unhealthy') await this.#probe(store, run);
    if (this.#runs.has(run)) return;
    await retryTransient(() => this.#putRun(store, run), this.#retry).catch((thrown: unknown) => {
      this.#trouble('unhealthy', sentenceOf(thrown));
      throw unkept(thrown);
    });
    this.#runs.add(run);
  }

  /** Writes what is left, and resolves when everything that can be kept is durable. */
  async settle(): Promise<void> {
    while (this.#store !== null && this.#grown.size + this.#under.size > 0) {
      this.#flush(this.#store);
      await Promise.all(this.#under);
    }
  }

  /** Whether episodes are being kept. A store that has failed is tried now, so that whoever asks sees it come back. */
  async health(): Promise<Health> {
    if (this.#store !== null && this.#health.status === 'unhealthy')
      await this.#probe(this.#store, [...this.#runs][0] ?? 'health').catch(() => {});
    return this.#health;
  }

  /** Writes something small that is there already or does no harm; one attempt at a time, however many ask. */
  #probe(store: Store, run: string): Promise<void> {
    this.#probing ??= this.#putRun(store, run)
      .catch((thrown: unknown) => {
        this.#trouble('unhealthy', sentenceOf(thrown));
        throw unkept(thrown);
      })
      .finally(() => {
        this.#probing = null;
      });
    return this.#probing;
  }

  async #putRun(store: Store, run: string): Promise<void> {
    await store.putRun({ id: run, plan: { name: run, environments: [], seeds: [], casts: [] }, episodes: 0, work: { kind: run } });
    this.#well();
  }

  #flush(store: Store): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const table of this.#grown) this.#write(store, table);
    this.#grown.clear();
  }

  #write(store: Store, table: Table): void {
    const progress = this.#progress.get(table) ?? { saved: 0, saving: false };
    this.#progress.set(table, progress);
    // Whoever is writing it sees what has grown meanwhile.
    if (progress.saving || table.fault !== null) return;
    progress.saving = true;
    const written = this.#save(store, table, progress).finally(() => {
      progress.saving = false;
      this.#under.delete(written);
    });
    this.#under.add(written);
  }

  /** Writes until nothing is left; it never rejects. */
  async #save(store: Store, table: Table, progress: Progress): Promise<void> {
    try {
      while (progress.saved < table.course.events.length) {
        const from = progress.saved;
        const events = table.course.events.slice(from);
        const append = () => store.append(table.id, from, events, table.run);
        await append().catch((thrown: unknown) => this.#again(append, thrown));
        progress.saved = from + events.length;
        this.#lost = 0;
        this.#well();
      }
    } catch (thrown) {
      // One log may be at fault itself; where one after the other fails, the store is.
      const passing = isFault(thrown) && thrown.transient;
      this.#trouble(
        passing || ++this.#lost >= 3 ? 'unhealthy' : 'degraded',
        `Episode ${table.id} could not be kept: ${sentenceOf(thrown)}`,
      );
      report('An episode', thrown);
      table.fail(unkept(thrown));
    }
  }

  #again(append: () => Promise<void>, thrown: unknown): Promise<void> {
    if (isFault(thrown)) this.#retry.failed?.(thrown);
    const alone = this.#line.then(() => retryTransient(append, this.#retry));
    this.#line = alone.catch(() => {});
    return alone;
  }

  #trouble(status: Health['status'], reason: string): void {
    this.#health = { status, reason };
  }

  #well(): void {
    const { status, reason = '' } = this.#health;
    if (status !== 'healthy') this.#health = this.#lost === 0 ? { status: 'healthy' } : { status: 'degraded', reason };
  }
}

function unkept(thrown: unknown): Fault {
  return new Fault('store', `The episode cannot be kept, so it does not go on: ${sentenceOf(thrown)}`, { cause: thrown });
}
