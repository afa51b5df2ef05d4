/** @file The interface for trying candidates: plays and scores a candidate at a place, and identifies the task. */

import type { AgentSpec, Cost, Lesson, Seed } from '@ludus-agents/kernel/internal/core/index';
import type { TaskIdentity, TrialKey, TrialRecord } from './trial-ledger.ts';

/** One play to run: its place and its seed. */
export interface Trial extends TrialKey {
  readonly seed: Seed;
}

export interface TrialAttempt {
  readonly score: number | null;
  /** "ok", or why there is no score. */
  readonly status: string;
  readonly cost: Cost;
  /** The part of the cost paid before this play, by a process that was stopped within the episode; none if omitted. */
  readonly before?: Cost;
  /** The models' time in seconds, if they report it. */
  readonly seconds?: number;
  /** Code skills that the candidate called. */
  readonly called?: readonly string[];
  /** A failure outside of the candidate, as a sentence: such a play is retried. */
  readonly fault?: string;
  /** Why the scorer gave no score to a completed episode. */
  readonly unscored?: string;
  readonly episode?: string;
}

/**
 * An environment with its other seats and its scorer, or a small model of one, in which candidates are tried. Only the evaluator has access
 * to it.
 */
export interface TrialEnvironment {
  /** Everything that must be equal for two scores to be comparable: environment, tasks, cast, scorer. Independent of the candidate. */
  readonly identity: string;
  /** The task at a place; by default, every place of a split is its own task. */
  taskAt?(place: TrialKey): TaskIdentity;
  play(spec: AgentSpec, trial: Trial, signal: AbortSignal): Promise<TrialAttempt>;
  /** The part of a play that a proposer may read. */
  lesson(play: TrialRecord): Promise<Lesson>;
  /** Grades a few plays again and checks the grader with answers that deserve nothing, as sentences for the report; omitted if no model grades. */
  checkGrader?(plays: readonly TrialRecord[], signal: AbortSignal): Promise<readonly string[]>;
}

/** The maximum number of plays that a grader is checked with: two calls for each. */
export const mostGraderChecks = 6;
