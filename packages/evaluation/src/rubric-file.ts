/** @file Loads a rubric from a user's file, and checks it before any judge is paid for it. */

import { isObject } from '@ludus-agents/kernel/internal/core/json';
import {
  choice,
  type Fields,
  list,
  number,
  object,
  one,
  optional,
  pattern,
  readAs,
  required,
  type Shape,
  whole,
  withDefault,
  withRule,
  withWords,
  words,
} from '@ludus-agents/kernel/internal/core/shape';
import type {
  ChecklistAxis,
  ChecklistRubric,
  Flaw,
  PairwiseRubric,
  PenaltyArithmetic,
  PenaltyAxis,
  PenaltyRubric,
  Rubric,
  RubricQuestion,
} from './scoring/judges/rubric.ts';

const flaws: readonly Flaw[] = [
  'out-of-character',
  'secret-leak',
  'contradiction',
  'wrong-fact',
  'repetition',
  'broken-style',
  'dropped-goal',
  'insult',
  'harmful-advice',
];

const span = withWords(
  'two numbers, the lower first',
  withRule('two numbers, the lower first', list(number(), 2), ([low, high]) => (low as number) < (high as number)),
) as Shape<readonly [number, number]>;

const common: Fields<Omit<PairwiseRubric, 'form' | 'axes'>> = {
  name: required(pattern('letters, digits, dots, or dashes', /^[\w.-]{1,60}$/)),
  version: withDefault(withWords('a positive integer', whole(1)), 1),
  about: required(withWords('what is judged, in a sentence', words), 'what is judged, in a sentence for the judge'),
  source: withDefault(words, 'of the user’s own', 'the source of the rubric'),
  needs: optional(list(one('persona', 'reference')), 'data without which the rubric does not apply'),
  plants: withDefault(list(one(...flaws)), [], 'planted flaws that must lower the score, for measuring a judge’s trust'),
};

const axis = { id: required(words), about: required(words) };

function axes<T>(of: Shape<T>) {
  return required(withWords('a list of axes', list(of, { from: 1 })));
}

const question = object<RubricQuestion>({
  id: required(words),
  ask: required(words),
  points: required(number(), 'points for a yes'),
  silent: optional(one('yes', 'no'), 'the fair answer for a seat that says nothing'),
});

export const rubricShape: Shape<Rubric> = choice<Rubric>('form', {
  penalty: object<PenaltyRubric>(
    {
      ...common,
      form: required(one('penalty')),
      axes: axes(object<PenaltyAxis>({ ...axis, flaws: required(list(words)) })),
      severity: required(
        object<PenaltyRubric['severity']>({ to: required(whole(1)), least: required(words), most: required(words) }),
        'what severity 1 and the highest severity mean',
      ),
      arithmetic: required(
        object<PenaltyArithmetic>({
          start: required(number()),
          each: required(number()),
          worst: required(number()),
          turn: required(number()),
          clamp: optional(span),
        }),
        'start − each·Σ severity − worst·(largest severity) + turn·(turns of the seat)',
      ),
    },
    { document: true },
  ),
  checklist: object<ChecklistRubric>(
    {
      ...common,
      form: required(one('checklist')),
      axes: axes(
        object<ChecklistAxis>({
          ...axis,
          scale: required(span),
          start: required(number()),
          questions: required(withWords('a list of questions', list(question, { from: 1 }))),
        }),
      ),
      verdict: optional(
        object<NonNullable<ChecklistRubric['verdict']>>({ name: required(words), axes: required(list(words, { from: 1 })) }),
        'reports each axis as a score, and a verdict: 1 where one of these axes is below its best',
      ),
    },
    { document: true },
  ),
  pairwise: object<PairwiseRubric>(
    { ...common, form: required(one('pairwise')), axes: axes(object<PairwiseRubric['axes'][number]>(axis)) },
    { document: true },
  ),
});

/** Parses a rubric; undefined if it is something else. */
export function readRubric(value: unknown, where: string): Rubric | undefined {
  if (!isObject(value) || typeof value['form'] !== 'string' || !('axes' in value)) return undefined;
  return readAs(rubricShape, value, { where, called: 'a rubric' });
}
