/** @file The mean of values with an interval that is not fooled by values that never vary, by seats that share a seed, or by unequal scenes. */

import { tQuantile } from './distributions.ts';
import { chooseOver, type Over, plainError, sceneMean, spreadOf, type Valued } from './estimator.ts';
import { checkLevel, type Interval } from './mean.ts';
import { zeroSeenBound } from './rates.ts';

/** A value of an episode, or null if it is missing, and the keys that it shares with others. */
export interface Measured extends Omit<Valued, 'value'> {
  readonly value: number | null;
  /** The episode that the value is of; without it every value counts as an episode. */
  readonly episode?: string;
}

/** A mean, what its interval generalizes to, and how much it is based on. */
export interface Summary {
  /** The mean over scenes, each counted the same, and there over tasks. */
  readonly value: number;
  /** Null where a single episode gives no spread, where values without a known range never varied, and where an agent mirrors itself. */
  readonly interval: Interval | null;
  /** The population that the interval covers. */
  readonly over: Over;
  /** Distinct tasks that have a value. */
  readonly tasks: number;
  /** Distinct episodes that have a value: repeats of a task count here, and not as tasks. */
  readonly episodes: number;
  /** Values; more than episodes where an agent had several seats. */
  readonly values: number;
}

export interface SummaryOptions {
  readonly level?: number | undefined;
  /** The population that the interval covers: new tasks if there are ten or more, otherwise new seeds. */
  readonly over?: Over | undefined;
  /** False where values may lie outside 0 to 1, though these do not. */
  readonly unit?: boolean | undefined;
}

/** Smaller errors are rounding errors of equal numbers. */
const rounding = 1e-9;

/**
 * The mean of values. Values of 0 and 1 get a score interval, as Wilson's. Where nothing varied, what was not seen in n seeds of tasks may
 * still be as frequent as the rule of three allows: twenty wins in twenty are not certainty.
 */
export function summaryOf(rows: readonly Measured[], { level = 0.95, over: requestedOver, unit }: SummaryOptions = {}): Summary | null {
  const values = valuesOf(rows);
  if (values.length === 0) return null;
  const value = sceneMean(values);
  const over = requestedOver ?? chooseOver(values);
  const interval = intervalOf(values, { value, level: checkLevel(level), over, isUnit: unit !== false });
  return { value, interval, over, values: values.length, ...countsIn(values) };
}

/** The same of one thing that was tried several times, each time with other seeds. */
export function summaryOfRepeats(values: readonly number[]): Summary | null {
  return summaryOf(values.map((value, seed) => ({ scene: '', task: '', seed, value })));
}

function countsIn(values: readonly (Measured & Valued)[]): Pick<Summary, 'tasks' | 'episodes'> {
  const tasks = new Set<string>();
  const episodes = new Set<string>();
  let unnamed = 0;
  for (const { task, episode } of values) {
    tasks.add(task);
    if (episode === undefined) unnamed++;
    else episodes.add(episode);
  }
  return { tasks: tasks.size, episodes: episodes.size + unnamed };
}

/** Rows that have a value, as the estimator takes them. */
export function valuesOf<Row extends Measured>(rows: readonly Row[]): readonly (Row & Valued)[] {
  return rows.filter((row): row is Row & Valued => row.value !== null);
}

type EpisodeValue = Measured & Valued;

function intervalOf(
  values: readonly EpisodeValue[],
  { value, level, over, isUnit }: { readonly value: number; readonly level: number; readonly over: Over; readonly isUnit: boolean },
): Interval | null {
  const unit = isUnit && values.every((item) => item.value >= 0 && item.value <= 1);
  const binary = unit && values.every((item) => item.value === 0 || item.value === 1);
  const { error, df, clusters, episodes, known } = spreadOf([values], over);
  if (!known && !unit) return null;
  if (error > rounding && !(binary && value * (1 - value) < rounding)) {
    const q = tQuantile(0.5 + level / 2, df);
    if (!binary) return boundInterval([value - q * error, value + q * error], unit);
    // At least what two imagined episodes add, one of each kind: tasks that never varied on a few seeds are not certain to stay so.
    const imagined = (value ** 2 + (1 - value) ** 2) / (episodes + 2) ** 2;
    return scoreInterval(value, Math.max(error ** 2, imagined), q);
  }
  // An agent that plays itself for a fixed sum gets the same in every episode: its mean could not vary.
  if (isMirrored(values, ({ episode }) => episode)) return null;
  // Episodes of one seed with seats swapped can cancel out too, though they need not have: the plain error is the cautious one then.
  const plain = isMirrored(values, ({ scene, task, seed }) => JSON.stringify([scene, task, seed])) ? plainError(values) : 0;
  if (plain > rounding) {
    const half = tQuantile(0.5 + level / 2, Math.max(1, clusters - 1)) * plain;
    return boundInterval([value - half, value + half], unit);
  }
  // Without a range, the distance of a missing value is unknown.
  if (!unit) return null;
  const unseen = zeroSeenBound(clusters, (1 + level) / 2);
  return [value * (1 - unseen), value + (1 - value) * unseen];
}

/** Wilson's interval of a rate whose variance is known to be more or less than that of independent tries. */
function scoreInterval(rate: number, spread: number, q: number): Interval {
  const n = (rate * (1 - rate)) / spread;
  const scale = 1 + (q * q) / n;
  const centre = (rate + (q * q) / (2 * n)) / scale;
  const half = (q * Math.sqrt((rate * (1 - rate)) / n + (q * q) / (4 * n * n))) / scale;
  return boundInterval([centre - half, centre + half], true);
}

/** Do values differ that share a key? */
function isMirrored(values: readonly EpisodeValue[], keyOf: (value: EpisodeValue) => string | undefined): boolean {
  const visited = new Map<string, number>();
  return values.some((item) => {
    const key = keyOf(item);
    if (key === undefined) return false;
    const firstValue = visited.get(key) ?? item.value;
    visited.set(key, firstValue);
    return Math.abs(firstValue - item.value) > rounding;
  });
}

function boundInterval([low, high]: Interval, unit: boolean): Interval {
  return unit ? [Math.max(0, low), Math.min(1, high)] : [low, high];
}
