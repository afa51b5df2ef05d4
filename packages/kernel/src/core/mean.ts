/** @file Small sums: means without an interval (those with one are in scoring/statistics), and the softmax. */

/** The softmax of a list: positive numbers that add up to 1. */
export function softmax(logits: readonly number[]): number[] {
  const most = Math.max(...logits);
  const weights = logits.map((logit) => Math.exp(logit - most));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

/** The mean, or 0 for an empty list. */
export function meanOrZero(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

/** The mean, or null for an empty list. */
export function meanOrNull(values: readonly number[]): number | null {
  return values.length === 0 ? null : meanOrZero(values);
}
