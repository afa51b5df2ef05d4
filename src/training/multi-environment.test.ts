/** @file One language model with one trunk learns several worlds at once: a shortened run in two cheap ones, against players that never change. */

import { describe, expect, it } from 'vitest';
import { amount } from '../../test/fixtures/amount.ts';
import type { AnyEnvironment, Policy } from '../core/index.ts';
import { builtInEnvironment } from '../environments/index.ts';
import { hasRuntime, type Transformer } from '../learners/transformer/index.ts';
import { type Met, playMatchup } from '../learning/rl/matchup.ts';
import type { Recipe } from '../learning/rl/recipe.ts';
import { manyLm } from '../learning/rl/recipes/language.ts';
import { opponentBy } from '../workspace/seat-policies.ts';
import { createTrainer } from './trainer.ts';

const many = manyLm.training;
const short: Recipe = {
  ...manyLm,
  training: {
    ...many,
    environments: [
      { environment: 'kuhn-poker', task: {}, scale: 1 },
      { environment: 'dilemma', task: { rounds: 1 }, scale: 0.4 },
    ],
    sizes: { ...many.sizes, width: 32 },
    warmUp: { games: 400, steps: 300, rate: 3e-3, rows: 64, slips: 0.05 },
    games: amount(90, 200) * 96,
    batch: 96,
  },
};
const ready = (recipe: Recipe) => createTrainer({ recipe, seed: 1 }, { cwd: process.cwd(), folder: null });

/** Players that never change, and the least that is to be gained against them. */
const anchors = [
  { world: 'kuhn-poker', task: {}, anchor: 'equilibrium', games: 2000, least: amount(0.02, 0.05) },
  { world: 'kuhn-poker', task: {}, anchor: 'random', games: 2000, least: amount(0.02, 0.05) },
  { world: 'dilemma', task: { rounds: 1 }, anchor: 'random', games: 300, least: amount(0.2, 0.3) },
];

describe.skipIf(!hasRuntime())('one model in several worlds', () => {
  it('comes to be paid more in each of them', async () => {
    const training = await ready(short);
    const { learner } = training;
    const paid = () =>
      Promise.all(
        anchors.map(async ({ world: environment, task, anchor, games }) => {
          const rules: AnyEnvironment = await builtInEnvironment(environment);
          return playMatchup({ environment: rules, task, mine: learner.policy(), theirs: opponentBy(anchor, rules), games, seed: 7 });
        }),
      );
    await training.begin();
    const before = await paid();
    expect(await training.run(training.updates)).toBeNull();
    const after = await paid();
    for (const [i, { least }] of anchors.entries()) {
      const [first, last] = [before[i], after[i]] as [Met, Met];
      expect(last.returned - first.returned).toBeGreaterThan(least);
      expect(last.invalid).toBeLessThan(0.02);
    }
  });

  it('learns from its own moves alone where an anchor plays the other seat', async () => {
    const [alone, anchored] = [await lessons(0), await lessons(1)];
    for (const { own, counted } of [alone, anchored]) expect(counted).toBeCloseTo(own, 6);
    expect(anchored.own).toBeLessThan(alone.own);
  });
});

/** One update in tic-tac-toe with minimax in a share of the games: how many moves the model made, and how many it learned from. */
async function lessons(share: number): Promise<{ readonly own: number; readonly counted: number }> {
  const environments = [{ environment: 'tic-tac-toe', task: {}, scale: 1, anchor: { script: 'minimax', share } }];
  const batch = 16;
  const warmUp = { games: 20, steps: 1, rate: 3e-3, rows: 64, slips: 0.05 };
  const training = await ready({ ...short, training: { ...short.training, environments, warmUp, batch, games: batch } });
  const learner = training.learner as Transformer;
  let [own, counted] = [0, 0];
  const [policy, step] = [learner.policy.bind(learner), learner.step.bind(learner)];
  learner.policy = (sampling) => {
    const plain = policy(sampling);
    const act: Policy['act'] = (turns) => {
      own += turns.length;
      return plain.act(turns);
    };
    return { ...plain, act };
  };
  learner.step = (rows, ...rest) => {
    // A row counts as often as its answer was given, over the games of a batch; every token of an answer counts alike.
    for (const { mask } of rows) counted += mask[mask.length - 1]! * batch;
    return step(rows, ...rest);
  };
  await training.run(1);
  return { own, counted };
}
