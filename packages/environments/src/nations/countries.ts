/** @file Eight fictional nations with their factors and dispositions, and the effects of a day of acts on them. */

import type { Seat } from '@ludus-agents/kernel/internal/core/index';
import { acts, type Factor, type FactorChange, factors } from './acts.ts';

export type Levels = { readonly [F in Factor]: number };
export type WorldLevels = { readonly [nation: Seat]: Levels };

export interface Disposition {
  readonly rule: 'democracy' | 'autocracy';
  /** From 0 to 10. */
  readonly aggression: number;
  readonly force: number;
}

/** An act of a day: actor, act, and target. */
export type Deed = { readonly by: Seat; readonly act: string; readonly target: Seat | null };

/** The rule of government, aggression, readiness to use force; then the factors in order. */
const table = `
purple D 2 6 5 6 37.6 10 10 10 447 10 10 0
white D 4 6 2 6 6 10 8 10 67 10 10 10
pink D 2 4 1 4 2.6 8 6 8 23.5 8 8 0
red A 6 10 6 10 34 10 10 10 1400 6 10 10
yellow D 4 6 3 7 20 8 8 8 1380 6 8 10
blue D 8 10 7 10 42 10 10 10 332 10 10 10
green D 2 6 3 6 6.2 8 6 8 213 6 6 0
orange A 10 10 7 6 10 6 6 6 143 5 7 10
`;

const rows = table
  .trim()
  .split('\n')
  .map((line) => line.split(' '));

export const nations: readonly Seat[] = rows.map(([name]) => name!);

export const startLevels: WorldLevels = Object.fromEntries(
  rows.map(([name, , , , ...numbers]) => [name!, Object.fromEntries(factors.map((factor, i) => [factor, Number(numbers[i])])) as Levels]),
);

export const dispositions: Readonly<Record<Seat, Disposition>> = Object.fromEntries(
  rows.map(([name, rule, aggression, force]) => [
    name!,
    { rule: rule === 'D' ? 'democracy' : 'autocracy', aggression: Number(aggression), force: Number(force) },
  ]),
);

/** GDP and population have no upper limit; nuclear arms always have one. */
const unbounded: readonly boolean[] = factors.map((factor) => factor === 'G' || factor === 'N');
const nuclear = factors.indexOf('K');

const indexChanges = (changes: readonly FactorChange[]) =>
  changes.map(({ factor, by, share }) => [factors.indexOf(factor), by, share] as const);
/** Effects by factor index, because this runs in every step. */
const effects = new Map(Object.values(acts).map(({ name, self, target }) => [name, [indexChanges(self), indexChanges(target)] as const]));

function numbersOf({ L, M, G, T, R, P, N, S, C, K }: Levels): readonly number[] {
  return [L, M, G, T, R, P, N, S, C, K];
}

/** Reads by index, because destructuring a list costs an iterator. */
function levelsOf(of: readonly number[]): Levels {
  return { L: of[0], M: of[1], G: of[2], T: of[3], R: of[4], P: of[5], N: of[6], S: of[7], C: of[8], K: of[9] };
}

/**
 * Returns the world after a day. All changes to a nation are summed before clamping to 0 to 10; otherwise, the order of the acts would
 * change the result.
 */
export function afterDay(world: WorldLevels, deeds: readonly Deed[], clamp: boolean): WorldLevels {
  const sums: (number[] | undefined)[] = new Array(nations.length).fill(undefined);
  for (const { by, act, target } of deeds) {
    const effect = effects.get(act)!;
    addChanges(sums, world, by, effect[0]);
    if (target !== null) addChanges(sums, world, target, effect[1]);
  }
  const next: Record<Seat, Levels> = { ...world };
  for (let nation = 0; nation < nations.length; nation++) {
    const sum = sums[nation];
    if (sum === undefined) continue;
    const name = nations[nation];
    const numbers = numbersOf(world[name]);
    for (let i = 0; i < sum.length; i++) {
      const value = Math.max(0, numbers[i] + sum[i]);
      sum[i] = sum[i] === 0 ? numbers[i] : i === nuclear || (clamp && !unbounded[i]) ? Math.min(10, value) : value;
    }
    next[name] = levelsOf(sum);
  }
  return next;
}

/** Adds the effects of an act on a nation to its other changes of the day. */
function addChanges(
  sums: (number[] | undefined)[],
  world: WorldLevels,
  nation: Seat,
  changes: readonly (readonly [place: number, by: number, share: boolean])[],
): void {
  if (changes.length === 0) return;
  const index = nations.indexOf(nation);
  const sum = sums[index] ?? [0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  sums[index] = sum;
  for (let i = 0; i < changes.length; i++) {
    const change = changes[i];
    const place = change[0];
    sum[place] = sum[place] + (change[2] ? world[nation][factors[place]] * change[1] : change[1]);
  }
}

/** Returns a nation's score: the mean of the factors on a scale of ten, and the growth of GDP and population in tens of percent. */
export function standing(nation: Seat, { L, M, T, R, P, S, C, G, N }: Levels): number {
  const start = startLevels[nation];
  return (L + M + T + R + P + S + C) / 7 + 10 * (G / start.G - 1) + 10 * (N / start.N - 1);
}
