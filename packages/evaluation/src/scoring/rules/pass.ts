/** @file pass^k over many episodes: how often k tries of a task all succeed. */

import { hash, type Seat } from '@ludus-agents/kernel/internal/core/index';
import type { ScoringRule } from '../scorer.ts';
import { passAt, passHat, type Tries } from '../statistics/pass.ts';
import type { Log } from './log.ts';
import { unfinishedFinding } from './outcome.ts';

/** Tries and successes of each task. Episodes that a failing boundary ended are left out: they say nothing about the agent. */
export function triesOf(logs: readonly Log[], seat: Seat, success: number): readonly Tries[] {
  const tasks = new Map<string, { tries: number; successes: number }>();
  for (const log of logs) {
    const earned = log.end?.returns[seat];
    if (log.start === null || earned === undefined || unfinishedFinding(log) !== null) continue;
    const key = hash({ environment: log.start.environment, task: log.start.task });
    const task = tasks.get(key) ?? { tries: 0, successes: 0 };
    task.tries++;
    task.successes += earned >= success ? 1 : 0;
    tasks.set(key, task);
  }
  return [...tasks.values()];
}

/** pass^k of a seat for `reference.k` (or as many tries as every task has), where a return of `reference.success`, or 1, is a success. */
export const pass: ScoringRule = {
  name: 'pass',
  version: 1,
  unit: 'many',
  scale: [0, 1],
  find({ logs, seat, reference }) {
    const success = typeof reference['success'] === 'number' ? reference['success'] : 1;
    const tasks = seat === '' ? [] : triesOf(logs, seat, success);
    const most = Math.min(...tasks.map(({ tries }) => tries));
    const k = typeof reference['k'] === 'number' ? reference['k'] : most;
    if (tasks.length === 0 || !Number.isInteger(k) || k < 1 || k > most) return null;
    const parts: Record<string, number> = { tasks: tasks.length };
    for (let i = 1; i <= k; i++) {
      parts[`pass^${i}`] = passHat(tasks, i);
      parts[`pass@${i}`] = passAt(tasks, i);
    }
    return { value: parts[`pass^${k}`], parts };
  },
};
