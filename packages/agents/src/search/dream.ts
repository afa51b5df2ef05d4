/** @file A dream: a simulator with errors, at a given rate, and measured against the true rules. */

import type { Position, Rng, Seat, Simulator } from '@ludus-agents/kernel/internal/core/index';
import { advance, moverIn, type TriedMove } from './positions.ts';
import type { DreamSettings } from './settings.ts';

/** With probability `error`, a tried move is replaced by another, each equally likely. */
export function dreamOf(simulator: Simulator, error: number): Simulator {
  return { ...simulator, sample: (rng) => dreamPosition(simulator.sample(rng), error) };
}

function dreamPosition(position: Position, error: number): Position {
  return {
    asks: position.asks,
    returns: position.returns,
    key: () => position.key(),
    told: (seat) => position.told(seat),
    step(actions, rng) {
      const result: Record<Seat, { readonly text: string }> = {};
      for (const [seat, action] of Object.entries(actions)) {
        const choices = position.asks.find((ask) => ask.seat === seat)?.choices ?? [];
        result[seat] = choices.length > 0 && rng.next() < error ? { text: rng.pick(choices) } : action;
      }
      return dreamPosition(position.step(result, rng), error);
    },
  };
}

/** The differences between a dream and the rules on the same moves, as shares from 0 to 1. */
export type DreamReport = {
  readonly probes: number;
  /** The position after a move differs. */
  readonly step: number;
  /** The rewards differ. */
  readonly reward: number;
  /** Only one of the two is over. */
  readonly over: number;
};

/** Plays the same random moves in both, one step at a time from positions of the rules, and counts the differences. */
export function measureDream(simulator: Simulator, dream: Simulator, probes: number, rng: Rng): DreamReport {
  let [step, reward, over, madeCount] = [0, 0, 0, 0];
  let real = simulator.sample(rng);
  let imagined = dream.sample(rng);
  while (madeCount < probes) {
    const mover = moverIn(real, simulator.seat);
    if (mover?.choices === undefined || mover.choices.length === 0) {
      real = simulator.sample(rng);
      imagined = dream.sample(rng);
      // A position without moves cannot be compared.
      if ((moverIn(real, simulator.seat)?.choices ?? []).length === 0) break;
      continue;
    }
    madeCount++;
    const move = rng.pick(mover.choices);
    const [truth, guess] = [advance(real, mover.seat, move, rng), advance(imagined, mover.seat, move, rng)];
    if (truth.key() !== guess.key()) step++;
    if (JSON.stringify(truth.returns) !== JSON.stringify(guess.returns)) reward++;
    if ((truth.asks.length === 0) !== (guess.asks.length === 0)) over++;
    // Both are sampled again, so that an error counts once and does not carry over to the next step.
    real = simulator.sample(rng);
    imagined = dream.sample(rng);
  }
  const share = (count: number) => (madeCount === 0 ? 0 : count / madeCount);
  return { probes: madeCount, step: share(step), reward: share(reward), over: share(over) };
}

/** With probability `error`, a move gets another value: any of `values`, each equally likely. */
export function misjudge(
  moves: readonly TriedMove[],
  { error, values }: Pick<DreamSettings, 'error' | 'values'>,
  rng: Rng,
): readonly TriedMove[] {
  return moves.map((move) => (rng.next() < error ? { ...move, value: rng.pick(values) } : move));
}
