/**
 * @file Writes external conversations as episodes of `relay`: each message to a seat is a message of the environment, and each
 * answer is the seat's action. They follow from the rules like every other log, and replay.
 *
 * Only the rules' state is in memory, not the log, so an episode may have any length.
 */

import { type Packet, relay } from '@ludus-agents/environments/internal/relay';
import {
  type Action,
  type AnyEnvironment,
  type EpisodeEvent,
  Fault,
  type Json,
  type JsonObject,
  type Message,
  type ModelCall,
  type Seat,
  type Seed,
  type StartEvent,
} from '@ludus-agents/kernel/internal/core/index';
import { Course } from '@ludus-agents/kernel/internal/engine/course';

export interface RelayStart {
  readonly seats: readonly Seat[];
  readonly cast: Readonly<Record<Seat, string>>;
  /** The source of the messages, e.g. "proxy". */
  readonly world: string;
  /** The origin of the conversation, and its task. */
  readonly about: JsonObject;
  readonly seed: Seed;
}

type State = ReturnType<typeof relay.start>['state'];

/** The maximum number of answers per episode: the rules end it after the last one. */
export const mostTurns = 10_000;

/** Such an episode in progress. Every method returns the new events. */
export class RelayEpisode {
  readonly seats: readonly Seat[];
  /** The number of events in the log. */
  events = 0;
  readonly #course: Course;

  private constructor(start: StartEvent) {
    this.seats = start.seats.slice(1);
    this.#course = new Course(relay as AnyEnvironment, start, { forgetful: true });
  }

  static open({ seats, cast, world, about, seed }: RelayStart): {
    readonly carried: RelayEpisode;
    readonly events: readonly EpisodeEvent[];
  } {
    const task = relay.task({ seats, world: about, turns: mostTurns }) as Json;
    const seated = { world, ...Object.fromEntries(seats.map((seat) => [seat, cast[seat] ?? seat])) };
    const start: StartEvent = { kind: 'start', environment: relay.id, task, seed, seats: ['world', ...seats], cast: seated };
    const carried = new RelayEpisode(start);
    return { carried, events: carried.#taken() };
  }

  /** Resumes a log. */
  static resume(log: readonly EpisodeEvent[]): RelayEpisode {
    const start = log[0];
    if (start?.kind !== 'start' || start.environment !== relay.id)
      throw new Fault('input', 'Only episodes that were started here can be continued. Use another episode.');
    const carried = new RelayEpisode(start);
    for (const event of log) {
      if (event.kind === 'action') carried.#course.answer(event.seat, event);
      if (event.kind === 'end' && !carried.over) carried.#course.stop('abort');
      carried.#course.takeEvents();
    }
    carried.events = log.length;
    return carried;
  }

  get over(): boolean {
    return this.#course.over;
  }

  /** The number of answers that the rules still allow. */
  get left(): number {
    return mostTurns - (this.#course.state as State).answers;
  }

  /** The environment sends a seat something, and the seat answers. */
  turn(
    seat: Seat,
    observedMessages: readonly Message[],
    reply: { readonly action: Action; readonly calls?: readonly ModelCall[] },
  ): readonly EpisodeEvent[] {
    this.#world({ messages: observedMessages, asks: [{ seat }] });
    if (!this.over) this.#course.answer(seat, reply);
    return this.#taken();
  }

  /** The environment sends the last message. */
  end(observedMessages: readonly Message[], rewards?: Readonly<Record<Seat, number>>): readonly EpisodeEvent[] {
    this.#world({ messages: observedMessages, ...(rewards === undefined ? {} : { rewards }), over: true });
    return this.#taken();
  }

  #world(packet: Packet): void {
    this.#course.answer('world', { action: { text: '', data: packet } });
  }

  #taken(): readonly EpisodeEvent[] {
    const events = this.#course.takeEvents();
    this.events += events.length;
    return events;
  }
}
