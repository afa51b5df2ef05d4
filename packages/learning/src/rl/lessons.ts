/** @file The parts of an update, however it is played: the interface between the training loop and its two ways to play. */

import type { JsonObject } from '@ludus-agents/kernel/internal/core/index';
import type { OptimiserStep } from './gradient.ts';

/** The position of an update within the run. */
export interface LessonMoment {
  readonly update: number;
  /** The completed share of the run, from 0 to 1. */
  readonly done: number;
  readonly step: OptimiserStep;
}

/** Figures of an update; null if the way to play does not have them. */
export interface LessonFigures {
  /** Mean return of the learner's seats. */
  readonly returned: number;
  /** The largest minus the smallest of these returns. */
  readonly spread: number;
  /** The share of the learner's games with a positive return; a return of 0 counts half. */
  readonly won: number | null;
  readonly entropy: number | null;
  readonly kl: number | null;
  /** The share of tokens with a clipped ratio. */
  readonly clipped: number | null;
  /** The share of turns that broke the rules. */
  readonly invalid: number;
  readonly tokens: number;
  readonly loss: number;
  /** Figures of the guides, by name: groups that were helped, tokens sampled under guidance. */
  readonly guidance?: Readonly<Record<string, number>>;
  /** The mean reward of an episode in each judge's channel, before weights. */
  readonly channels?: Readonly<Record<string, number>>;
  /** The staleness of tokens, in updates between the weights that sampled them and those trained on them: maximum and mean. */
  readonly stale?: number;
  readonly staleness?: number;
  /** How often the mechanism acted since the run began, by counter; omitted if nothing is counted. */
  readonly acts?: Readonly<Record<string, number>>;
}

/** A way to play and train: on a whole game tree, or from logs of episodes. */
export interface Lessons {
  /** Plays, adds the gradient and applies it. */
  learn(moment: LessonMoment): Promise<LessonFigures>;
  write(): Promise<JsonObject>;
  read(from: JsonObject): void;
}
