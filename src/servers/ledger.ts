/**
 * @file The ledger writes the logs of tables into a store: a log that has ended at once, one that is under way a few times a second, so
 * that it can be watched, and play never waits for the disk.
 */

import { Fault, type Store, sentenceOf } from '../core/index.ts';
import type { Table } from './table.ts';

/** Appends that may be under way before new episodes have to wait. */
const room = 1024;
const milliseconds = 250;

export class Ledger {
  readonly #store: Store | null;
  readonly #written = new WeakMap<Table, number>();
  readonly #grown = new Set<Table>();
  readonly #under = new Set<Promise<void>>();
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
      this.#grown.delete(table);
      this.#write(table);
      return;
    }
    this.#grown.add(table);
    this.#timer ??= setTimeout(() => this.#flush(), milliseconds).unref();
  };

  /** Resolves when another episode may begin. A store that has failed takes no more: nothing is played that is not kept. */
  async room(): Promise<void> {
    if (this.#fault !== null) throw this.#fault;
    while (this.#under.size >= room) await Promise.race(this.#under);
  }

  /** Writes what is left, and resolves when everything is durable. */
  async settle(): Promise<void> {
    this.#flush();
    await Promise.all(this.#under);
    if (this.#fault !== null) throw this.#fault;
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const table of this.#grown) this.#write(table);
    this.#grown.clear();
  }

  #write(table: Table): void {
    const from = this.#written.get(table) ?? 0;
    const fresh = table.course.events.slice(from);
    if (fresh.length === 0 || this.#store === null) return;
    this.#written.set(table, from + fresh.length);
    const written = this.#store.append(table.id, from, fresh).catch((thrown: unknown) => {
      this.#fault ??= new Fault('store', `Episodes cannot be kept, so no more are begun: ${sentenceOf(thrown)}`, { cause: thrown });
    });
    this.#under.add(written);
    written.then(() => this.#under.delete(written));
  }
}
