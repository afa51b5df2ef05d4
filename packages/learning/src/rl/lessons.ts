/** @file What an update is made of, however it is played: the interface between the training loop and its two ways to play. */

import type { JsonObject } from '@ludus-agents/kernel/internal/core/index';
import type { OptimiserStep } from './gradient.ts';

/** Where in the run an update is. */
export interface LessonMoment {
  readonly update: number;
  /** The share of the run that is done, from 0 to 1. */
  readonly done: number;
  readonly step: OptimiserStep;
}

/** What is known of an update. Figures that a way to play does not have are null. */
export interface LessonFigures {
  /** Mean return of the learner's seats. */
  readonly returned: number;
  /** The largest of these returns less the smallest. */
  readonly spread: number;
  /** Share of the learner's games that paid more than nothing, those that paid nothing half. */
  readonly won: number | null;
  readonly entropy: number | null;
  readonly kl: number | null;
  /** Share of tokens whose ratio was cut off. */
  readonly clipped: number | null;
  /** Share of turns that broke the rules. */
  readonly invalid: number;
  readonly tokens: number;
  readonly loss: number;
  /** What guides say of it, by name: groups that were helped, tokens that were sampled under guidance. */
  readonly guidance?: Readonly<Record<string, number>>;
  /** What an episode was paid by each judge's channel, on average, before weights. */
  readonly channels?: Readonly<Record<string, number>>;
  /** By how many updates, at most, the weights that sampled a token were older than those that learned from it; and the mean over tokens. */
  readonly stale?: number;
  readonly staleness?: number;
  /** How often the mechanism acted since the run began, by counter; left out where nothing is counted. */
  readonly acts?: Readonly<Record<string, number>>;
}

/** A way to play and to learn from it: on a whole game tree, or from logs of episodes. */
export interface Lessons {
  /** Plays, adds the gradient and applies it. */
  learn(moment: LessonMoment): Promise<LessonFigures>;
  write(): Promise<JsonObject>;
  read(from: JsonObject): void;
}
