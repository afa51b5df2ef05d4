/**
 * @file Merges identical answers into one row: the sum of their gradients is the gradient of the sum. A thousand hands of poker, with
 * twelve possible observations, become about thirty rows.
 */

import type { Learner, Policy, TokenRow } from '@ludus-agents/kernel/internal/core/index';
import type { GradientBatch } from './gradient.ts';
import type { EpisodeSample, TurnSample } from './samples.ts';

/** A learner that combines gradient and step, and whose reference can move part of the way. */
export interface SteppingLearner extends Learner {
  step(batch: readonly TokenRow[], loss: string, settings: Readonly<Record<string, number>>): Promise<Readonly<Record<string, number>>>;
  refer(share?: number): Promise<void>;
  /** `average` adds the current weights to their mean; `settle` makes the mean the weights. */
  average(): Promise<void>;
  settle(): Promise<void>;
}

/** A learner that can play with the current weights while they change. */
export interface FreezingLearner extends Learner {
  /** A policy with the weights that result from all steps called so far, whatever follows. */
  frozenPolicy(): Policy;
}

export function canFreeze(learner: Learner): learner is FreezingLearner {
  return typeof (learner as Partial<FreezingLearner>).frozenPolicy === 'function';
}

export function canStep(learner: Learner): learner is SteppingLearner {
  return typeof (learner as Partial<SteppingLearner>).step === 'function';
}

/** Whether a batch may be merged: its loss must not depend on which of several identical answers a token is from. */
export function mergesAnswers({ learner, recipe, recalled, shown, terms = [] }: GradientBatch): boolean {
  const { loss, importance, baseline } = recipe;
  const plain = loss.kind === 'policy-gradient' && loss.aggregation === 'games' && importance === null && loss.imitation === undefined;
  const whole = (loss.kl === undefined || loss.kl.estimate === 'exact') && recalled.length + shown.length + terms.length === 0;
  return plain && whole && baseline.kind !== 'value' && baseline.kind !== 'utterances' && canStep(learner);
}

/** The number of games among episodes: seats of one game count once. */
export function gamesOf(episodes: readonly EpisodeSample[]): number {
  return new Set(episodes.map(({ game }) => game)).size;
}

interface Answers {
  readonly written: readonly number[];
  count: number;
  sum: number;
}

/** One row for each answer to each prompt, weighted by its count and mean advantage; every game has equal weight, however long. */
export function mergedRows(episodes: readonly EpisodeSample[], advantages: readonly ArrayLike<number>[]): readonly TokenRow[] {
  const groups = new Map<readonly number[], Map<string, Answers>>();
  const keys = new Map<readonly number[], string>();
  const turns = episodes.flatMap(({ game, turns: turnSamples }, i) =>
    turnSamples.map((turn, t): [number, TurnSample, number] => [game, turn, advantages[i][t]]),
  );
  // In order of play, seats in turn, so that sums do not depend on the names of seats.
  turns.sort(([a, turnSample], [b, other]) => a - b || turnSample.at - other.at);
  for (const [, { read, written }, advantage] of turns) {
    const answers = groups.get(read) ?? new Map<string, Answers>();
    // A learner may return the same list for the same answer; its key is then computed once.
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
