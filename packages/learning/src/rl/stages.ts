/** @file What leads a training from stage to stage: phases of a recipe, proposers of tasks, an experimenter. */

import type { Json } from '@ludus-agents/kernel/internal/core/index';
import type { RewardChannel } from './reward-settings.ts';

/** A stage of a run: what it pays, plays and how long an episode may be, and when it ends. */
export type Phase = {
  readonly name: string;
  /** It ends after this many updates at the latest. */
  readonly updates: number;
  /** It ends when a figure was at least so large on average over so many updates. */
  readonly until?: { readonly figure: 'returned' | 'won'; readonly least: number; readonly over: number };
  readonly rewards?: Readonly<Record<string, RewardChannel>>;
  readonly tasks?: readonly Json[];
  readonly turns?: number;
};

/** Who proposes tasks to the learner, what of, and which side learns when. */
export type CoevolutionSettings = {
  /** How a proposer is paid, and which tasks the solver learns from: a name or a file. */
  readonly proposer: string;
  /** Both at every update, one of them alone, or one after the other; both unless set. */
  readonly learns?: 'both' | 'proposer' | 'solver' | 'in-turn';
  /** Who writes the tasks instead of a learner: any agent; "frontier", "failures" and "uniform" need no model. */
  readonly by?: string;
  /** Whether a writer is told what came of earlier tasks; true unless set. */
  readonly told?: boolean;
  /** Checks that a task must pass; those of the proposer unless set. */
  readonly checks?: readonly string[];
  /** Tasks that the solver is measured on, and the share of its practice that is in them. */
  readonly originals?: readonly Json[];
  readonly practice?: number;
  /** A folder with documents that tasks are about. */
  readonly documents?: string;
  /** The weight of entropy in the loss of a writer that learns, and of a judge; 0.1 unless set. */
  readonly variety?: number;
  /** The learning rate of a writer and a judge; that of the solver unless set. */
  readonly rate?: number;
  /** In turn: updates before the other side learns. */
  readonly period?: number;
  /** In the solver's turns tasks come from the latest this many that taught, and nothing is proposed. */
  readonly buffer?: number;
  /** What the solver is paid by: the environment, or agreement with the answer that most of its attempts gave. */
  readonly labels?: 'environment' | 'majority';
  /** All roles are one learner. */
  readonly one?: boolean;
  /** Which parameters tasks vary in, or within which bounds, and how many tasks the solver is measured on without originals. */
  readonly parameters?: Readonly<Record<string, readonly [number, number]>> | readonly string[];
  readonly tasks?: number;
};

/** Who leads a training, through which tasks, and how often the experimenter is shown the returns. */
export type ExperimentSettings = {
  /** Any agent; "rule" needs no model. */
  readonly by: string;
  /** Tasks of the environment by name. */
  readonly skills: Readonly<Record<string, Json>>;
  /** Updates between two looks. */
  readonly look: number;
  /** Skills that are proposed at most before the listed ones are chosen from; none unless set. */
  readonly propose?: number;
  /** Who writes them: the experimenter itself unless set; "frontier" and "uniform" need no model. */
  readonly writer?: string;
  /** Checks that a proposed skill must pass: the rules of the environment unless set. */
  readonly checks?: readonly string[];
};
