/**
 * @file A rubric is plain data for one of three forms: a penalty list, a yes/no checklist, or a swapped comparison.
 *
 * No form asks a judge for a number on a scale. A judge lists flaws, answers questions or names the better of two, each time with a quote;
 * code computes the score.
 */

import { hash } from '@ludus-agents/kernel/internal/core/index';

/** Flaws that code can plant into a clean episode, and that a judge of a rubric with this claim must find. */
export type Flaw =
  | 'out-of-character'
  | 'secret-leak'
  | 'contradiction'
  | 'wrong-fact'
  | 'repetition'
  | 'broken-style'
  | 'dropped-goal'
  | 'insult'
  | 'harmful-advice';

type Common = {
  readonly name: string;
  readonly version: number;
  /** The subject of the judgment, in a sentence for the judge. */
  readonly about: string;
  /** The origin of the idea, and the differences from it. */
  readonly source: string;
  /** Without these the rubric does not apply. */
  readonly needs?: readonly ('persona' | 'reference')[];
  /** Flaws that must lower the score: they are used to test a judge's trust. */
  readonly plants: readonly Flaw[];
};

/** `start − each·Σ severity − worst·(largest severity) + turn·(turns of the seat)`, kept within `clamp` where there is one. */
export type PenaltyArithmetic = {
  readonly start: number;
  readonly each: number;
  readonly worst: number;
  readonly turn: number;
  readonly clamp?: readonly [number, number];
};

export type PenaltyAxis = { readonly id: string; readonly about: string; readonly flaws: readonly string[] };

export type PenaltyRubric = Common & {
  readonly form: 'penalty';
  readonly axes: readonly PenaltyAxis[];
  /** The meaning of severity 1 and of the highest severity. */
  readonly severity: { readonly to: number; readonly least: string; readonly most: string };
  readonly arithmetic: PenaltyArithmetic;
};

/** `points` are given for a yes. `silent` is the fair answer about an agent that says nothing at all; "no" where it is left out. */
export type RubricQuestion = { readonly id: string; readonly ask: string; readonly points: number; readonly silent?: 'yes' | 'no' };

/** An axis begins at `start`, adds the points of every yes, and stays within `scale`. */
export type ChecklistAxis = {
  readonly id: string;
  readonly about: string;
  readonly scale: readonly [number, number];
  readonly start: number;
  readonly questions: readonly RubricQuestion[];
};

/** Questions worth one point each; questions that a silent agent passes are in a separate list. */
export function pointEach(asks: readonly (string | readonly [silent: string])[]): readonly RubricQuestion[] {
  return asks.map((ask, i) => ({
    id: `q${i + 1}`,
    points: 1,
    ...(typeof ask === 'string' ? { ask } : { ask: ask[0], silent: 'yes' as const }),
  }));
}

export type ChecklistRubric = Common & {
  readonly form: 'checklist';
  readonly axes: readonly ChecklistAxis[];
  /** For axes that no mean should mix: each is a score too, and so is a verdict that counts an episode where one of these is below its best. */
  readonly verdict?: { readonly name: string; readonly axes: readonly string[] };
};

/** The judge first names the axis that the two episodes test, then which of them is better on it. */
export type PairwiseRubric = Common & {
  readonly form: 'pairwise';
  readonly axes: readonly { readonly id: string; readonly about: string }[];
};

/** The question to a judge: flaws to find, questions to answer, or the better of two. */
export type Rubric = PenaltyRubric | ChecklistRubric | PairwiseRubric;
export type PointwiseRubric = PenaltyRubric | ChecklistRubric;

/** The range of a rubric's values, used to measure changes. Penalties without a clamp have no upper end. */
export function rangeOf(rubric: Rubric): readonly [number, number] {
  if (rubric.form === 'pairwise') return [0, 1];
  if (rubric.form === 'penalty') return rubric.arithmetic.clamp ?? [0, rubric.arithmetic.start];
  const mean = (end: 0 | 1) => rubric.axes.reduce((sum, axis) => sum + axis.scale[end], 0) / rubric.axes.length;
  return [mean(0), mean(1)];
}

/** The hash of a rubric: any change makes another rubric. */
export function rubricHash(rubric: Rubric): string {
  return hash(rubric);
}

/** Name and version, as in scores and cards. */
export function titleOf(rubric: Rubric): string {
  return `${rubric.name}@${rubric.version}`;
}
