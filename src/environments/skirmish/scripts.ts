/** @file Commanders of skirmishes: one that marches to what pays and aims together, one that spreads its fire, and one that stands still. */

import { Fault, type Script, type View } from '../../core/index.ts';
import { gridDirections } from '../grid.ts';
import { distance, type Order, stop, type Unit, unitsOf } from './rules.ts';

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

type Aim = (foes: readonly number[], units: readonly Unit[], shooter: number) => number;

/** The weakest, then the first. */
const weakest: Aim = (foes, units) => foes.reduce((best, one) => (units[one]!.hp < units[best]!.hp ? one : best));

/** One after the other. */
const inTurn: Aim = (foes, _, shooter) => foes[shooter % foes.length]!;

function commandUnits({ own, size, range, units, marks }: Sight, aim: Aim): string {
  const enemies = unitsOf(units, 1 - own);
  const alive = enemies.filter((one) => units[one]!.hp > 0);
  const taken = new Set<number>();
  let shooter = 0;
  const orders = unitsOf(units, own).flatMap((place, i) => {
    const unit = units[place]!;
    if (unit.hp === 0) return [];
    const near = alive.filter((one) => distance(unit.at, units[one]!.at, size) <= range);
    if (near.length > 0) return [`${i + 1} attack ${enemies.indexOf(aim(near, units, shooter++)) + 1}`];
    const goals = alive.length > 0 ? alive.map((one) => units[one]!.at) : marks.filter((cell) => !taken.has(cell));
    if (goals.length === 0) return [];
    const goal = goals.reduce((best, one) => (distance(unit.at, one, size) < distance(unit.at, best, size) ? one : best));
    // Two units go to two shards.
    if (marks.length > 1) taken.add(goal);
    const order = towards(unit.at, goal, size);
    return order === stop ? [] : [`${i + 1} ${gridDirections[order]}`];
  });
  return orders.length === 0 ? '[all stop]' : `[${orders.join('; ')}]`;
}

const focus: Script = ({ view }) => ({ text: commandUnits(sightOf(view), weakest) });
const spread: Script = ({ view }) => ({ text: commandUnits(sightOf(view), inTurn) });
const still: Script = () => ({ text: '[all stop]' });

function sightOf(view: View): Sight {
  const last = view.seen.findLast((item) => item.kind === 'message' && item.data !== undefined);
  if (last?.kind !== 'message') throw new Fault('input', 'This script must see its whole view; play it without a window.');
  return last.data as unknown as Sight;
}

export const scripts: Readonly<Record<string, Script>> = { focus, spread, still };
