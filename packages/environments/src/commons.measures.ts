/** @file How well a commons was kept: survival, total, efficiency, equality and over-use, each from the harvests alone. */

import type { Seat } from '@ludus-agents/kernel/internal/core/index';

/** One round: the stock before it and what each seat took. */
export type Harvest = { readonly stock: number; readonly takes: { readonly [seat: Seat]: number } };

/** The most that each of `seats` can take without the stock shrinking. */
export function sustainable(stock: number, seats: number): number {
  return Math.floor(stock / (2 * seats));
}

/** Rounds that were harvested, the one of the collapse among them. */
export function survival(harvests: readonly Harvest[]): number {
  return harvests.length;
}

/** Units taken by all. */
export function total(harvests: readonly Harvest[]): number {
  return sumOf(totals(harvests));
}

/** What a commons is like, as far as its measures go. */
export interface Conditions {
  readonly capacity: number;
  readonly rounds: number;
  readonly collapse: number;
}

/** The most that any play can take: each round as much as grows back to the full, and everything in the last. */
export function optimum({ capacity, rounds, collapse }: Conditions): number {
  const spared = Math.max(Math.ceil(capacity / 2), collapse);
  return capacity + Math.max(0, capacity - spared) * (rounds - 1);
}

/** The share of the optimum that was taken. */
export function efficiency(harvests: readonly Harvest[], conditions: Conditions): number {
  return total(harvests) / optimum(conditions);
}

/** 1 − Gini over what each seat took in all: 1 when all took the same. */
export function equality(harvests: readonly Harvest[]): number {
  return equalityOf(totals(harvests));
}

function equalityOf(amounts: readonly number[]): number {
  const sum = sumOf(amounts);
  if (sum === 0) return 1;
  let apart = 0;
  for (const a of amounts) for (const b of amounts) apart += Math.abs(a - b);
  return 1 - apart / (2 * amounts.length * sum);
}

/** The share of takes that, taken by all, would shrink the stock. */
export function overuse(harvests: readonly Harvest[]): number {
  let all = 0;
  let over = 0;
  for (const { stock, takes } of harvests) {
    const amounts = Object.values(takes);
    all += amounts.length;
    for (const amount of amounts) if (amount > stock / (2 * amounts.length)) over++;
  }
  return all === 0 ? 0 : over / all;
}

export function measuresOf(harvests: readonly Harvest[], conditions: Conditions) {
  const amounts = totals(harvests);
  const sum = sumOf(amounts);
  return {
    survival: survival(harvests),
    total: sum,
    efficiency: sum / optimum(conditions),
    equality: equalityOf(amounts),
    overuse: overuse(harvests),
  };
}

/** What each seat took in all. */
function totals(harvests: readonly Harvest[]): readonly number[] {
  const sums: Record<Seat, number> = {};
  for (const { takes } of harvests) for (const seat in takes) sums[seat] = (sums[seat] ?? 0) + takes[seat];
  return Object.values(sums);
}

function sumOf(amounts: readonly number[]): number {
  let sum = 0;
  for (const amount of amounts) sum += amount;
  return sum;
}
