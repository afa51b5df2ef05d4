/**
 * @file A proposer's reward for a task, by its success rate.
 *
 * A shape must be 0 at rates 0 and 1, or the proposer drifts to impossible or trivial tasks. `hard` and `mae-published` violate this; they
 * are included to show the effect.
 */

/** The results of a proposed task. */
export type Attempted = {
  readonly valid: boolean;
  /** Why it is invalid, and the check that refused it. */
  readonly problem: string | null;
  readonly check?: string;
  /** The share of attempts that solved it. */
  readonly rate: number;
  readonly attempts: number;
  /** The share of recent proposals that it differs from, and the share that it nearly repeats. */
  readonly diversity: number;
  readonly likeness: number;
  /** The mean tool calls of an attempt, from the log. */
  readonly calls: number;
  /** A judge's opinion from 0 to 1; null without a judge. */
  readonly quality: number | null;
};

export type DifficultyReward = (attempted: Attempted) => number;

/** 4p(1 − p): 0 at rates 0 and 1, 1 at one half. The default. */
export const learnable: DifficultyReward = ({ rate }) => 4 * rate * (1 - rate);

/** 1 − 2|p − ½|. */
export const triangle: DifficultyReward = ({ rate }) => 1 - 2 * Math.abs(rate - 0.5);

/** min(p, 1 − p): half as high as the triangle, which has little effect at a fixed temperature. */
export const least: DifficultyReward = ({ rate }) => Math.min(rate, 1 - rate);

/** 1 − p: collapses to impossible tasks. */
export const hard: DifficultyReward = ({ rate }) => 1 - rate;

/** Equal rewards for all tasks: no curriculum. */
export const constant: DifficultyReward = () => 1;

/** PasoDoble: hard but solved, and different from earlier tasks. Still pays .3 at p = 1, as published. */
export const pasoDoble: DifficultyReward = ({ rate, diversity }) => (rate <= 0 || diversity <= 0.3 ? 0 : 1.1 - rate + 0.2 * diversity);

/** Agent0 (arXiv 2511.16043): uncertainty, minus repetition within the batch, plus a small bonus for actual tool calls. */
export const agentZero: DifficultyReward = ({ valid, rate, likeness, calls }) =>
  (valid ? Math.min(rate, 1 - rate) : -1) - likeness + 0.05 * Math.min(calls, 4);

/** MAE (arXiv 2510.23595) as published: quality, difficulty and form in equal parts. Pays most at p = 0. */
export const maePublished: DifficultyReward = ({ valid, rate, quality }) => {
  const judged = quality ?? 0;
  return (judged + (judged >= 0.7 ? 1 - rate : 0) + (valid ? 1 : 0)) / 3;
};

/** MAE with an additional rule: a task that is never solved pays nothing. */
export const mae: DifficultyReward = (attempted) => (attempted.rate > 0 ? maePublished(attempted) : 0);

/** Explains why the latest proposals no longer teach anything (nearly all are never solved, or always); null while they do. */
export function findCollapse(rates: readonly number[], many = 64): string | null {
  const latest = rates.slice(-many);
  if (latest.length < many) return null;
  const share = (wanted: (rate: number) => boolean) => latest.filter(wanted).length / many;
  if (share((rate) => rate === 0) > 0.8) return `Of the last ${many} proposals four in five were never solved: the proposer has collapsed.`;
  if (share((rate) => rate === 1) > 0.8)
    return `Of the last ${many} proposals four in five were always solved: the proposer has gone soft.`;
  return null;
}
