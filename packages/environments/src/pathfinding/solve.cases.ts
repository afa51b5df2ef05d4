/** @file Small instances of path-finding solved over all places of all agents at once: the fewest steps, and the least sum of costs. */

import { type GridMap, neighbour } from '../grid.ts';

export interface JointInstance extends GridMap {
  readonly starts: readonly number[];
  readonly goals: readonly number[];
}

/** Yields every joint position after one step: no two agents in a cell, and no two swapping places. */
function* jointSteps(map: GridMap, at: readonly number[], still: number): Iterable<readonly number[]> {
  const next: number[] = [];
  function* extend(i: number): Iterable<readonly number[]> {
    if (i === at.length) {
      yield [...next];
      return;
    }
    const from = at[i]!;
    for (let direction = -1; direction < ((still >> i) & 1 ? 0 : 4); direction++) {
      const to = direction < 0 ? from : neighbour(from, direction, map.columns, map.rows);
      if (to < 0 || map.cells[to] === '#' || next.includes(to)) continue;
      const other = at.indexOf(to);
      if (other >= 0 && other < i && next[other] === from) continue;
      next.push(to);
      yield* extend(i + 1);
      next.pop();
    }
  }
  yield* extend(0);
}

/** The fewest steps after which every agent is at its goal, or null when they never all are. */
export function leastMakespan(instance: JointInstance): number | null {
  const goal = instance.goals.join(' ');
  const visited = new Set([instance.starts.join(' ')]);
  let front: readonly (readonly number[])[] = [instance.starts];
  for (let steps = 0; front.length > 0; steps++) {
    const next: (readonly number[])[] = [];
    for (const at of front) {
      if (at.join(' ') === goal) return steps;
      for (const to of jointSteps(instance, at, 0)) {
        const key = to.join(' ');
        if (visited.has(key)) continue;
        visited.add(key);
        next.push(to);
      }
    }
    front = next;
  }
  return null;
}

/** The least sum over agents of the steps until each stays at its goal for good, or null. `still` marks agents that do. */
export function leastSumOfCosts(instance: JointInstance): number | null {
  const { starts, goals } = instance;
  const all = (1 << starts.length) - 1;
  const best = new Map<string, number>();
  const buckets: { readonly at: readonly number[]; readonly still: number }[][] = [];
  const offer = (cost: number, at: readonly number[], still: number) => {
    const key = `${still} ${at.join(' ')}`;
    if ((best.get(key) ?? Infinity) <= cost) return;
    best.set(key, cost);
    const bucket = buckets[cost];
    if (bucket === undefined) buckets[cost] = [{ at, still }];
    else bucket.push({ at, still });
  };
  offer(0, starts, 0);
  for (let cost = 0; cost < buckets.length; cost++)
    for (const { at, still } of buckets[cost] ?? []) {
      if (best.get(`${still} ${at.join(' ')}`) !== cost) continue;
      if (still === all) return cost;
      for (let i = 0; i < at.length; i++) if (((still >> i) & 1) === 0 && at[i] === goals[i]) offer(cost, at, still | (1 << i));
      let moving = 0;
      for (let i = 0; i < at.length; i++) if (((still >> i) & 1) === 0) moving++;
      for (const to of jointSteps(instance, at, still)) offer(cost + moving, to, still);
    }
  return null;
}
