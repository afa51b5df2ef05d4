/**
 * @file The ledger hands the logs of tables to a store: what is over at once, what goes on a few times a second, often enough to be watched.
 */

import { Fault, type Store, sentenceOf } from '../core/index.ts';
import type { Table } from './table.ts';

/** Logs that may be waiting for the store before new episodes wait for them. */
const room = 1024;
const milliseconds = 250;

export class Ledger {
  readonly #store: Store | null;
  readonly #written = new WeakMap<Table, number>();
  readonly #grown = new Set<Table>();
  readonly #under = new Set<Promise<void>>();
  readonly #runs = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #fault: Fault | null = null;

  /** Without a store nothing is kept. */
  constructor(store: Store | null) {
    this.#store = store;
  }

  /** Notes that a table's log has grown. */
  readonly note = (table: Table): void => {
    if (this.#store === null) return;
    if (table.course.over) {
      // At once, so that its events need not outlive it.
      this.#grown.delete(table);
      this.#write(this.#store, table);
      return;
    }
    this.#grown.add(table);
    this.#timer ??= setTimeout(() => this.#flush(this.#store as Store), milliseconds);
  };

  /** Resolves when another episode of a run may begin. A store that has failed takes no more: nothing is played that is not kept. */
  async room(run: string): Promise<void> {
    while (this.#store !== null && this.#grown.size + this.#under.size >= room) {
      this.#flush(this.#store);
      await Promise.race(this.#under);
    }
    if (this.#fault !== null) throw this.#fault;
    if (this.#store === null || this.#runs.has(run)) return;
    await this.#store.putRun({ id: run, plan: { name: run, environments: [], seeds: [], casts: [] }, episodes: 0, work: { kind: run } });
    this.#runs.add(run);
  }

  /** Writes what is left, and resolves when everything is durable. */
  async settle(): Promise<void> {
    if (this.#store !== null) this.#flush(this.#store);
    await Promise.all(this.#under);
    if (this.#fault !== null) throw this.#fault;
  }

  #flush(store: Store): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const table of this.#grown) this.#write(store, table);
    this.#grown.clear();
  }

  #write(store: Store, table: Table): void {
    const { events } = table.course;
    const from = this.#written.get(table) ?? 0;
    if (events.length === from) return;
    this.#written.set(table, events.length);
    const written = store.append(table.id, from, events.slice(from), table.run).catch((thrown: unknown) => {
      this.#fault ??= new Fault('store', `Episodes cannot be kept, so no more are begun: ${sentenceOf(thrown)}`, { cause: thrown });
    });
    this.#under.add(written);
    written.then(() => this.#under.delete(written));
  }
}
