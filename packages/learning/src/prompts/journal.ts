/** @file Writes the journal of a run: entries that arrive while others are being stored are batched, and none is lost. */

import type { Json, Store } from '@ludus-agents/kernel/internal/core/index';

/** The part of a store that journals need. */
export type Journals = Pick<Store, 'note' | 'notes'>;

/** Entries that are stored together, and the promise of their callers. */
interface Batch {
  readonly entries: Json[];
  readonly stored: PromiseWithResolvers<void>;
}

export class Journal {
  /** The content of the journal when it was opened. */
  readonly kept: readonly Json[];
  readonly #write: (index: number, entries: readonly Json[]) => Promise<void>;
  #length: number;
  #next: Batch | null = null;
  #writing: Promise<void> | null = null;
  #failure: unknown = null;

  static async open(store: Journals, run: string, name: string): Promise<Journal> {
    return new Journal(await store.notes(run, name), (index, entries) => store.note(run, name, index, entries));
  }

  constructor(retained: readonly Json[] = [], write: (index: number, entries: readonly Json[]) => Promise<void> = async () => {}) {
    this.kept = retained;
    this.#length = retained.length;
    this.#write = write;
  }

  /** Resolves once the entry is durable. */
  append(entry: Json): Promise<void> {
    this.#next ??= { entries: [], stored: Promise.withResolvers() };
    this.#next.entries.push(entry);
    const { stored } = this.#next;
    this.#writing ??= this.#drain();
    return stored.promise;
  }

  /** Resolves once everything is stored; throws if any entry could not be. */
  async settled(): Promise<void> {
    await this.#writing;
    if (this.#failure !== null) throw this.#failure;
  }

  async #drain(): Promise<void> {
    // Entries of the same tick are written together: many answers arrive at once, and one commit is enough.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#next !== null) {
      const { entries, stored } = this.#next;
      this.#next = null;
      try {
        if (this.#failure !== null) throw this.#failure;
        await this.#write(this.#length, entries);
        this.#length += entries.length;
        stored.resolve();
      } catch (thrown) {
        // A journal has no gaps: after a failed write, nothing more is written.
        this.#failure ??= thrown;
        stored.reject(thrown);
      }
    }
    this.#writing = null;
  }
}
