/** @file Settings of the training data besides the learner's own play: kept episodes, rounds of own successes, teachers. */

import type { Seat } from '@ludus-agents/kernel/internal/core/index';
import type { Setting } from './recipe.ts';

/** The relative weight of a kept turn. */
export type Weighing =
  | { readonly kind: 'alike' }
  /** By the return of its episode, if positive (AgentEvol). */
  | { readonly kind: 'return' }
  /** By exp(reward / temperature) of the turn (RISE). */
  | { readonly kind: 'reward'; readonly temperature: number }
  /** By exp(β(Q − V)), with Q the observed return from the turn on. */
  | { readonly kind: 'monte-carlo'; readonly discount: number; readonly beta: number }
  /** The same with estimated Q and V: V is an expectile over the answers in the data (implicit Q-learning). */
  | { readonly kind: 'implicit'; readonly discount: number; readonly expectile: number; readonly beta: number };

/** Kept episodes as training data. */
export type KeptSource = {
  /** A run of the store, or a file written by `ludus data export`. */
  readonly from: string;
  /** Only seats whose score matches: "return>=1". */
  readonly where?: readonly string[];
  /** Turns whose own score matches are input but not trained on: "penalty>0", "error>=1". */
  readonly mask?: readonly string[];
  /** Like `mask`, but only for the parts of the answer that the score quotes. */
  readonly maskQuotes?: readonly string[];
  readonly seats?: readonly Seat[];
  /** The maximum number of most recent episodes. */
  readonly limit?: number;
  /** The best share of the episodes by return. */
  readonly top?: number;
  readonly weigh?: Weighing;
  /** The number of rows of one update, drawn again each time; all rows if unset. */
  readonly rows?: number;
};

/** Rounds that add the learner's own successes to the training data. */
export type Rounds = {
  /** Updates per round. */
  readonly updates: number;
  /** The minimum return of an episode to keep. */
  readonly least: number;
  /** Whether each round starts from the initial weights. */
  readonly restart: boolean;
  /** Keeps rows whose log-perplexity is between these quantiles. */
  readonly band?: readonly [number, number];
};

/** An outcome model that is trained alongside the policy and replaces the environment's reward once it is trusted. */
export type RewardModelSettings = {
  /** Which episodes are good: "return>=1", or a bound on any scorer by its name or file. */
  readonly rule: string;
  /** The share of episodes labeled by the rule while the model is trusted; before, all are labeled. */
  readonly labels: Setting;
  /** Updates between two trainings of the model. */
  readonly updates: number;
  /** The maximum number of labels in the whole run. With a budget, only the given share is labeled before the model is trusted, too. */
  readonly budget?: number;
  /** The model's negative examples besides failures: corrupted copies of successes by default, or none ("plain"). */
  readonly negatives?: 'corrupted' | 'plain';
  /** The reward source once the model is trusted. "rule" is the control: only labeled episodes are trained on. */
  readonly pays?: 'model' | 'rule';
  /** The weight of rewards for single steps: how much a step raises the chance of success, by a second model. */
  readonly steps?: number;
};

/**
 * Teachers and their kind of help. hint: a failed episode is retried from the first move that the teacher would not have made, with its
 * hint at every turn; training leaves out the hint. plan: the learner retries under the moves of the teacher's own success; the result is
 * stored by task, and the learner's own successes replace it. answer: the teachers' own successes, preferring those most likely under the
 * learner. action: the teacher's move at each of the learner's states, as a term of the loss. hint, plan and answer help only if a whole
 * group has failed. correct: after the first wrong turn the teacher continues; the wrong turn is input but not trained on. refine: the best
 * of several answers at every turn. experience: the outcomes of the learner's alternatives at an expert's states, over the first share of
 * the run, and then the expert's moves. rationale: a reason for each of the learner's moves, written after the move and trained before it.
 * feedback: a critique of an answer; the refined answer is trained without it if its episode ends better. For these two, the learner itself
 * writes if no teacher is named. shun: steps that the teacher calls wrong become less likely. recall: a failed group retries with the moves
 * of own successes in similar situations, without a teacher; no row contains the hints. instruct: every group is played under one of a
 * population of instructions, which is credited with the group's return; the teacher writes new ones, and the weights are trained under
 * them. revise: the learner's own successes, and failed episodes in which it recovers from its first error; no teacher is asked.
 */
export type Guidance = {
  readonly kind:
    | 'hint'
    | 'plan'
    | 'answer'
    | 'action'
    | 'correct'
    | 'refine'
    | 'experience'
    | 'rationale'
    | 'feedback'
    | 'shun'
    | 'recall'
    | 'instruct'
    | 'revise';
  /** Any agents: scripts of the environment, "local/RUN@best", "llm:…", files. */
  readonly teachers: readonly string[];
  /** The share of failed groups that are helped, or the weight of the term; may fade over the run. */
  readonly share: Setting;
  /** Guided attempts per failed group, or answers or alternatives per turn; one if unset. */
  readonly tries?: number;
  /** The probability that a learner that cannot read text follows a suggested move; 0.9 if unset. */
  readonly heed?: number;
  /** Initial instructions, in addition to the empty one. */
  readonly instructions?: readonly string[];
  /** The number of failures replaced by answers, one if unset; or the maximum number of instructions, six if unset. */
  readonly places?: number;
  /** γ of p / (p + γ), which weights answers of others: least where the learner is certain or finds the token impossible. 0.1 if unset. */
  readonly shape?: number;
  /** A success has a return above this; 0 if unset. */
  readonly success?: number;
  /** τ of exp(reward / τ), which weights refined answers; 1 if unset. */
  readonly temperature?: number;
  /** The number of expert episodes to play if none are kept; 16 if unset. */
  readonly games?: number;
  /**
   * The share of the run in which a text learner imitates the teacher's feedback and the refined answers, before it gives its own feedback
   * (SELF).
   */
  readonly skills?: number;
  /**
   * Whether the expert's move is preceded by a sentence about the alternatives' outcomes, instead of training to predict them. For
   * revisions, false is the control: only the good continuation from before the error is imitated.
   */
  readonly reflect?: boolean;
};
