/** @file A dream: a simulator that errs, by a rate that is set and, against the rules themselves, measured. */

import type { Position, Rng, Seat, Simulator } from '@ludus-agents/kernel/internal/core/index';
import { advance, moverIn, type TriedMove } from './positions.ts';
import type { DreamSettings } from './settings.ts';

/** With probability `error` a move that is tried turns out as another one, each equally likely. */
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

/** How a dream and the rules compare on the same moves, as shares from 0 to 1. */
export type DreamReport = {
  readonly probes: number;
  /** The position after a move is another one. */
  readonly step: number;
  /** What the seats were paid is another amount. */
  readonly reward: number;
  /** It is over in one and not in the other. */
  readonly over: number;
};

/** Plays the same random moves in both, one step at a time from positions of the rules, and counts where they differ. */
export function measureDream(simulator: Simulator, dream: Simulator, probes: number, rng: Rng): DreamReport {
  let [step, reward, over, madeCount] = [0, 0, 0, 0];
  let real = simulator.sample(rng);
  let imagined = dream.sample(rng);
  while (madeCount < probes) {
    const mover = moverIn(real, simulator.seat);
    if (mover?.choices === undefined || mover.choices.length === 0) {
      real = simulator.sample(rng);
      imagined = dream.sample(rng);
      // A position without moves leaves nothing to compare.
      if ((moverIn(real, simulator.seat)?.choices ?? []).length === 0) break;
      continue;
    }
    madeCount++;
    const move = rng.pick(mover.choices);
    const [truth, guess] = [advance(real, mover.seat, move, rng), advance(imagined, mover.seat, move, rng)];
    if (truth.key() !== guess.key()) step++;
    if (JSON.stringify(truth.returns) !== JSON.stringify(guess.returns)) reward++;
    if ((truth.asks.length === 0) !== (guess.asks.length === 0)) over++;
    // Both begin over, so that an error counts once: errors that follow from it are no errors of the next step.
    real = simulator.sample(rng);
    imagined = dream.sample(rng);
  }
  const share = (count: number) => (madeCount === 0 ? 0 : count / madeCount);
  return { probes: madeCount, step: share(step), reward: share(reward), over: share(over) };
}

/** With probability `error` a move is taken to be worth something else: any of `values`, each equally likely. */
export function misjudge(
  moves: readonly TriedMove[],
  { error, values }: Pick<DreamSettings, 'error' | 'values'>,
  rng: Rng,
): readonly TriedMove[] {
  return moves.map((move) => (rng.next() < error ? { ...move, value: rng.pick(values) } : move));
}
