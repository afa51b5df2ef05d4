/** @file One tick of a kitchen: first the cooks that use a station, then those that move, then the pots. */

import type { KitchenLayout } from './layout.ts';

/** Actions of a cook in a tick: the four grid directions, then these. */
export const stay = 4;
export const interact = 5;

/** Items that can be held or put on a counter. A thin soup has fewer than three onions and earns no reward. */
export const heldItems = ['nothing', 'an onion', 'a dish', 'a soup', 'a thin soup'] as const;
export const [nothing, onion, dish, soup, thinSoup] = [0, 1, 2, 3, 4] as const;

const cookingTicks = 20;
const size = 3;
/** A pot is a number: the count of onions before cooking, or, from 4 on, (onions − 1) × 21 + ticks cooked. */
const span = cookingTicks + 1;

export const isCooking = (pot: number) => pot > size;
export const onionsIn = (pot: number) => (pot > size ? Math.floor((pot - size - 1) / span) + 1 : pot);
/** Ticks until a cooking soup is ready, or 0 if it is. */
export const ticksToGo = (pot: number) => cookingTicks - ((pot - size - 1) % span);
const isReady = (pot: number) => pot > size && ticksToGo(pot) === 0;
const cooks = (onions: number) => size + 1 + (onions - 1) * span;
export const takesOnion = (pot: number) => pot < size;
export const isFull = (pot: number) => pot === size;

/** The changing part of a kitchen. Lists are by cook, by pot, and by counter. */
export type Scene = {
  readonly at: readonly number[];
  readonly facing: readonly number[];
  readonly hands: readonly number[];
  readonly pots: readonly number[];
  readonly items: readonly number[];
};

export interface TickRules {
  /** A full pot starts cooking by itself. Otherwise, a cook with empty hands must start it. */
  readonly selfStarting: boolean;
  /** Items can be put down on counters. */
  readonly counters: boolean;
}

interface Tick {
  readonly scene: Scene;
  /** The number of three-onion soups served. */
  readonly served: number;
  /** By cook: the shaping reward for an onion in a pot (3), a dish when one is needed (3), and a soup taken out (5). */
  readonly shaped: readonly number[];
}

const none: readonly number[] = [0, 0];

export function firstScene({ starts, pots, counters }: KitchenLayout): Scene {
  return {
    at: starts,
    facing: starts.map(() => 3),
    hands: starts.map(() => nothing),
    pots: pots.map(() => 0),
    items: counters.map(() => nothing),
  };
}

export function tick(layout: KitchenLayout, scene: Scene, acts: readonly number[], rules: TickRules): Tick {
  let { hands, pots, items } = scene;
  let shaped = none;
  let served = 0;
  for (let i = 0; i < acts.length; i++) {
    if (acts[i] !== interact) continue;
    const station = layout.beside[scene.at[i] * 4 + scene.facing[i]];
    const hand = hands[i];
    const take = (item: number) => {
      hands = hands.with(i, item);
    };
    const pay = (amount: number) => {
      shaped = shaped.with(i, shaped[i] + amount);
    };
    switch (layout.cells[station]) {
      case 'O':
        if (hand === nothing) take(onion);
        break;
      case 'D':
        if (hand !== nothing) break;
        if (hands.filter((hand) => hand === dish).length < pots.filter((pot) => isCooking(pot) || isFull(pot)).length) pay(3);
        take(dish);
        break;
      case 'S':
        if (hand !== soup && hand !== thinSoup) break;
        if (hand === soup) served++;
        take(nothing);
        break;
      case 'X': {
        if (!rules.counters) break;
        const counter = layout.index[station];
        const lies = items[counter];
        if ((hand === nothing) === (lies === nothing)) break;
        items = items.with(counter, hand);
        take(lies);
        break;
      }
      case 'P': {
        const which = layout.index[station];
        const pot = pots[which];
        if (hand === onion && takesOnion(pot)) {
          pots = pots.with(which, pot + 1);
          take(nothing);
          pay(3);
        } else if (hand === dish && isReady(pot)) {
          take(onionsIn(pot) === size ? soup : thinSoup);
          pots = pots.with(which, 0);
          pay(5);
        } else if (hand === nothing && !rules.selfStarting && pot > 0 && !isCooking(pot)) pots = pots.with(which, cooks(pot));
        break;
      }
    }
  }
  const { at, facing } = moveCooks(layout, scene, acts);
  return { scene: { at, facing, hands, pots: cookPots(pots, rules), items }, served, shaped };
}

/** Cooks that want the same cell or each other's cell both stay. All cooks turn in the direction of their move. */
function moveCooks(layout: KitchenLayout, { at, facing }: Scene, acts: readonly number[]): Pick<Scene, 'at' | 'facing'> {
  if (acts.every((act) => act >= stay)) return { at, facing };
  const turned = facing.map((direction, i) => (acts[i] < stay ? acts[i] : direction));
  const to = at.map((cell, i) => {
    const next = acts[i] < stay ? layout.beside[cell * 4 + acts[i]] : cell;
    return layout.cells[next] === ' ' ? next : cell;
  });
  const meet = to.length === 2 && (to[0] === to[1] || (to[0] === at[1] && to[1] === at[0]));
  return { at: meet ? at : to, facing: turned };
}

function cookPots(pots: readonly number[], { selfStarting }: TickRules): readonly number[] {
  let after = pots;
  for (let i = 0; i < pots.length; i++) {
    let pot = pots[i];
    if (selfStarting && isFull(pot)) pot = cooks(size);
    if (isCooking(pot) && ticksToGo(pot) > 0) pot++;
    if (pot !== pots[i]) after = after.with(i, pot);
  }
  return after;
}
