/**
 * @file Looking at results while they come in: intervals that stay true over many looks, for values of known range.
 *
 * A usual 95 % interval looked at again and again is wrong sooner or later. These pay for the looks beforehand: a planned number of them
 * (Hoeffding with a union bound) or any number at all (the normal-mixture confidence sequence of Robbins; Howard and others 2021).
 */

import { Fault } from '../../core/index.ts';
import { checkLevel, type Interval, mean } from './mean.ts';

export interface Looks {
  /** The least and greatest value an episode can give. */
  readonly range: Interval;
  readonly level?: number;
}

/** Half the width of an interval that is valid at all of `looks` planned looks: range · √(ln(2m/α) / 2n). */
export function plannedLooksHalfWidth(n: number, looks: number, { range, level = 0.95 }: Looks): number {
  if (!(Number.isInteger(looks) && looks >= 1))
    throw new Fault('input', `The number of looks is a whole number of 1 or more, but ${looks} came.`);
  return width(range) * Math.sqrt(Math.log((2 * looks) / (1 - checkLevel(level))) / (2 * checkCount(n)));
}

/** Half the width, after n values, of an interval that is valid at every n at once; it is narrowest near `tuned` values. */
export function anytimeHalfWidth(n: number, { range, level = 0.95, tuned = 200 }: Looks & { readonly tuned?: number }): number {
  const alpha = 1 - checkLevel(level);
  // A value of bounded range is sub-Gaussian with at most the variance of a coin that shows its two ends.
  const spread = (width(range) / 2) ** 2;
  const mixture = (spread * tuned) / (2 * Math.log(1 / alpha) + Math.log(1 + 2 * Math.log(1 / alpha)));
  const time = spread * checkCount(n) + mixture;
  return Math.sqrt(time * Math.log(time / (mixture * alpha * alpha))) / n;
}

/** The mean so far with an interval that may be looked at after every value, for ever. */
export function anytimeMean(
  values: readonly number[],
  options: Looks & { readonly tuned?: number },
): { readonly value: number; readonly interval: Interval } {
  const [low, high] = options.range;
  for (const value of values)
    if (!(value >= low && value <= high))
      throw new Fault('input', `Values were promised to lie from ${low} to ${high}, but ${value} came.`);
  const value = mean(values);
  const half = anytimeHalfWidth(values.length, options);
  return { value, interval: [Math.max(low, value - half), Math.min(high, value + half)] };
}

function width([low, high]: Interval): number {
  if (!(high > low && Number.isFinite(high - low)))
    throw new Fault('input', `A range runs from a lower to a higher number, but ${low} to ${high} came.`);
  return high - low;
}

function checkCount(n: number): number {
  if (!(n >= 1)) throw new Fault('input', `An interval needs at least one value, but ${n} came.`);
  return n;
}
