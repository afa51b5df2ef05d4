/** @file Means of figures on the way; what is reported with an interval is in scoring/statistics. */

/** The mean, or 0 where there is nothing. */
export function meanOrZero(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

/** The mean, or null where there is nothing. */
export function meanOrNull(values: readonly number[]): number | null {
  return values.length === 0 ? null : meanOrZero(values);
}
