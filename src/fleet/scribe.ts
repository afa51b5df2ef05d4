/**
 * @file Writes one episode's log as it grows, one append at a time. Whoever holds an episode without a right to it any more is refused by the
 * store at its next append, and must not get another one in behind that: so nothing is sent before the last answer is here. What comes
 * meanwhile goes together with the next append.
 */

import type { EpisodeEvent, Store } from '../core/index.ts';

export interface ScribeOptions {
  readonly store: Store;
  readonly episode: string;
  readonly run: string;
  /** How long the log is. */
  readonly from: number;
  /** Called once when the store has refused. */
  readonly failed: () => void;
}

export class Scribe {
  readonly #options: ScribeOptions;
  #index: number;
  #waiting: EpisodeEvent[] = [];
  #writing: Promise<void> | null = null;
  #failure: { readonly thrown: unknown } | null = null;

  constructor(options: ScribeOptions) {
    this.#options = options;
    this.#index = options.from;
  }

  write(events: readonly EpisodeEvent[]): void {
    if (events.length === 0 || this.#failure !== null) return;
    // What has to wait is copied: an agent may change in place what it said.
    this.#waiting.push(...(this.#writing === null ? events : (structuredClone(events) as readonly EpisodeEvent[])));
    this.#writing ??= this.#drain();
  }

  /** Resolves when everything is durable, throws what the store threw. */
  async done(): Promise<void> {
    await this.#writing;
    if (this.#failure !== null) throw this.#failure.thrown;
  }

  async #drain(): Promise<void> {
    const { store, episode, run, failed } = this.#options;
    try {
      while (this.#waiting.length > 0) {
        const events = this.#waiting;
        this.#waiting = [];
        await store.append(episode, this.#index, events, run);
        this.#index += events.length;
      }
    } catch (thrown) {
      this.#failure = { thrown };
      this.#waiting = [];
      failed();
    } finally {
      this.#writing = null;
    }
  }
}
