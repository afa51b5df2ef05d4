/**
 * @file One turn in progress: the asked seats, their responses, and the answers that the course has accepted.
 *
 * `play` and hosted episodes both use it, so that they create the same log.
 */

import { type Agent, type Ask, boundaryOf, type FaultRecord, type Reply, type Seat, sentenceOf } from '../core/index.ts';
import type { Course } from './course.ts';

export type Agents = Readonly<Record<Seat, Agent>>;

/** The result of asking a seat. */
type Result = { readonly reply: Reply } | { readonly thrown: unknown };

export class TurnTaker {
  readonly #course: Course;
  readonly #agents: Agents;
  readonly #signal: AbortSignal;
  readonly #arrived: () => void;
  #asks: readonly Ask[] = [];
  #results: (Result | undefined)[] = [];
  #taken = 0;
  #failure: FaultRecord | null = null;

  /** `arrived` is called when the next answer in order arrives later. */
  constructor(course: Course, agents: Agents, signal: AbortSignal, arrived: () => void) {
    this.#course = course;
    this.#agents = agents;
    this.#signal = signal;
    this.#arrived = arrived;
  }

  /** Whether every answer of the turn has been taken into the course. */
  get complete(): boolean {
    return this.#taken === this.#asks.length;
  }

  /** Asks all seats of the turn at once. A seat without an agent is answered externally. */
  begin(): void {
    this.#asks = this.#course.waiting;
    this.#results = [];
    this.#taken = 0;
    this.#failure = null;
    for (let i = 0; i < this.#asks.length; i++) this.#ask(i, this.#results);
  }

  /** The pending ask of a seat, or null. */
  asked(seat: Seat): Ask | null {
    for (let i = this.#taken; i < this.#asks.length; i++) {
      const ask = this.#asks[i]!;
      if (ask.seat === seat) return this.#results[i] === undefined ? ask : null;
    }
    return null;
  }

  /** Records an external answer for a seat with a pending ask. */
  answer(seat: Seat, reply: Reply): void {
    this.#results[this.#asks.findIndex((ask) => ask.seat === seat)] ??= { reply };
  }

  /** Stops waiting for agents: one that ignores its signal cannot delay the end. */
  callOff(): void {
    for (let i = 0; i < this.#asks.length; i++) this.#results[i] ??= { thrown: new Error('called off') };
  }

  /**
   * Takes the next answer; false if it has not arrived. Answers are taken in the order of the asks, so that a log does not depend on their
   * speed.
   */
  take(): boolean {
    const result = this.#results[this.#taken];
    if (result === undefined) return false;
    const { seat } = this.#asks[this.#taken++]!;
    try {
      if ('thrown' in result) throw result.thrown;
      this.#course.answer(seat, result.reply);
    } catch (thrown) {
      this.#failure ??= { boundary: boundaryOf(thrown), message: sentenceOf(thrown), seat };
    }
    // A failure ends the episode after the other seats have answered, so that their answers are in the log.
    if (this.#failure !== null && this.complete) {
      if (this.#signal.aborted) halt(this.#course, this.#signal);
      else this.#course.stop('error', { fault: this.#failure });
    }
    return true;
  }

  /** Late answers to a finished turn are written to a list that is no longer read. */
  #ask(i: number, results: (Result | undefined)[]): void {
    const ask = this.#asks[i]!;
    const agent = this.#agents[ask.seat];
    if (agent === undefined) return;
    try {
      const turn = this.#course.turn(ask);
      const reply =
        agent.looksAhead === true ? agent.act(turn, this.#signal, this.#course.simulator(ask.seat)) : agent.act(turn, this.#signal);
      if (!(reply instanceof Promise)) results[i] ??= { reply };
      else
        reply.then(
          (answer) => this.#late(i, results, { reply: answer }),
          (thrown: unknown) => this.#late(i, results, { thrown }),
        );
    } catch (thrown) {
      results[i] ??= { thrown };
    }
  }

  #late(i: number, results: (Result | undefined)[], result: Result): void {
    results[i] ??= result;
    if (results === this.#results && i === this.#taken) this.#arrived();
  }
}

/** Ends a course whose signal was aborted. */
export function halt(course: Course, signal: AbortSignal): void {
  if (signal.reason === 'seconds') course.stop('limit', { limit: 'seconds' });
  else course.stop('abort');
}
