/** @file The composition of respondents compared with the people they represent: shares of the attributes that both files contain. */

import { standardisedDifference } from '@ludus-agents/agents/internal/personas/index';
import type { AnswerRow } from './answers.ts';
import type { HumanPerson } from './human.ts';

export interface CompositionRow {
  readonly attribute: string;
  /** Standardized difference over all values; above 0.1 is notable. Null if one file has values that the other lacks entirely. */
  readonly difference: number | null;
  /** The effective sample size of each file (Kish). */
  readonly sizes: { readonly synthetic: number; readonly people: number };
  readonly values: readonly { readonly value: string; readonly synthetic: number; readonly people: number }[];
}

function sizeOf(people: readonly { readonly weight: number }[]): number {
  const total = people.reduce((sum, { weight }) => sum + weight, 0);
  return total ** 2 / (people.reduce((sum, { weight }) => sum + weight ** 2, 0) || 1);
}

/** Returns the weighted shares of every attribute that both files contain. */
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
