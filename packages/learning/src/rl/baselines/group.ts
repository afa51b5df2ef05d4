/**
 * @file Advantages within groups: GRPO (mean and deviation), Dr. GRPO (mean alone), RLOO (the mean of the others), medians.
 *
 * Groups are given as numbers, one for each reward, so that the same few loops serve prompts, seats, turns and states. Dividing by a
 * group's own deviation is biased if the group depends on information that the policy lacks (a deal, a hidden goal): it re-weights chance
 * outcomes.
 */

import { Fault } from '@ludus-agents/kernel/internal/core/index';

export interface GroupRule {
  readonly center: 'none' | 'mean' | 'leave-one-out' | 'median';
  /** std: of the group. batch-std: of all centered rewards. Both are sample standard deviations. */
  readonly scale: 'none' | 'std' | 'batch-std';
  /** The treatment of a group of one, which cannot be compared: an error by default. */
  readonly single?: 'refuse' | 'zero';
}

/** One advantage for each reward. Rewards of a group that are all equal give 0. */
export function groupAdvantages(rewards: ArrayLike<number>, groups: ArrayLike<number>, rule: GroupRule): Float64Array {
  const out = Float64Array.from(rewards);
  if (rule.center !== 'none' || rule.scale === 'std') for (const members of membersOf(groups)) centre(out, members, rule);
  if (rule.scale === 'batch-std') divide(out, deviation(out) + 1e-6);
  return out;
}

/** Indices by group, in the order in which the groups appear. */
export function membersOf(groups: ArrayLike<number>): readonly (readonly number[])[] {
  const byGroup = new Map<number, number[]>();
  for (let i = 0; i < groups.length; i++) {
    const members = byGroup.get(groups[i]);
    if (members === undefined) byGroup.set(groups[i], [i]);
    else members.push(i);
  }
  return [...byGroup.values()];
}

function centre(values: Float64Array, members: readonly number[], { center, scale, single = 'refuse' }: GroupRule): void {
  const rewards = members.map((i) => values[i]);
  const size = rewards.length;
  if (size === 1) {
    if (single === 'refuse')
      throw new Fault('input', 'A group of one has no baseline. Play each prompt at least twice, or use a running baseline.');
    values[members[0]] = 0;
    return;
  }
  if (rewards.every((reward) => reward === rewards[0])) {
    for (const i of members) values[i] = 0;
    return;
  }
  const sum = rewards.reduce((total, reward) => total + reward, 0);
  const spread = scale === 'std' ? deviation(rewards) + 1e-6 : 1;
  for (const i of members) {
    const reward = values[i];
    const baseline = center === 'median' ? median(rewards) : center === 'leave-one-out' ? (sum - reward) / (size - 1) : sum / size;
    values[i] = (reward - (center === 'none' ? 0 : baseline)) / spread;
  }
}

function divide(values: Float64Array, by: number): void {
  for (let i = 0; i < values.length; i++) values[i] = values[i] / by;
}

/** Sample standard deviation; 0 for fewer than two. */
export function deviation(values: ArrayLike<number>): number {
  const size = values.length;
  if (size < 2) return 0;
  let sum = 0;
  for (let i = 0; i < size; i++) sum += values[i];
  const mean = sum / size;
  let squares = 0;
  for (let i = 0; i < size; i++) squares += (values[i] - mean) ** 2;
  return Math.sqrt(squares / (size - 1));
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
