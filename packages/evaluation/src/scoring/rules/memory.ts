/** @file Memory by questions with known answers: exact, contained as a whole word, and the substring rule that counts 43 within 1430. */

import type { Json } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { meanOrNull } from '@ludus-agents/kernel/internal/core/mean';
import { evidenceOf, type ScoringRule } from '../scorer.ts';
import type { Log, Utterance } from './log.ts';

/** Lower case, no punctuation, no articles, single spaces. */
export function normaliseText(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s]+/gu, '')
    .replace(/\b(?:a|an|the)\b/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

export interface MemoryMatch {
  readonly exact: boolean;
  /** It is in the answer as separate words. */
  readonly bounded: boolean;
  /** The result of a substring rule. Reported for comparison with published numbers; never the value. */
  readonly contained: boolean;
}

/** The best match of an answer with any of the accepted ones. */
export function matchOf(answer: string, golds: readonly string[]): MemoryMatch {
  const speech = normaliseText(answer);
  const wanted = golds.map(normaliseText).filter((gold) => gold !== '');
  return {
    exact: wanted.includes(speech),
    bounded: wanted.some((gold) => ` ${speech} `.includes(` ${gold} `)),
    contained: wanted.some((gold) => speech.includes(gold)),
  };
}

interface Question {
  readonly ask: string;
  readonly golds: readonly string[];
  readonly competency: string;
}

/** `reference.questions`: {"ask", "gold": text or texts, "competency"}. */
function questionsOf(json: Json | undefined): readonly Question[] {
  return (Array.isArray(json) ? json : []).filter(isObject).flatMap(({ ask, gold, competency }) => {
    const golds = (Array.isArray(gold) ? gold : [gold]).filter((item) => typeof item === 'string' || typeof item === 'number').map(String);
    if (typeof ask !== 'string' || ask === '' || golds.length === 0) return [];
    return [{ ask, golds, competency: typeof competency === 'string' ? competency : 'retrieval' }];
  });
}

/** The first answer of a seat after a message that contains the question. */
function answerTo(log: Log, seat: string, ask: string): Utterance | null {
  const at = log.episode.events.findIndex((event) => event.kind === 'message' && event.to.includes(seat) && event.text.includes(ask));
  return at < 0 ? null : (log.answers.get(seat)?.find(({ event }) => event > at) ?? null);
}

/** The share of questions answered rightly; one that was asked and not answered is wrong, one that was never asked is left out. */
export const memory: ScoringRule = {
  name: 'memory',
  version: 1,
  unit: 'seat',
  scale: [0, 1],
  floor: 0,
  find({ log, seat, reference }) {
    const answered = questionsOf(reference['questions']).flatMap((question) => {
      const line = answerTo(log, seat, question.ask);
      return line === null ? [] : [{ ...question, line, match: matchOf(line.text, question.golds) }];
    });
    const value = meanOrNull(answered.map(({ match }) => (match.bounded ? 1 : 0)));
    if (value === null) return null;
    const parts: Record<string, number | null> = {
      asked: answered.length,
      exact: meanOrNull(answered.map(({ match }) => (match.exact ? 1 : 0))),
      contained: meanOrNull(answered.map(({ match }) => (match.contained ? 1 : 0))),
    };
    for (const name of new Set(answered.map(({ competency }) => competency)))
      parts[name] = meanOrNull(answered.filter(({ competency }) => competency === name).map(({ match }) => (match.bounded ? 1 : 0)));
    const evidence = answered.slice(0, 5).flatMap(({ line, match, ask }) => evidenceOf(log, line, { supports: match.bounded, note: ask }));
    return { value, parts, evidence };
  },
};
