/** @file Small kitchens solved over all places, hands and pots at once: the first soup, and the most soups within a time. */

import type { KitchenLayout } from './layout.ts';
import { dish, firstScene, nothing, onion, type Scene, soup, type TickRules, thinSoup, tick } from './tick.ts';

export interface SolveSettings {
  readonly rules: TickRules;
  /** The acts that each cook may take; all six by default. */
  readonly acts?: readonly (readonly number[])[];
  /** The only counters that may be used, by their number; none by default. */
  readonly shelves?: readonly number[];
}

const everyAct = [0, 1, 2, 3, 4, 5];

function jointActs({ starts }: KitchenLayout, acts: SolveSettings['acts']): readonly (readonly number[])[] {
  const by = acts ?? starts.map(() => everyAct);
  return by.reduce<readonly (readonly number[])[]>(
    (joint, ownItems) => joint.flatMap((before) => ownItems.map((act) => [...before, act])),
    [[]],
  );
}

function keyOf({ at, facing, hands, pots, items }: Scene, shelves: readonly number[]): string {
  let key = '';
  for (let i = 0; i < at.length; i++) key += String.fromCharCode(at[i]! * 32 + facing[i]! * 8 + hands[i]!);
  for (const pot of pots) key += String.fromCharCode(pot);
  for (const shelf of shelves) key += String.fromCharCode(items[shelf]!);
  return key;
}

/** How many of a thing there are in hands and on counters. */
function count({ hands, items }: Scene, thing: number): number {
  let count = 0;
  for (const hand of hands) if (hand === thing) count++;
  for (const value of items) if (value === thing) count++;
  return count;
}

/**
 * Returns the fewest ticks until a soup is served, or null. Items that don't end in that soup can be ignored, because holding an item
 * doesn't change how cooks walk. So at most three onions, one dish, and one pot are considered, each pot in turn.
 */
export function firstSoup(layout: KitchenLayout, { rules, acts, shelves = [] }: SolveSettings): number | null {
  const joint = jointActs(layout, acts);
  const matches = layout.pots.map((_, pot) =>
    firstSoupFrom(layout, { rules: { ...rules, counters: shelves.length > 0 }, joint, shelves, pot }),
  );
  const ticks = matches.filter((item) => item !== null);
  return ticks.length === 0 ? null : Math.min(...ticks);
}

interface Search {
  readonly rules: TickRules;
  readonly joint: readonly (readonly number[])[];
  readonly shelves: readonly number[];
  readonly pot: number;
}

function firstSoupFrom(layout: KitchenLayout, { rules, joint, shelves, pot }: Search): number | null {
  let front: readonly Scene[] = [firstScene(layout)];
  const visited = new Set([keyOf(front[0]!, shelves)]);
  for (let ticks = 1; front.length > 0; ticks++) {
    const next: Scene[] = [];
    for (const from of front)
      for (const act of joint) {
        const { scene, served } = tick(layout, from, act, rules);
        if (served > 0) return ticks;
        if (!isNeeded(scene, pot, shelves)) continue;
        const key = keyOf(scene, shelves);
        if (visited.has(key)) continue;
        visited.add(key);
        next.push(scene);
      }
    front = next;
  }
  return null;
}

function isNeeded(scene: Scene, pot: number, shelves: readonly number[]): boolean {
  const inPot = scene.pots[pot]!;
  const soups = count(scene, soup);
  const onions = count(scene, onion) + (inPot > 3 || soups > 0 ? 3 : inPot);
  if (onions > 3 || count(scene, dish) + soups > 1 || count(scene, thinSoup) > 0) return false;
  // A pot that cooks fewer than three onions makes a thin soup.
  if (inPot > 3 && inPot < 46) return false;
  return (
    scene.pots.every((otherPot, i) => i === pot || otherPot === 0) &&
    scene.items.every((item, i) => item === nothing || shelves.includes(i))
  );
}

/** Every state that is reachable without counters, with the successor of each joint act and the soups it serves. */
export interface KitchenGraph {
  readonly states: number;
  readonly joint: number;
  /** By state and joint act: twice the next state, plus one if a soup is served. */
  readonly next: Int32Array;
}

export function kitchenGraph(layout: KitchenLayout, { rules, acts }: SolveSettings): KitchenGraph {
  const joint = jointActs(layout, acts);
  const scenes: Scene[] = [firstScene(layout)];
  const numbers = new Map([[keyOf(scenes[0]!, []), 0]]);
  let next = new Int32Array(1 << 20);
  for (let state = 0; state < scenes.length; state++)
    for (let j = 0; j < joint.length; j++) {
      const { scene, served } = tick(layout, scenes[state]!, joint[j]!, { ...rules, counters: false });
      const key = keyOf(scene, []);
      let number = numbers.get(key);
      if (number === undefined) {
        number = scenes.push(scene) - 1;
        numbers.set(key, number);
      }
      const at = state * joint.length + j;
      if (at >= next.length) {
        const more = new Int32Array(next.length * 2);
        more.set(next);
        next = more;
      }
      // Two cooks never serve in one tick with one pot's soup, but two soups may be about.
      next[at] = number * 4 + served;
    }
  return { states: scenes.length, joint: joint.length, next };
}

/** The most soups by ticks: `[t]` is that of t ticks. */
export function mostSoups({ states, joint, next }: KitchenGraph, ticks: number): readonly number[] {
  let table = new Uint8Array(states);
  const matches = [0];
  for (let t = 1; t <= ticks; t++) {
    const after = new Uint8Array(states);
    for (let state = 0; state < states; state++) {
      let best = 0;
      for (let at = state * joint, end = at + joint; at < end; at++) {
        const value = table[next[at]! >> 2]! + (next[at]! & 3);
        if (value > best) best = value;
      }
      after[state] = best;
    }
    table = after;
    matches.push(table[0]!);
  }
  return matches;
}

/** Returns the mean number of soups that random cooks serve. */
export function soupsByChance({ states, joint, next }: KitchenGraph, ticks: number): number {
  let chance = new Float64Array(states);
  chance[0] = 1;
  let soups = 0;
  for (let t = 0; t < ticks; t++) {
    const after = new Float64Array(states);
    for (let state = 0; state < states; state++) {
      const share = chance[state]! / joint;
      if (share === 0) continue;
      for (let at = state * joint, end = at + joint; at < end; at++) {
        after[next[at]! >> 2]! += share;
        soups += share * (next[at]! & 3);
      }
    }
    chance = after;
  }
  return soups;
}
