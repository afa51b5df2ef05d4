/** @file One language model in several worlds: whose moves it learns from. That it comes to be paid more is a long test. */

import type { JsonObject, Policy } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { hasRuntime, type Transformer } from '../learners/transformer/index.ts';
import { trainerOf, twoEnvironments } from './multi-environment.cases.ts';

describe.skipIf(!hasRuntime())('training one model in several environments', () => {
  it("uses only the learner's moves if an anchor plays the other seat", async () => {
    const [alone, anchored] = [await lessons(0), await lessons(1)];
    for (const { own, counted } of [alone, anchored]) expect(counted).toBeCloseTo(own, 6);
    expect(anchored.own).toBeLessThan(alone.own);
  });

  it('leaves seats with matching scripts to those scripts and trains all others', async () => {
    const seats = async (environment: string, task: JsonObject) => {
      const acting = new Set<string>();
      const shown = new Set<string>();
      const sizes = { ...twoEnvironments.training.sizes, context: 512 };
      const warmUp = { games: 1, steps: 1, rate: 3e-3, rows: 1 };
      const environments = [{ environment, task, scale: 1 }];
      const training = await trainerOf({
        ...twoEnvironments,
        training: { ...twoEnvironments.training, environments, sizes, warmUp, batch: 1, games: 1 },
      });
      const learner = training.learner as Transformer;
      const [policy, rowOf] = [learner.policy.bind(learner), learner.rowOf.bind(learner)];
      learner.rowOf = (turn, text) => {
        shown.add(turn.view.seat);
        return rowOf(turn, text);
      };
      learner.policy = (sampling) => {
        const plain = policy(sampling);
        const act: Policy['act'] = (turns) => {
          for (const { view } of turns) acting.add(view.seat);
          return plain.act(turns);
        };
        return { ...plain, act };
      };
      await training.run(1);
      return { acting: [...acting].sort(), shown: [...shown].sort() };
    };
    const guesser = { acting: ['guesser'], shown: ['guesser'] };
    expect(await seats('twenty-questions', { table: 'bits', turns: 3 })).toEqual(guesser);
    const both = ['first', 'second'];
    expect(await seats('dilemma', { rounds: 1 })).toEqual({ acting: both, shown: both });
  });
});

/** One update in tic-tac-toe with minimax in a share of the games: how many moves the model made, and how many it learned from. */
async function lessons(share: number): Promise<{ readonly own: number; readonly counted: number }> {
  const environments = [{ environment: 'tic-tac-toe', task: {}, scale: 1, anchor: { script: 'minimax', share } }];
  const batch = 16;
  const warmUp = { games: 20, steps: 1, rate: 3e-3, rows: 64, slips: 0.05 };
  const training = await trainerOf({
    ...twoEnvironments,
    training: { ...twoEnvironments.training, environments, warmUp, batch, games: batch },
  });
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
