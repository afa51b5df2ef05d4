/** @file A journal of a run as it is written: entries that come while others are being stored go together, and none is forgotten. */

import type { Json, Store } from '@ludus-agents/kernel/internal/core/index';

/** The part of a store that journals need. */
export type Journals = Pick<Store, 'note' | 'notes'>;

/** Entries that are stored together, and who waits for them. */
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

  /** Resolves once everything is; throws if anything ever could not be stored. */
  async settled(): Promise<void> {
    await this.#writing;
    if (this.#failure !== null) throw this.#failure;
  }

  async #drain(): Promise<void> {
    // Everything in the same turn of the event loop is written together: many answers arrive at once, and one commit is enough.
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
        // A journal has no holes: once something could not be stored, nothing after it is.
        this.#failure ??= thrown;
        stored.reject(thrown);
      }
    }
    this.#writing = null;
  }
}
