/** @file What a plot draws: curves with their bands, and levels to hold them against. */

export interface Curve {
  readonly name: string;
  readonly values: readonly (number | null)[];
  /** One of the six colours, from 1; by its place without it. */
  readonly colour?: number;
  /** The least and the most of what the curve is the mean of, at each place. */
  readonly band?: readonly (readonly [number, number] | null)[];
}

/** A level to hold the curves against. */
export interface Level {
  readonly name: string;
  readonly value: number;
}
