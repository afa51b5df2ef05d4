/** @file What a plot draws: curves with their bands, and levels to hold them against. */

import type { Look } from '../colours.ts';

/** The ends of a y-axis, or those of the values and 0. */
export type Bounds = readonly [number, number] | 'zero';

export interface Curve {
  readonly name: string;
  readonly values: readonly (number | null)[];
  /** By its place without it. */
  readonly look?: Look;
  /** The least and the most of what the curve is the mean of, at each place. */
  readonly band?: readonly (readonly [number, number] | null)[];
}

/** A level to hold the curves against. */
export interface Level {
  readonly name: string;
  readonly value: number;
}
