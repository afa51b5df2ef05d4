/** @file An episode under way: its agents are asked, waited for or called off, and what happens is told in the order of its log. */

import {
  type Agent,
  type Ask,
  boundaryOf,
  type EpisodeEvent,
  type FaultRecord,
  type Json,
  type Limits,
  type Reply,
  type Seat,
  type Seed,
  sentenceOf,
} from '../core/index.ts';
import { type Course, type CourseOptions, limitReached } from './course.ts';

export interface PlayOptions extends CourseOptions {
  readonly limits?: Limits | undefined;
  readonly seed?: Seed;
  /** The task as it comes from outside; the environment reads it and fills in defaults. */
  readonly task?: Json;
  readonly signal?: AbortSignal | undefined;
}

/** An episode as it is played. */
export interface Playing extends AsyncGenerator<EpisodeEvent, void, undefined> {
  /** All events of a turn that are there by now, at once, so that thousands of episodes cost a promise a turn; none at the end. */
  portion(): Promise<readonly EpisodeEvent[]>;
}

export type Agents = Readonly<Record<Seat, Agent>>;

/**
 * An episode under way, as the stream of its events. Written out rather than as an async generator: thousands of episodes wait at once, and
 * what each of them allocates while it waits is what the collector spends its time on. So a turn makes one promise for who waits for it, and
 * none for an event that is there already.
 */
export class Performance implements Playing {
  readonly #course: Course;
  readonly #agents: Agents;
  readonly #options: PlayOptions;
  readonly #stop = new AbortController();
  readonly #timer: ReturnType<typeof setTimeout> | undefined;
  #told: number;
  /** The seats of this turn, what came of asking each so far, and how many answers have been taken. */
  #asks: readonly Ask[] = [];
  #thoughts: (Thought | undefined)[] = [];
  #taken = 0;
  #failure: FaultRecord | null = null;
  /** Who waits for the next event. */
  #waiting: { readonly promise: Promise<unknown>; deliver(result: IteratorResult<EpisodeEvent, void>): void } | null = null;
  #closed = false;

  constructor(course: Course, told: number, agents: Agents, options: PlayOptions) {
    this.#course = course;
    this.#told = told;
    this.#agents = agents;
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
    this.#waiting = { promise, deliver: (one) => resolve(this.#andTheRest(one)) };
    return promise;
  }

  /** What is told together with an event: everything that has happened since. */
  #andTheRest({ done }: IteratorResult<EpisodeEvent, void>): readonly EpisodeEvent[] {
    if (done === true) return [];
    for (let thought = this.#thoughts[this.#taken]; thought !== undefined; thought = this.#thoughts[this.#taken]) this.#take(thought);
    const { events } = this.#course;
    const rest = events.slice(this.#told - 1);
    this.#told = events.length;
    return rest;
  }

  /** A consumer that leaves early leaves no call running, and no listener on its signal. */
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

  /** Stops the agents and waits for none of them: one that ignores its signal cannot hold up the end. */
  callOff(reason: 'abort' | 'seconds'): void {
    this.#stop.abort(reason);
    for (let i = 0; i < this.#asks.length; i++) this.#thoughts[i] ??= { thrown: new Error('called off') };
    this.#wake();
  }

  /** The next event or the end; null where an agent has to be waited for. */
  #forward(): IteratorResult<EpisodeEvent, void> | null {
    while (!this.#closed) {
      const value = this.#course.events[this.#told];
      if (value !== undefined) {
        this.#told++;
        return { value, done: false };
      }
      if (this.#course.over) break;
      if (this.#taken === this.#asks.length) this.#begin();
      else {
        const thought = this.#thoughts[this.#taken];
        if (thought === undefined) return null;
        this.#take(thought);
      }
    }
    this.#close();
    return ended;
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
  }

  /** All asked seats think at once, unless the episode ends instead. */
  #begin(): void {
    const limit = limitReached(this.#course, this.#options.limits);
    if (limit !== null) this.#course.stop('limit', { limit });
    else if (this.#stop.signal.aborted) halt(this.#course, this.#stop.signal);
    if (this.#course.over) return;
    this.#asks = this.#course.waiting;
    this.#thoughts = [];
    this.#taken = 0;
    this.#failure = null;
    for (let i = 0; i < this.#asks.length; i++) this.#think(i, this.#thoughts);
  }

  /** Answers of a turn that was called off come to a list that nobody reads any more. */
  #think(i: number, thoughts: (Thought | undefined)[]): void {
    const ask = this.#asks[i] as Ask;
    try {
      const reply = (this.#agents[ask.seat] as Agent).act(this.#course.turn(ask), this.#stop.signal);
      if (!(reply instanceof Promise)) thoughts[i] ??= { reply };
      else
        reply.then(
          (answer) => this.#thought(i, thoughts, { reply: answer }),
          (thrown: unknown) => this.#thought(i, thoughts, { thrown }),
        );
    } catch (thrown) {
      thoughts[i] ??= { thrown };
    }
  }

  #thought(i: number, thoughts: (Thought | undefined)[], thought: Thought): void {
    thoughts[i] ??= thought;
    if (thoughts === this.#thoughts && i === this.#taken) this.#wake();
  }

  /** Answers are taken in the order of the asks, so that a log does not depend on who was faster. */
  #take(thought: Thought): void {
    const { seat } = this.#asks[this.#taken++] as Ask;
    const failed = take(this.#course, seat, thought);
    this.#failure ??= failed;
    // A failure ends the episode once the other seats have answered, so that what they did is in the log.
    if (this.#failure === null || this.#taken < this.#asks.length) return;
    if (this.#stop.signal.aborted) halt(this.#course, this.#stop.signal);
    else this.#course.stop('error', { fault: this.#failure });
  }
}

const ended: IteratorResult<EpisodeEvent, void> = { value: undefined, done: true };

/** Everybody who plays under one signal. One listener serves them all: a signal looks through its listeners whenever one comes or goes. */
class Company {
  readonly #signal: AbortSignal;
  readonly #performances = new Set<Performance>();
  readonly #callOff = () => {
    for (const performance of this.#performances) performance.callOff('abort');
  };

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  enter(performance: Performance): void {
    if (this.#signal.aborted) performance.callOff('abort');
    else if (this.#performances.add(performance).size === 1) this.#signal.addEventListener('abort', this.#callOff, { once: true });
  }

  leave(performance: Performance): void {
    if (this.#performances.delete(performance) && this.#performances.size === 0) this.#signal.removeEventListener('abort', this.#callOff);
  }
}

const companies = new WeakMap<AbortSignal, Company>();

function companyOf(signal: AbortSignal): Company {
  const known = companies.get(signal);
  if (known !== undefined) return known;
  const company = new Company(signal);
  companies.set(signal, company);
  return company;
}

/** What came of asking an agent. */
type Thought = { readonly reply: Reply } | { readonly thrown: unknown };

/** Hands a seat's answer to the course; gives the fault where there is none, or one that is no answer. */
function take(course: Course, seat: Seat, thought: Thought): FaultRecord | null {
  try {
    if ('thrown' in thought) throw thought.thrown;
    course.answer(seat, thought.reply);
    return null;
  } catch (thrown) {
    return { boundary: boundaryOf(thrown), message: sentenceOf(thrown), seat };
  }
}

function halt(course: Course, signal: AbortSignal): void {
  if (signal.reason === 'seconds') course.stop('limit', { limit: 'seconds' });
  else course.stop('abort');
}
