/**
 * @file The one estimator behind every table, report and comparison: means over scenes and tasks that count the same, and their errors.
 *
 * The mean of an agent is the mean over scenes of the mean over the tasks there of the mean over the repeats of each task, so that a task
 * counts once however often it was played; a difference is the difference of two such means. Both are weighted sums of values, so both have
 * the same error: deviations are added up within clusters that share their luck, and squared.
 *
 * The population of the error is chosen. Over seeds, the tasks stay as they are: a cluster is one seed of one task, and values deviate from
 * the mean of their task. Over tasks, the tasks could have been others: a cluster is a task with all its seeds, and values deviate from the
 * mean of their scene.
 */

import { Fault, type Seed } from '@ludus-agents/kernel/internal/core/index';
import { mean, variance } from './mean.ts';

/** The population that an interval covers: new seeds of these tasks, or new tasks. */
export type Over = 'seeds' | 'tasks';

export const overs: readonly Over[] = ['seeds', 'tasks'];

/** The value of one episode, and the keys that it shares with others. */
export interface Valued {
  readonly scene: string;
  readonly task: string;
  readonly seed: Seed;
  readonly value: number;
}

/** With fewer tasks, an interval cannot cover tasks that were not played. */
const fewTasks = 10;

/** The mean over scenes, each counted the same, of the means over their tasks, each counted the same. */
export function sceneMean(values: readonly Valued[]): number {
  const scenes = Map.groupBy(values, ({ scene }) => scene).values();
  return mean([...scenes].map((items) => mean([...Map.groupBy(items, ({ task }) => task).values()].map(valueMean))));
}

function valueMean(items: readonly Valued[]): number {
  return mean(items.map(({ value }) => value));
}

/** The requested population, if possible; else tasks where there are ten or more and every scene has two, or seeds. */
export function chooseOver(places: readonly Pick<Valued, 'scene' | 'task'>[], over?: Over): Over {
  const tasks = new Map<string, Set<string>>();
  for (const { scene, task } of places) {
    const ownTask = tasks.get(scene);
    if (ownTask === undefined) tasks.set(scene, new Set([task]));
    else ownTask.add(task);
  }
  const lonely = [...tasks].find(([, ownEntry]) => ownEntry.size < 2)?.[0];
  if (over === 'tasks' && lonely !== undefined)
    throw new Fault(
      'input',
      `An interval over tasks needs at least two tasks in every scene, but ${lonely === '' ? 'there is one' : `"${lonely}" has one`}. Use an interval over seeds.`,
    );
  if (over !== undefined) return over;
  return lonely === undefined && new Set(places.map(({ task }) => task)).size >= fewTasks ? 'tasks' : 'seeds';
}

export interface Spread {
  readonly error: number;
  /** Degrees of freedom of the error. */
  readonly df: number;
  /** What could have been otherwise, scene by scene: seeds of tasks, or over tasks the tasks; of the smaller side where there are two. */
  readonly clusters: number;
  /** How many of them with the same weight would say as much; of the smaller side where there are two. */
  readonly episodes: number;
  /** False where some cluster has a single value, so that its spread is not known. */
  readonly known: boolean;
}

interface Item extends Valued {
  readonly side: number;
  /** Its weight in the estimate. */
  readonly weight: number;
  /** What shares its luck, by number: texts of task and seed for each value would take longer than all the sums. */
  readonly cluster: number;
  /** The seed of a task in a scene; over tasks the task in a scene. */
  readonly place: number;
}

/** The error of the mean of one side, or of the difference of two that have the same scenes. */
export function spreadOf(sides: readonly (readonly Valued[])[], over: Over): Spread {
  const numbers = { clusters: new Numbering(), places: new Numbering() };
  const items = sides.flatMap((values, side) => toItems(values, side, { over, numbers }));
  const strata = strataOf(items, over);
  const unit = items.every(({ value }) => value >= 0 && value <= 1);
  let [total, squares, free, hasVariance] = [0, 0, 0, true];
  // By the number of a cluster; lists, because maps of a hundred thousand numbers take longer than all the sums.
  const deviations = new Float64Array(numbers.clusters.size);
  /** The side that a cluster is on, or both. */
  const present = new Int32Array(numbers.clusters.size).fill(absent);
  /** The weight of a cluster in a cell. */
  const shares = new Float64Array(numbers.clusters.size);
  /** The part of the deviation of a cluster that is left after the mean of its cell, which is partly its own, is taken off. */
  const visible = new Float64Array(numbers.clusters.size);
  for (const stratum of strata) {
    const order: number[] = [];
    for (const cell of cellsOf(stratum)) {
      const whole = cell.reduce((sum, { weight }) => sum + weight, 0);
      const inCell: number[] = [];
      for (const { cluster, weight } of cell) {
        // Weights are never zero.
        if (shares[cluster] === 0) inCell.push(cluster);
        shares[cluster] += weight / whole;
      }
      const concentration = inCell.reduce((sum, cluster) => sum + shares[cluster] * shares[cluster], 0);
      // √((n − 1) / n) where n clusters have the same weight.
      for (const cluster of inCell) {
        visible[cluster] = Math.sqrt(1 - 2 * shares[cluster] + concentration);
        shares[cluster] = 0;
      }
      if (inCell.length < 2) {
        // A single value from 0 to 1 deviates by one half at most; for any other the deviation is unknown.
        if (unit) total += (whole / 2) ** 2;
        hasVariance = false;
        continue;
      }
      const middle = cell.reduce((sum, { weight, value }) => sum + weight * value, 0) / whole;
      for (const { cluster, weight, value, side } of cell) {
        if (present[cluster] === absent) {
          order.push(cluster);
          present[cluster] = side;
        } else if (present[cluster] !== side) present[cluster] = both;
        deviations[cluster] += (weight * (value - middle)) / visible[cluster];
      }
    }
    if (order.length === 0) continue;
    const paired = sides.length < 2 || order.some((cluster) => present[cluster] === both);
    // In the order in which they came, so that sums do not depend on how clusters are numbered.
    const spread = order.reduce((sum, cluster) => sum + deviations[cluster] * deviations[cluster], 0);
    const freedom = Math.max(1, order.length - (paired ? 1 : 2));
    for (const cluster of order) {
      deviations[cluster] = 0;
      present[cluster] = absent;
    }
    total += spread;
    free += freedom;
    squares += spread ** 2 / (freedom + 2);
  }
  // Satterthwaite's degrees of freedom, with squares of variances estimated without bias.
  const df = squares === 0 ? Math.max(1, free) : Math.max(1, total ** 2 / squares - 2);
  return { error: Math.sqrt(total), df, known: hasVariance, ...amountOf(items, sides.length, numbers.places.size) };
}

/** A cluster that has values of both sides, and one that has none. */
const [both, absent] = [-1, -2];

/** Numbers for pairs of a text and a seed, in the order in which they come. */
class Numbering {
  readonly #known = new Map<string, Map<Seed, number>>();
  /** How many there are. */
  size = 0;

  of(text: string, seed: Seed): number {
    const seeds = this.#known.get(text) ?? new Map<Seed, number>();
    if (seeds.size === 0) this.#known.set(text, seeds);
    const seedIndex = seeds.get(seed);
    if (seedIndex !== undefined) return seedIndex;
    seeds.set(seed, this.size);
    return this.size++;
  }
}

interface Numbers {
  readonly clusters: Numbering;
  readonly places: Numbering;
}

function toItems(values: readonly Valued[], side: number, { over, numbers }: { readonly over: Over; readonly numbers: Numbers }): Item[] {
  const counts = new Map<string, Map<string, number>>();
  for (const { scene, task } of values) {
    const tasks = counts.get(scene) ?? new Map<string, number>();
    if (tasks.size === 0) counts.set(scene, tasks);
    tasks.set(task, (tasks.get(task) ?? 0) + 1);
  }
  const sign = side === 0 ? 1 : -1;
  const places = new Map<string, Map<string, string>>();
  const placeName = (scene: string, task: string): string => {
    const tasks = places.get(scene) ?? new Map<string, string>();
    if (tasks.size === 0) places.set(scene, tasks);
    const name = tasks.get(task) ?? `in ${task}\n${scene}`;
    tasks.set(task, name);
    return name;
  };
  return values.map(({ scene, task, seed, value }) => {
    const tasks = counts.get(scene) as Map<string, number>;
    return {
      scene,
      task,
      seed,
      value,
      side,
      weight: sign / (counts.size * tasks.size * (tasks.get(task) as number)),
      cluster: numbers.clusters.of(task, over === 'tasks' ? 0 : seed),
      place: numbers.places.of(placeName(scene, task), over === 'tasks' ? 0 : seed),
    };
  });
}

/** Values of the same side and scene. */
function cellsOf(items: readonly Item[]): Iterable<readonly Item[]> {
  const cells = new Map<string, Item[]>();
  let last: Item | undefined;
  let cell: Item[] = [];
  for (const item of items) {
    // Neighbours are mostly of one cell.
    if (last === undefined || last.side !== item.side || last.scene !== item.scene) {
      const key = `${item.side} ${item.scene}`;
      cell = cells.get(key) ?? [];
      cells.set(key, cell);
      last = item;
    }
    cell.push(item);
  }
  return cells.values();
}

/**
 * Groups within which clusters can be compared: by task over seeds, by the scenes that a task is in over tasks. A group in which some side
 * has a single cluster joins the next larger one, which counts what differs between tasks as luck: too wide rather than too narrow.
 */
function strataOf(items: readonly Item[], over: Over): readonly (readonly Item[])[] {
  const scenes = new Map<string, Set<string>>();
  for (const { task, scene } of items) {
    const ownScene = scenes.get(task);
    if (ownScene === undefined) scenes.set(task, new Set([scene]));
    else ownScene.add(scene);
  }
  const groups = new Map([...scenes].map(([task, ownEntry]) => [task, [...ownEntry].sort().join('\n')]));
  const ladder = [...(over === 'seeds' ? [({ task }: Item) => task] : []), ({ task }: Item) => groups.get(task) as string, () => 'rest'];
  let done: (readonly Item[])[] = [];
  let open: readonly Item[] = items;
  for (const key of ladder) {
    const parts = [...Map.groupBy(open, key).values()].map((group) => ({ group, lonely: isLonely(group) }));
    done = [...done, ...parts.flatMap(({ group, lonely }) => (lonely ? [] : [group]))];
    open = parts.flatMap(({ group, lonely }) => (lonely ? group : []));
  }
  if (open.length === 0) return done;
  const all = done.length === 0 || isLonely(items);
  return all ? [...done, open] : [items];
}

function isLonely(items: readonly Item[]): boolean {
  return [...cellsOf(items)].some((cell) => cell.every(({ cluster }) => cluster === cell[0]?.cluster));
}

function amountOf(items: readonly Item[], sides: number, places: number): Pick<Spread, 'clusters' | 'episodes'> {
  const amounts = Array.from({ length: sides }, (_, side) => {
    const weights = new Float64Array(places);
    const order: number[] = [];
    for (const item of items) {
      if (item.side !== side) continue;
      // Weights are never zero.
      if (weights[item.place] === 0) order.push(item.place);
      weights[item.place] += Math.abs(item.weight);
    }
    return { clusters: order.length, episodes: 1 / order.reduce((sum, place) => sum + weights[place] * weights[place], 0) };
  });
  return {
    clusters: Math.min(...amounts.map(({ clusters }) => clusters)),
    episodes: Math.min(...amounts.map(({ episodes }) => episodes)),
  };
}

/** The error if shared keys were ignored. */
export function plainError(values: readonly Valued[]): number {
  const scenes = [...Map.groupBy(values, ({ scene }) => scene).values()].map((ownItems) => ownItems.map(({ value }) => value));
  const sum = scenes.reduce((all, ownItems) => all + (ownItems.length < 2 ? 0 : variance(ownItems) / ownItems.length), 0);
  return Math.sqrt(sum) / scenes.length;
}
