/**
 * @file Fact checks of personas: everyone is asked for their own attributes, and the answers are compared with the persona. A population
 * that doesn't know its own age cannot show how people of an age answer.
 */

import { samplePopulation } from '@ludus-agents/agents/internal/personas/index';
import type { Interval } from '@ludus-agents/evaluation/internal/scoring/statistics/mean';
import { wilson } from '@ludus-agents/evaluation/internal/scoring/statistics/rates';
import type { Json } from '@ludus-agents/kernel/internal/core/index';
import type { AnswerRow } from './answers.ts';

/** Returns a questionnaire that asks people for their attributes. Each item's options are all values that occur. */
export function factQuestionnaire(population: Json, number: number, seed: number): Json {
  const { attributes } = samplePopulation(population, number, seed);
  const items = Object.keys(attributes[0] ?? {}).flatMap((name, i) => {
    const values = [...new Set(attributes.map((row) => row[name] ?? ''))].sort();
    return values.length < 2 ? [] : [{ id: `a${i + 1}`, text: `About yourself: what is your ${name}?`, options: values, scale: name }];
  });
  return { name: 'facts', options: 'random', shuffle: true, items };
}

export interface FactReport {
  readonly attribute: string;
  readonly asked: number;
  /** The number of answers that match the persona. */
  readonly right: number;
  readonly share: number;
  readonly interval: Interval;
  /** The share achieved by always giving the most frequent value. */
  readonly floor: number;
  readonly refused: number;
  readonly broken: number;
}

/** Counts how many people know their own attributes, by attribute. Refused and invalid answers are not right. */
export function checkFacts(rows: readonly AnswerRow[], attributeOf: (item: string) => string): readonly FactReport[] {
  return [...Map.groupBy(rows, ({ item }) => item)].map(([item, answerRows]) => {
    const attribute = attributeOf(item);
    const requestedAnswerRows = answerRows.filter(({ status }) => status !== 'missing');
    const right = requestedAnswerRows.filter(({ answer, attributes }) => answer === attributes[attribute]).length;
    const counts = [...Map.groupBy(requestedAnswerRows, ({ attributes }) => attributes[attribute]).values()].map((list) => list.length);
    const of = (status: AnswerRow['status']) => requestedAnswerRows.filter((row) => row.status === status).length;
    return {
      attribute,
      asked: requestedAnswerRows.length,
      right,
      share: requestedAnswerRows.length === 0 ? 0 : right / requestedAnswerRows.length,
      interval: requestedAnswerRows.length === 0 ? [0, 1] : wilson(right, requestedAnswerRows.length),
      floor: requestedAnswerRows.length === 0 ? 0 : Math.max(...counts) / requestedAnswerRows.length,
      refused: of('refused'),
      broken: of('broken'),
    };
  });
}
