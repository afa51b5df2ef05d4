/** @file What a recipe may learn from besides its own play: kept episodes, rounds of own successes, teachers. */

import type { Seat } from '@ludus-agents/kernel/internal/core/index';
import type { Setting } from './recipe.ts';

/** How much a kept turn counts next to the others. */
export type Weighing =
  | { readonly kind: 'alike' }
  /** By what its episode returned, where that is above nothing (AgentEvol). */
  | { readonly kind: 'return' }
  /** By exp(reward / temperature) of the turn itself (RISE). */
  | { readonly kind: 'reward'; readonly temperature: number }
  /** By exp(β(Q − V)), Q being what followed. */
  | { readonly kind: 'monte-carlo'; readonly discount: number; readonly beta: number }
  /** The same with Q and V of what could have followed: V is an expectile over the answers that were given (implicit Q-learning). */
  | { readonly kind: 'implicit'; readonly discount: number; readonly expectile: number; readonly beta: number };

/** Kept episodes that are learned from. */
export type KeptSource = {
  /** A run of the store, or a file that `ludus data export` wrote. */
  readonly from: string;
  /** Only seats whose score is so: "return>=1". */
  readonly where?: readonly string[];
  /** Turns whose own score is so are read and not learned: "penalty>0", "error>=1". */
  readonly mask?: readonly string[];
  /** The same, of what such a score quotes of the answer alone. */
  readonly maskQuotes?: readonly string[];
  readonly seats?: readonly Seat[];
  /** The newest so many episodes. */
  readonly limit?: number;
  /** The best share of them by return. */
  readonly top?: number;
  readonly weigh?: Weighing;
  /** Rows of one update, drawn again each time; all of them unless set. */
  readonly rows?: number;
};

/** Rounds in which own successes become what is learned from. */
export type Rounds = {
  /** Updates of a round. */
  readonly updates: number;
  /** What an episode must return to be kept. */
  readonly least: number;
  /** Whether each round begins with the weights of the start. */
  readonly restart: boolean;
  /** Rows are kept whose log-perplexity lies between these quantiles. */
  readonly band?: readonly [number, number];
};

/** A model of outcomes that learns next to the policy and pays it in place of the environment, once it can be trusted. */
export type RewardModelSettings = {
  /** Which episodes are good: "return>=1", or a bound on any scorer by its name or file. */
  readonly rule: string;
  /** The share of episodes that the rule labels while the model is trusted; all of them before. */
  readonly labels: Setting;
  /** Updates after which the model is learned again. */
  readonly updates: number;
  /** Labels in the whole run, at most. With a budget, only the share of labels is asked for before the model is trusted, too. */
  readonly budget?: number;
  /** What the model learns from besides successes: failures and broken copies of successes (as is, corrupted), or failures alone. */
  readonly negatives?: 'corrupted' | 'plain';
  /** Who pays once the model is trusted. "rule" is the control: only labeled episodes are learned from. */
  readonly pays?: 'model' | 'rule';
  /** The weight of rewards of single steps: how much likelier a step makes a good end, by a second model. */
  readonly steps?: number;
};

/**
 * Teachers, and what they give. hint: a failed episode is taken again from the first move that the teacher would not have made, with its hint at
 * every turn; it is learned from without the hint. plan: the learner tries again under the moves of the teacher's own success; the success is
 * kept by task, and own ones take its place. answer: the teachers' own successes, those that the learner finds likeliest. action: the teacher's
 * move at each of the learner's own states, as a term of the loss. hint, plan and answer help where a whole group has failed, and nowhere else.
 * correct: after the first wrong turn the teacher goes on; the wrong turn is read and not learned. refine: the best of several answers at every
 * turn. experience: what own alternatives at the states of an expert lead to, over the first share of the run, and then the expert's moves.
 * rationale: a reason for each own move, written after it and learned before it. feedback: what is wrong with an answer; one that is refined by it
 * is learned without it where its episode ends better. Where no teacher is named for these two, the learner writes itself.
 * shun: steps that the teacher calls wrong are made less likely. recall: where a group fails it tries again with what own successes did where it
 * looked the same, and no teacher; what it was told is in no row. instruct: every group is played under one of a population of instructions, which
 * is credited with what the group is paid; the teacher writes new ones, and the weights learn under them.
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
    | 'instruct';
  /** Any agents: scripts of the environment, "local/RUN@best", "llm:…", files. */
  readonly teachers: readonly string[];
  /** The share of failed groups that are helped, or the weight of the term; it may fade over the run. */
  readonly share: Setting;
  /** Tries under guidance for each failed group, or answers or alternatives at a turn; one unless set. */
  readonly tries?: number;
  /** How likely a learner that cannot read takes a move that it is told; 0.9 unless set. */
  readonly heed?: number;
  /** Instructions to begin with, besides none at all. */
  readonly instructions?: readonly string[];
  /** Failures that answers take the place of, one unless set; or instructions at most, six unless set. */
  readonly places?: number;
  /** γ of p / (p + γ), by which answers of others are learned: least where the learner is sure or cannot imagine. 0.1 unless set. */
  readonly shape?: number;
  /** What a success returns more than; 0 unless set. */
  readonly success?: number;
  /** τ of exp(reward / τ), by which refined answers count; 1 unless set. */
  readonly temperature?: number;
  /** Episodes of the expert, where none are kept; 16 unless set. */
  readonly games?: number;
  /** The share of the run in which a learner that writes imitates the teacher's feedback and what it makes of it, before it gives its own (SELF). */
  readonly skills?: number;
  /** Whether a sentence on what alternatives led to comes before the expert's move, in place of predicting. */
  readonly reflect?: boolean;
};
