/** @file Orders: multi-tick instructions for a cook, carried out as single actions along the shortest path, replanned every tick. */

import { inReach, type KitchenLayout, waysTo } from './layout.ts';
import type { Scene } from './tick.ts';
import { dish, interact, isCooking, isFull, nothing, onion, onionsIn, soup, stay, takesOnion, thinSoup, ticksToGo } from './tick.ts';

export const orderNames = ['fetch onion', 'fetch dish', 'fetch soup', 'fill', 'cook', 'plate', 'serve', 'drop', 'step aside'] as const;

export type OrderName = (typeof orderNames)[number];

/** Returns the stations at which an order can be carried out now. Empty if it cannot. */
export function stationsFor(layout: KitchenLayout, scene: Scene, cook: number, order: OrderName): readonly number[] {
  const hand = scene.hands[cook];
  const pots = (fits: (pot: number) => boolean) => layout.pots.filter((_, i) => fits(scene.pots[i]));
  const lying = (item: number) => layout.counters.filter((_, i) => scene.items[i] === item);
  const full = hand !== nothing;
  // Items on counters may be meant for the partner, so they are taken only if there is no other source.
  const sources = (stock: readonly number[], item: number) =>
    stock.some((station) => inReach(layout, scene.at[cook], station)) ? stock : lying(item);
  switch (order) {
    case 'fetch onion':
      return full ? [] : sources(layout.onions, onion);
    case 'fetch dish':
      return full ? [] : sources(layout.dishes, dish);
    case 'fetch soup':
      return full ? [] : lying(soup);
    case 'fill':
      return hand === onion ? pots(takesOnion) : [];
    case 'cook':
      return full ? [] : [...pots(isFull), ...pots((pot) => !isCooking(pot) && !isFull(pot) && onionsIn(pot) > 0)].slice(0, 1);
    case 'plate':
      return hand === dish ? soonest(layout, scene) : [];
    case 'serve':
      return hand === soup || hand === thinSoup ? layout.serving : [];
    case 'drop':
      return full ? handing(layout, scene, cook) : [];
    case 'step aside':
      return [];
  }
}

/** Returns the pots, soonest ready first. */
function soonest({ pots }: KitchenLayout, scene: Scene): readonly number[] {
  const least = Math.min(...scene.pots.map((pot) => (isCooking(pot) ? ticksToGo(pot) : Infinity)));
  return pots.filter((_, i) => isCooking(scene.pots[i]) && ticksToGo(scene.pots[i]) === least);
}

/** Returns the free counters. Those that reach a partner who cannot come here are first. */
function handing(layout: KitchenLayout, { at, items }: Scene, cook: number): readonly number[] {
  const free = layout.counters.filter((_, i) => items[i] === nothing);
  const partner = at[1 - cook];
  if (partner === undefined || layout.part[partner] === layout.part[at[cook]]) return free;
  const shared = free.filter((station) => inReach(layout, partner, station) && inReach(layout, at[cook], station));
  return shared.length > 0 ? shared : free;
}

/** Returns the next action of an order, or null if it cannot be carried out. */
export function actFor(layout: KitchenLayout, scene: Scene, cook: number, order: OrderName): number | null {
  if (order === 'step aside') return aside(layout, scene, cook);
  const from = scene.at[cook];
  const partner = scene.at[1 - cook] ?? -1;
  const stations = stationsFor(layout, scene, cook, order);
  const direct = nearest(layout, stations, from, -1);
  const round = partner < 0 ? direct : nearest(layout, stations, from, partner);
  // A long detour costs more than waiting for the partner to move on, and two cooks who both turn back would do so forever.
  const isRound = round.station >= 0 && round.length <= direct.length + longestDetour;
  const { station, length } = isRound ? round : direct;
  if (station < 0) return null;
  if (length > 0) return stepDown(layout, waysTo(layout, station, isRound ? partner : -1), from);
  const direction = [0, 1, 2, 3].find((way) => layout.beside[from * 4 + way] === station)!;
  if (scene.facing[cook] !== direction) return direction;
  const pot = layout.cells[station] === 'P' ? scene.pots[layout.index[station]] : 0;
  return order === 'plate' && ticksToGo(pot) > 0 ? stay : interact;
}

const longestDetour = 3;

function nearest(layout: KitchenLayout, stations: readonly number[], from: number, blocked: number) {
  let [length, station] = [Infinity, -1];
  for (const otherStation of stations) {
    const way = waysTo(layout, otherStation, blocked)[from];
    if (way >= 0 && way < length) [length, station] = [way, otherStation];
  }
  return { length, station };
}

function stepDown({ beside }: KitchenLayout, ways: Int32Array, from: number): number {
  for (let direction = 0; direction < 4; direction++) {
    const next = beside[from * 4 + direction];
    if (next >= 0 && ways[next] >= 0 && ways[next] < ways[from]) return direction;
  }
  return stay;
}

/** Returns a step to the free cell that is farthest from the partner, or no step. */
function aside(layout: KitchenLayout, { at }: Scene, cook: number): number {
  const partner = at[1 - cook];
  if (partner === undefined) return stay;
  const { columns, cells, beside } = layout;
  const away = (cell: number) =>
    Math.abs((cell % columns) - (partner % columns)) + Math.abs(Math.floor(cell / columns) - Math.floor(partner / columns));
  let [best, act] = [away(at[cook]), stay];
  for (let direction = 0; direction < 4; direction++) {
    const next = beside[at[cook] * 4 + direction];
    if (cells[next] === ' ' && next !== partner && away(next) > best) [best, act] = [away(next), direction];
  }
  return act;
}

/** Resolves two orders that block each other, which would otherwise never end: the second cook steps aside. */
export function givingWay(layout: KitchenLayout, scene: Scene, acts: readonly (number | null)[]): readonly (number | null)[] {
  const to = scene.at.map((cell, i) => {
    const act = acts[i] ?? stay;
    const next = act < stay ? layout.beside[cell * 4 + act] : cell;
    return layout.cells[next] === ' ' ? next : cell;
  });
  const meet = to.length === 2 && (to[0] === to[1] || (to[0] === scene.at[1] && to[1] === scene.at[0]));
  return meet ? [acts[0], aside(layout, scene, 1)] : acts;
}
