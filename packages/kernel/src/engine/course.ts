/**
 * @file The course of one episode, as a synchronous state machine over its own log.
 *
 * `play` awaits agents around it, `rollout` loops over thousands of it, `replay` and `resume` feed it from a log. All logic of an episode
 * is here, so all four give byte-equal logs.
 */

import {
  type Action,
  type AnyEnvironment,
  type Ask,
  Dice,
  type DicePath,
  type EndEvent,
  type EpisodeEvent,
  emptyRecord,
  Fault,
  type ForkOrigin,
  freeze,
  hash,
  type ImagePart,
  imageProblem,
  type Json,
  type Limits,
  lastSeen,
  type MessageEvent,
  mostLiteralKeys,
  type Reply,
  type Seat,
  type Seed,
  type Seen,
  type Simulator,
  type StartEvent,
  type Step,
  type StepEvents,
  sentenceOf,
  sharedSteps,
  type Turn,
  wordsOfPath,
} from '../core/index.ts';
import { checkPenalty, checkReward, createPlaces, isSum, type SeatPlace, seatPath, sumUp } from './place.ts';
import { createSimulator } from './simulator.ts';
import { addCosts, nothingSpent, type Spent } from './spent.ts';

export interface CourseOptions {
  /** Freezes states, messages, and replies, and rejects values that are not plain JSON. Enabled in tests and development. */
  readonly freeze?: boolean | undefined;
  /** Stores neither the log nor the views, only the state of the rules: for episodes of any length whose answers come from outside. */
  readonly forgetful?: boolean | undefined;
}

const environmentVariables = (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env ?? {};
const freezeByDefault = environmentVariables['NODE_ENV'] === 'test' || environmentVariables['NODE_ENV'] === 'development';

const nobody: readonly Ask[] = [];
const nothing: Readonly<Record<Seat, number>> = Object.freeze({});
const [startPath, stepPath] = [wordsOfPath('start'), wordsOfPath('step')];
/** A seat's observation of a reward of 0: most steps pay it, so it is created once. */
const paidNothing: Seen = Object.freeze({ kind: 'reward', reward: 0, penalty: 0 });

export class Course {
  /** The log so far. Only this class appends to it. */
  readonly events: EpisodeEvent[] = [];
  over = false;
  /** What the agents' model calls have cost so far; money counts only calls whose price is known. */
  spent: Spent = nothingSpent;

  readonly #environment: AnyEnvironment;
  readonly #start: StartEvent;
  readonly #strict: boolean;
  readonly #forgetful: boolean;
  readonly #places: SeatPlace[];
  /** Places by seat, if there are so many seats that a linear search would be slower. */
  readonly #byName: ReadonlyMap<Seat, SeatPlace> | null;
  /** Used at the start, then at every step. */
  readonly #dice: Dice;
  /** The likely index of the next requested seat, because seats are mostly processed in order. */
  #next = 0;
  #state: Json = null;
  #asks: readonly Ask[] = nobody;
  #owed = 0;
  #turns = 0;

  constructor(environment: AnyEnvironment, start: StartEvent, options: CourseOptions = {}) {
    this.#environment = environment;
    this.#start = start;
    this.#strict = options.freeze ?? freezeByDefault;
    this.#forgetful = options.forgetful === true;
    if (this.#strict) freeze(start, 'start');
    this.#places = createPlaces(start.seats, start.seed);
    if (environment.about.taskDice === true) for (const place of this.#places) place.dice = new Dice(start.seed, this.#pathOf(place.seat));
    this.#byName = this.#places.length <= mostLiteralKeys ? null : new Map(this.#places.map((place) => [place.seat, place]));
    this.#dice = new Dice(start.seed, startPath);
    this.events.push(start);
    let step: Step;
    try {
      step = environment.start(start.task, this.#dice);
    } catch (thrown) {
      this.#fail(thrown);
      return;
    }
    this.#enter(step);
  }

  /** The current state of the rules: for solvers and `check`, never for agents. */
  get state(): Json {
    return this.#state;
  }

  /** A simulator of the future, for an agent that looks ahead; undefined if the rules do not allow one. */
  simulator(seat: Seat): Simulator | undefined {
    return createSimulator({ environment: this.#environment, task: this.#start.task, state: this.#state, asks: this.#asks }, seat);
  }

  /** The number of completed turns: all asked seats answered, one step made. */
  get turns(): number {
    return this.#turns;
  }

  /** The asks that are not yet answered. */
  get waiting(): readonly Ask[] {
    if (this.#owed === this.#asks.length) return this.#asks;
    return this.#asks.filter((ask) => this.#place(ask.seat).reply === undefined);
  }

  /** The path of a seat's random numbers. */
  #pathOf(seat: Seat): DicePath {
    return this.#environment.about.taskDice === true ? ['seat', seat, hash(this.#start.task)] : seatPath(seat);
  }

  /** The input of an asked seat's agent. */
  turn(ask: Ask): Turn {
    const place = this.#place(ask.seat);
    const seed = diceAt(this.#start, this.#turns);
    if (place.dice.seed !== seed) place.dice = new Dice(seed, this.#pathOf(ask.seat));
    const dice = place.dice.at(place.turns);
    let { view } = place;
    if (this.#strict || ask.window !== undefined) {
      const observations = (ask.window === undefined ? place.seen : lastSeen(place.seen, ask.window)).slice();
      view = { seat: ask.seat, seen: this.#strict ? Object.freeze(observations) : observations };
    }
    return place.mind === undefined ? { view, ask, rng: dice } : { view, ask, mind: place.mind, rng: dice };
  }

  /** Adds a seat's answer to the log; the last pending one makes the step. Throws if the answer is invalid. */
  answer(seat: Seat, reply: Reply): void {
    const place = this.#owes(seat);
    if (place === null) {
      throw new Error(`Seat "${seat}" was not asked, or has already answered. Answer each seat in course.waiting once.`);
    }
    if (typeof reply?.action?.text !== 'string')
      throw new Fault(
        'agent',
        `An agent must return {action: {text: "…"}}, but returned ${JSON.stringify(reply)?.slice(0, 80) ?? 'undefined'}.`,
      );
    if (this.#strict) plain(reply, seat);
    place.reply = reply;
    this.#log(place, reply);
    if (--this.#owed === 0) this.#advance();
  }

  /** Removes and returns the new events; not for a course that keeps a log. */
  takeEvents(): readonly EpisodeEvent[] {
    if (!this.#forgetful) throw new Error('This course stores its log. Read course.events instead.');
    for (const place of this.#places) place.seen.length = 0;
    return this.events.splice(0);
  }

  /** Ends the episode for a reason outside its rules. */
  stop(reason: 'limit' | 'error' | 'abort', why?: Pick<EndEvent, 'fault' | 'limit'>): void {
    if (!this.over) this.#end(reason, why);
  }

  /** The place of a seat with a pending ask, or null. */
  #owes(seat: Seat): SeatPlace | null {
    const place = this.#find(seat);
    return place?.asked === true && place.reply === undefined && !this.over ? place : null;
  }

  #log(place: SeatPlace, reply: Reply): void {
    const { action, mind, calls, edited } = reply;
    const event: { kind: 'action'; seat: Seat; action: Action; mind?: Json; calls?: NonNullable<Reply['calls']>; edited?: true } = {
      kind: 'action',
      seat: place.seat,
      action,
    };
    if (mind !== undefined) event.mind = mind;
    if (calls !== undefined && calls.length > 0) {
      event.calls = calls;
      this.spent = addCosts(this.spent, calls);
    }
    if (edited === true) event.edited = true;
    place.mind = mind;
    place.turns++;
    place.seen.push(event);
    this.events.push(event);
  }

  #advance(): void {
    const actions: Record<Seat, Action> = this.#asks.length > mostLiteralKeys ? emptyRecord() : {};
    for (let i = 0; i < this.#asks.length; i++) {
      const { seat } = this.#asks[i]!;
      const place = this.#place(seat);
      actions[seat] = (place.reply as Reply).action;
      place.asked = false;
      place.reply = undefined;
    }
    const index = this.#turns++;
    const seed = diceAt(this.#start, index);
    if (index === 0 || this.#dice.seed !== seed) this.#dice.reset(seed, stepPath);
    let step: Step;
    try {
      step = this.#environment.step(this.#state, actions, this.#dice.at(index));
    } catch (thrown) {
      this.#fail(thrown);
      return;
    }
    this.#enter(step);
  }

  #enter(step: Step): void {
    const shared = sharedSteps.get(step);
    if (shared?.seats === this.#start.seats) {
      this.#repeat(step, shared);
      if (step.asks.length === 0) {
        this.#endAsBefore(shared);
        return;
      }
    } else {
      const from = this.events.length;
      const seenBefore = shared === undefined ? [] : this.#places.map((place) => place.seen.length);
      try {
        this.#tell(step);
      } catch (thrown) {
        this.#fail(thrown);
        return;
      }
      if (shared !== undefined) this.#share(step, from, seenBefore);
    }
    if (step.asks.length === 0) {
      this.#end('over');
      return;
    }
    this.#asks = step.asks;
    this.#owed = step.asks.length;
  }

  /** Shows the seats the messages, rewards, and asks of a step, and logs it. */
  #tell(step: Step): void {
    if (this.#strict) freeze(step, 'step');
    this.#state = step.state;
    this.#asks = nobody;
    for (const message of step.messages) this.#deliver(message);
    if (step.rewards !== undefined || step.penalties !== undefined) this.#pay(step);
    for (let i = 0; i < step.asks.length; i++) {
      const place = this.#place(step.asks[i]!.seat);
      if (place.asked) throw new Error(`The rules ask seat "${place.seat}" twice in one turn. Ask each seat once.`);
      place.asked = true;
      if (step.asks[i]!.images !== undefined) checkImages(step.asks[i]!.images!);
    }
    if (step.asks.length > 0) this.events.push({ kind: 'turn', asks: step.asks });
  }

  /** Stores the events that a shared step has just added, for the next episode that reaches it. */
  #share(step: Step, from: number, seenBefore: readonly number[]): void {
    const { seats } = this.#start;
    const events = this.events.slice(from).map((event) => Object.freeze(event));
    const observations = this.#places.map((place, i) => place.seen.slice(seenBefore[i]));
    const amountsBySeat = (amounts: Step['rewards']) => seats.map((seat) => amounts?.[seat] ?? 0);
    const askedIndexes = step.asks.map(({ seat }) => this.#place(seat).index);
    const shared = { seats, events, seen: observations, asked: askedIndexes, end: null };
    sharedSteps.set(step, { ...shared, rewards: amountsBySeat(step.rewards), penalties: amountsBySeat(step.penalties) });
  }

  /** The same as `#tell`, for a step that was shown before to the same seats. */
  #repeat(step: Step, { events, seen, rewards, penalties, asked }: StepEvents): void {
    if (this.#strict) freeze(step, 'step');
    this.#state = step.state;
    for (let i = 0; i < events.length; i++) this.events.push(events[i]!);
    const places = this.#places;
    for (let i = 0; i < places.length; i++) {
      const place = places[i]!;
      place.returned += rewards[i]!;
      place.penalised += penalties[i]!;
      // At the end, no seat observes anything.
      if (asked.length === 0) continue;
      const news = seen[i]!;
      for (let k = 0; k < news.length; k++) place.seen.push(news[k]!);
    }
    for (let i = 0; i < asked.length; i++) places[asked[i]!]!.asked = true;
  }

  #deliver({ to, text, from, data, images }: Step['messages'][number]): void {
    let event: MessageEvent;
    if (data === undefined) event = from === undefined ? { kind: 'message', to, text } : { kind: 'message', to, text, from };
    else event = from === undefined ? { kind: 'message', to, text, data } : { kind: 'message', to, text, from, data };
    if (images !== undefined) event = { ...event, images: checkImages(images) };
    if (from !== undefined) this.#place(from);
    for (const seat of to) this.#place(seat).seen.push(event);
    this.events.push(event);
  }

  #pay(step: Step): void {
    const { rewards = nothing, penalties = nothing } = step;
    // All amounts are checked before any is added, so that returns equal the sums in the log, even if the rules fail here.
    for (const seat in rewards) checkReward(rewards[seat], this.#place(seat));
    for (const seat in penalties) checkPenalty(penalties[seat], this.#place(seat));
    for (const place of this.#places) {
      const reward = rewards[place.seat];
      const penalty = penalties[place.seat];
      if (reward === undefined && penalty === undefined) continue;
      place.returned += reward ?? 0;
      place.penalised += penalty ?? 0;
      place.seen.push(reward === 0 && penalty === undefined ? paidNothing : { kind: 'reward', reward: reward ?? 0, penalty: penalty ?? 0 });
    }
    this.events.push(step.penalties === undefined ? { kind: 'reward', rewards } : { kind: 'reward', rewards, penalties });
  }

  #fail(thrown: unknown): void {
    this.stop('error', { fault: { boundary: 'environment', message: sentenceOf(thrown) } });
  }

  /** The same as `#end`, after a shared step: most episodes that reach it have the same end. */
  #endAsBefore(shared: StepEvents): void {
    const { end } = shared;
    if (end !== null && end.event.turns === this.#turns && isSum(end, this.#places)) {
      this.#close(end.event);
      return;
    }
    this.#end('over');
    const event = this.events.at(-1) as EndEvent;
    for (const part of [event, event.returns, event.penalties]) Object.freeze(part);
    shared.end = { event, returned: this.#places.map((place) => place.returned), penalised: this.#places.map((place) => place.penalised) };
  }

  #end(reason: EndEvent['reason'], why?: Pick<EndEvent, 'fault' | 'limit'>): void {
    const { returns, penalties } = sumUp(this.#start.seats, this.#places);
    const end: EndEvent = { kind: 'end', reason, returns, penalties, turns: this.#turns };
    this.#close(why === undefined ? end : { ...end, ...why });
  }

  #close(end: EndEvent): void {
    this.over = true;
    this.#asks = nobody;
    this.#owed = 0;
    this.events.push(end);
  }

  #find(seat: Seat): SeatPlace | undefined {
    const places = this.#places;
    if (this.#byName === null) {
      for (let i = 0; i < places.length; i++) if (places[i]!.seat === seat) return places[i];
      return undefined;
    }
    const next = places[this.#next];
    const place = next?.seat === seat ? next : this.#byName.get(seat);
    if (place !== undefined) this.#next = place.index + 1 < places.length ? place.index + 1 : 0;
    return place;
  }

  #place(seat: Seat): SeatPlace {
    const place = this.#find(seat);
    if (place !== undefined) return place;
    throw new Error(`The rules use an unknown seat "${seat}". Its seats are ${this.#places.map((place) => place.seat).join(', ')}.`);
  }
}

/** Freezes a reply; one that is not plain JSON is the agent's fault. */
function plain(reply: Reply, seat: Seat): void {
  try {
    freeze(reply, `${seat}'s reply`);
  } catch (thrown) {
    throw new Fault('agent', sentenceOf(thrown));
  }
}

/** The seed used at a step: the log's own, or that of the last fork before it. */
function diceAt(start: StartEvent, step: number): Seed {
  for (let fork: ForkOrigin | undefined = start.fork; fork !== undefined; fork = fork.before) if (step >= fork.step) return fork.seed;
  return start.seed;
}

function checkImages(images: readonly ImagePart[]): readonly ImagePart[] {
  for (const image of images) {
    const problem = imageProblem(image);
    if (problem !== null) throw new Error(`The rules return an invalid picture: ${problem}.`);
  }
  return images;
}

/** The limit that an episode has reached, or null. A driver checks it before it asks the seats; a turn that has begun is completed. */
export function limitReached(course: Course, limits: Limits | undefined): string | null {
  if (limits === undefined || course.events.at(-1)?.kind !== 'turn') return null;
  if (limits.turns !== undefined && course.turns >= limits.turns) return 'turns';
  if (limits.calls !== undefined && course.spent.calls >= limits.calls) return 'calls';
  if (limits.tokens !== undefined && course.spent.tokens >= limits.tokens) return 'tokens';
  if (limits.money !== undefined && course.spent.money >= limits.money) return 'money';
  return null;
}
