/**
 * @file A hosted episode: some seats are remote and are asked turn by turn, and agents of this process fill the others.
 *
 * Agents that answer synchronously are read directly: no promise is created between two answers of a remote seat. Answers are taken in the
 * order of the asks, and failures end the episode as they do in `play`, so the log is the one that `play` would write.
 */

import type { Action, AnyEnvironment, Ask, Json, MessageEvent, Seat, Seed } from '@ludus-agents/kernel/internal/core/index';
import { Fault, safely, toSeen } from '@ludus-agents/kernel/internal/core/index';
import { Course } from '@ludus-agents/kernel/internal/engine/course';
import { type Agents, createStartEvent } from '@ludus-agents/kernel/internal/engine/play';
import { TurnTaker } from '@ludus-agents/kernel/internal/engine/turn';

export interface HostedEpisodeOptions {
  /** The id of the episode. */
  readonly id: string;
  /** The run that stores it. */
  readonly run: string;
  readonly environment: AnyEnvironment;
  readonly seed: Seed;
  readonly task?: Json | undefined;
  readonly agents: Agents;
  /** Names of the remote players by seat. */
  readonly guests: Readonly<Record<Seat, string>>;
  /** Called whenever the log has grown and the episode waits for a remote seat, and at the end. */
  readonly rested?: (table: HostedEpisode) => void;
}

export class HostedEpisode {
  readonly id: string;
  readonly run: string;
  readonly environment: AnyEnvironment;
  readonly seed: Seed;
  readonly course: Course;
  readonly guests: ReadonlyMap<Seat, RemoteSeat>;
  readonly seats: readonly Seat[];

  readonly #rested: (table: HostedEpisode) => void;
  readonly #stop = new AbortController();
  readonly #turn: TurnTaker;
  #fault: Fault | null = null;

  constructor({ id, run, environment, seed, task, agents, guests, rested = () => {} }: HostedEpisodeOptions) {
    this.id = id;
    this.run = run;
    this.environment = environment;
    this.seed = seed;
    this.#rested = rested;
    const named = Object.fromEntries(Object.entries(guests).map(([seat, name]) => [seat, { name }]));
    const start = createStartEvent(environment, { ...agents, ...named }, task === undefined ? { seed } : { seed, task });
    this.seats = start.seats;
    this.course = new Course(environment, start);
    const arrived = safely(`an answer in episode ${id}`, () => {
      if (!this.course.over) this.#go();
    });
    this.#turn = new TurnTaker(this.course, agents, this.#stop.signal, arrived);
    this.guests = new Map(Object.keys(guests).map((seat) => [seat, new RemoteSeat(this, seat)]));
    this.#go();
  }

  /** The reason why the episode can't be recorded any more, or null. */
  get fault(): Fault | null {
    return this.#fault;
  }

  /** Ends an episode that cannot be recorded; its remote seats are notified with their next answer. */
  fail(fault: Fault): void {
    this.#fault ??= fault;
    if (this.course.over) return;
    this.#stop.abort();
    this.course.stop('error', { fault: { boundary: fault.boundary, message: fault.message } });
    this.#rest();
  }

  /** The current question to a remote seat, or null. */
  asked(seat: Seat): Ask | null {
    return this.#turn.asked(seat);
  }

  /** Accepts the answer of a remote seat. */
  answer(seat: Seat, action: Action): void {
    if (this.#fault !== null) throw this.#fault;
    if (this.course.over) throw new Fault('input', 'The episode is over. Start another one.');
    if (this.asked(seat) === null) throw new Fault('input', `It is not the turn of "${seat}". Wait for its turn.`);
    this.#turn.answer(seat, { action });
    this.#go();
  }

  /** Aborts the episode: a remote player has left. */
  leave(): void {
    if (this.course.over) return;
    this.#stop.abort();
    this.course.stop('abort');
    this.#rest();
  }

  /** Continues for as long as answers are available. */
  #go(): void {
    while (!this.course.over) {
      if (this.#turn.complete) this.#turn.begin();
      else if (!this.#turn.take()) break;
    }
    this.#rest();
  }

  #rest(): void {
    // Agents release the resources of the episode.
    if (this.course.over) this.#stop.abort('over');
    this.#rested(this);
    for (const guest of this.guests.values()) guest.wake();
  }
}

/** Events of a seat since its last look. */
export interface News {
  readonly messages: readonly MessageEvent[];
  readonly reward: number;
  readonly penalty: number;
  /** False if nothing was paid, which differs from 0. */
  readonly paid: boolean;
}

/** One seat of a hosted episode, as its remote player sees it. */
export class RemoteSeat {
  readonly table: HostedEpisode;
  readonly seat: Seat;
  /** Sums over the episode so far, as far as they were shown to the seat. */
  returned = 0;
  penalised = 0;
  /** The number of its answers. */
  answers = 0;
  #read = 0;
  #waiting: (() => void)[] = [];
  #prompt: readonly MessageEvent[] | null = null;

  constructor(table: HostedEpisode, seat: Seat) {
    this.table = table;
    this.seat = seat;
  }

  get over(): boolean {
    return this.table.course.over;
  }

  get ask(): Ask | null {
    return this.table.asked(this.seat);
  }

  /** The seat's initial observation, before any seat was asked. */
  get prompt(): readonly MessageEvent[] {
    if (this.#prompt !== null) return this.#prompt;
    const messageEvents: MessageEvent[] = [];
    for (const event of this.table.course.events) {
      if (event.kind === 'turn') break;
      if (event.kind === 'message' && event.to.includes(this.seat)) messageEvents.push(event);
    }
    this.#prompt = messageEvents;
    return messageEvents;
  }

  /** Returns nothing if it is the seat's turn or the episode is over; otherwise a promise for that. */
  ready(): Promise<void> | undefined {
    if (this.over || this.ask !== null) return undefined;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  wake(): void {
    if (this.#waiting.length === 0 || (!this.over && this.ask === null)) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  answer(action: Action): void {
    this.table.answer(this.seat, action);
    this.answers++;
  }

  /** New events for the seat since the previous call. */
  news(): News {
    const { events } = this.table.course;
    const messages: MessageEvent[] = [];
    let [reward, penalty, hasReward] = [0, 0, false];
    for (; this.#read < events.length; this.#read++) {
      const seenEvent = toSeen(events[this.#read]!, this.seat);
      if (seenEvent?.kind === 'message') messages.push(seenEvent);
      else if (seenEvent?.kind === 'reward') {
        reward += seenEvent.reward;
        penalty += seenEvent.penalty;
        hasReward = true;
      }
    }
    this.returned += reward;
    this.penalised += penalty;
    return { messages, reward, penalty, paid: hasReward };
  }
}
