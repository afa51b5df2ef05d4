/**
 * @file Losses of preferences over whole episodes: multi-turn DPO and KTO (2409.02392), SPPO (2405.00675).
 *
 * They represent an episode by its sum of log-ratios to the reference, over all turns but only over tokens of the policy; each loss returns
 * its slope along that sum, which is the weight of every such token.
 */

export interface Sloped {
  readonly loss: number;
  readonly slope: number;
}

const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));

/** The sum that represents an episode, over tokens that the policy wrote. */
export function episodeLogRatio(logprobs: ArrayLike<number>, reference: ArrayLike<number>, mask: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < logprobs.length; i++) if (mask[i] !== 0) sum += logprobs[i] - reference[i];
  return sum;
}

/** DPO: the slope is along the chosen episode's sum; along the rejected one's it is the opposite. */
export function dpo(choice: number, rejected: number, beta: number): Sloped {
  const margin = beta * (choice - rejected);
  return { loss: Math.log1p(Math.exp(-margin)), slope: -beta * sigmoid(-margin) };
}

/** KTO: one episode, good or bad, relative to a level `base` that is constant in the gradient. */
export function kto(logRatio: number, good: boolean, { beta, base }: { readonly beta: number; readonly base: number }): Sloped {
  const value = sigmoid((good ? 1 : -1) * beta * (logRatio - base));
  return { loss: 1 - value, slope: (good ? -1 : 1) * beta * value * (1 - value) };
}

/** KTO's base level: the mean of mismatched pairs, and at least 0. */
export function ktoBase(mismatched: readonly number[]): number {
  return Math.max(0, mismatched.reduce((sum, value) => sum + value, 0) / Math.max(1, mismatched.length));
}

/** SPPO: half the squared distance of an episode's sum from eta × (win probability − ½). */
export function sppo(logRatio: number, wins: number, eta = 1000): Sloped {
  const gap = logRatio - eta * (wins - 0.5);
  return { loss: gap ** 2 / 2, slope: gap };
}

/** Each response's probability of winning against the others and itself, from scores. */
export function winChances(scores: readonly number[]): readonly number[] {
  return scores.map((score) => scores.reduce((sum, other) => sum + sigmoid(score - other), 0) / scores.length);
}
