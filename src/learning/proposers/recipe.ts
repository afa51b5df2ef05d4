/** @file A proposer's recipe: a published way of making one's own tasks, as data. */

import type { Shape } from './shapes.ts';

export interface ProposerRecipe {
  readonly name: string;
  readonly method: string;
  readonly source: string;
  readonly differs: string;
  readonly reward: Shape;
  /** What a proposal without a valid task is paid. */
  readonly invalid: number;
  /** How often a task was solved: by the world's own verdict, or by how far the attempts agree. */
  readonly rate: 'success' | 'majority';
  readonly attempts: number;
  /** The solver learns from tasks whose rate is from here to there. */
  readonly keep: readonly [number, number];
  /** A judge rates tasks. */
  readonly judged: boolean;
  /** Only tasks that are proved solvable count. */
  readonly solvable: boolean;
}
