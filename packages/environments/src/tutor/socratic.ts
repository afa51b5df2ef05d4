/**
 * @file A student with hidden misconceptions, in an order in which one rests on another: what questions, hints and plain answers do to it.
 *
 * The tree of questions is TreeInstruct's (Kargupta et al., 2024): one asks about the first thing that is not understood, again and at a
 * simpler level until it is, and never gives the answer away.
 */

import type { Rng } from '@ludus-agents/kernel/internal/core/index';

export const topics = ['counting', 'adding', 'carrying', 'multiplying', 'fractions', 'decimals', 'percent', 'ratios'] as const;

/** What the student has of each concept: understood, or so many questions still needed. */
export type StudentState = readonly number[];

export type TutorMove = { readonly kind: 'ask' | 'hint' | 'tell'; readonly concept: number };

/** What a concept rests on, by its place; −1 for nothing. */
export function restsOn(concept: number, shape: 'chain' | 'tree'): number {
  return shape === 'chain' ? concept - 1 : Math.floor((concept - 1) / 2);
}

/** Misconceptions are drawn one by one, and anew where there are none. */
export function drawStudent(
  rng: Rng,
  { concepts, wrong, questions }: { concepts: number; wrong: number; questions: number },
): StudentState {
  for (;;) {
    const student = Array.from({ length: concepts }, () => (rng.next() < wrong ? questions : 0));
    if (student.some((needed) => needed > 0)) return student;
  }
}

/** Is everything understood on which a concept rests? */
export function isReady(student: StudentState, concept: number, shape: 'chain' | 'tree'): boolean {
  for (let below = restsOn(concept, shape); below >= 0; below = restsOn(below, shape)) if (student[below] > 0) return false;
  return true;
}

/** The student after a move of the tutor. What rests on something that is not understood cannot be taken in. */
export function teachStudent(
  student: StudentState,
  { kind, concept }: TutorMove,
  by: { readonly shape: 'chain' | 'tree'; readonly works: boolean },
): StudentState {
  const needed = student[concept];
  if (needed === 0 || !isReady(student, concept, by.shape)) return student;
  const left = kind === 'tell' ? 0 : kind === 'hint' ? (by.works ? 0 : needed) : needed - 1;
  return student.map((value, i) => (i === concept ? left : value));
}

/** Questions that the tree needs for a student on a chain: one for what is known, as many as needed for what is not, up to the last. */
export function treeQuestions(student: StudentState): number {
  const last = student.findLastIndex((needed) => needed > 0);
  return student.slice(0, last + 1).reduce((sum, needed) => sum + Math.max(1, needed), 0);
}
