/**
 * @file Is one agent better than the other? The difference of their means, its interval, a verdict in words, and how many episodes are still
 * needed.
 *
 * The means are those of every table: over all episodes that have a value, scenes and their tasks counted the same. Episodes of the same
 * task and seed share their luck, which the interval takes off. Where scores take two values only, two imagined pairs are added, one for each
 * side (Bonett and Price 2012; Agresti and Caffo 2000 where nothing pairs): five wins in five are then not taken for certainty, as they would
 * be by their variance of 0.
 */

import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { tQuantile, tTwoSided } from './distributions.ts';
import { chooseOver, type Over, type Spread, spreadOf, type Valued } from './estimator.ts';
import { checkLevel, type Interval, variance } from './mean.ts';
import { type Observation, type PairedValue, pairUp } from './paired.ts';
import { episodesFor } from './power.ts';
import { zeroSeenBound } from './rates.ts';
import { type Measured, type Summary, summaryOf } from './summary.ts';
import { wordsOf } from './verdict.ts';

export interface Contestant {
  readonly name: string;
  readonly results: readonly Observation[];
}

export interface CompareOptions {
  readonly level?: number;
  /** The smallest difference worth seeing; 5 points of a score from 0 to 1, else a fifth of the standard deviation. */
  readonly target?: number;
  readonly power?: number;
  readonly higherIsBetter?: boolean;
  /** The population that the interval covers: new tasks (if there are ten or more), or new seeds of these tasks. */
  readonly over?: Over | undefined;
  /** The total number of looks at the results; every look is accounted for in advance. */
  readonly looks?: number;
}

/** The difference of two agents, with its interval and in words. */
export interface Comparison {
  readonly a: string;
  readonly b: string;
  /** The name of the better one, or null if no difference was detected. */
  readonly better: string | null;
  /** Mean of a − b. */
  readonly difference: number;
  readonly interval: Interval;
  readonly level: number;
  readonly error: number;
  readonly p: number;
  /** The mean of each side over what is compared, with the interval that every table shows. */
  readonly sides: { readonly a: Summary; readonly b: Summary };
  readonly paired: boolean;
  /** Pairs, or the episodes of the smaller side where nothing pairs. */
  readonly n: number;
  readonly tasks: number;
  /** Scenes that both have played; each counts the same in every mean. */
  readonly scenes: number;
  readonly over: Over;
  /** Episodes of both that are pairs, two to a pair, with those below make all episodes that came. */
  readonly pairs: number;
  /** Episodes without a value. */
  readonly missing: number;
  /** Episodes with a value whose task, seed and place the other has no value for; they count in the means. */
  readonly unpaired: number;
  /** Episodes with a value in scenes that only one of the two has played; they do not count. */
  readonly leftOut: number;
  readonly target: number;
  readonly power: number;
  /** More pairs (or episodes of each) to see `target` with `power`; 0 where there are enough, null where nothing varied. */
  readonly needed: number | null;
  /** Scores from 0 to 1 are shown in points of a hundred. */
  readonly points: boolean;
  readonly words: string;
}

/** Compares two agents, paired where they played the same tasks and seeds. */
export function compare(a: Contestant, b: Contestant, options: CompareOptions = {}): Comparison {
  const { power = 0.8, higherIsBetter = true, looks = 1, level = 0.95 } = options;
  if (!(Number.isInteger(looks) && looks >= 1)) throw new Fault('input', `looks: expected a positive integer, got ${looks}.`);
  const alpha = (1 - checkLevel(level)) / looks;
  const { left, right, leftOut } = sharedScenes(a, b);
  const { pairs, missing, unpaired } = pairUp(a.results, b.results);
  const all = [...left, ...right];
  const values = all.map(({ value }) => value);
  const points = values.every((value) => value >= 0 && value <= 1);
  const over = chooseOver(all, options.over);
  const sides = { a: summaryOf(left, { level, over, unit: points })!, b: summaryOf(right, { level, over, unit: points })! };
  const gap = sides.a.value - sides.b.value;
  const difference = Math.abs(gap) <= rounding ? 0 : gap;
  const measured = measure([left, right], { difference, pairs, over });
  // Where every pair is equal, what was not seen may still be as frequent as the rule of three allows.
  const half =
    measured.error === 0
      ? zeroSeenBound(measured.clusters, 1 - alpha / 2) * (points ? 1 : Math.max(...values) - Math.min(...values))
      : tQuantile(1 - alpha / 2, measured.df) * measured.error;
  const clip = (x: number) => (points ? Math.max(-1, Math.min(1, x)) : x);
  const interval: Interval = [clip(measured.centre - half), clip(measured.centre + half)];
  const smaller = Math.min(left.length, right.length);
  const paired = pairs.length > 0;
  const target = options.target ?? (points ? 0.05 : Math.sqrt(variance(values)) / 5);
  const needed = moreNeeded(measured.error ** 2 * smaller, smaller, { target, alpha, power });
  const sign = interval[0] > 0 ? 1 : interval[1] < 0 ? -1 : 0;
  const better = sign === 0 ? null : sign > 0 === higherIsBetter ? a.name : b.name;
  const p =
    measured.error === 0 ? (difference === 0 ? 1 : 0) : Math.min(1, looks * tTwoSided(measured.centre / measured.error, measured.df));
  const match = {
    ...{ a: a.name, b: b.name, better, difference, interval, level, error: measured.error, p, sides },
    ...{ paired, n: paired ? pairs.length : smaller, tasks: new Set(all.map(({ task }) => task)).size, over },
    scenes: new Set(left.map(({ scene }) => scene)).size,
    ...{ pairs: pairs.length, missing, unpaired: unpaired - leftOut, leftOut, target, power, needed, points },
  };
  return { ...match, words: wordsOf(match) };
}

/** The shared scenes: a mean over scenes that the other has not played would not be comparable. */
function sharedScenes(a: Contestant, b: Contestant): { left: readonly ValuedEpisode[]; right: readonly ValuedEpisode[]; leftOut: number } {
  const [mine, theirs] = [valuesOf(a), valuesOf(b)];
  const [ownEntry, other] = [new Set(mine.map(({ scene }) => scene)), new Set(theirs.map(({ scene }) => scene))];
  const left = mine.filter(({ scene }) => other.has(scene));
  const right = theirs.filter(({ scene }) => ownEntry.has(scene));
  const short = [
    { name: a.name, valued: mine },
    { name: b.name, valued: theirs },
  ].find(({ valued }) => valued.length < 2);
  if (short !== undefined)
    throw new Fault(
      'input',
      `A comparison needs at least two scored episodes of each side, but ${short.name} has ${short.valued.length}. Play or score more.`,
      { details: { side: short.name, scored: short.valued.length } },
    );
  if (left.length < 2 || right.length < 2)
    throw new Fault(
      'input',
      `${a.name} and ${b.name} have no scene in which both have at least two scored episodes. Let both play the same scenes.`,
    );
  return { left, right, leftOut: mine.length + theirs.length - left.length - right.length };
}

type ValuedEpisode = Measured & Valued;

function valuesOf({ results }: Contestant): readonly ValuedEpisode[] {
  return results.flatMap(({ scene = '', value, place: _, ...rest }) => (value === null ? [] : [{ ...rest, scene, value }]));
}

interface Centered {
  readonly centre: number;
  readonly error: number;
  readonly df: number;
  readonly clusters: number;
}

interface Difference {
  readonly difference: number;
  readonly pairs: readonly PairedValue[];
  readonly over: Over;
}

/** Smaller errors are rounding errors of equal numbers. */
const rounding = 1e-9;

/** The error of the difference, with the imagined pairs where scores take two values only or never varied. */
function measure(sides: readonly [readonly Valued[], readonly Valued[]], { difference, pairs, over }: Difference): Centered {
  const values = sides.flat().map(({ value }) => value);
  const {
    error,
    df,
    clusters,
    episodes: n,
  } = spreadIn(
    sides,
    over,
    values.every((value) => value >= 0 && value <= 1),
  );
  const only = plannedSize(pairs, values, error <= rounding);
  if (only === 0) return { centre: difference, error: error <= rounding ? 0 : error, df, clusters };
  const centre = (difference * n) / (n + 2);
  const squares = n * (n - 1) * error ** 2 + n * (difference - centre) ** 2 + (only - centre) ** 2 + (only + centre) ** 2;
  return { centre, error: Math.sqrt((squares / (n + 2)) * (1 / (n + 1))), df, clusters };
}

/** Where a scene was played once, the spread of its returns is unknown; differences between scenes are counted as luck then. */
function spreadIn(sides: readonly (readonly Valued[])[], over: Over, unit: boolean): Spread {
  const spread = spreadOf(sides, over);
  return spread.known || unit
    ? spread
    : spreadOf(
        sides.map((side) => side.map((item) => ({ ...item, scene: '' }))),
        'seeds',
      );
}

/** The size of an imagined difference; 0 where values vary enough themselves. */
function plannedSize(pairs: readonly PairedValue[], values: readonly number[], still: boolean): number {
  if (values.every((value) => value === 0 || value === 1)) return 1;
  const ends = [...new Set(values)];
  if (pairs.length === 0) return ends.length === 2 ? Math.abs(ends[0] - ends[1]) : 0;
  const sizes = [...new Set(pairs.map((pair) => Math.abs(pair.a - pair.b)))].filter((size) => size > 0);
  return still || sizes.length === 1 ? Math.max(0, ...sizes) : 0;
}

interface Wanted {
  readonly target: number;
  readonly alpha: number;
  readonly power: number;
}

function moreNeeded(spread: number, n: number, { target, alpha, power }: Wanted): number | null {
  if (spread === 0 || target === 0) return null;
  return Math.max(0, episodesFor(spread, target, { alpha, power }) - n);
}
