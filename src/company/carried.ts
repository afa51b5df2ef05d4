/**
 * @file Conversations that happened elsewhere, written as episodes of `relay`: what came to a seat is what the world told it, what the seat
 * answered is its action. They follow from the rules like every other log, and replay.
 *
 * Only the state of the rules is held, not the log: an episode may be as long as it likes.
 */

import {
  type Action,
  type Ask,
  Dice,
  type EpisodeEvent,
  Fault,
  type Json,
  type JsonObject,
  type Message,
  type ModelCall,
  rng,
  type Seat,
  type Seed,
  type StartEvent,
  type Step,
} from '../core/index.ts';
import { type Packet, relay } from '../environments/relay.ts';

export interface Opening {
  readonly seats: readonly Seat[];
  readonly cast: Readonly<Record<Seat, string>>;
  /** Who told the seats what they were told, e.g. "proxy". */
  readonly world: string;
  /** Where it comes from and what was to be done. */
  readonly about: JsonObject;
  readonly seed: Seed;
}

type State = ReturnType<typeof relay.start>['state'];

/** The most answers of the world that an episode can have: the rules end it with the last. */
export const mostTurns = 10_000;

/** One such episode under way. Every method gives the events that are new. */
export class Carried {
  readonly seats: readonly Seat[];
  /** How many events the log has. */
  events = 0;
  over = false;
  readonly #seed: Seed;
  #state: State;
  #asks: readonly Ask[] = [];
  #turns = 0;
  readonly #returns: Record<Seat, number>;

  private constructor(start: StartEvent) {
    this.seats = start.seats.slice(1);
    this.#seed = start.seed;
    this.#returns = Object.fromEntries(start.seats.map((seat) => [seat, 0]));
    this.#state = null as unknown as State;
  }

  static open({ seats, cast, world, about, seed }: Opening): { readonly carried: Carried; readonly events: readonly EpisodeEvent[] } {
    const task = relay.task({ seats, world: about, turns: mostTurns }) as unknown as Json;
    const seated = { world, ...Object.fromEntries(seats.map((seat) => [seat, cast[seat] ?? seat])) };
    const start: StartEvent = { kind: 'start', environment: relay.id, task, seed, seats: ['world', ...seats], cast: seated };
    const carried = new Carried(start);
    const events = [start, ...carried.#enter(relay.start(start.task as never, rng(seed, 'start')))];
    carried.events = events.length;
    return { carried, events };
  }

  /** How many answers the rules still allow. */
  get left(): number {
    return mostTurns - this.#state.answers;
  }

  /** Takes up a log where it was left. */
  static resume(log: readonly EpisodeEvent[]): Carried {
    const start = log[0];
    if (start?.kind !== 'start' || start.environment !== relay.id)
      throw new Fault('input', 'Only episodes that were opened here can be gone on with; name another episode.');
    const carried = new Carried(start);
    carried.#enter(relay.start(start.task as never, rng(start.seed, 'start')));
    for (const event of log) if (event.kind === 'action') carried.#step({ [event.seat]: event.action });
    carried.events = log.length;
    if (log.at(-1)?.kind === 'end') carried.over = true;
    return carried;
  }

  /** The world tells a seat something, and the seat answers. */
  turn(
    seat: Seat,
    told: readonly Message[],
    reply: { readonly action: Action; readonly calls?: readonly ModelCall[] },
  ): readonly EpisodeEvent[] {
    const asked = this.#world({ messages: told, asks: [{ seat }] });
    if (this.over) return asked;
    const { action, calls = [] } = reply;
    const event: EpisodeEvent = { kind: 'action', seat, action, ...(calls.length === 0 ? {} : { calls }) };
    const answered = [event, ...this.#step({ [seat]: action })];
    this.events += answered.length;
    return [...asked, ...answered];
  }

  /** The world has the last word. */
  end(told: readonly Message[], rewards?: Readonly<Record<Seat, number>>): readonly EpisodeEvent[] {
    return this.#world({ messages: told, ...(rewards === undefined ? {} : { rewards }), over: true });
  }

  #world(packet: Packet): readonly EpisodeEvent[] {
    const action: Action = { text: '', data: packet as unknown as Json };
    const events: EpisodeEvent[] = [{ kind: 'action', seat: 'world', action }, ...this.#step({ world: action })];
    this.events += events.length;
    return events;
  }

  #step(actions: Readonly<Record<Seat, Action>>): readonly EpisodeEvent[] {
    return this.#enter(relay.step(this.#state, actions, new Dice(this.#seed, ['step']).at(this.#turns++)));
  }

  /** What the engine logs of a step. */
  #enter(step: Step<State>): readonly EpisodeEvent[] {
    const { state, messages, asks, rewards } = step;
    this.#state = state;
    this.#asks = asks;
    const events: EpisodeEvent[] = messages.map((message) => ({ kind: 'message', ...message }));
    if (rewards !== undefined) {
      for (const [seat, paid] of Object.entries(rewards)) this.#returns[seat] = (this.#returns[seat] ?? 0) + paid;
      events.push({ kind: 'reward', rewards });
    }
    if (this.#asks.length > 0) return [...events, { kind: 'turn', asks }];
    this.over = true;
    const penalties = Object.fromEntries(Object.keys(this.#returns).map((seat) => [seat, 0]));
    return [...events, { kind: 'end', reason: 'over', returns: { ...this.#returns }, penalties, turns: this.#turns }];
  }
}
