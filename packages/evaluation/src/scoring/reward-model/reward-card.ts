/** @file The trust card of a reward model: how well it tells good from bad on held-out episodes, and whether it falls on planted twins. */

import { Fault } from '@ludus-agents/kernel/internal/core/index';
import type { Interval } from '../statistics/mean.ts';
import { wilson } from '../statistics/rates.ts';
import type { Grade } from '../trust/card.ts';

export type RewardCard = {
  readonly grade: Grade;
  /** The reasons against a better grade, one sentence each; for an A, its basis. */
  readonly reasons: readonly string[];
  /** The probability that a good held-out episode is rated above a bad one. */
  readonly auc: { readonly value: number; readonly interval: Interval; readonly good: number; readonly bad: number };
  /** Good held-out episodes whose twin without the decisive step is rated lower, and below one half. */
  readonly twins: { readonly n: number; readonly lower: number; readonly refused: number; readonly interval: Interval };
  /** Hard negatives that each round of training mined. */
  readonly mined: readonly number[];
};

/** The area under the curve with the error of Hanley and McNeil; ties count half. */
export function areaUnderCurve(good: readonly number[], bad: readonly number[]): { readonly value: number; readonly error: number } {
  if (good.length === 0 || bad.length === 0)
    throw new Fault('input', 'An AUC needs both good and bad episodes, but there is only one kind.');
  let won = 0;
  for (const value of good) for (const other of bad) won += value > other ? 1 : value === other ? 0.5 : 0;
  const value = won / (good.length * bad.length);
  const [q1, q2] = [value / (2 - value), (2 * value ** 2) / (1 + value)];
  const spread = value * (1 - value) + (good.length - 1) * (q1 - value ** 2) + (bad.length - 1) * (q2 - value ** 2);
  return { value, error: Math.sqrt(Math.max(0, spread) / (good.length * bad.length)) };
}

export interface RewardMeasures {
  /** The ratings of held-out episodes. */
  readonly good: readonly number[];
  readonly bad: readonly number[];
  /** The ratings of the good ones' twins, in their order. */
  readonly twins: readonly number[];
  readonly mined: readonly number[];
}

export function rewardCard({ good, bad, twins, mined }: RewardMeasures): RewardCard {
  const { value, error } = areaUnderCurve(good, bad);
  // An AUC of exactly 1 has no error by formula; as many episodes as there are still leave a doubt.
  const doubt = 1 - 0.05 ** (1 / Math.min(good.length, bad.length));
  const interval: Interval = [Math.max(0, value - Math.max(1.96 * error, value === 1 ? doubt : 0)), Math.min(1, value + 1.96 * error)];
  const lower = twins.filter((twin, i) => twin < good[i]).length;
  const refused = twins.filter((twin, i) => twin < good[i] && twin < 0.5).length;
  const fell = wilson(refused, twins.length);
  const reasons: string[] = [];
  const grade: Grade = interval[0] >= 0.9 && fell[0] >= 0.8 ? 'A' : interval[0] >= 0.7 && fell[0] >= 0.5 ? 'B' : 'C';
  const percent = (share: number) => `${Math.round(100 * share)}%`;
  if (interval[0] < 0.9)
    reasons.push(
      `It separates good from bad with an AUC of ${value.toFixed(3)} (${interval[0].toFixed(3)} to ${interval[1].toFixed(3)}); grade A needs at least 0.9.`,
    );
  if (fell[0] < 0.8)
    reasons.push(
      `It rejects ${refused} of ${twins.length} copies without their decisive step (at least ${percent(fell[0])}); grade A needs at least 80%.`,
    );
  if (reasons.length === 0)
    reasons.push(
      `AUC ${value.toFixed(3)} over ${good.length} good and ${bad.length} bad held-out episodes; ${refused} of ${twins.length} copies without their decisive step are rejected.`,
    );
  return {
    grade,
    reasons,
    auc: { value, interval, good: good.length, bad: bad.length },
    twins: { n: twins.length, lower, refused, interval: fell },
    mined,
  };
}
