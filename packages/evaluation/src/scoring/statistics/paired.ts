/** @file Two agents on the same tasks and seeds: pairing, the paired difference, and the sign, McNemar and permutation tests. */

import { Fault, type Seed } from '@ludus-agents/kernel/internal/core/index';
import { binomialCdf, binomialPoint } from './distributions.ts';
import { type Estimate, meanOf, variance } from './mean.ts';

/** The result of one episode. A missing value is null and never counts as 0. */
export interface Observation {
  readonly task: string;
  readonly seed: Seed;
  readonly value: number | null;
  /** Scenes count the same in a mean; left out, all is one scene. */
  readonly scene?: string;
  /** Further conditions for a pair of episodes: the same seat and the same other agents. */
  readonly place?: string;
  /** The id of the episode; without it every observation counts as an episode. */
  readonly episode?: string;
}

export interface PairedValue {
  readonly task: string;
  readonly seed: Seed;
  readonly a: number;
  readonly b: number;
}

export interface Pairing {
  readonly pairs: readonly PairedValue[];
  /** Episodes without a value. */
  readonly missing: number;
  /** Episodes with a value that the other has none to pair with. */
  readonly unpaired: number;
}

/** Joins two lists by scene, task, seed and place; repeats are paired in their order. Two for each pair, what is missing and what is unpaired make all episodes that came. */
export function pairUp(a: readonly Observation[], b: readonly Observation[]): Pairing {
  const left = byPlace(a);
  const right = byPlace(b);
  const pairs: PairedValue[] = [];
  for (const [place, mine] of left) {
    const other = right.get(place);
    if (other === undefined) continue;
    const { task, seed } = mine;
    for (const [i, value] of mine.values.slice(0, other.values.length).entries()) pairs.push({ task, seed, a: value, b: other.values[i] });
  }
  const missing = [...a, ...b].filter((observation) => observation.value === null).length;
  return { pairs, missing, unpaired: a.length + b.length - missing - 2 * pairs.length };
}

function byPlace(list: readonly Observation[]): Map<string, { task: string; seed: Seed; values: number[] }> {
  const places = new Map<string, { task: string; seed: Seed; values: number[] }>();
  for (const { scene = '', task, seed, place: seat = '', value } of list) {
    if (value === null) continue;
    if (!Number.isFinite(value))
      throw new Fault('input', `Scores must be finite numbers or null, but got ${value} for task ${task}, seed ${seed}.`);
    const key = JSON.stringify([scene, task, seed, seat]);
    const place = places.get(key);
    if (place === undefined) places.set(key, { task, seed, values: [value] });
    else place.values.push(value);
  }
  return places;
}

export interface PairedDifference extends Estimate {
  /** The error the same episodes would have without pairing. */
  readonly unpairedError: number;
  /** Correlation of the two agents over the pairs; null where one of them never varies. */
  readonly correlation: number | null;
}

/** The mean of a − b over pairs with Student's interval. */
export function pairedDifference(pairs: readonly Pick<PairedValue, 'a' | 'b'>[], level = 0.95): PairedDifference {
  const estimate = meanOf(
    pairs.map((pair) => pair.a - pair.b),
    level,
  );
  const spreadA = variance(pairs.map((pair) => pair.a));
  const spreadB = variance(pairs.map((pair) => pair.b));
  const spread = estimate.error ** 2 * pairs.length;
  return {
    ...estimate,
    unpairedError: Math.sqrt((spreadA + spreadB) / pairs.length),
    correlation: spreadA * spreadB === 0 ? null : (spreadA + spreadB - spread) / (2 * Math.sqrt(spreadA * spreadB)),
  };
}

/** Two-sided exact sign test: how surprising so lopsided a split of the pairs that differ would be between equals. */
export function signTest(differences: readonly number[]): { readonly plus: number; readonly minus: number; readonly p: number } {
  const plus = differences.filter((d) => d > 0).length;
  const minus = differences.filter((d) => d < 0).length;
  return { plus, minus, p: mcnemar(plus, minus).p };
}

/** McNemar's exact test on the pairs that only one side solved; `midP` counts the observed split half, which is less cautious. */
export function mcnemar(onlyFirst: number, onlySecond: number): { readonly p: number; readonly midP: number } {
  const n = onlyFirst + onlySecond;
  if (!(Number.isInteger(onlyFirst) && Number.isInteger(onlySecond) && onlyFirst >= 0 && onlySecond >= 0))
    throw new Fault('input', `McNemar's test takes two integer counts, but got ${onlyFirst} and ${onlySecond}.`);
  const fewer = Math.min(onlyFirst, onlySecond);
  const tail = binomialCdf(fewer, n, 0.5);
  return { p: Math.min(1, 2 * tail), midP: 2 * tail - binomialPoint(fewer, n, 0.5) };
}
