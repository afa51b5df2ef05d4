/** @file Reconstructs the turns of a log as its agents received them: what a seat saw, what it was asked, its answer and the reward. */

import { type Action, type EpisodeEvent, rng, type Seat, type Turn, viewOf } from '@ludus-agents/kernel/internal/core/index';

/** A turn of the log. */
export interface LoggedTurn {
  readonly seat: Seat;
  /** The turn as the agent received it, without its mind and with its own random generator. */
  readonly turn: Turn;
  readonly action: Action;
  /** Its position in the log: a fork before this event repeats the turn. */
  readonly at: number;
  /** Its number among the turns of its seat, from 0. */
  readonly number: number;
  /** The seat's rewards and penalties until its next action. */
  readonly reward: number;
  readonly penalty: number;
}

/** Every turn of these seats, in log order. */
export function turnsInLog(log: readonly EpisodeEvent[], seats: readonly Seat[]): readonly LoggedTurn[] {
  const [start] = log;
  const seed = start?.kind === 'start' ? start.seed : 0;
  const turns: { -readonly [K in keyof LoggedTurn]: LoggedTurn[K] }[] = [];
  const last = new Map<Seat, (typeof turns)[number]>();
  let requestCount = 0;
  log.forEach((event, at) => {
    if (event.kind === 'turn') requestCount = at;
    if (event.kind === 'reward')
      for (const [seat, ownEntry] of last) {
        ownEntry.reward += event.rewards[seat] ?? 0;
        ownEntry.penalty += event.penalties?.[seat] ?? 0;
      }
    if (event.kind !== 'action' || !seats.includes(event.seat)) return;
    const { seat, action } = event;
    const asks = log[requestCount];
    const ask = asks?.kind === 'turn' ? asks.asks.find((item) => item.seat === seat) : undefined;
    if (ask === undefined) return;
    const number = (last.get(seat)?.number ?? -1) + 1;
    const turn: Turn = { view: viewOf(log.slice(0, requestCount), seat, ask.window), ask, rng: rng(seed, 'logged', seat, number) };
    const loggedTurn = { seat, turn, action, at, number, reward: 0, penalty: 0 };
    last.set(seat, loggedTurn);
    turns.push(loggedTurn);
  });
  return turns;
}
