/** @file Units on a grid: orders, one step of all of them at once, and the layers that a board is seen as. */

import { gridDirections, neighbour } from '../grid.ts';

export type Unit = { readonly side: number; readonly at: number; readonly hp: number };

/** What a unit does: a direction, 4 to stop, 5 and more to attack that unit of the other side, counted from 5. */
export type Order = number;
export const stop = 4;
const firstTarget = 5;

export const fullHp = 45;
export const damage = 6;

export function distance(a: number, b: number, size: number): number {
  return Math.abs((a % size) - (b % size)) + Math.abs(Math.floor(a / size) - Math.floor(b / size));
}

/** The units of a side with their places in the whole list. */
export function unitsOf(units: readonly Unit[], side: number): readonly number[] {
  const found: number[] = [];
  for (let i = 0; i < units.length; i++) if (units[i]!.side === side) found.push(i);
  return found;
}

/** One order for everybody, such as "all left", or orders by unit, such as "1 left; 2 attack 3"; units without one stop. Null where it is neither. */
export function readOrders(text: string, own: number, enemies: number): readonly Order[] | null {
  const key = `${own} ${enemies} ${text}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const orders = parseOrders(text, own, enemies);
  if (known.size >= mostKnown) known.clear();
  if (text.length < 200) known.set(key, orders);
  return orders;
}

/** The same few orders are given again and again. */
const known = new Map<string, readonly Order[] | null>();
const mostKnown = 2000;

function parseOrders(text: string, own: number, enemies: number): readonly Order[] | null {
  const orders: Order[] = new Array(own).fill(stop);
  for (const part of text.toLowerCase().split(';')) {
    const [, who, what, target] = /^\s*(all|[1-9]\d?)\s+(left|down|right|up|stop|attack\s+([1-9]\d?))\s*$/.exec(part) ?? [];
    if (who === undefined || what === undefined) return null;
    const order = target !== undefined ? firstTarget + Number(target) - 1 : what === 'stop' ? stop : gridDirections.indexOf(what as 'left');
    if (order - firstTarget >= enemies || (who !== 'all' && Number(who) > own)) return null;
    if (who === 'all') orders.fill(order);
    else orders[Number(who) - 1] = order;
  }
  return orders;
}

interface Fought {
  readonly units: readonly Unit[];
  /** By side: damage done and units defeated. */
  readonly done: readonly number[];
  readonly kills: readonly number[];
}

/** All attacks at once, on units in range; what is beyond a unit's last point of strength is not counted as damage. */
export function attacks(units: readonly Unit[], orders: readonly (readonly Order[])[], size: number, range: number): Fought {
  const loss = units.map(() => 0);
  const sides = [unitsOf(units, 0), unitsOf(units, 1)];
  for (const side of [0, 1])
    for (const [i, place] of sides[side]!.entries()) {
      const target = sides[1 - side]![(orders[side]?.[i] ?? stop) - firstTarget];
      if (target === undefined || units[place]!.hp === 0 || units[target]!.hp === 0) continue;
      if (distance(units[place]!.at, units[target]!.at, size) <= range) loss[target]! += damage;
    }
  if (loss.every((one) => one === 0)) return { units, done: [0, 0], kills: [0, 0] };
  const [done, kills] = [
    [0, 0],
    [0, 0],
  ];
  const after = units.map((unit, i): Unit => {
    if (loss[i] === 0) return unit;
    const hp = Math.max(0, unit.hp - loss[i]!);
    done[1 - unit.side]! += unit.hp - hp;
    if (hp === 0) kills[1 - unit.side]!++;
    return { ...unit, hp };
  });
  return { units: after, done, kills };
}

/** Units move one after the other, in their order; into a cell that is taken, or over the edge, none goes. */
export function moves(units: readonly Unit[], orders: readonly (readonly Order[])[], size: number): readonly Unit[] {
  const after = [...units];
  const count = [0, 0];
  for (const [i, unit] of units.entries()) {
    const order = orders[unit.side]?.[count[unit.side]!++] ?? stop;
    if (order >= stop || unit.hp === 0) continue;
    const to = neighbour(unit.at, order, size, size);
    if (to >= 0 && after.every((other) => other.hp === 0 || other.at !== to)) after[i] = { ...unit, at: to };
  }
  return after;
}

/** What is where: 1 a unit, 2 a beacon, 3 a shard; whose, 1 or 2; and how strong. Row by row. */
export function layersOf(units: readonly Unit[], marks: readonly number[], mark: number, size: number): readonly (readonly number[])[] {
  const type: number[] = new Array(size * size).fill(0);
  const owner: number[] = new Array(size * size).fill(0);
  const hp: number[] = new Array(size * size).fill(0);
  for (const cell of marks) type[cell] = mark;
  for (const unit of units) {
    if (unit.hp === 0) continue;
    type[unit.at] = 1;
    owner[unit.at] = unit.side + 1;
    hp[unit.at] = unit.hp;
  }
  return [type, owner, hp];
}
