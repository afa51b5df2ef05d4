/**
 * @file A student with hidden misconceptions, ordered so that one rests on another, and the effects of questions, hints, and plain answers
 * on it.
 *
 * The tree of questions is TreeInstruct's (Kargupta et al., 2024): ask about the first concept that is not understood, at ever simpler
 * levels, until it is, and never reveal the answer.
 */

import type { Rng } from '@ludus-agents/kernel/internal/core/index';

export const topics = ['counting', 'adding', 'carrying', 'multiplying', 'fractions', 'decimals', 'percent', 'ratios'] as const;

/** The student's state for each concept: the number of questions still needed, 0 if understood. */
export type StudentState = readonly number[];

export type TutorMove = { readonly kind: 'ask' | 'hint' | 'tell'; readonly concept: number };

/** Returns the index of the concept that a concept rests on, or −1. */
export function restsOn(concept: number, shape: 'chain' | 'tree'): number {
  return shape === 'chain' ? concept - 1 : Math.floor((concept - 1) / 2);
}

/** Draws each misconception independently, and redraws if there are none. */
export function drawStudent(
  rng: Rng,
  { concepts, wrong, questions }: { concepts: number; wrong: number; questions: number },
): StudentState {
  for (;;) {
    const student = Array.from({ length: concepts }, () => (rng.next() < wrong ? questions : 0));
    if (student.some((needed) => needed > 0)) return student;
  }
}

/** Returns whether everything that a concept rests on is understood. */
export function isReady(student: StudentState, concept: number, shape: 'chain' | 'tree'): boolean {
  for (let below = restsOn(concept, shape); below >= 0; below = restsOn(below, shape)) if (student[below] > 0) return false;
  return true;
}

/** Returns the student after a move of the tutor. A concept cannot be learned before the one it rests on. */
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

/**
 * Returns the number of questions that the tree needs for a student on a chain: one for each understood concept, and the needed number for
 * each other, up to the last.
 */
export function treeQuestions(student: StudentState): number {
  const last = student.findLastIndex((needed) => needed > 0);
  return student.slice(0, last + 1).reduce((sum, needed) => sum + Math.max(1, needed), 0);
}
