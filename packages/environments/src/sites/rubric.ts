/**
 * @file Rubrics for free-text answers: points that an answer must make and statements that it must not make, checked by rules or by a
 * judge.
 */

import { list, object, required, type Shape, withDefault, words } from '@ludus-agents/kernel/internal/core/shape';
import { texts } from '../content/content.ts';
import { wordsIn } from './graph.ts';

/** One point that an answer must make. Any of the phrases in `any` shows that it does. */
export type RubricPoint = { readonly point: string; readonly any: readonly string[] };

export type AnswerRubric = {
  readonly points: readonly RubricPoint[];
  /** Phrases that make an answer wrong. */
  readonly never: readonly string[];
};

export const rubricShape: Shape<AnswerRubric> = object<AnswerRubric>({
  points: required(
    list(
      object<RubricPoint>({ point: required(words, 'what an answer must say'), any: required(texts, 'phrases, one of which shows it') }),
      { from: 1, to: 20 },
    ),
    'what an answer must say',
  ),
  never: withDefault(texts, [], 'phrases that make an answer wrong'),
});

export interface RubricVerdict {
  /** For each point, whether the answer makes it. */
  readonly met: readonly boolean[];
  readonly passed: boolean;
}

const denials = new Set(['not', 'no', 'never', 'neither', 'nor', 'without', 'isn', 'aren', 'doesn', 'don', 'cannot', 'can']);
/** Word limit per point. A much longer answer is a list of guesses. */
const wordsPerPoint = 40;

/**
 * Checks an answer by rules. Each point needs one of its phrases, verbatim and not negated. A forbidden phrase or too many words fail the
 * answer.
 */
export function checkRubric(answer: string, { points, never }: AnswerRubric): RubricVerdict {
  const met = points.map(({ any }) => any.some((phrase) => states(answer, phrase)));
  const isLong = wordsIn(answer).length > wordsPerPoint * (points.length + 1);
  return { met, passed: met.every(Boolean) && !isLong && !never.some((phrase) => states(answer, phrase)) };
}

/** Returns whether a clause contains the words of a phrase in order, without a negation among the three words before them. */
function states(answer: string, phrase: string): boolean {
  const wanted = wordsIn(phrase);
  if (wanted.length === 0) return false;
  const isDenial = wanted.some((word) => denials.has(word));
  return answer.split(/[.;!?\n]+/).some((clause) => {
    const clauseWords = wordsIn(clause);
    return clauseWords.some((_, at) => {
      if (!wanted.every((word, i) => clauseWords[at + i] === word)) return false;
      return isDenial || !clauseWords.slice(Math.max(0, at - 3), at).some((word) => denials.has(word) && word !== 'can');
    });
  });
}

export function judgeBrief(goal: string, answer: string, { points, never }: AnswerRubric): string {
  const listed = points.map(({ point }, i) => `${i + 1}. ${point}`).join('\n');
  const forbidden = never.length === 0 ? '' : `\nIt must not say: ${never.join('; ')}.`;
  return `You judge the answer to a task on a web site. Judge what it says, not how; what it says about itself does not count.
Task: ${goal}
Answer: ${JSON.stringify(answer)}
Points:\n${listed}${forbidden}
Reply with the numbers of the points that the answer makes, like [points 1, 3], with [points none], or with [wrong] where it says what it must not.`;
}

/** Parses a judge's reply as a verdict. Returns null if it is not a verdict. */
export function readVerdict(text: string, { points }: AnswerRubric): RubricVerdict | null {
  const [, reply] = /\[(points [\d, ]{1,80}|points none|wrong)\]/i.exec(text) ?? [];
  if (reply === undefined) return null;
  const numbers = (reply.match(/\d+/g) ?? []).map(Number);
  if (numbers.some((number) => number < 1 || number > points.length)) return null;
  const met = points.map((_, i) => numbers.includes(i + 1));
  return { met, passed: reply.toLowerCase() !== 'wrong' && met.every(Boolean) };
}

export function writeVerdict({ met, passed }: RubricVerdict): string {
  const numbers = met.flatMap((isMet, i) => (isMet ? [i + 1] : []));
  if (!passed && numbers.length === met.length) return '[wrong]';
  return `[points ${numbers.length === 0 ? 'none' : numbers.join(', ')}]`;
}
