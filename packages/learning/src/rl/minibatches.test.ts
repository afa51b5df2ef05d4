/** @file Clips act: a batch whose every step was computed by hand, and the recipes that differ by it. */

import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { Tabular } from '../learners/index.ts';
import { descend, type GradientBatch, minibatchesOf } from './gradient.ts';
import { PastEntropy } from './losses/band.ts';
import type { Loss, Recipe, Training } from './recipe.ts';
import { builtInRecipe } from './recipes/index.ts';
import type { EpisodeSample } from './samples.ts';
import { TrainingLoop } from './training-loop.ts';

const base = builtInRecipe('grpo');
const clipped: Loss = { kind: 'clipped', clip: [0.2, 0.2], aggregation: 'sequence-mean-token-mean' };

/** One prompt, three answers, all alike at first; four samples with the advantages of returns 1, 0, 0, 0. */
function batchOf(learner: Tabular, loss: Loss, samples: readonly (readonly [answer: number, advantage: number])[]): GradientBatch {
  const episodes = samples.map(
    ([answer], i): EpisodeSample => ({
      ...{ environment: 'one@1', seat: 'only', prompt: Math.floor(i / 2), game: i, returned: 0, invalid: 0, truncated: false },
      turns: [{ read: [0], written: [answer], logprobs: [Math.log(1 / 3)], reward: 0, penalty: 0, at: 0 }],
    }),
  );
  const recipe: Recipe = { ...base, loss };
  const advantages = samples.map(([, advantage]) => [advantage]);
  return { learner, recipe, episodes, advantages, recalled: [], shown: [], update: 0, done: 0, past: new PastEntropy() };
}

const samples = [
  [0, 1.5],
  [1, -0.5],
  [2, -0.5],
  [1, -0.5],
] as const;

function learnerOf(): Tabular {
  const learner = new Tabular({ optimiser: 'sgd' });
  learner.table.add(3);
  return learner;
}

/** Two epochs of two halves in the order of the samples, by plain descent at rate 0.5. */
async function golden(loss: Loss, epochs = 2) {
  const learner = learnerOf();
  const halves = [batchOf(learner, loss, samples.slice(0, 2)), batchOf(learner, loss, samples.slice(2))];
  const parts = Array.from({ length: epochs }, () => halves).flat();
  const { clipped: share } = await descend(parts, { rate: 0.5 }, false);
  await learner.optimStep({ rate: 0.5 });
  return { chances: Array.from(learner.strategy()[0] ?? []), flagged: share * 2 * parts.length };
}

const near = (chances: readonly number[], expected: readonly number[]) => {
  for (const [i, value] of expected.entries()) expect(chances[i]).toBeCloseTo(value, 4);
};

describe('golden batch', () => {
  it('clips three of eight steps and ends at the hand-computed weights', async () => {
    near((await golden(clipped, 1)).chances, [0.45457, 0.27045, 0.27498]);
    const { chances, flagged } = await golden(clipped);
    near(chances, [0.49029, 0.25272, 0.25699]);
    expect(flagged).toBeCloseTo(3, 9);
  });

  it('clips nothing in a single gradient over all four samples', async () => {
    const learner = learnerOf();
    const { clipped: share } = await descend([batchOf(learner, clipped, samples)], { rate: 0.5 }, false);
    await learner.optimStep({ rate: 0.5 });
    expect(share).toBe(0);
    near(Array.from(learner.strategy()[0] ?? []), [0.39834, 0.29143, 0.31023]);
  });

  it('clips five steps within the bounds of LOOP, and stays at the result of the first epoch', async () => {
    const { chances, flagged } = await golden({ ...clipped, kind: 'log-clipped' });
    near(chances, [0.45457, 0.27045, 0.27498]);
    expect(flagged).toBeCloseTo(5, 9);
  });

  it('distinguishes AEPO, which keeps the gradient of good results, from ARPO', async () => {
    const { chances, flagged } = await golden({ ...clipped, kind: 'kept-gradient' });
    near(chances, [0.56303, 0.20578, 0.23119]);
    expect(flagged).toBeCloseTo(4, 9);
  });
});

describe('minibatches', () => {
  const batch = (loss: Loss) => batchOf(learnerOf(), loss, [...samples, ...samples, ...samples]);

  it('contain every episode once per epoch, with whole prompts in a new order', () => {
    const parts = minibatchesOf(batch({ ...clipped, epochs: 3, minibatches: 2 }), rng(1, 'x'));
    expect(parts.map(({ episodes }) => episodes.length)).toEqual([6, 6, 6, 6, 6, 6]);
    for (let epoch = 0; epoch < 3; epoch++) {
      const prompts = parts.slice(2 * epoch, 2 * epoch + 2).map(({ episodes }) => episodes.map(({ prompt }) => prompt));
      expect(prompts.flat().sort()).toEqual([0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
      for (const ownPrompt of prompts)
        for (const prompt of ownPrompt) expect(ownPrompt.filter((value) => value === prompt)).toHaveLength(2);
    }
    const orders = new Set(parts.map(({ episodes }) => episodes.map(({ prompt }) => prompt).join()));
    expect(orders.size).toBeGreaterThan(2);
  });

  it('default to the whole batch', () => {
    const whole = batch(clipped);
    expect(minibatchesOf(whole, rng(1, 'x'))).toEqual([whole]);
  });
});

describe('clipping in recipes', async () => {
  const kuhn = await builtInEnvironment('kuhn-poker');
  /** Trains a recipe in earnest, with a rate at which ratios leave their bounds. */
  const trained = async (name: string, loss: Partial<Loss> = {}, few: Partial<Training> = {}) => {
    const method = builtInRecipe(name);
    const training = { ...method.training, task: {}, rate: { from: 0.5, to: 0.5 }, games: 4096, batch: 256, ...few };
    const learner = new Tabular();
    let cut = 0;
    const recipe = { ...method, loss: { ...method.loss, ...loss }, training };
    const loop = new TrainingLoop(recipe, { environment: kuhn, learner, seed: 7, tell: (metrics) => (cut += metrics.clipped ?? 0) });
    await loop.run();
    return { weights: await learner.save(), cut };
  };

  it.each([
    ['grpo', 'flow-grpo'],
    ['arpo', 'aepo'],
  ])('makes %s and %s end differently', async (item, other) => {
    const [first, second] = [await trained(item), await trained(other)];
    expect(first.cut).toBeGreaterThan(0);
    expect(second.cut).toBeGreaterThan(0);
    expect(first.weights).not.toBe(second.weights);
  });

  it.each(['dapo', 'spiral', 'rapo', 'ppo-turns', 'loop'])('occurs in %s with several steps per update, but not with one', async (name) => {
    const few = { games: 1024 };
    const [ownEntry, single] = [await trained(name, {}, few), await trained(name, { epochs: 1, minibatches: 1 }, few)];
    expect(ownEntry.cut).toBeGreaterThan(0);
    // What rapo remembers was sampled by older weights, and may be cut whatever it does.
    expect(single.cut).toBeLessThan(name === 'rapo' ? ownEntry.cut : 1e-12);
  });

  it('makes no difference between grpo and flow-grpo with one step per update', async () => {
    const [first, second] = [await trained('grpo', { minibatches: 1 }), await trained('flow-grpo', { minibatches: 1 })];
    expect([first.cut, second.cut]).toEqual([0, 0]);
    expect(first.weights).toBe(second.weights);
  });
});
