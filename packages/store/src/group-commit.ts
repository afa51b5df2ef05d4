/** @file Group commit: writes that arrive close together become durable together, with one wait for the disk. */

import { Fault, isFault, sentenceOf } from '@ludus-agents/kernel/internal/core/index';

interface Waiting<Write> {
  readonly write: Write;
  readonly resolve: () => void;
  readonly reject: (fault: Fault) => void;
}

/** Makes a batch durable and returns, write by write, which were refused. Throws if nothing of the batch was stored. */
export type Commit<Write> = (writes: readonly Write[]) => Promise<readonly (Fault | null)[]>;

export interface GroupCommitOptions<Write> {
  /** Milliseconds that a write waits for others to share its commit. */
  readonly delay: number;
  /** Who sends writes that build on each other without waiting for the last one; undefined for a write by itself. */
  readonly writerOf?: (write: Write) => number | undefined;
}

export class GroupCommit<Write> {
  readonly #commit: Commit<Write>;
  readonly #delay: number;
  readonly #writerOf: NonNullable<GroupCommitOptions<Write>['writerOf']>;
  #waiting: Waiting<Write>[] = [];
  #weight = 0;
  #timer: NodeJS.Timeout | undefined;
  /** The commits so far, one after the other; it never rejects. */
  #line: Promise<void> = Promise.resolve();
  #lined = false;

  constructor(commit: Commit<Write>, { delay, writerOf = () => undefined }: GroupCommitOptions<Write>) {
    this.#commit = commit;
    this.#delay = delay;
    this.#writerOf = writerOf;
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

  /** Commits the waiting writes now; resolves when every write added so far is settled. */
  settle(): Promise<void> {
    if (this.#waiting.length > 0 && !this.#lined) {
      this.#lined = true;
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#line = this.#line.then(() => this.#next());
    }
    return this.#line;
  }

  /** A resolved promise cannot be reused: later callers need a new one, even if a commit was already scheduled. */
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
      const refusedWriters = new Map<number, Fault>();
      batch.forEach(({ write, resolve, reject }, i) => {
        const refused = refusals[i] ?? null;
        const writer = this.#writerOf(write);
        if (refused === null) resolve();
        else reject(refused);
        if (refused !== null && writer !== undefined) refusedWriters.set(writer, refused);
      });
      if (refusedWriters.size > 0) await this.#refuseFollowing(refusedWriters);
    } catch (thrown) {
      const fault = isFault(thrown) ? thrown : new Fault('store', `Nothing was stored: ${sentenceOf(thrown)}.`, { cause: thrown });
      // Data that arrived in the meantime may depend on the lost data.
      for (const { reject } of [...batch, ...this.#waiting]) reject(fault);
      this.#waiting = [];
      this.#weight = 0;
    }
  }

  /** Rejects data that these writers sent before they learned of the rejection: it depends on data that was not stored. */
  async #refuseFollowing(refused: ReadonlyMap<number, Fault>): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#waiting = this.#waiting.filter(({ write, reject }) => {
      const fault = refused.get(this.#writerOf(write) ?? Number.NaN);
      if (fault !== undefined) reject(fault);
      return fault === undefined;
    });
  }
}

/** Characters of text in a batch that is committed without waiting for more. */
const enough = 2 ** 20;
