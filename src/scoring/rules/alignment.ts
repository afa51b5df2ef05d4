/**
 * @file How well a reading of a dialogue agrees with its labels (Beyond Dialogue): traits, manner, feelings, closeness, type.
 *
 * There the traits to choose from are exactly the true ones, so selecting everything is right: recall is never reported without precision,
 * which distractors among the choices bring down.
 */

import { mean } from './text.ts';

export interface PersonaTraits {
  readonly traits: readonly string[];
  readonly manner: readonly string[];
  /** Feelings by name, from 0 to 10. */
  readonly feelings: Readonly<Record<string, number>>;
  /** How close the two are, from 0 to 10. */
  readonly closeness: number;
  /** Letters of a type, such as INTJ. */
  readonly type: string;
}

export interface Selection {
  readonly recall: number | null;
  readonly precision: number | null;
  /** 0 where nothing true was chosen. */
  readonly f1: number;
}

export function selectionOf(truth: readonly string[], chosen: readonly string[]): Selection {
  const [right, picked] = [new Set(truth), new Set(chosen)];
  const hits = [...picked].filter((one) => right.has(one)).length;
  const share = (of: number) => (of === 0 ? null : hits / of);
  return { recall: share(right.size), precision: share(picked.size), f1: hits === 0 ? 0 : (2 * hits) / (right.size + picked.size) };
}

export interface Alignment {
  readonly traits: Selection;
  readonly manner: Selection;
  /** Mean distances on scales of 0 to 10, as shares of the scale: less is better. */
  readonly feelings: number | null;
  readonly closeness: number;
  /** The share of letters that are right. */
  readonly type: number | null;
  /** The mean of the five, each so that more is better; null where one of them is missing. */
  readonly mean: number | null;
}

export function alignmentOf(truth: PersonaTraits, found: PersonaTraits): Alignment {
  const traits = selectionOf(truth.traits, found.traits);
  const manner = selectionOf(truth.manner, found.manner);
  // A feeling that was not read is as far off as can be.
  const apart = Object.entries(truth.feelings).map(([name, level]) => {
    const read = Object.hasOwn(found.feelings, name) ? found.feelings[name] : undefined;
    return read === undefined ? 1 : Math.abs(level - read) / 10;
  });
  const feelings = mean(apart);
  const closeness = Math.abs(truth.closeness - found.closeness) / 10;
  const type = mean([...truth.type].map((letter, i) => (letter === found.type[i] ? 1 : 0)));
  const five = [traits.recall, manner.recall, feelings === null ? null : 1 - feelings, 1 - closeness, type];
  const known = five.filter((value) => value !== null);
  return { traits, manner, feelings, closeness, type, mean: known.length < five.length ? null : mean(known) };
}
