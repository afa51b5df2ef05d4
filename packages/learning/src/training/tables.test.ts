/** @file Recipes of tables, each in its own environment: it is paid more after it has learned, and no more when nothing is learnt. */

import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { expect, it } from 'vitest';
import { amount } from '../../../../test/fixtures/amount.ts';
import type { Recipe } from '../rl/recipe.ts';
import { builtInRecipe } from '../rl/recipes/index.ts';
import { createTrainer } from './trainer.ts';

/** What the last ten updates of a short run were paid. */
async function returned(recipe: Recipe, updates: number): Promise<number> {
  const trainer = await createTrainer({ recipe, seed: 1 }, { trust: Trust.commandLine, cwd: process.cwd(), folder: null });
  const rewards: number[] = [];
  for (let update = 1; update <= updates; update++) {
    await trainer.run(update);
    if (update > updates - 10) rewards.push((await trainer.measure()).returned as number);
  }
  return rewards.reduce((sum, value) => sum + value, 0) / rewards.length;
}

const quick = (name: string): Recipe => {
  const recipe = builtInRecipe(name);
  return { ...recipe, training: { ...recipe.training, rate: { from: 0.5, to: 0.5 }, batch: 64 } };
};
const still = (recipe: Recipe): Recipe => ({ ...recipe, training: { ...recipe.training, rate: { from: 0, to: 0 } } });

const paying = [
  ['blocks-tabular', 30, 0.3],
  ['tutor-tabular', 40, 0.02],
  ['recommender-tabular', 20, 0.05],
  ['content-tabular', 40, 0.05],
] as const;

it.each(paying.slice(0, amount(1, 4)))('%s increases its return by learning, but not with a rate of 0', async (name, updates, more) => {
  const before = await returned(still(quick(name)), 10);
  expect(await returned(quick(name), updates)).toBeGreaterThan(before + more);
  expect(await returned(still(quick(name)), 20)).toBeLessThan(before + more);
});

it('quest-tabular solves new quests, but not with whole views', async () => {
  const quest = quick('quest-tabular');
  expect(await returned(quest, 35)).toBeGreaterThan(0.95);
  expect(await returned({ ...quest, view: { kind: 'whole' } }, 15)).toBeLessThan(0.8);
});

it('offers-tabular finds answers among new facts, but not with whole views', async () => {
  const offers = quick('offers-tabular');
  const facts: Recipe = {
    ...offers,
    training: { ...offers.training, task: { competency: 'retrieval', tokens: 100, sessions: 1, questions: 1, facts: 3 }, batch: 32 },
  };
  expect(await returned(facts, 14)).toBeGreaterThan(0.6);
  expect(await returned({ ...facts, view: { kind: 'whole' } }, 10)).toBeLessThan(0.3);
});

it('view of moves is rejected in environments without a grammar', async () => {
  const recipe: Recipe = { ...quick('quest-tabular'), training: { ...quick('quest-tabular').training, environment: 'blocks', task: {} } };
  await expect(createTrainer({ recipe, seed: 1 }, { trust: Trust.commandLine, cwd: process.cwd(), folder: null })).rejects.toThrow(
    /does not list the words of its grammar \(about\.words\)/,
  );
});
