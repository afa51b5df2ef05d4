/**
 * @file Scripted skirmish commanders: one that marches to the reward and focuses fire, one that spreads its fire, and one that stands
 * still.
 */

import { Fault, type Script, type View } from '@ludus-agents/kernel/internal/core/index';
import { gridDirections } from '../grid.ts';
import { distance, stop, type Unit, type UnitOrder } from './rules.ts';

type Sight = {
  readonly own: number;
  readonly size: number;
  readonly range: number;
  readonly units: readonly Unit[];
  readonly marks: readonly number[];
};

/** Returns the first step from a cell toward another, sideways first. */
function towards(from: number, to: number, size: number): UnitOrder {
  const [dx, dy] = [(to % size) - (from % size), Math.floor(to / size) - Math.floor(from / size)];
  if (dx !== 0) return dx < 0 ? 0 : 2;
  return dy === 0 ? stop : dy < 0 ? 3 : 1;
}

/** Reused buffers: the enemies in range of the current unit, by their index in the list of units, and the orders so far. */
const near = new Uint8Array(18);
const input = new Int32Array(9);

/** Selects the target of a unit among `count` enemies in range. */
type Aim = (count: number, units: readonly Unit[], shooter: number) => number;

/** Targets the weakest enemy; ties go to the first. */
const weakest: Aim = (count, units) => {
  let best = near[0];
  for (let i = 1; i < count; i++) if (units[near[i]].hp < units[best].hp) best = near[i];
  return best;
};

/** Targets the enemies in turn. */
const inTurn: Aim = (count, _, shooter) => near[shooter % count];

/** The number of orders for a unit: directions, stop, and attacks on units 1, 2, … */
const orderCount = gridDirections.length + 1 + 9;
/** Orders as text, by unit and then by order. */
const written = Array.from({ length: 9 }, (_, i) =>
  [...gridDirections, 'stop', ...Array.from({ length: 9 }, (_, j) => `attack ${j + 1}`)].map((what) => `${i + 1} ${what}`),
).flat();
/** More steps than any board has between two cells. */
const farthest = 1000;
/** Up to this many orders fit into one exact number. */
const mostKept = 7;

function commandUnits({ own, size, range, units, marks }: Sight, aim: Aim): string {
  const used: number[] = [];
  let [number, shooter, orders] = [0, 0, 0];
  for (let place = 0; place < units.length; place++) {
    const unit = units[place];
    if (unit.side !== own) continue;
    number++;
    if (unit.hp === 0) continue;
    let [count, goal, least] = [0, -1, farthest];
    for (let i = 0; i < units.length; i++) {
      const foe = units[i];
      if (foe.side === own || foe.hp === 0) continue;
      const steps = distance(unit.at, foe.at, size);
      if (steps <= range) near[count++] = i;
      if (steps < least) {
        goal = foe.at;
        least = steps;
      }
    }
    if (goal < 0)
      for (const cell of marks) {
        const steps = distance(unit.at, cell, size);
        if (steps >= least || used.includes(cell)) continue;
        goal = cell;
        least = steps;
      }
    if (goal < 0) continue;
    // Two units go to two different shards.
    if (count === 0 && marks.length > 1) used.push(goal);
    const order = count > 0 ? stop + 1 + numberOf(aim(count, units, shooter++), units) : towards(unit.at, goal, size);
    if (order !== stop) input[orders++] = (number - 1) * orderCount + order;
  }
  return orders === 0 ? '[all stop]' : answerOf(orders);
}

/** Cached answers by their orders encoded as one number, because the same few answers recur. */
const answers = new Map<number, string>();

function answerOf(orders: number): string {
  let key = 0;
  for (let i = 0; i < orders; i++) key = key * (9 * orderCount) + input[i] + 1;
  const before = orders > mostKept ? undefined : answers.get(key);
  if (before !== undefined) return before;
  const text = `[${Array.from(input.subarray(0, orders), (order) => written[order]).join('; ')}]`;
  if (answers.size > 5000) answers.clear();
  if (orders <= mostKept) answers.set(key, text);
  return text;
}

/** Returns a unit's number within its side, from 0, given its list index. */
function numberOf(place: number, units: readonly Unit[]): number {
  let count = 0;
  for (let i = 0; i < place; i++) if (units[i].side === units[place].side) count++;
  return count;
}

const focus: Script = ({ view }) => ({ text: commandUnits(sightOf(view), weakest) });
const spread: Script = ({ view }) => ({ text: commandUnits(sightOf(view), inTurn) });
const still: Script = () => ({ text: '[all stop]' });

function sightOf(view: View): Sight {
  for (let i = view.seen.length - 1; i >= 0; i--) {
    const item = view.seen[i];
    if (item.kind === 'message' && item.data !== undefined) return item.data as Sight;
  }
  throw new Fault('input', 'This script must see its whole view. Play it without a window.');
}

export const scripts: Readonly<Record<string, Script>> = { focus, spread, still };
