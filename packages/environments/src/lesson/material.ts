/** @file The material of a lesson: concepts with prerequisites, questions with their answers, and students with misconceptions. */

import { Fault, type Json, type Rng } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { boolean, list, object, readAs, required, type ShapeValue, withDefault, words } from '@ludus-agents/kernel/internal/core/shape';
import { textOrNumber, texts } from '../content/content.ts';

export const conceptShape = object({
  id: required(words, 'the name of the concept'),
  idea: required(words, 'what a student must know'),
  needs: withDefault(texts, [], 'concepts that must be understood first'),
  cues: withDefault(texts, [], 'further words by which sentences are known to be about it'),
});

export type Concept = ShapeValue<typeof conceptShape>;

export const questionShape = object({
  id: required(textOrNumber),
  concept: required(words, 'the concept that it tests'),
  ask: required(words, 'the question'),
  answers: required(texts, 'accepted answers'),
  wrong: required(textOrNumber, 'what a student with the misconception answers'),
  quiz: withDefault(boolean, false, 'asked before and after the lesson, and never shown to the tutor'),
});

export const studentShape = object({
  id: required(words, 'the name of the student'),
  lacks: required(texts, 'concepts that the student misunderstands'),
  manner: withDefault(words, 'Speaks plainly.', 'how the student talks'),
});

export type Student = ShapeValue<typeof studentShape>;

const materialShape = object({
  concepts: required(list(conceptShape, { from: 1, to: 20 })),
  questions: required(list(questionShape, { from: 2, to: 500 })),
  students: required(list(studentShape, { to: 500 })),
});

export type Material = ShapeValue<typeof materialShape>;

/** A problem of the material, with its table and entry. */
export interface MaterialProblem {
  readonly table: keyof Material;
  readonly index: number;
  readonly message: string;
}

/** Checks what shapes cannot express: unresolved names, cycles, and questions that cannot distinguish understanding from misconception. */
export function problemsOfMaterial({ concepts, questions, students }: Material): readonly MaterialProblem[] {
  const problems: MaterialProblem[] = [];
  const ids = concepts.map(({ id }) => id);
  const refuse = (table: keyof Material, index: number, message: string) => problems.push({ table, index, message });
  for (const [i, { id, needs }] of concepts.entries()) {
    for (const need of needs)
      if (!ids.includes(need)) refuse('concepts', i, `"${id}" needs "${need}", which is not a concept`);
      else if (ids.indexOf(need) >= i) refuse('concepts', i, `"${id}" needs "${need}", which must come before it in the file`);
    for (const [kind, quiz] of [
      ['practice', false],
      ['quiz', true],
    ] as const)
      if (!questions.some((question) => question.concept === id && question.quiz === quiz))
        refuse(
          'concepts',
          i,
          `"${id}" has no ${kind} question (quiz: ${quiz}), so ${quiz ? 'its gain cannot be measured' : 'no question can be asked about it'}`,
        );
  }
  for (const [i, { id, concept, answers, wrong, quiz }] of questions.entries()) {
    if (!ids.includes(concept)) refuse('questions', i, `"${id}" is about "${concept}", which is not a concept`);
    if (isRight(answers, wrong)) refuse('questions', i, `"${id}": the wrong answer "${wrong}" is accepted as right`);
    const telling = quiz ? concepts.find(({ idea }) => reveals(idea, answers)) : undefined;
    if (telling !== undefined)
      refuse(
        'questions',
        i,
        `"${id}": the idea of "${telling.id}" contains its answer "${answers.find((answer) => reveals(telling.idea, [answer]))}", so the quiz would test copying`,
      );
  }
  for (const [i, { id, lacks }] of students.entries()) {
    const missing = lacks.find((concept) => !ids.includes(concept));
    if (missing !== undefined) refuse('students', i, `"${id}" lacks "${missing}", which is not a concept`);
    if (lacks.length === 0) refuse('students', i, `"${id}" lacks nothing, so there is nothing to teach`);
  }
  return problems;
}

/** Parses material from a task. */
export function readMaterial(value: Json): Material {
  const material = readAs(materialShape, value, { where: 'lesson', called: 'the material' });
  const [problem] = problemsOfMaterial(material);
  if (problem !== undefined)
    throw new Fault('input', `lesson: ${problem.table}[${problem.index}]: ${problem.message}.`, { code: 'E_CONTENT' });
  return material;
}

/** Normalizes a text: lower case, without punctuation at the end of words. Fractions, decimals, and percentages are kept. */
function plain(text: string): string {
  const marks = text.toLowerCase().replace(linear(/[^\p{L}\p{N}/.%+-]+/gu), ' ');
  return marks.replace(linear(/[.](?= |$)/g), '').trim();
}

/**
 * Returns whether an answer is right. It must contain an accepted answer as whole words, not negated, and before the answer of the
 * misconception.
 */
export function isRight(answers: readonly string[], text: string, wrong?: string): boolean {
  const padded = ` ${plain(text)} `;
  const placeOf = (answer: string) => padded.replaceAll(` not ${plain(answer)} `, ' not ').indexOf(` ${plain(answer)} `);
  const right = answers.map(placeOf).filter((place) => place >= 0);
  const misled = wrong === undefined ? -1 : placeOf(wrong);
  return right.length > 0 && (misled < 0 || Math.min(...right) <= misled);
}

/**
 * Returns whether a text reveals one of these answers. Answers of up to three characters are ignored, because they occur in many texts by
 * chance.
 */
export function reveals(text: string, answers: readonly string[]): boolean {
  const padded = ` ${plain(text)} `;
  return answers.some((answer) => plain(answer).length > 3 && padded.includes(` ${plain(answer)} `));
}

/** Returns the concept of the tutor's words: the one whose name or cues occur most often, the first in a tie, or null if none occur. */
export function conceptIn(text: string, concepts: readonly Concept[]): number | null {
  const padded = ` ${plain(text)} `;
  const counts = concepts.map(({ id, cues }) => [id, ...cues].filter((cue) => padded.includes(` ${plain(cue)} `)).length);
  const most = Math.max(...counts);
  return most === 0 ? null : counts.indexOf(most);
}

/** Draws a student of the material, or one with random misconceptions. The student always has at least one. */
export function drawStudent({ concepts, students }: Material, wrong: number, dice: Rng): Student {
  if (students.length > 0) return dice.pick(students);
  for (;;) {
    const lacks = concepts.filter(() => dice.next() < wrong).map(({ id }) => id);
    if (lacks.length > 0) return { id: 'student', lacks, manner: 'Speaks plainly.' };
  }
}

/** The tutor's action on a concept. */
export type Contact = { readonly kind: 'ask' | 'explain' | 'say'; readonly concept: number };

/**
 * Returns a rule-based student's remaining misconceptions after the given contacts. One explanation or `needed` questions and remarks
 * resolve a misconception, but only if the concept's prerequisites are understood.
 */
export function lacksAfter(
  { concepts }: Material,
  lacks: readonly string[],
  contacts: readonly Contact[],
  needed: number,
): ReadonlySet<string> {
  const left = new Map(lacks.map((id) => [id, needed]));
  for (const { kind, concept } of contacts) {
    const { id, needs } = concepts[concept];
    const count = left.get(id);
    if (count === undefined || needs.some((need) => left.has(need))) continue;
    const rest = kind === 'explain' ? 0 : count - 1;
    if (rest <= 0) left.delete(id);
    else left.set(id, rest);
  }
  return new Set(left.keys());
}

/** Returns whether a concept and all its prerequisites are understood. */
export function isUnderstood({ concepts }: Pick<Material, 'concepts'>, id: string, lacking: ReadonlySet<string>): boolean {
  const needs = concepts.find((concept) => concept.id === id)?.needs ?? [];
  return !lacking.has(id) && needs.every((need) => isUnderstood({ concepts }, need, lacking));
}
