/** @file Truncated importance sampling: tokens that another policy sampled (a stale one, another engine) count by how likely they are here. */

/** Weights token by token, cut off at `cap`. Never more mass than there is: truncation can only take away. */
export function tokenWeights(current: ArrayLike<number>, sampled: ArrayLike<number>, cap = 2): Float64Array {
  return Float64Array.from(current, (logprob, i) => Math.min(Math.exp(logprob - sampled[i]), cap));
}

/** One weight for a whole sequence. */
export function sequenceWeight(current: ArrayLike<number>, sampled: ArrayLike<number>, cap = 2): number {
  let sum = 0;
  for (let i = 0; i < current.length; i++) sum += current[i] - sampled[i];
  return Math.min(Math.exp(sum), cap);
}

/** 1 for tokens whose ratio lies within [1/cap, cap], else 0: rejected rather than weighed. */
export function withinRatio(current: ArrayLike<number>, sampled: ArrayLike<number>, cap = 2): Uint8Array {
  return Uint8Array.from(current, (logprob, i) => (Math.abs(logprob - sampled[i]) <= Math.log(cap) ? 1 : 0));
}
