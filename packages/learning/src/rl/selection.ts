/** @file Selection rules: mixed groups, groups that differ most, clean successes; and the penalty of length. */

import { deviation } from './baselines/group.ts';

/** DAPO's dynamic sampling (2503.14476): groups that all succeed or all fail teach nothing. */
export function isMixedGroup(rewards: readonly number[]): boolean {
  return rewards.some((reward) => reward !== rewards[0]);
}

/** The probability that a group of this size teaches nothing, given each episode's chance of success. */
export function uselessGroupChance(chance: number, size: number): number {
  return chance ** size + (1 - chance) ** size;
}

/** DAPO's soft penalty: 0 up to `most − margin` tokens, −1 above `most`, a straight line between. */
export function overlong(length: number, most: number, margin: number): number {
  return Math.max(-1, Math.min(0, (most - margin - length) / margin));
}

/** StarPO-S (2504.20073): the share of groups whose rewards vary most, as indices in order. */
export function widest(groups: readonly (readonly number[])[], share: number): readonly number[] {
  const keep = Math.max(1, Math.round(groups.length * share));
  return groups
    .map((rewards, index) => ({ index, spread: deviation(rewards) }))
    .toSorted((a, b) => b.spread - a.spread || a.index - b.index)
    .slice(0, keep)
    .map(({ index }) => index)
    .sort((a, b) => a - b);
}

export interface GroupAttempt {
  readonly good: boolean;
  /** The share of failed tool calls and malformed output. */
  readonly penalty: number;
}

/**
 * Resample on correct (rStar2-Agent, 2508.20722): keeps `keep` of many attempts, with successes and failures in proportion and at least two
 * of each if available; the cleanest successes, and the first failures. Keeps none of a group that teaches nothing.
 */
export function resampleOnCorrect(attempts: readonly GroupAttempt[], keep: number): readonly number[] {
  const indices = attempts.map((_, i) => i);
  const good = indices.filter((i) => attempts[i]?.good);
  const bad = indices.filter((i) => !attempts[i]?.good);
  if (good.length === 0 || bad.length === 0) return [];
  const proportional = Math.round((keep * good.length) / attempts.length);
  const goods = Math.min(good.length, Math.max(Math.min(2, good.length), Math.min(keep - Math.min(2, bad.length), proportional)));
  const tidy = good.toSorted((a, b) => attempts[a].penalty - attempts[b].penalty || a - b);
  return [...tidy.slice(0, goods), ...bad.slice(0, keep - goods)].sort((a, b) => a - b);
}

/** RAPO (2509.24107): the factor that scales the remaining groups to the weight of the whole batch. */
export function rescale(groups: number, good: number): number {
  return good === 0 ? 0 : groups / good;
}
