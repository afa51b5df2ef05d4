/**
 * @file Is one agent better than the other? The paired difference, its interval, a verdict in words, and how many episodes are still needed.
 *
 * Episodes are paired by task and seed. Where tasks repeat, the interval speaks about new tasks (clusters), unless there are too few tasks to
 * speak about others. Where scores take two values only, two imagined pairs are added, one for each side (Bonett and Price 2012; Agresti and
 * Caffo 2000 where nothing pairs): five wins in five are then not taken for certainty, as they would be by their variance of 0.
 */

import { Fault } from '../../core/index.ts';
import { tQuantile, tTwoSided } from './distributions.ts';
import { checkLevel, clusteredError, type Interval, mean, variance } from './mean.ts';
import { type Observation, type Pair, pairUp } from './paired.ts';
import { episodesFor } from './power.ts';
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
  /** What the interval speaks about: new tasks, or new seeds of these tasks. */
  readonly over?: 'tasks' | 'seeds';
  /** How many times results will be looked at in all; every look is paid for beforehand. */
  readonly looks?: number;
}

export interface Comparison {
  readonly a: string;
  readonly b: string;
  /** The name of the better one, or null where no difference was seen. */
  readonly better: string | null;
  /** Mean of a − b. */
  readonly difference: number;
  readonly interval: Interval;
  readonly level: number;
  readonly error: number;
  readonly p: number;
  readonly means: { readonly a: number; readonly b: number };
  readonly paired: boolean;
  /** Pairs, or the episodes of the smaller side where nothing pairs. */
  readonly n: number;
  readonly tasks: number;
  readonly over: 'tasks' | 'seeds';
  readonly missing: number;
  readonly unpaired: number;
  readonly target: number;
  readonly power: number;
  /** More pairs (or episodes of each) to see `target` with `power`; 0 where there are enough, null where nothing varied. */
  readonly needed: number | null;
  /** Scores from 0 to 1 are spoken of in points of a hundred. */
  readonly points: boolean;
  readonly words: string;
}

/** Fewer tasks than this cannot stand for tasks that were not played. */
const fewTasks = 10;

export function compare(a: Contestant, b: Contestant, options: CompareOptions = {}): Comparison {
  const { power = 0.8, higherIsBetter = true, looks = 1, level = 0.95 } = options;
  if (!(Number.isInteger(looks) && looks >= 1)) throw new Fault('input', `looks is a whole number of 1 or more, but ${looks} came.`);
  const alpha = (1 - checkLevel(level)) / looks;
  const { pairs, missing, unpaired } = pairUp(a.results, b.results);
  const paired = pairs.length >= 2;
  const left = paired ? pairs.map((pair) => pair.a) : valuesOf(a);
  const right = paired ? pairs.map((pair) => pair.b) : valuesOf(b);
  const values = [...left, ...right];
  const points = values.every((value) => value >= 0 && value <= 1);
  const binary = values.every((value) => value === 0 || value === 1);
  const tasks = new Set(pairs.map((pair) => pair.task)).size;
  const over = options.over ?? (tasks >= fewTasks ? 'tasks' : 'seeds');
  const measured = paired ? overPairs(pairs, over, binary) : apart(left, right);
  const difference = mean(left) - mean(right);
  const half = measured.error === 0 ? 0 : tQuantile(1 - alpha / 2, measured.df) * measured.error;
  const clip = (x: number) => (points ? Math.max(-1, Math.min(1, x)) : x);
  const interval: Interval = [clip(measured.centre - half), clip(measured.centre + half)];
  const n = Math.min(left.length, right.length);
  const target = options.target ?? (points ? 0.05 : Math.sqrt(variance(values)) / 5);
  const needed = moreNeeded(measured.error ** 2 * n, n, { target, alpha, power });
  const sign = interval[0] > 0 ? 1 : interval[1] < 0 ? -1 : 0;
  const better = sign === 0 ? null : sign > 0 === higherIsBetter ? a.name : b.name;
  const p =
    measured.error === 0 ? (difference === 0 ? 1 : 0) : Math.min(1, looks * tTwoSided(measured.centre / measured.error, measured.df));
  const found = {
    ...{ a: a.name, b: b.name, better, difference, interval, level, error: measured.error, p, means: { a: mean(left), b: mean(right) } },
    ...{ paired, n, tasks, over, missing, unpaired, target, power, needed, points },
  };
  return { ...found, words: wordsOf(found) };
}

function valuesOf({ name, results }: Contestant): number[] {
  const values = results.map((one) => one.value).filter((value) => value !== null);
  if (values.length < 2)
    throw new Fault(
      'input',
      `A comparison needs two scored episodes or more of each agent, but ${name} has ${values.length}; play or score more.`,
    );
  return values;
}

interface Measured {
  readonly centre: number;
  readonly error: number;
  readonly df: number;
}

function overPairs(pairs: readonly Pair[], over: 'tasks' | 'seeds', binary: boolean): Measured {
  const groups =
    over === 'tasks'
      ? [...Map.groupBy(pairs, (pair) => pair.task).values()].map((group) => group.map((pair) => pair.a - pair.b))
      : pairs.map((pair) => [pair.a - pair.b]);
  if (groups.length < 2) throw new Fault('input', 'An interval over tasks needs two tasks or more, but one came; compare over seeds.');
  const sizes = [...new Set(groups.flat().map(Math.abs))].filter((size) => size > 0);
  const only = binary ? 1 : sizes.length === 1 ? (sizes[0] as number) : 0;
  const imagined = only === 0 ? groups : [...groups, [only], [-only]];
  const centre = mean(imagined.flat());
  return { centre, error: clusteredError(imagined, centre), df: groups.length - 1 };
}

/** Two unpaired lists, by Welch. */
function apart(left: readonly number[], right: readonly number[]): Measured {
  const ends = [...new Set([...left, ...right])];
  const [a, b] =
    ends.length === 2
      ? [
          [...left, ...ends],
          [...right, ...ends],
        ]
      : [left, right];
  const shares = [variance(a) / a.length, variance(b) / b.length] as const;
  const spread = shares[0] + shares[1];
  const df = spread === 0 ? 1 : spread ** 2 / (shares[0] ** 2 / (a.length - 1) + shares[1] ** 2 / (b.length - 1));
  return { centre: mean(a) - mean(b), error: Math.sqrt(spread), df };
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
