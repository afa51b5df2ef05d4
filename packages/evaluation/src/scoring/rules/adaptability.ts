/**
 * @file Adaptability: what an agent reached before a change, what it lost by it, and how soon it made that good, from the environment's note.
 *
 * The value is what was paid from the change to the end, on average. Recovery is the share of the loss that is made good by the end; where
 * nothing was lost it is not defined.
 */

import { meanOrNull } from '@ludus-agents/kernel/internal/core/mean';
import type { ScoringRule } from '../scorer.ts';
import { noteOf } from './log.ts';

/** Steps that count as "before", "just after" and "at the end". */
const stretch = 5;
const shortly = 3;

export interface Adaptation {
  readonly before: number;
  readonly after: number;
  readonly end: number;
  readonly drop: number;
  readonly recovery: number | null;
  /** Steps after the change until it is paid nine tenths of what it was before; null where it never is. */
  readonly steps: number | null;
  /** The mean from the change on. */
  readonly since: number;
}

export function adaptationOf(rewards: readonly number[], at: number): Adaptation | null {
  const before = meanOrNull(rewards.slice(Math.max(0, at - stretch), at));
  const later = rewards.slice(at);
  const [after, end, since] = [meanOrNull(later.slice(0, shortly)), meanOrNull(later.slice(-stretch)), meanOrNull(later)];
  if (before === null || after === null || end === null || since === null) return null;
  const drop = before - after;
  const back = later.findIndex((value) => value >= 0.9 * before);
  const recovery = drop <= 0 ? null : Math.max(0, Math.min(1, (end - after) / drop));
  return { before, after, end, drop, recovery, steps: back < 0 ? null : back, since };
}

export const adaptability: ScoringRule = {
  name: 'adaptability',
  version: 1,
  unit: 'seat',
  scale: [0, 1],
  find({ log, seat }) {
    const note = noteOf(log, 'change')?.value;
    const [payments, at] = [note?.['paid'], note?.['at']];
    if (seat !== log.seats[0] || !Array.isArray(payments) || typeof at !== 'number') return null;
    const adaptation = adaptationOf(
      payments.filter((item) => typeof item === 'number'),
      at,
    );
    if (adaptation === null) return null;
    const { since, ...parts } = adaptation;
    return { value: since, parts };
  },
};
