/** @file A language model learns Kuhn poker through text and tokens: a shortened run, with bounds. */

import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { kuhnPoker } from '@ludus-agents/environments/internal/kuhn-poker';
import { gameTree } from '@ludus-agents/environments/internal/solve/tree';
import { describe, expect, it } from 'vitest';
import { hasRuntime } from '../learners/transformer/index.ts';
import type { Recipe } from '../rl/recipe.ts';
import { override } from '../rl/recipe-overrides.ts';
import { builtInRecipe } from '../rl/recipes/index.ts';
import { type TextLearner, textStrategy } from '../rl/text-strategy.ts';
import { createTrainer } from './trainer.ts';

const short = override(builtInRecipe('kuhn-lm'), ['training.games=8400', 'training.ramp=10']);
const ready = (recipe: Recipe, seed: number) =>
  createTrainer({ recipe, seed }, { trust: Trust.commandLine, cwd: process.cwd(), folder: null });

describe.skipIf(!hasRuntime())('language model in self-play', () => {
  it('plays legal Kuhn poker moves after imitation, then becomes much less exploitable', async () => {
    const training = await ready(short, 1);
    expect(training.how).toBe('By rollout: the learner reads and writes text.');
    await training.begin();
    const { legal } = await textStrategy(training.learner as TextLearner, gameTree(kuhnPoker).sets);
    expect(Math.min(...legal)).toBeGreaterThan(0.9);
    expect((await training.measure()).exploitability).toBeGreaterThan(0.35);
    expect(await training.run(training.updates)).toBeNull();
    const after = await training.measure();
    expect(after.update).toBe(50);
    expect(after.invalid).toBeLessThan(0.05);
    expect(after.exploitability).toBeLessThan(0.3);
  });
});
