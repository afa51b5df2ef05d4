/** @file Quality of detected contradictions between articles: precision, recall, and F-measure over pairs, compared with the planted ones. */

import { evidenceOf, type ScoringRule } from '@ludus-agents/evaluation/internal/scoring/scorer';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { botLines } from './detector.ts';
import { dialogueOf } from './dialogue.ts';

const key = (a: string, b: string) => [a.toLowerCase(), b.toLowerCase()].sort().join(' / ');

const namedPair = linear(/([\w.-]+) \/ ([\w.-]+)/g);

/** 1 if exactly the planted pairs were named; if none was planted, none may be named. */
export const pairs: ScoringRule = {
  name: 'pairs',
  version: 1,
  unit: 'seat',
  scale: [0, 1],
  find({ log, seat }) {
    const dialogue = dialogueOf(log, seat);
    const expected = dialogue?.facts?.pairs;
    if (dialogue === null || expected === undefined || !isObject(dialogue.facts)) return null;
    const wanted = new Set(expected.map((pair) => key(...(pair.split(' / ', 2) as [string, string]))));
    const lines = botLines(dialogue);
    const named = new Set(lines.flatMap(({ text }) => [...text.matchAll(namedPair)].map(([, a, b]) => key(a, b))));
    const hits = [...named].filter((pair) => wanted.has(pair)).length;
    const precision = named.size === 0 ? (wanted.size === 0 ? 1 : 0) : hits / named.size;
    const recall = wanted.size === 0 ? 1 : hits / wanted.size;
    const value = precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall);
    const last = lines.at(-1);
    return {
      value: wanted.size === 0 && named.size > 0 ? 0 : value,
      parts: { precision, recall, named: named.size, planted: wanted.size },
      evidence: last === undefined ? [] : evidenceOf(log, { event: last.event, text: last.raw }, { supports: value === 1 }),
    };
  },
};
