/**
 * @file Answers that are alike as one row: a sum of gradients is a gradient of a sum. A thousand hands of poker, in which twelve things can be
 * seen, are some thirty rows.
 */

import type { Learner, Policy, TokenRow } from '@ludus-agents/kernel/internal/core/index';
import type { GradientBatch } from './gradient.ts';
import type { EpisodeSample, TurnSample } from './samples.ts';

/** A learner that makes gradient and step in one, and whose reference can go a share of the way. */
export interface SteppingLearner extends Learner {
  step(batch: readonly TokenRow[], loss: string, settings: Readonly<Record<string, number>>): Promise<Readonly<Record<string, number>>>;
  refer(share?: number): Promise<void>;
  /** Adds the weights as they are to their mean, and makes the mean the weights. */
  average(): Promise<void>;
  settle(): Promise<void>;
}

/** A learner that can play by the weights as they are while they are changed. */
export interface FreezingLearner extends Learner {
  /** Plays by the weights that come of the steps that were called for so far, whatever comes after. */
  frozenPolicy(): Policy;
}

export function canFreeze(learner: Learner): learner is FreezingLearner {
  return typeof (learner as Partial<FreezingLearner>).frozenPolicy === 'function';
}

export function canStep(learner: Learner): learner is SteppingLearner {
  return typeof (learner as Partial<SteppingLearner>).step === 'function';
}

/** Whether a batch may be merged: nothing in its loss depends on which of several like answers a token is from. */
export function mergesAnswers({ learner, recipe, recalled, shown, terms = [] }: GradientBatch): boolean {
  const { loss, importance, baseline } = recipe;
  const plain = loss.kind === 'policy-gradient' && loss.aggregation === 'games' && importance === null && loss.imitation === undefined;
  const whole = (loss.kl === undefined || loss.kl.estimate === 'exact') && recalled.length + shown.length + terms.length === 0;
  return plain && whole && baseline.kind !== 'value' && baseline.kind !== 'utterances' && canStep(learner);
}

/** How many games episodes are from: seats of one game count once. */
export function gamesOf(episodes: readonly EpisodeSample[]): number {
  return new Set(episodes.map(({ game }) => game)).size;
}

interface Answers {
  readonly written: readonly number[];
  count: number;
  sum: number;
}

/** A row for each answer to each prompt, which counts as often as it was given and by its mean advantage; a game counts alike however long it is. */
export function mergedRows(episodes: readonly EpisodeSample[], advantages: readonly ArrayLike<number>[]): readonly TokenRow[] {
  const groups = new Map<readonly number[], Map<string, Answers>>();
  const keys = new Map<readonly number[], string>();
  const turns = episodes.flatMap(({ game, turns: turnSamples }, i) =>
    turnSamples.map((turn, t): [number, TurnSample, number] => [game, turn, advantages[i][t]]),
  );
  // In the order of play, seats in turn, so that sums do not depend on how seats are named.
  turns.sort(([a, turnSample], [b, other]) => a - b || turnSample.at - other.at);
  for (const [, { read, written }, advantage] of turns) {
    const answers = groups.get(read) ?? new Map<string, Answers>();
    // A learner may give the same list for the same answer, and then it is written out once.
    const key = keys.get(written) ?? written.join();
    keys.set(written, key);
    const group = answers.get(key) ?? { written, count: 0, sum: 0 };
    group.count++;
    group.sum += advantage;
    answers.set(key, group);
    groups.set(read, answers);
  }
  const each = 1 / gamesOf(episodes);
  return [...groups].flatMap(([read, answers]) =>
    [...answers.values()].map(({ written, count, sum }) => {
      const along = (value: number) => new Array<number>(read.length + written.length).fill(0, 0, read.length).fill(value, read.length);
      return { tokens: read.concat(written), mask: along(count * each), weights: along(sum / count) };
    }),
  );
}
