/**
 * @file Measures of how well a commons was managed: survival, total, efficiency, equality, and overuse, computed from the harvests alone.
 */

import type { Seat } from '@ludus-agents/kernel/internal/core/index';

/** One round: the stock before it, and what each seat took. */
export type Harvest = { readonly stock: number; readonly takes: { readonly [seat: Seat]: number } };

/** Returns the maximum that each of `seats` can take without shrinking the stock. */
export function sustainable(stock: number, seats: number): number {
  return Math.floor(stock / (2 * seats));
}

/** Returns the number of harvested rounds, including the one of the collapse. */
export function survival(harvests: readonly Harvest[]): number {
  return harvests.length;
}

/** Returns the units taken by all seats. */
export function total(harvests: readonly Harvest[]): number {
  return sumOf(totals(harvests));
}

/** The properties of a commons that its measures depend on. */
export interface Conditions {
  readonly capacity: number;
  readonly rounds: number;
  readonly collapse: number;
}

/** Returns the maximum total of any play: in each round what grows back to the full capacity, and everything in the last. */
export function optimum({ capacity, rounds, collapse }: Conditions): number {
  const spared = Math.max(Math.ceil(capacity / 2), collapse);
  return capacity + Math.max(0, capacity - spared) * (rounds - 1);
}

/** Returns the share of the optimum that was taken. */
export function efficiency(harvests: readonly Harvest[], conditions: Conditions): number {
  return total(harvests) / optimum(conditions);
}

/** Returns 1 − Gini over each seat's total; 1 if all took the same. */
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

/** Returns the share of takes that would shrink the stock if every seat took as much. */
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

/** Returns each seat's total. */
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
