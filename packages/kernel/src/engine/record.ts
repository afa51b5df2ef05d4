/** @file Writes the log of an episode to a store while it grows. All play into a store goes through here. */

import type { EndEvent, EpisodeEvent, EpisodeVersions, Store } from '../core/index.ts';
import type { Playing } from './episode-player.ts';

export interface RecorderOptions {
  readonly store: Pick<Store, 'append'>;
  readonly episode: string;
  readonly run?: string | undefined;
  /** Fingerprints of the environment and the agents. */
  readonly versions?: EpisodeVersions | undefined;
  /** The number of events already stored. */
  readonly from?: number;
  /**
   * Sends events while earlier ones are being committed, so that many appends share a commit. Workers must not use it: after a lost lease
   * the next append is refused, and no append may follow a refused one.
   */
  readonly ahead?: boolean;
  /** Called after each append that is durable. */
  readonly onStored?: (() => void) | undefined;
  /** Called once, when the store refuses an append. */
  readonly onFailure?: ((thrown: unknown) => void) | undefined;
}

/** The number of recorders that have sent ahead; each is a separate writer. */
let writers = 0;

/** Writes the events of one episode to a store, in order. After a refused append nothing more is sent. */
export class EpisodeRecorder {
  readonly #options: RecorderOptions;
  readonly #writer: number | undefined;
  #length: number;
  #stored: number;
  #waiting: EpisodeEvent[] = [];
  #writing: Promise<void> | null = null;
  #failure: { readonly thrown: unknown } | null = null;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#writer = options.ahead === true ? ++writers : undefined;
    this.#length = options.from ?? 0;
    this.#stored = this.#length;
  }

  /** The number of events in the log, including pending ones. */
  get length(): number {
    return this.#length + this.#waiting.length;
  }

  /** The number of durable events. */
  get stored(): number {
    return this.#stored;
  }

  append(events: readonly EpisodeEvent[]): void {
    if (events.length === 0 || this.#failure !== null) return;
    if (this.#options.ahead === true) {
      const message = this.#send(events);
      this.#writing = message;
      return;
    }
    // Waiting events are copied, because an agent may modify its answer in place.
    this.#waiting.push(...(this.#writing === null ? events : (structuredClone(events) as readonly EpisodeEvent[])));
    this.#writing ??= this.#drain();
  }

  /** Resolves when everything is durable; throws the store's error. */
  async flush(): Promise<void> {
    await this.#writing;
    if (this.#failure !== null) throw this.#failure.thrown;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const events = this.#waiting;
      this.#waiting = [];
      await this.#send(events);
    }
    this.#writing = null;
  }

  /** Never rejects: a failure is kept for `flush`. */
  #send(events: readonly EpisodeEvent[]): Promise<void> {
    const { store, episode, run, versions } = this.#options;
    const index = this.#length;
    this.#length += events.length;
    try {
      return store.append(episode, index, events, run, this.#writer, versions).then(
        () => {
          this.#stored = index + events.length;
          this.#options.onStored?.();
        },
        (thrown: unknown) => this.#fail(thrown),
      );
    } catch (thrown) {
      this.#fail(thrown);
      return Promise.resolve();
    }
  }

  #fail(thrown: unknown): void {
    this.#waiting = [];
    if (this.#failure !== null) return;
    this.#failure = { thrown };
    this.#options.onFailure?.(thrown);
  }
}

export interface RecordOptions {
  /** Whether events up to this one are sent to the store now; by default they always are. The end always is. */
  readonly sendAfter?: (event: EpisodeEvent) => boolean;
  /** Waits until sent events are durable before agents are called again, so that a crash never makes an answer cost twice. */
  readonly durable?: boolean;
  /** Leaves the log of an aborted episode without an end, so that it can be resumed. */
  readonly leaveOpen?: () => boolean;
  /** Called with new events and the index of the first, after they were sent. */
  readonly onEvents?: (events: readonly EpisodeEvent[], index: number) => void | Promise<void> | null;
}

/**
 * Plays an episode to its end into a recorder, and returns the end event; null if the log was left open. `recorder.flush()` resolves when
 * it is durable.
 */
export async function recordEpisode(stream: Playing, recorder: EpisodeRecorder, options: RecordOptions = {}): Promise<EndEvent | null> {
  const { sendAfter, durable = false, leaveOpen, onEvents } = options;
  let episodeEvents: EpisodeEvent[] = [];
  for (;;) {
    const portion = await stream.portion();
    const last = portion.at(-1);
    if (last === undefined) return null;
    const end = last.kind === 'end' ? last : null;
    const open = end?.reason === 'abort' && leaveOpen?.() === true;
    const fresh = open ? portion.slice(0, -1) : portion;
    const index = recorder.length + episodeEvents.length;
    if (end === null && sendAfter !== undefined && !fresh.some(sendAfter)) episodeEvents.push(...fresh);
    else {
      recorder.append(episodeEvents.length === 0 ? fresh : [...episodeEvents, ...fresh]);
      episodeEvents = [];
      if (durable) await recorder.flush();
    }
    const delivery = onEvents?.(fresh, index);
    if (delivery instanceof Promise) await delivery;
    if (end !== null) return open ? null : end;
  }
}
