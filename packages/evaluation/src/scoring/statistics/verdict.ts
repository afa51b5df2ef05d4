/** @file Describes a comparison in words. */

import { formatGrouped } from '@ludus-agents/kernel/internal/core/format';
import type { Comparison } from './compare.ts';
import type { Over } from './estimator.ts';

/** "A is better than B by 4.1 points (95% 1.2 to 7.0) over 240 paired episodes." and its sisters. */
export function wordsOf(match: Omit<Comparison, 'words'>): string {
  const alone = match.unpaired > 0 ? ` and ${formatGrouped(match.unpaired)} unpaired` : '';
  const paired = match.n === 1 ? '1 pair of episodes' : `${formatGrouped(match.n)} paired episodes`;
  const episodes = match.paired ? `${paired}${alone}` : `at least ${formatGrouped(match.n)} unpaired episodes of each`;
  return `${verdict(match, episodes)}${scope(match)}`;
}

function verdict(match: Omit<Comparison, 'words'>, episodes: string): string {
  const say = amounts(match);
  const [low, high] = match.interval;
  const level = `${number(100 * match.level)}%`;
  if (match.better !== null) {
    const other = match.better === match.a ? match.b : match.a;
    const [near, far] = low > 0 ? [low, high] : [-high, -low];
    return `${match.better} is better than ${other} by ${say(Math.abs(match.difference))} (${level} ${say.bare(near)} to ${say.bare(far)}) over ${episodes}.`;
  }
  // Equal scores without a known range have no interval, which must not read as certainty.
  const interval = low === high ? 'no interval' : `${level} ${say.bare(low)} to ${say.bare(high)}`;
  const text = `No significant difference between ${match.a} and ${match.b}: ${say(match.difference)} (${interval}) over ${episodes}`;
  const wanted = `${say(match.target)} with ${number(100 * match.power)}% power`;
  if (match.needed === null) return `${text}; both score the same everywhere, so the required number of episodes is unknown.`;
  if (match.needed > 0) return `${text}; ${formatGrouped(match.needed)} more would show ${wanted}.`;
  if (Math.max(-low, high) < match.target) return `${text}; they are within ${say(match.target)} of each other.`;
  return `${text}; these were enough to show ${wanted}.`;
}

/** The scope of the interval, and the parts that were not compared. */
function scope({ paired, tasks, over, leftOut }: Omit<Comparison, 'words'>): string {
  const apart = paired ? '' : ' No task and seed was played by both; the same seeds would need fewer episodes.';
  const alone = leftOut === 0 ? '' : ` Left out: ${formatGrouped(leftOut)} in scenes that only one of them played.`;
  return `${apart}${about(tasks, over)}${alone}`;
}

function about(tasks: number, over: Over): string {
  return tasks < 2 ? '' : ` This covers ${scopeText(over, tasks)}.`;
}

/** The scope of an interval, in words. */
export function scopeText(over: Over, tasks: number): string {
  if (over === 'tasks') return `new tasks like these ${formatGrouped(tasks)}`;
  return tasks === 1 ? 'new seeds of this task, not other tasks' : `new seeds of these ${formatGrouped(tasks)} tasks, not other tasks`;
}

type Say = ((amount: number) => string) & { bare(amount: number): string };

function amounts({ points }: Omit<Comparison, 'words'>): Say {
  const bare = (amount: number) => (points ? tenth(100 * amount) : number(amount));
  const say = (amount: number) => (points ? `${bare(amount)} ${bare(amount) === '1.0' ? 'point' : 'points'}` : bare(amount));
  return Object.assign(say, { bare });
}

/** One decimal, and no "−0.0"; the target of 5 points is written "5". */
function tenth(amount: number): string {
  const rounded = Math.round(amount * 10) / 10;
  return minus(
    Number.isInteger(rounded) && Math.abs(amount - rounded) < 1e-9 ? String(Math.abs(rounded)) : Math.abs(rounded).toFixed(1),
    rounded,
  );
}

function number(amount: number): string {
  return minus(String(Number(Math.abs(amount).toPrecision(3))), amount);
}

function minus(text: string, amount: number): string {
  return amount < 0 && Number(text) !== 0 ? `−${text}` : text;
}
