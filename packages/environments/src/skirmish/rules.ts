/** @file Units on a grid: orders, one step of all of them at once, and the layers that a board is seen as. */

import { gridDirections, neighbour } from '../grid.ts';

export type Unit = { readonly side: number; readonly at: number; readonly hp: number };

/** What a unit does: a direction, 4 to stop, 5 and more to attack that unit of the other side, counted from 5. */
export type UnitOrder = number;
export const stop = 4;
const firstTarget = 5;

export const fullHp = 45;
export const damage = 6;

export function distance(a: number, b: number, size: number): number {
  const across = (a % size) - (b % size);
  return Math.abs(across) + Math.abs((a - b - across) / size);
}

/** How many units each side began with: those that are defeated stay in the list. */
export function sizeOf(units: readonly Unit[], side: number): number {
  let count = 0;
  for (let i = 0; i < units.length; i++) if (units[i].side === side) count++;
  return count;
}

/** One order for everyone, such as "all left", or orders by unit, such as "1 left; 2 attack 3"; units without one stop. Null where it is neither. */
export function readOrders(text: string, ownCount: number, enemies: number): readonly UnitOrder[] | null {
  const orders: UnitOrder[] = new Array(ownCount).fill(stop);
  for (const part of text.toLowerCase().split(';')) {
    const [, who, what, target] = /^\s*(all|[1-9]\d?)\s+(left|down|right|up|stop|attack\s+([1-9]\d?))\s*$/.exec(part) ?? [];
    if (who === undefined || what === undefined) return null;
    const order = target !== undefined ? firstTarget + Number(target) - 1 : what === 'stop' ? stop : gridDirections.indexOf(what as 'left');
    if (order - firstTarget >= enemies || (who !== 'all' && Number(who) > ownCount)) return null;
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

/** How many units of each side were looked at: used again by every call. */
const count = new Uint8Array(2);

const [noDamage, noKills]: readonly (readonly number[])[] = [[0, 0], [0, 0]]; // biome-ignore format: two of a kind

/** All attacks at once, on units in range; what is beyond a unit's last point of strength is not counted as damage. */
export function attacks(units: readonly Unit[], orders: readonly (readonly UnitOrder[])[], size: number, range: number): Fought {
  let loss: number[] | undefined;
  count.fill(0);
  for (const unit of units) {
    const order = orders[unit.side]?.[count[unit.side]++] ?? stop;
    if (order < firstTarget || unit.hp === 0) continue;
    const target = placeOf(units, 1 - unit.side, order - firstTarget);
    if (target < 0 || units[target].hp === 0 || distance(unit.at, units[target].at, size) > range) continue;
    loss ??= new Array<number>(units.length).fill(0);
    loss[target] += damage;
  }
  if (loss === undefined) return { units, done: noDamage, kills: noKills };
  const [done, kills] = [
    [0, 0],
    [0, 0],
  ];
  const after = new Array<Unit>(units.length);
  for (let i = 0; i < units.length; i++) {
    const unit = units[i];
    const hp = Math.max(0, unit.hp - loss[i]);
    done[1 - unit.side] += unit.hp - hp;
    if (hp === 0 && unit.hp > 0) kills[1 - unit.side]++;
    after[i] = hp === unit.hp ? unit : { side: unit.side, at: unit.at, hp };
  }
  return { units: after, done, kills };
}

/** Where in the list a side's unit of a number is, or −1. */
function placeOf(units: readonly Unit[], side: number, number: number): number {
  let left = number;
  for (let i = 0; i < units.length; i++) if (units[i].side === side && left-- === 0) return i;
  return -1;
}

/** Units move one after the other, in their order; into a cell that is taken, or over the edge, none goes. */
export function moves(units: readonly Unit[], orders: readonly (readonly UnitOrder[])[], size: number): readonly Unit[] {
  let after: Unit[] | undefined;
  count.fill(0);
  for (let i = 0; i < units.length; i++) {
    const unit = units[i];
    const order = orders[unit.side]?.[count[unit.side]++] ?? stop;
    if (order >= stop || unit.hp === 0) continue;
    const to = neighbour(unit.at, order, size, size);
    if (to < 0 || isTaken(after ?? units, to)) continue;
    after ??= [...units];
    after[i] = { side: unit.side, at: to, hp: unit.hp };
  }
  return after ?? units;
}

function isTaken(units: readonly Unit[], cell: number): boolean {
  for (let i = 0; i < units.length; i++) if (units[i].at === cell && units[i].hp > 0) return true;
  return false;
}

/** What is where: 1 a unit, 2 a beacon, 3 a shard; whose, 1 or 2; and how strong. Row by row. */
export function layersOf(units: readonly Unit[], marks: readonly number[], mark: number, size: number): readonly (readonly number[])[] {
  const empty = emptyLayer(size);
  const [type, owner, hp] = [empty.slice(), empty.slice(), empty.slice()];
  for (const cell of marks) type[cell] = mark;
  for (let i = 0; i < units.length; i++) {
    const unit = units[i];
    if (unit.hp === 0) continue;
    type[unit.at] = 1;
    owner[unit.at] = unit.side + 1;
    hp[unit.at] = unit.hp;
  }
  return [type, owner, hp];
}

const emptyLayers: number[][] = [];

/** Zeros to copy: that is faster than to write them. */
function emptyLayer(size: number): number[] {
  emptyLayers[size] ??= new Array<number>(size * size).fill(0);
  return emptyLayers[size];
}
