/** @file Units on a grid: orders, one simultaneous step of all units, and the layers that represent a board. */

import { gridDirections, neighbour } from '../grid.ts';

export type Unit = { readonly side: number; readonly at: number; readonly hp: number };

/** An order to a unit: a direction, 4 to stop, or 5 + n to attack unit n of the other side. */
export type UnitOrder = number;
export const stop = 4;
const firstTarget = 5;

export const fullHp = 45;
export const damage = 6;

export function distance(a: number, b: number, size: number): number {
  const across = (a % size) - (b % size);
  return Math.abs(across) + Math.abs((a - b - across) / size);
}

/** Returns the initial number of units on a side. Defeated units stay in the list. */
export function sizeOf(units: readonly Unit[], side: number): number {
  let count = 0;
  for (let i = 0; i < units.length; i++) if (units[i].side === side) count++;
  return count;
}

/**
 * Parses one order for all units, such as "all left", or orders by unit, such as "1 left; 2 attack 3". Units without an order stop. Returns
 * null if the text is neither.
 */
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
  /** By side: damage dealt and units defeated. */
  readonly done: readonly number[];
  readonly kills: readonly number[];
}

/** A reused buffer: the number of units seen so far on each side. */
const count = new Uint8Array(2);

const [noDamage, noKills]: readonly (readonly number[])[] = [[0, 0], [0, 0]]; // biome-ignore format: two of a kind

/** Applies all attacks on units in range at once. Damage beyond a unit's remaining strength is not counted. */
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

/** Returns the list index of a side's unit by its number, or −1. */
function placeOf(units: readonly Unit[], side: number, number: number): number {
  let left = number;
  for (let i = 0; i < units.length; i++) if (units[i].side === side && left-- === 0) return i;
  return -1;
}

/** Moves units one by one, in order. No unit moves into an occupied cell or over the edge. */
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

/** Returns the layers of the board, row by row: type (1 a unit, 2 a beacon, 3 a shard), side (1 or 2), and strength. */
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

/** A row of zeros to copy, which is faster than filling. */
function emptyLayer(size: number): number[] {
  emptyLayers[size] ??= new Array<number>(size * size).fill(0);
  return emptyLayers[size];
}
