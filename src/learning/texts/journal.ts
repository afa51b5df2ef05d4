/** @file A journal of a run as it is written: entries that wait while others are stored go together, and none is forgotten. */

import type { Json, Store } from '../../core/index.ts';

/** The part of a store that journals need. */
export type Journals = Pick<Store, 'note' | 'notes'>;

export class Journal {
  /** What stood in the journal when it was opened. */
  readonly kept: readonly Json[];
  readonly #write: (index: number, entries: readonly Json[]) => Promise<void>;
  #length: number;
  #waiting: Json[] = [];
  #writing: Promise<void> | null = null;
  #failure: unknown = null;

  static async open(store: Journals, run: string, name: string): Promise<Journal> {
    return new Journal(await store.notes(run, name), (index, entries) => store.note(run, name, index, entries));
  }

  constructor(kept: readonly Json[] = [], write: (index: number, entries: readonly Json[]) => Promise<void> = async () => {}) {
    this.kept = kept;
    this.#length = kept.length;
    this.#write = write;
  }

  /** Resolves once the entry is durable. */
  append(entry: Json): Promise<void> {
    this.#waiting.push(entry);
    this.#writing ??= this.#drain();
    return this.#writing;
  }

  /** Resolves once everything is; throws if anything ever could not be stored. */
  async settled(): Promise<void> {
    await this.#writing;
    if (this.#failure !== null) throw this.#failure;
  }

  async #drain(): Promise<void> {
    try {
      // Whatever is appended before the next turn of the loop is written with the first.
      await Promise.resolve();
      while (this.#waiting.length > 0) {
        const entries = this.#waiting;
        this.#waiting = [];
        await this.#write(this.#length, entries);
        this.#length += entries.length;
      }
    } catch (thrown) {
      this.#failure ??= thrown;
      throw thrown;
    } finally {
      this.#writing = null;
    }
  }
}
