/**
 * @file Task writers without a model: they read the results of earlier tasks, and write tasks that the solver can nearly do, or neighbors
 * of its failures.
 */

import { Fault, type Json, type JsonObject, type Script, type Turn } from '@ludus-agents/kernel/internal/core/index';

/** The results of an earlier task, as shown to writers. */
export type PastTask = {
  readonly task: JsonObject;
  readonly words?: string;
  /** The share of attempts that solved it; null if it was refused. */
  readonly rate: number | null;
  /** Why it was refused. */
  readonly problem?: string;
  /** How a failed attempt ended. */
  readonly failure?: string;
};

/** The share of tasks that a script writes at random, to explore untried tasks. */
const byChance = 0.2;

/**
 * Writes tasks that the solver can nearly do (EnvGen, arXiv 2403.12014). The difficulty of an untried task is estimated from the nearest
 * tried one, increased by the distance; the task with an estimated rate closest to one half is written.
 */
const frontier =
  (tasks: readonly JsonObject[]): Script =>
  (turn) => {
    const past = pastIn(turn);
    const { rng: dice } = turn;
    if (past.length === 0 || dice.next() < byChance) return { text: JSON.stringify(dice.pick(tasks)) };
    const rank = ranker([...tasks, ...past.map(({ task }) => task)]);
    const refused = new Set(past.flatMap(({ task, rate }) => (rate === null ? [JSON.stringify(task)] : [])));
    const open = tasks.filter((task) => !refused.has(JSON.stringify(task)));
    const gap = (task: JsonObject) => Math.abs(expectedRate(task, past, rank) - 0.5);
    const gaps = open.map(gap);
    const least = Math.min(...gaps);
    const best = open.filter((_, i) => gaps[i] <= least + 1e-9);
    return { text: JSON.stringify(dice.pick(best.length === 0 ? tasks : best)) };
  };

/** Neighbors of failed tasks that are neither hopeless nor easy (WebRL, arXiv 2411.02337). */
const failures =
  (tasks: readonly JsonObject[]): Script =>
  (turn) => {
    const past = pastIn(turn);
    const { rng: dice } = turn;
    const failed = past.filter(({ rate }) => rate !== null && rate < 0.5);
    if (failed.length === 0 || dice.next() < byChance) return { text: JSON.stringify(dice.pick(tasks)) };
    const rank = ranker([...tasks, ...past.map(({ task }) => task)]);
    const parent = dice.pick(failed).task;
    const near = tasks.filter((task) => distance(task, parent, rank) <= 1);
    const fit = near.filter((task) => {
      const expected = expectedRate(task, past, rank);
      return expected >= 0.05 && expected <= 0.75;
    });
    return { text: JSON.stringify(dice.pick(fit.length > 0 ? fit : near.length > 0 ? near : tasks)) };
  };

/** Draws tasks uniformly from the samples, ignoring results: the control. */
const uniform =
  (tasks: readonly JsonObject[]): Script =>
  ({ rng: dice }) => ({ text: JSON.stringify(dice.pick(tasks)) });

/** The writers by name; `samples` are available tasks. */
export function scriptedWriters(samples: () => readonly Json[]): Readonly<Record<string, Script>> {
  const lazily =
    (make: (tasks: readonly JsonObject[]) => Script): Script =>
    (turn) => {
      if (turn.ask.seat !== 'proposer') throw new Fault('input', 'This script writes tasks. Use it only for the seat "proposer".');
      return make(samples() as readonly JsonObject[])(turn);
    };
  return { frontier: lazily(frontier), failures: lazily(failures), uniform: lazily(uniform) };
}

/** The information about earlier tasks in the writer's view. */
function pastIn({ view }: Turn): readonly PastTask[] {
  const [observation] = view.seen.flatMap((item) => (item.kind === 'message' ? [item.text] : []));
  return (observation ?? '').split('\n').flatMap((row) => (row.startsWith('- {"task"') ? [JSON.parse(row.slice(2)) as PastTask] : []));
}

/** The rank of each parameter value among all that occur: numbers in order, lists by length; other values have no order. */
type Rank = (name: string, value: Json | undefined) => number;

function ranker(tasks: readonly JsonObject[]): Rank {
  const values = new Map<string, readonly number[]>();
  const size = (value: Json | undefined) => (typeof value === 'number' ? value : Array.isArray(value) ? value.length : 0);
  const sorted = (name: string) => [...new Set(tasks.map((task) => size(task[name])))].sort((a, b) => a - b);
  return (name, value) => {
    const list = values.get(name) ?? sorted(name);
    values.set(name, list);
    return list.indexOf(size(value));
  };
}

/** The number of steps between two tasks over their common parameters; a different switch is one step. */
function distance(a: JsonObject, b: JsonObject, rank: Rank): number {
  return Object.keys(a).reduce((sum, name) => {
    const [item, other] = [a[name], b[name]];
    if (other === undefined) return sum;
    if (typeof item === 'boolean' || typeof other === 'boolean') return sum + (item === other ? 0 : 1);
    return sum + Math.abs(rank(name, item) - rank(name, other));
  }, 0);
}

function expectedRate(task: JsonObject, past: readonly PastTask[], rank: Rank): number {
  const far = past.map((pastTask) => distance(task, pastTask.task, rank));
  const near = Math.min(...far);
  const rates = past.flatMap(({ rate }, i) => (far[i] === near ? [rate ?? 0] : [])).slice(-3);
  // Without a solved task nearby all tasks are alike: a neighbor of a failure is no better than a distant task.
  return Math.max(0, rates.reduce((sum, rate) => sum + rate, 0) / rates.length - 0.4 * near);
}
