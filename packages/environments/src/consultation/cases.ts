/** @file Conditions with their symptoms and treatments. A patient expresses the symptoms in words, and a therapist recognizes them. */

import { Fault, type Json } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { list, object, readAs, required, type ShapeValue, withDefault, words } from '@ludus-agents/kernel/internal/core/shape';
import { texts } from '../content/content.ts';

export const symptomShape = object({
  id: required(words),
  says: required(words, 'how a patient says it'),
  cues: required(texts, 'words of which one is enough to recognize it'),
});

export type ConsultSymptom = ShapeValue<typeof symptomShape>;

export const conditionShape = object({
  id: required(words),
  symptoms: required(texts, 'ids of symptoms'),
  treatment: required(words),
  profile: withDefault(words, 'Nothing else is known.', 'history, beliefs and situation of the patient'),
});

export type ConsultCondition = ShapeValue<typeof conditionShape>;

const tableShape = object({
  symptoms: required(list(symptomShape, { from: 1, to: 60 })),
  conditions: required(list(conditionShape, { from: 2, to: 40 })),
});

export type ConsultTable = ShapeValue<typeof tableShape>;

export interface ConsultProblem {
  readonly table: keyof ConsultTable;
  readonly index: number;
  readonly message: string;
}

export function problemsOfConsult({ symptoms, conditions }: ConsultTable): readonly ConsultProblem[] {
  const problems: ConsultProblem[] = [];
  const ids = symptoms.map(({ id }) => id);
  for (const [index, { id, says, cues }] of symptoms.entries()) {
    if (!recognizes({ cues }, says)) problems.push({ table: 'symptoms', index, message: `"${id}": none of its cues is in "${says}"` });
    const other = symptoms.find((symptom) => symptom.id !== id && recognizes(symptom, says));
    if (other !== undefined) problems.push({ table: 'symptoms', index, message: `"${says}" is recognized as "${other.id}" too` });
  }
  for (const [index, condition] of conditions.entries()) {
    const unknown = condition.symptoms.find((symptom) => !ids.includes(symptom));
    if (unknown !== undefined)
      problems.push({ table: 'conditions', index, message: `"${condition.id}" has "${unknown}", which is not a symptom` });
    const twin = conditions
      .slice(0, index)
      .find((consultCondition) => [...consultCondition.symptoms].sort().join() === [...condition.symptoms].sort().join());
    if (twin !== undefined)
      problems.push({ table: 'conditions', index, message: `"${condition.id}" has the same symptoms as "${twin.id}"` });
  }
  return problems;
}

/** Returns whether a text expresses a symptom. */
export function recognizes({ cues }: Pick<ConsultSymptom, 'cues'>, text: string): boolean {
  const plain = (item: string) =>
    ` ${item
      .toLowerCase()
      .replace(linear(/[^\p{L}\p{N}]+/gu), ' ')
      .trim()} `;
  return cues.some((cue) => plain(text).includes(plain(cue)));
}

/** Returns the conditions that have every symptom heard. */
export function fittingConditions({ conditions }: ConsultTable, messages: readonly string[]): readonly ConsultCondition[] {
  return conditions.filter(({ symptoms }) => messages.every((id) => symptoms.includes(id)));
}

const parsed = new WeakMap<object, ConsultTable>();

export function readConsultTable(value: Json, otherwise: ConsultTable): ConsultTable {
  if (typeof value !== 'object' || value === null) return otherwise;
  let table = parsed.get(value);
  if (table === undefined) {
    table = readAs(tableShape, value, { where: 'consultation', called: 'the table' });
    const [problem] = problemsOfConsult(table);
    if (problem !== undefined)
      throw new Fault('input', `consultation: ${problem.table}[${problem.index}]: ${problem.message}.`, { code: 'E_CONTENT' });
    parsed.set(value, table);
  }
  return table;
}
