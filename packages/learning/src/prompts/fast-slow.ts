/**
 * @file Fast–slow training: texts and weights in turn (FST, arXiv 2605.12484).
 *
 * Every n updates of the weights, a light round of text improvement runs with the current weights, and the next updates play under its
 * front of texts: each problem's group of episodes is spread over several texts, and its advantages are computed once over all of them, so
 * that a text that makes a problem easy is learned from like a good move. A spec names its weights (`model`), so scores under different
 * weights are never mixed up. Either channel can be frozen; the result is then exactly the other method.
 */

import { type AgentSpec, Fault, type Rng, rng, type Seed } from '@ludus-agents/kernel/internal/core/index';
import { groupAdvantages } from '../rl/baselines/group.ts';

export interface FastSlowServices {
  /** A light round of text improvement with the spec's weights: the front of texts, best first, at least one. */
  texts(spec: AgentSpec, round: number): Promise<readonly AgentSpec[]>;
  /** Some updates under the texts of the front, starting from the front's weights: the name of the new weights. */
  weights(front: readonly AgentSpec[], round: number): Promise<string>;
}

export interface FastSlowPlan {
  readonly rounds: number;
  readonly freeze?: 'texts' | 'weights' | undefined;
}

export interface Phase {
  readonly round: number;
  readonly kind: 'texts' | 'weights';
  /** The current front, with the current weights. */
  readonly front: readonly AgentSpec[];
}

/** Alternates rounds of texts and weights. The answer is the first spec of the last phase's front. */
export async function* fastSlow(
  start: AgentSpec,
  { rounds, freeze }: FastSlowPlan,
  services: FastSlowServices,
): AsyncGenerator<Phase, AgentSpec> {
  let front: readonly AgentSpec[] = [start];
  for (let round = 0; round < rounds; round++) {
    if (freeze !== 'texts') {
      front = await services.texts(front[0], round);
      if (front.length === 0) throw new Fault('input', 'A round of text improvement must return at least its initial text.');
      yield { round, kind: 'texts', front };
    }
    if (freeze !== 'weights') {
      const model = await services.weights(front, round);
      front = front.map((spec) => ({ ...spec, model }));
      yield { round, kind: 'weights', front };
    }
  }
  return front[0];
}

/** Assigns a text of the front to each episode of a problem's group: as evenly as possible, in random order. */
export function textsForGroup(front: number, size: number, dice: Rng): readonly number[] {
  const order = dice.shuffle(Array.from({ length: front }, (_, i) => i));
  return Array.from({ length: size }, (_, i) => order[i % front]);
}

export interface TextRollout {
  readonly problem: number;
  /** The index of its text in the front. */
  readonly text: number;
  readonly reward: number;
}

/** Computes advantages for each problem over all texts used for it, normalized by mean and deviation. */
export function acrossTexts(rollouts: readonly Pick<TextRollout, 'problem' | 'reward'>[]): readonly number[] {
  const rewards = rollouts.map(({ reward }) => reward);
  const problems = rollouts.map(({ problem }) => problem);
  return [...groupAdvantages(rewards, problems, { center: 'mean', scale: 'std', single: 'zero' })];
}

export interface GroupPlan {
  readonly seed: Seed;
  readonly update: number;
  readonly problems: readonly number[];
  readonly size: number;
}

/** The episodes of an update: for each problem a group, spread over the texts of the front. Deterministic for a seed and update. */
export function groupsOf(front: readonly AgentSpec[], { seed, update, problems, size }: GroupPlan): readonly Omit<TextRollout, 'reward'>[] {
  return problems.flatMap((problem) =>
    textsForGroup(front.length, size, rng(seed, 'texts', update, problem)).map((text) => ({ problem, text })),
  );
}
