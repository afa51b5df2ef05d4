/** @file The mean of figures that are shown as progress; what is reported with an interval is in scoring/statistics. */

/** The mean, or 0 where there is nothing. */
export function meanOrZero(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
