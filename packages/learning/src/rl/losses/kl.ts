/** @file Estimates of the divergence from a reference on sampled tokens: k1, k2, k3, with their slopes along the log-probability. */

export type KlEstimate = 'k1' | 'k2' | 'k3';

/** k1 and k3 are unbiased as values, but only k2 has an unbiased gradient when used as a loss. */
export function klEstimate(kind: KlEstimate, logprob: number, reference: number): { readonly value: number; readonly slope: number } {
  const gap = reference - logprob;
  if (kind === 'k1') return { value: -gap, slope: 1 };
  if (kind === 'k2') return { value: gap ** 2 / 2, slope: -gap };
  return { value: Math.exp(gap) - gap - 1, slope: 1 - Math.exp(gap) };
}
