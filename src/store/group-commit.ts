/** @file Group commit: writes that arrive close together become durable together, so that one wait for the disk serves many. */

import { Fault, isFault, sentenceOf } from '../core/index.ts';

interface Waiting<Write> {
  readonly write: Write;
  readonly resolve: () => void;
  readonly reject: (fault: Fault) => void;
}

/** Makes a batch durable and returns, write by write, which were refused. Throws if nothing of the batch was stored. */
export type Commit<Write> = (writes: readonly Write[]) => Promise<readonly (Fault | null)[]>;

export class GroupCommit<Write> {
  readonly #commit: Commit<Write>;
  readonly #delay: number;
  #waiting: Waiting<Write>[] = [];
  #weight = 0;
  #timer: NodeJS.Timeout | undefined;
  /** The commits so far, one after the other; it never rejects. */
  #line: Promise<void> = Promise.resolve();
  #lined = false;

  constructor(commit: Commit<Write>, delay: number) {
    this.#commit = commit;
    this.#delay = delay;
  }

  /** Resolves when the write is durable, rejects when it was refused or its batch failed. */
  add(write: Write, weight: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push({ write, resolve, reject });
    this.#weight += weight;
    if (this.#weight >= enough) this.settle();
    else this.#timer ??= setTimeout(() => this.#ring(), this.#delay);
    return promise;
  }

  /** Commits what is waiting now; resolves when every write added so far has been decided. */
  settle(): Promise<void> {
    if (this.#waiting.length > 0 && !this.#lined) {
      this.#lined = true;
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#line = this.#line.then(() => this.#next());
    }
    return this.#line;
  }

  /** A resolved promise cannot be used again: later callers need a new one, even if this one found a commit scheduled already. */
  #ring(): void {
    this.#timer = undefined;
    this.settle();
  }

  async #next(): Promise<void> {
    const batch = this.#waiting;
    this.#waiting = [];
    this.#weight = 0;
    this.#lined = false;
    try {
      const refusals = await this.#commit(batch.map(({ write }) => write));
      batch.forEach(({ resolve, reject }, i) => {
        const refused = refusals[i] ?? null;
        if (refused === null) resolve();
        else reject(refused);
      });
    } catch (thrown) {
      const fault = isFault(thrown) ? thrown : new Fault('store', `Nothing was stored: ${sentenceOf(thrown)}.`, { cause: thrown });
      // What arrived meanwhile may build on what was lost just now.
      for (const { reject } of [...batch, ...this.#waiting]) reject(fault);
      this.#waiting = [];
      this.#weight = 0;
    }
  }
}

/** Characters of text in a batch that is committed without waiting for more. */
const enough = 2 ** 20;
