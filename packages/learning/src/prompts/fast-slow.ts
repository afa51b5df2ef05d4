/**
 * @file Fast–slow training: texts and weights in turn (FST, arXiv 2605.12484).
 *
 * Every n updates of the weights a light round of text improvement is run at the weights as they are, and the front of texts it leaves
 * is what the next updates play under: each problem's group of episodes is spread over several texts, and its advantages are taken once, over
 * all of them, so that a text that makes a problem easy is learned from like a good move. A spec names its weights (`model`), so nothing that
 * was scored under other weights is taken for a score of these. Either channel can be frozen; what is left is the other method, to the byte.
 */

import { type AgentSpec, Fault, type Rng, rng, type Seed } from '@ludus-agents/kernel/internal/core/index';
import { groupAdvantages } from '../rl/baselines/group.ts';

export interface FastSlowServices {
  /** A light round of text improvement at the spec's weights: the front of texts, best first, at least one. */
  texts(spec: AgentSpec, round: number): Promise<readonly AgentSpec[]>;
  /** Some updates under the texts of the front, from the front's own weights on: the name of the new weights. */
  weights(front: readonly AgentSpec[], round: number): Promise<string>;
}

export interface FastSlowPlan {
  readonly rounds: number;
  readonly freeze?: 'texts' | 'weights' | undefined;
}

export interface Phase {
  readonly round: number;
  readonly kind: 'texts' | 'weights';
  /** The front as it is now, under the weights as they are. */
  readonly front: readonly AgentSpec[];
}

/** Rounds of texts and weights in turn. The last phase has the answer: its front's first spec. */
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

/** Which text of the front each episode of a problem's group is played under: as evenly as it goes, in an order of the dice. */
export function textsForGroup(front: number, size: number, dice: Rng): readonly number[] {
  const order = dice.shuffle(Array.from({ length: front }, (_, i) => i));
  return Array.from({ length: size }, (_, i) => order[i % front]);
}

export interface TextRollout {
  readonly problem: number;
  /** The text of the front that it was played under. */
  readonly text: number;
  readonly reward: number;
}

/** Computes advantages for each problem over all texts that were tried on it, normalized by mean and deviation. */
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

/** The episodes of an update: for each problem a group, spread over the texts of the front. The same for the same seed and update. */
export function groupsOf(front: readonly AgentSpec[], { seed, update, problems, size }: GroupPlan): readonly Omit<TextRollout, 'reward'>[] {
  return problems.flatMap((problem) =>
    textsForGroup(front.length, size, rng(seed, 'texts', update, problem)).map((text) => ({ problem, text })),
  );
}
