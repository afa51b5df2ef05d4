/**
 * @file Losses of the policy-gradient family, token by token: the value of each, and its slope along the token's log-probability.
 *
 * A learner with weighted cross-entropy only needs the slope. `ratio` is the policy's probability over the one that the optimization began
 * with; its logarithm is kept within ±20.
 */

import type { Loss } from '../recipe.ts';

export interface Surrogate {
  /** The objective, to be maximized. */
  readonly value: number;
  readonly slope: number;
  /** Whether the ratio was clipped, so that the token has no further effect. */
  readonly clipped: boolean;
}

export function ratioOf(logprob: number, old: number): number {
  return Math.exp(Math.min(20, Math.max(-20, logprob - old)));
}

export function surrogate(ratio: number, advantage: number, loss: Pick<Loss, 'kind' | 'clip' | 'dual'>): Surrogate {
  const plain: Surrogate = { value: ratio * advantage, slope: ratio * advantage, clipped: false };
  const [low = 0.2, high = 0.2] = loss.clip ?? [];
  switch (loss.kind) {
    case 'clipped':
      return dual(cut(plain, advantage, [1 - low, 1 + high]), advantage, loss.dual);
    case 'log-clipped':
      // LOOP (2502.01600): clips symmetrically by ratio.
      return cut(plain, advantage, [1 / (1 + low), 1 + high]);
    case 'kept-gradient':
      return keepClipped(cut(plain, advantage, [1 - low, 1 + high]), advantage, 1 + high);
    default:
      return plain;
  }
}

function cut(plain: Surrogate, advantage: number, [low, high]: readonly [number, number]): Surrogate {
  const bound = (advantage >= 0 ? high : low) * advantage;
  return bound < plain.value ? { value: bound, slope: 0, clipped: true } : plain;
}

/** Dual clip: a negative advantage is multiplied by at most `most`. */
function dual(surrogate: Surrogate, advantage: number, most: number | undefined): Surrogate {
  if (most === undefined || advantage >= 0 || surrogate.value >= most * advantage) return surrogate;
  return { value: most * advantage, slope: 0, clipped: true };
}

/** AEPO (2510.14545): above the clip, a positive advantage's value is cut off but its gradient remains. */
function keepClipped(surrogate: Surrogate, advantage: number, high: number): Surrogate {
  return surrogate.clipped && advantage > 0 ? { ...surrogate, slope: high * advantage } : surrogate;
}
