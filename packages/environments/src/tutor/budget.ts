/**
 * @file Help on a budget: selects the items to explain, based on what the student would do with and without an explanation.
 *
 * After Saha et al. (2023), "Can Language Models Teach Weaker Agents?": the utility of an explanation is the increase in the probability of
 * a right answer. The most useful items are neither those the student is worst at nor those it is best at afterward.
 */

import { Fault, isObject, type Json, type Rng } from '@ludus-agents/kernel/internal/core/index';

/** The probability of a right answer without and with an explanation. */
export type TutorItem = readonly [alone: number, helped: number];

const alone = [0.1, 0.3, 0.5, 0.7, 0.9] as const;
const gains = [0, 0.2, 0.4] as const;

const tutorItems: readonly TutorItem[] = alone.flatMap((p) => gains.map((gain) => [p, Math.min(0.95, round(p + gain))] as const));

export function drawItem(rng: Rng): TutorItem {
  return rng.pick(tutorItems);
}

export function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

/** Parses items: pairs of probabilities. */
export function readItems(input: Json): readonly TutorItem[] {
  if (!Array.isArray(input)) throw refuseItem(input);
  return input.map((item): TutorItem => {
    if (!Array.isArray(item) || item.length !== 2 || item.some((p) => typeof p !== 'number' || !(p >= 0 && p <= 1))) throw refuseItem(item);
    return [item[0] as number, item[1] as number];
  });
}

function refuseItem(value: Json): Fault {
  const text = isObject(value) || Array.isArray(value) ? JSON.stringify(value).slice(0, 80) : String(value);
  return new Fault('input', `tutor: "items" must be a list of pairs of probabilities such as [[0.2, 0.9]], but has ${text}.`);
}

/** Rules that rank items for an explanation. */
export const rankings = {
  utility: ([p0, p1]: TutorItem) => p1 - p0,
  weakest: ([p0]: TutorItem) => -p0,
  surest: ([, p1]: TutorItem) => p1,
} as const;

/** Returns the items that a rule explains: the highest ranked, the earlier one in a tie. */
export function chooseExplained(rank: (item: TutorItem) => number, items: readonly TutorItem[], budget: number): ReadonlySet<number> {
  const order = items.map((item, i) => [rank(item), i] as const).sort(([a, i], [b, j]) => b - a || i - j);
  return new Set(order.slice(0, budget).map(([, i]) => i));
}

/** Returns the expected share of right answers if these items are explained. */
export function expectedShare(items: readonly TutorItem[], explained: ReadonlySet<number>): number {
  return items.reduce((sum, [p0, p1], i) => sum + (explained.has(i) ? p1 : p0), 0) / items.length;
}

const values = new Map<string, number>();

/**
 * Returns the expected number of right answers from `left` random items seen one by one, with `budget` explanations, under optimal
 * decisions.
 */
export function onlineValue(left: number, budget: number): number {
  if (left === 0) return 0;
  const key = `${left} ${budget}`;
  let value = values.get(key);
  if (value === undefined) {
    const skip = onlineValue(left - 1, budget);
    const explain = budget > 0 ? onlineValue(left - 1, budget - 1) : Number.NEGATIVE_INFINITY;
    value = tutorItems.reduce((sum, [p0, p1]) => sum + Math.max(p0 + skip, p1 + explain), 0) / tutorItems.length;
    values.set(key, value);
  }
  return value;
}

/** Returns whether explaining the item now is optimal, with `left` items to come after it. */
export function isWorth([p0, p1]: TutorItem, left: number, budget: number): boolean {
  return budget > 0 && p1 + onlineValue(left, budget - 1) > p0 + onlineValue(left, budget);
}
