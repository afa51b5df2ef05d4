/** @file Where candidates are tried: what plays and scores a candidate at a place, and which task that is. */

import type { AgentSpec, Cost, Lesson, Seed } from '@ludus-agents/kernel/internal/core/index';
import type { TaskIdentity, TrialKey, TrialRecord } from './trial-ledger.ts';

/** One play to be made: its place and its dice. */
export interface Trial extends TrialKey {
  readonly seed: Seed;
}

export interface TrialAttempt {
  readonly score: number | null;
  /** "ok", or why there is no score. */
  readonly status: string;
  readonly cost: Cost;
  /** What of it was paid before this play, by a process that was stopped in the middle of the episode; nothing where left out. */
  readonly before?: Cost;
  /** How long the models took, where they say so. */
  readonly seconds?: number;
  /** Skills in code that the candidate called. */
  readonly called?: readonly string[];
  /** What failed outside the candidate, in a sentence: such a play is tried again. */
  readonly fault?: string;
  /** Why the scorer gave no score to an episode that was played to its end. */
  readonly unscored?: string;
  readonly episode?: string;
}

/** Where candidates are tried: an environment with its other seats and its scorer, or a small model of one. Only the evaluator gets it. */
export interface TrialEnvironment {
  /** What would have to be equal for two scores to be comparable: environment, tasks, cast, scorer. No part of any candidate. */
  readonly identity: string;
  /** Which task is played at a place; left out, every place of a split is a task. */
  taskAt?(place: TrialKey): TaskIdentity;
  play(spec: AgentSpec, trial: Trial, signal: AbortSignal): Promise<TrialAttempt>;
  /** What a proposer may read of a play. */
  lesson(play: TrialRecord): Promise<Lesson>;
}
