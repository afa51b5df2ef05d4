/** @file Whether the required facts were said. Numbers, dates and words count only as such: 10 is not part of 100. */

import { sentences } from '@ludus-agents/agents/internal/personas/index';
import { type Fact, type Json, states } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { evidenceOf, type ScoringRule } from '../scorer.ts';
import { type Utterance, wordsBy } from './log.ts';

/** A fact as it may be written in a reference: itself, a number, an ISO date, or words. */
export function factOf(json: Json): Fact | null {
  if (typeof json === 'number') return { kind: 'number', value: json };
  if (typeof json === 'string') return { kind: /^\d{4}-\d{2}-\d{2}$/.test(json) ? 'date' : 'words', value: json };
  const { kind, value } = isObject(json) ? json : {};
  if (kind === 'number' && typeof value === 'number') return { kind, value };
  return (kind === 'date' || kind === 'words') && typeof value === 'string' ? { kind, value } : null;
}

/** For each fact the first line that states it, or null. */
export function factsSaid(lines: readonly Utterance[], facts: readonly Fact[]): readonly (Utterance | null)[] {
  return facts.map((fact) => lines.find(({ text }) => states(text, fact)) ?? null);
}

/** The sentence of a line that states a fact, or the whole line where it takes more than one. */
export function sentenceWith(text: string, fact: Fact): string {
  return sentences(text).find((sentence) => text.includes(sentence) && states(sentence, fact)) ?? text;
}

/** The share of `reference.facts` that the seat said to others. */
export const facts: ScoringRule = {
  name: 'facts',
  version: 1,
  unit: 'seat',
  scale: [0, 1],
  floor: 0,
  find({ log, seat, reference }) {
    const listed = reference['facts'];
    const wanted = Array.isArray(listed) ? listed.map(factOf).filter((fact) => fact !== null) : [];
    if (wanted.length === 0) return null;
    const utterances = factsSaid(wordsBy(log, seat), wanted);
    const evidence = utterances.flatMap((line, i) => {
      const fact = wanted[i];
      if (line === null) return [];
      return evidenceOf(log, line, { quote: sentenceWith(line.text, fact), supports: true, note: `says ${fact.value}` });
    });
    const spokenLength = utterances.filter((line) => line !== null).length;
    return { value: spokenLength / wanted.length, parts: { wanted: wanted.length, said: spokenLength }, evidence };
  },
};
