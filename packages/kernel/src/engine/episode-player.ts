/** @file Plays one episode: asks the agents, waits for them or cancels them, and yields the events in the order of the log. */

import type { EpisodeEvent, Json, Limits, Seed } from '../core/index.ts';
import { type Course, type CourseOptions, limitReached } from './course.ts';
import { type Agents, halt, TurnTaker } from './turn.ts';

export type { Agents } from './turn.ts';

/** The task, the seed, and the limits of an episode. */
export interface PlayOptions extends CourseOptions {
  readonly limits?: Limits | undefined;
  readonly seed?: Seed;
  /** The external task; the environment parses it and fills in defaults. */
  readonly task?: Json;
  readonly signal?: AbortSignal | undefined;
}

/** A running episode. */
export interface Playing extends AsyncGenerator<EpisodeEvent, void, undefined> {
  /** All available events of a turn at once, so that thousands of episodes need only one promise per turn; empty at the end. */
  portion(): Promise<readonly EpisodeEvent[]>;
}

/**
 * A running episode, as the stream of its events. Implemented without an async generator: thousands of episodes wait at once, and their
 * allocations while waiting dominate garbage collection. So a turn creates one promise for its consumer, and none for an available event.
 */
export class EpisodePlayer implements Playing {
  readonly #course: Course;
  readonly #options: PlayOptions;
  readonly #stop = new AbortController();
  readonly #timer: ReturnType<typeof setTimeout> | undefined;
  #told: number;
  readonly #turn: TurnTaker;
  /** The consumer that waits for the next event. */
  #waiting: { readonly promise: Promise<unknown>; deliver(result: IteratorResult<EpisodeEvent, void>): void } | null = null;
  #closed = false;

  constructor(course: Course, toldCount: number, agents: Agents, options: PlayOptions) {
    this.#course = course;
    this.#told = toldCount;
    this.#turn = new TurnTaker(course, agents, this.#stop.signal, () => this.#wake());
    this.#options = options;
    if (options.signal !== undefined) companyOf(options.signal).enter(this);
    const seconds = options.limits?.seconds;
    if (seconds !== undefined) this.#timer = setTimeout(() => this.callOff('seconds'), seconds * 1000);
  }

  next(): Promise<IteratorResult<EpisodeEvent, void>> {
    if (this.#waiting !== null) return this.#waiting.promise.then(() => this.next());
    const result = this.#forward();
    if (result !== null) return Promise.resolve(result);
    const { promise, resolve } = Promise.withResolvers<IteratorResult<EpisodeEvent, void>>();
    this.#waiting = { promise, deliver: resolve };
    return promise;
  }

  portion(): Promise<readonly EpisodeEvent[]> {
    if (this.#waiting !== null) return this.#waiting.promise.then(() => this.portion());
    const result = this.#forward();
    if (result !== null) return Promise.resolve(this.#andTheRest(result));
    const { promise, resolve } = Promise.withResolvers<readonly EpisodeEvent[]>();
    this.#waiting = { promise, deliver: (iteratorResult) => resolve(this.#andTheRest(iteratorResult)) };
    return promise;
  }

  /** The events yielded together with an event: all that have happened since. */
  #andTheRest({ done }: IteratorResult<EpisodeEvent, void>): readonly EpisodeEvent[] {
    if (done === true) return [];
    while (this.#turn.take());
    this.#endIfOver();
    const { events } = this.#course;
    const rest = events.slice(this.#told - 1);
    this.#told = events.length;
    return rest;
  }

  /** A consumer that leaves early leaves no running call and no listener on its signal. */
  return(): Promise<IteratorResult<EpisodeEvent, void>> {
    this.#close();
    return Promise.resolve(ended);
  }

  async throw(thrown: unknown): Promise<never> {
    await this.return();
    throw thrown;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  /** Stops the agents without waiting for them: one that ignores its signal cannot delay the end. */
  callOff(reason: 'abort' | 'seconds'): void {
    this.#stop.abort(reason);
    this.#turn.callOff();
    this.#wake();
  }

  /** The next event or the end; null if an agent is pending. */
  #forward(): IteratorResult<EpisodeEvent, void> | null {
    while (!this.#closed) {
      const value = this.#course.events[this.#told];
      if (value !== undefined) {
        if (value.kind === 'end') this.#endIfOver();
        this.#told++;
        return { value, done: false };
      }
      if (this.#course.over) break;
      if (this.#turn.complete) this.#begin();
      else if (!this.#turn.take()) return null;
    }
    this.#close();
    return ended;
  }

  /** Aborts the signal at the end as well, so that agents can close resources opened for the episode. */
  #endIfOver(): void {
    if (this.#course.over) this.#stop.abort('over');
  }

  #wake(): void {
    const waiting = this.#waiting;
    if (waiting === null) return;
    const result = this.#forward();
    if (result === null) return;
    this.#waiting = null;
    waiting.deliver(result);
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#timer);
    if (this.#options.signal !== undefined) companyOf(this.#options.signal).leave(this);
    if (!this.#course.over) this.callOff('abort');
    else this.#endIfOver();
  }

  /** All asked seats are called concurrently, unless the episode ends instead. */
  #begin(): void {
    const limit = limitReached(this.#course, this.#options.limits);
    if (limit !== null) this.#course.stop('limit', { limit });
    else if (this.#stop.signal.aborted) halt(this.#course, this.#stop.signal);
    if (!this.#course.over) this.#turn.begin();
  }
}

const ended: IteratorResult<EpisodeEvent, void> = { value: undefined, done: true };

/** All players under one signal. They share one listener, because a signal searches its listeners whenever one is added or removed. */
class Company {
  readonly #signal: AbortSignal;
  readonly #performances = new Set<EpisodePlayer>();
  readonly #callOff = () => {
    for (const performance of this.#performances) performance.callOff('abort');
  };

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  enter(performance: EpisodePlayer): void {
    if (this.#signal.aborted) performance.callOff('abort');
    else if (this.#performances.add(performance).size === 1) this.#signal.addEventListener('abort', this.#callOff, { once: true });
  }

  leave(performance: EpisodePlayer): void {
    if (this.#performances.delete(performance) && this.#performances.size === 0) this.#signal.removeEventListener('abort', this.#callOff);
  }
}

const companies = new WeakMap<AbortSignal, Company>();

function companyOf(signal: AbortSignal): Company {
  const knownCompany = companies.get(signal);
  if (knownCompany !== undefined) return knownCompany;
  const company = new Company(signal);
  companies.set(signal, company);
  return company;
}
