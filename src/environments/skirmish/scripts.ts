/** @file Commanders of skirmishes: one that marches to what pays and aims together, one that spreads its fire, and one that stands still. */

import { Fault, type Script, type View } from '../../core/index.ts';
import { gridDirections } from '../grid.ts';
import { distance, type Order, stop, type Unit } from './rules.ts';

interface Sight {
  readonly own: number;
  readonly size: number;
  readonly range: number;
  readonly units: readonly Unit[];
  readonly marks: readonly number[];
}

/** The first step from a cell towards another: sideways first. */
function towards(from: number, to: number, size: number): Order {
  const [dx, dy] = [(to % size) - (from % size), Math.floor(to / size) - Math.floor(from / size)];
  if (dx !== 0) return dx < 0 ? 0 : 2;
  return dy === 0 ? stop : dy < 0 ? 3 : 1;
}

/** Which of the enemies in range a unit shoots at, by their places in the list of units. */
type Aim = (foes: readonly number[], units: readonly Unit[], shooter: number) => number;

/** The weakest, then the first. */
const weakest: Aim = (foes, units) => {
  let best = foes[0]!;
  for (let i = 1; i < foes.length; i++) if (units[foes[i]!]!.hp < units[best]!.hp) best = foes[i]!;
  return best;
};

/** One after the other. */
const inTurn: Aim = (foes, _, shooter) => foes[shooter % foes.length]!;

/** What a unit may do: directions, stop, and attacks on unit 1, 2 … */
const orderCount = gridDirections.length + 1 + 9;
/** Orders as they are written, by unit and then by what it does. */
const written = Array.from({ length: 9 }, (_, i) =>
  [...gridDirections, 'stop', ...Array.from({ length: 9 }, (_, j) => `attack ${j + 1}`)].map((what) => `${i + 1} ${what}`),
).flat();
/** So many orders are one exact number. */
const mostKept = 7;

function commandUnits({ own, size, range, units, marks }: Sight, aim: Aim): string {
  const taken: number[] = [];
  let [number, shooter] = [0, 0];
  const given: number[] = [];
  for (let place = 0; place < units.length; place++) {
    const unit = units[place]!;
    if (unit.side !== own) continue;
    number++;
    if (unit.hp === 0) continue;
    const near: number[] = [];
    let [goal, least] = [-1, Infinity];
    for (let i = 0; i < units.length; i++) {
      const foe = units[i]!;
      if (foe.side === own || foe.hp === 0) continue;
      const steps = distance(unit.at, foe.at, size);
      if (steps <= range) near.push(i);
      if (steps < least) [goal, least] = [foe.at, steps];
    }
    if (goal < 0)
      for (const cell of marks) {
        const steps = distance(unit.at, cell, size);
        if (steps < least && !taken.includes(cell)) [goal, least] = [cell, steps];
      }
    if (goal < 0) continue;
    // Two units go to two shards.
    if (near.length === 0 && marks.length > 1) taken.push(goal);
    const order = near.length > 0 ? stop + 1 + numberOf(aim(near, units, shooter++), units) : towards(unit.at, goal, size);
    if (order !== stop) given.push((number - 1) * orderCount + order);
  }
  return given.length === 0 ? '[all stop]' : answerOf(given);
}

/** The same few answers are given again and again: each is written once, found by its orders as one number. */
const answers = new Map<number, string>();

function answerOf(given: readonly number[]): string {
  let key = 0;
  for (let i = 0; i < given.length; i++) key = key * (9 * orderCount) + given[i]! + 1;
  const before = given.length > mostKept ? undefined : answers.get(key);
  if (before !== undefined) return before;
  const text = `[${given.map((order) => written[order]).join('; ')}]`;
  if (answers.size > 5000) answers.clear();
  if (given.length <= mostKept) answers.set(key, text);
  return text;
}

/** Which of its side's units, counted from 0, is at a place in the list. */
function numberOf(place: number, units: readonly Unit[]): number {
  let count = 0;
  for (let i = 0; i < place; i++) if (units[i]!.side === units[place]!.side) count++;
  return count;
}

const focus: Script = ({ view }) => ({ text: commandUnits(sightOf(view), weakest) });
const spread: Script = ({ view }) => ({ text: commandUnits(sightOf(view), inTurn) });
const still: Script = () => ({ text: '[all stop]' });

function sightOf(view: View): Sight {
  for (let i = view.seen.length - 1; i >= 0; i--) {
    const item = view.seen[i]!;
    if (item.kind === 'message' && item.data !== undefined) return item.data as unknown as Sight;
  }
  throw new Fault('input', 'This script must see its whole view; play it without a window.');
}

export const scripts: Readonly<Record<string, Script>> = { focus, spread, still };
