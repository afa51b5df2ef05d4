/** @file Settings that lead a training from stage to stage: phases of a recipe, proposers of tasks, an experimenter. */

import type { Json } from '@ludus-agents/kernel/internal/core/index';
import type { RewardChannel } from './reward-settings.ts';

/** A stage of a run: its rewards, its tasks, its turn limit and its end. */
export type Phase = {
  readonly name: string;
  /** The maximum number of updates. */
  readonly updates: number;
  /** Ends the stage when a figure's mean over a number of updates reaches a minimum. */
  readonly until?: { readonly figure: 'returned' | 'won'; readonly least: number; readonly over: number };
  readonly rewards?: Readonly<Record<string, RewardChannel>>;
  readonly tasks?: readonly Json[];
  readonly turns?: number;
};

/** The proposer of tasks, its sources, and when each side learns. */
export type CoevolutionSettings = {
  /** The proposer's reward and the choice of tasks for the solver: a name or a file. */
  readonly proposer: string;
  /** Both sides at every update, only one of them, or in turn; both if unset. */
  readonly learns?: 'both' | 'proposer' | 'solver' | 'in-turn';
  /** The agent that writes the tasks instead of a learner; "frontier", "failures" and "uniform" need no model. */
  readonly by?: string;
  /** Whether a writer sees the results of earlier tasks; true if unset. */
  readonly told?: boolean;
  /** Checks that a task must pass; the proposer's if unset. */
  readonly checks?: readonly string[];
  /** The tasks on which the solver is measured, and their share of its practice. */
  readonly originals?: readonly Json[];
  readonly practice?: number;
  /** A folder with documents as the subject of tasks. */
  readonly documents?: string;
  /** The weight of entropy in the loss of a learning writer and of a judge; 0.1 if unset. */
  readonly variety?: number;
  /** The learning rate of a writer and a judge; the solver's if unset. */
  readonly rate?: number;
  /** For "in-turn": updates before the other side learns. */
  readonly period?: number;
  /** In the solver's turns, tasks come from this number of latest useful tasks, and none are proposed. */
  readonly buffer?: number;
  /** The solver's reward: from the environment, or for agreement with the majority of its attempts. */
  readonly labels?: 'environment' | 'majority';
  /** Whether all roles share one learner. */
  readonly one?: boolean;
  /** The parameters that vary, optionally with their bounds, and the number of tasks that measure the solver if there are no originals. */
  readonly parameters?: Readonly<Record<string, readonly [number, number]>> | readonly string[];
  readonly tasks?: number;
};

/** The experimenter who leads a training, its skills, and how often it sees the returns. */
export type ExperimentSettings = {
  /** Any agent; "rule" needs no model. */
  readonly by: string;
  /** Tasks of the environment by name. */
  readonly skills: Readonly<Record<string, Json>>;
  /** Updates between two reviews by the experimenter. */
  readonly look: number;
  /** The maximum number of proposed skills before choosing from the listed ones; none if unset. */
  readonly propose?: number;
  /** The agent that writes them: the experimenter if unset; "frontier" and "uniform" need no model. */
  readonly writer?: string;
  /** Checks that a proposed skill must pass: the environment's rules if unset. */
  readonly checks?: readonly string[];
};
