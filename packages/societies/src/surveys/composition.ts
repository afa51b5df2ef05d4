/** @file Who answered, next to the people they stand for: shares of the attributes that both files have. */

import { standardisedDifference } from '@ludus-agents/agents/internal/personas/index';
import type { AnswerRow } from './answers.ts';
import type { HumanPerson } from './human.ts';

export interface CompositionRow {
  readonly attribute: string;
  /** Standardised difference over all values; above 0.1 is worth a look. Null where one file has values that the other lacks entirely. */
  readonly difference: number | null;
  /** How many people of equal weight each file is worth (Kish). */
  readonly sizes: { readonly synthetic: number; readonly people: number };
  readonly values: readonly { readonly value: string; readonly synthetic: number; readonly people: number }[];
}

function sizeOf(people: readonly { readonly weight: number }[]): number {
  const total = people.reduce((sum, { weight }) => sum + weight, 0);
  return total ** 2 / (people.reduce((sum, { weight }) => sum + weight ** 2, 0) || 1);
}

/** Weighted shares of every attribute that both have. */
export function compositionOf(synthetic: readonly (readonly AnswerRow[])[], people: readonly HumanPerson[]): readonly CompositionRow[] {
  return Object.keys(people[0]?.attributes ?? {}).map((attribute) => {
    const answered = synthetic.flatMap(([row]) =>
      row === undefined ? [] : [{ value: row.attributes[attribute] ?? '', weight: row.weight }],
    );
    const real = people.map(({ attributes, weight }) => ({ value: attributes[attribute] ?? '', weight }));
    const values = [...new Set([...answered, ...real].map(({ value }) => value))].sort();
    const shares = (list: readonly { readonly value: string; readonly weight: number }[]) => {
      const total = list.reduce((sum, { weight }) => sum + weight, 0);
      return values.map((value) => list.reduce((sum, item) => (item.value === value ? sum + item.weight : sum), 0) / (total || 1));
    };
    const [ownItems, theirs] = [shares(answered), shares(real)];
    const difference = standardisedDifference(ownItems, theirs);
    return {
      attribute,
      difference: Number.isFinite(difference) ? difference : null,
      sizes: { synthetic: sizeOf(answered), people: sizeOf(real) },
      values: values.map((value, i) => ({ value, synthetic: ownItems[i], people: theirs[i] })),
    };
  });
}
