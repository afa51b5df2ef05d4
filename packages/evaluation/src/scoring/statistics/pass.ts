/** @file pass^k (all of k tries succeed) and pass@k (at least one does), estimated without bias from n tries of each task. */

import { Fault } from '@ludus-agents/kernel/internal/core/index';

/** The results of a task's tries. */
export interface Tries {
  readonly tries: number;
  readonly successes: number;
}

/** The chance that k tries of a task all succeed, averaged over tasks: C(c, k) / C(n, k). */
export function passHat(tasks: readonly Tries[], k: number): number {
  return average(tasks, k, ({ tries, successes }) => allOf(successes, tries, k));
}

/** The chance that at least one of k tries of a task succeeds, averaged over tasks: 1 − C(n − c, k) / C(n, k). */
export function passAt(tasks: readonly Tries[], k: number): number {
  return average(tasks, k, ({ tries, successes }) => 1 - allOf(tries - successes, tries, k));
}

/** The chance that k different picks out of `n` are all among the `marked`. */
function allOf(marked: number, n: number, k: number): number {
  let chance = 1;
  for (let i = 0; i < k; i++) chance *= Math.max(0, marked - i) / (n - i);
  return chance;
}

function average(tasks: readonly Tries[], k: number, chance: (task: Tries) => number): number {
  if (!(Number.isInteger(k) && k >= 1)) throw new Fault('input', `pass^k needs a positive integer k, but k is ${k}.`);
  if (tasks.length === 0)
    throw new Fault('input', 'pass^k needs the tries of at least one task, but there are none. Play some episodes first.');
  let sum = 0;
  for (const task of tasks) {
    if (!(task.successes >= 0 && task.successes <= task.tries))
      throw new Fault('input', `A task can have 0 to ${task.tries} successes in ${task.tries} tries, but got ${task.successes}.`);
    if (task.tries < k)
      throw new Fault('input', `pass^${k} needs ${k} tries of every task, but one has ${task.tries}. Play more seeds, or use a smaller k.`);
    sum += chance(task);
  }
  return sum / tasks.length;
}
