/**
 * @file Truncated importance sampling: tokens sampled by another policy (an older one, another engine) are weighted by their likelihood
 * under the current one.
 */

/** Weights for each token, cut off at `cap`. Truncation only reduces the total weight. */
export function tokenWeights(current: ArrayLike<number>, sampled: ArrayLike<number>, cap = 2): Float64Array {
  return Float64Array.from(current, (logprob, i) => Math.min(Math.exp(logprob - sampled[i]), cap));
}

/** One weight for a whole sequence. */
export function sequenceWeight(current: ArrayLike<number>, sampled: ArrayLike<number>, cap = 2): number {
  let sum = 0;
  for (let i = 0; i < current.length; i++) sum += current[i] - sampled[i];
  return Math.min(Math.exp(sum), cap);
}

/** 1 for tokens whose ratio is within [1/cap, cap], else 0: rejects tokens instead of weighting them. */
export function withinRatio(current: ArrayLike<number>, sampled: ArrayLike<number>, cap = 2): Uint8Array {
  return Uint8Array.from(current, (logprob, i) => (Math.abs(logprob - sampled[i]) <= Math.log(cap) ? 1 : 0));
}
