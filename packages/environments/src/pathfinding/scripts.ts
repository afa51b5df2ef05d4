/**
 * @file Scripted pathfinding agents: one that follows its own shortest path around visible agents, and a planner that moves everyone by
 * priority.
 *
 * The planner uses priority inheritance with backtracking: the agent that has been on its way the longest chooses first, and an agent in
 * its way chooses next. It needs to see everyone. Each seat computes the same plan and makes its own step of it.
 */

import { Fault, type JsonObject, type Script, type View } from '@ludus-agents/kernel/internal/core/index';
import { distancesTo, type GridMap, gridMoves, neighbour } from '../grid.ts';

const distances = new Map<string, Int32Array>();

/** Returns every cell's distance from a goal, or -1 if it is unreachable. */
export function distancesFor(map: GridMap, goal: number): Int32Array {
  const key = `${goal} ${map.columns} ${map.cells}`;
  let distance = distances.get(key);
  if (distance === undefined) {
    distance = distancesTo([goal], map, (mark) => mark === '.');
    if (distances.size > 5000) distances.clear();
    distances.set(key, distance);
  }
  return distance;
}

/** Returns the neighboring cell in a direction, or -1 at a wall or the edge. */
export const open = (map: GridMap, cell: number, direction: number) => {
  const next = neighbour(cell, direction, map.columns, map.rows);
  return next >= 0 && map.cells[next] !== '#' ? next : -1;
};

/** Takes the next step of a path to its goal. Visibly occupied cells cost more, the nearer the more. */
const follower: Script = ({ view, rng }) => {
  const { map, data } = sightOf(view);
  const { at, goal } = data as { readonly at: number; readonly goal: number };
  const others = (data['near'] ?? data['all'] ?? []) as readonly number[];
  const away = distancesFor(map, goal);
  let best = 4;
  let least = away[at] + 0.6;
  for (let direction = 0; direction < 4; direction++) {
    const next = open(map, at, direction);
    if (next < 0) continue;
    const crowd = others.includes(next) ? 2 : 0;
    // Small random numbers break ties, so that two agents that meet do not step to the same side forever.
    const cost = away[next] + crowd + rng.next() * 0.5;
    if (cost < least) [best, least] = [direction, cost];
  }
  return { text: gridMoves[best] ?? '[stay]' };
};

const planner: Script = ({ view }) => {
  const { map, data } = sightOf(view);
  const all = data['all'] as readonly number[] | undefined;
  if (all === undefined) throw new Fault('input', 'The planner script must see all agents. Use "sight": "all", or the script follower.');
  const next = planStep(map, all, data['goals'] as readonly number[], data['since'] as readonly number[]);
  const ownCell = data['own'] as number;
  const direction = [0, 1, 2, 3].find((way) => open(map, all[ownCell], way) === next[ownCell]);
  return { text: direction === undefined ? '[stay]' : gridMoves[direction] };
};

/** Returns everyone's next cell. */
export function planStep(map: GridMap, at: readonly number[], goals: readonly number[], since: readonly number[]): readonly number[] {
  const next: number[] = at.map(() => -1);
  const here = new Map(at.map((cell, i) => [cell, i]));
  const choose = (i: number, pushedBy: number): boolean => {
    const from = at[i];
    const away = distancesFor(map, goals[i]);
    const cells = [from, ...[0, 1, 2, 3].map((direction) => open(map, from, direction))].filter((cell) => cell >= 0);
    const free = (cell: number) => (here.has(cell) ? 1 : 0);
    cells.sort((a, b) => away[a] - away[b] || free(a) - free(b) || a - b);
    for (const cell of cells) {
      if (next.includes(cell) || (pushedBy >= 0 && cell === at[pushedBy])) continue;
      next[i] = cell;
      const other = here.get(cell);
      if (other !== undefined && other !== i && next[other] === -1 && !choose(other, i)) continue;
      return true;
    }
    next[i] = from;
    return false;
  };
  const order = at.map((_, i) => i).sort((a, b) => since[b] - since[a] || a - b);
  for (const i of order) if (next[i] === -1) choose(i, -1);
  return next;
}

function sightOf(view: View): { readonly map: GridMap; readonly data: JsonObject } {
  const rules = view.seen.find((item) => item.kind === 'message' && item.text.includes('on this map; # is a wall'));
  const last = view.seen.findLast((item) => item.kind === 'message' && item.data !== undefined);
  if (rules?.kind !== 'message' || last?.kind !== 'message')
    throw new Fault('input', 'This script must see its whole view. Play it without a window.');
  const rows = rules.text.split('\n').filter((line) => /^[.#]+$/.test(line));
  return { map: { cells: rows.join(''), columns: rows[0]?.length ?? 1, rows: rows.length }, data: last.data as JsonObject };
}

/** Follows the planned path even if another agent blocks it. */
const stubborn: Script = ({ view }) => {
  const last = view.seen.findLast((item) => item.kind === 'message' && item.data !== undefined);
  const way = last?.kind === 'message' ? (last.data as JsonObject)['way'] : undefined;
  if (typeof way !== 'number') throw new Fault('input', 'The stubborn script follows a way that is shown. Use "sight": "way".');
  return { text: gridMoves[way] ?? '[stay]' };
};

export const scripts: Readonly<Record<string, Script>> = { follower, planner, stubborn };
