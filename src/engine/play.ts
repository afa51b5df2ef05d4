/** @file Play one episode, live: a stream of its events. It never throws for what happens in play; the end event says. */

import {
  type Agent,
  type AnyEnvironment,
  type Ask,
  boundaryOf,
  type EpisodeEvent,
  equal,
  Fault,
  type FaultRecord,
  type ForkOrigin,
  type Json,
  type Limits,
  type Reply,
  type Seat,
  type Seed,
  type StartEvent,
  sentenceOf,
} from '../core/index.ts';
import { Course, type CourseOptions, limitReached } from './course.ts';

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
type Named = Readonly<Record<Seat, { readonly name: string }>>;

/** One episode from its start. Bad input (an unknown seat, a task that does not fit) throws before the first event. */
export function play(environment: AnyEnvironment, agents: Agents, options: PlayOptions = {}): Playing {
  const start = opening(environment, agents, options);
  return new Performance(new Course(environment, start, options), 0, agents, options);
}

/** Continues a log that was cut off: yields only the events that were missing. A finished log yields nothing. */
export function resume(environment: AnyEnvironment, agents: Agents, events: readonly EpisodeEvent[], options: PlayOptions = {}): Playing {
  const course = retrace(environment, events, options);
  seated(startOf(events).seats, agents);
  return new Performance(course, events.length, agents, options);
}

/**
 * Branches a log off before event `at` and plays on, with other agents, other dice, or both. Yields the whole new log, which stands on
 * its own: its start event remembers where it came from, and it replays without its parent.
 */
export function fork(
  environment: AnyEnvironment,
  events: readonly EpisodeEvent[],
  at: number,
  agents: Agents,
  options: PlayOptions & { readonly episode?: string | undefined } = {},
): Playing {
  if (!Number.isInteger(at) || at < 1 || at > events.length)
    throw new Fault('input', `A fork is made before an event from 1 to ${events.length}, but was asked for at ${at}.`);
  const start = startOf(events);
  seated(start.seats, agents);
  const kept = events.slice(0, at);
  const turns = retrace(environment, kept, options).turns;
  const origin: ForkOrigin = {
    at,
    // Without other dice the parent's roll on, and where the parent is itself a fork that has not branched off yet, they change where its did.
    step: options.seed === undefined ? Math.max(turns, start.fork?.step ?? 0) : turns,
    seed: options.seed ?? start.fork?.seed ?? start.seed,
    ...(options.episode === undefined ? {} : { episode: options.episode }),
    ...(start.fork === undefined ? {} : { before: start.fork }),
  };
  const branch: EpisodeEvent[] = [{ ...start, cast: names(start.seats, agents), fork: origin }, ...kept.slice(1)];
  return new Performance(retrace(environment, branch, options), 0, agents, options);
}

/** The course that a log took, ready to go on: every logged action is fed back, every event the rules made is compared. */
export function retrace(environment: AnyEnvironment, events: readonly EpisodeEvent[], options: CourseOptions = {}): Course {
  const course = new Course(environment, startOf(events), options);
  const difference = follow(course, events);
  if (difference !== null) {
    throw new Fault(
      'environment',
      `This log does not follow from ${environment.id}: event ${difference.index} should be ${brief(difference.expected)}, but is ${brief(difference.found)}. Replay it with the version of the rules that made it.`,
    );
  }
  return course;
}

/** The first place where a log and the rules disagree. */
export interface Difference {
  readonly index: number;
  readonly expected: EpisodeEvent | null;
  readonly found: EpisodeEvent | null;
}

/** Feeds a log's actions to a course and finds the first event that does not follow from them, or null. */
export function follow(course: Course, events: readonly EpisodeEvent[]): Difference | null {
  for (let index = 0; index < events.length; index++) {
    const found = events[index] as EpisodeEvent;
    if (index >= course.events.length) {
      try {
        // The rules wait for seats: only an asked seat's action, or an end from outside the rules, may come now.
        if (found.kind === 'action' && course.waiting.some((ask) => ask.seat === found.seat)) course.answer(found.seat, replyIn(found));
        else if (found.kind === 'end' && outside.has(found.reason)) course.stop(found.reason as 'limit' | 'error' | 'abort', why(found));
      } catch {
        // An action that is none: the course has refused it, so the log differs here.
      }
    }
    const expected = course.events[index] ?? null;
    if (!equal(expected as Json, found as unknown as Json)) return { index, expected, found };
  }
  return null;
}

/** Reasons to end that do not follow from the rules. */
const outside: ReadonlySet<string> = new Set(['limit', 'error', 'abort']);

/** The start event of an episode, once task, seed and seats have been checked. */
export function opening(environment: AnyEnvironment, agents: Named, options: Pick<PlayOptions, 'seed' | 'task'>): StartEvent {
  const seed = seedOf(options.seed ?? 0);
  const task = options.task === undefined ? usualTask(environment) : environment.task(options.task);
  const seats = environment.seats(task);
  seated(seats, agents);
  return { kind: 'start', environment: environment.id, task, seed, seats, cast: names(seats, agents) };
}

const usualTasks = new WeakMap<AnyEnvironment, Json>();

/** What a world plays when no task is given, read once: tasks are plain data and never change. */
function usualTask(environment: AnyEnvironment): Json {
  const known = usualTasks.get(environment);
  if (known !== undefined) return known;
  const task = environment.task({}) as Json;
  usualTasks.set(environment, task);
  return task;
}

export function seedOf(seed: Seed): Seed {
  if (!Number.isSafeInteger(seed) || seed < 0)
    throw new Fault('input', `A seed is a whole number from 0 to 2^53 − 1, but came as ${seed}.`);
  return seed;
}

function startOf(events: readonly EpisodeEvent[]): StartEvent {
  const first = events[0];
  if (first?.kind !== 'start')
    throw new Fault('input', `A log begins with a start event, but this one begins with ${brief(first ?? null)}.`);
  return first;
}

function seated(seats: readonly Seat[], agents: Named): void {
  for (const seat of seats)
    if (agents[seat] === undefined)
      throw new Fault('input', `Seat "${seat}" is empty; the seats are ${seats.join(', ')}, so cast an agent on each.`);
  for (const seat of Object.keys(agents))
    if (!seats.includes(seat)) throw new Fault('input', `There is no seat "${seat}"; the seats are ${seats.join(', ')}.`);
}

function names(seats: readonly Seat[], agents: Named): Record<Seat, string> {
  const cast: Record<Seat, string> = {};
  for (const seat of seats) cast[seat] = (agents[seat] as { name: string }).name;
  return cast;
}

/**
 * An episode under way, as the stream of its events. Written out rather than as an async generator: thousands of episodes wait at once, and
 * what each of them allocates while it waits is what the collector spends its time on. So a turn makes one promise for who waits for it, and
 * none for an event that is there already.
 */
class Performance implements Playing {
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

function replyIn(event: Extract<EpisodeEvent, { kind: 'action' }>): Reply {
  const { action, mind, calls } = event;
  return { action, ...(mind === undefined ? {} : { mind }), ...(calls === undefined ? {} : { calls }) };
}

function why(end: Extract<EpisodeEvent, { kind: 'end' }>): { fault?: NonNullable<typeof end.fault>; limit?: string } {
  return { ...(end.fault === undefined ? {} : { fault: end.fault }), ...(end.limit === undefined ? {} : { limit: end.limit }) };
}

function brief(event: EpisodeEvent | null): string {
  const text = event === null ? 'nothing' : JSON.stringify(event);
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}
