/** @file Kuhn poker by a language model at four times the length of the short test, on three seeds. */

import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { describe, expect, it } from 'vitest';
import { hasRuntime } from '../learners/transformer/index.ts';
import { override } from '../rl/recipe-overrides.ts';
import { builtInRecipe } from '../rl/recipes/index.ts';
import { createTrainer } from './trainer.ts';

const recipe = override(builtInRecipe('kuhn-lm'), ['training.games=33600', 'training.ramp=20']);

describe.skipIf(!hasRuntime())('language model in self-play', () => {
  it.each([1, 2, 3])('is hard to exploit after 200 updates (seed %i)', async (seed) => {
    const training = await createTrainer({ recipe, seed }, { trust: Trust.commandLine, cwd: process.cwd(), folder: null });
    expect(await training.run(training.updates)).toBeNull();
    const { invalid, exploitability } = await training.measure();
    expect(invalid).toBeLessThan(0.02);
    expect(exploitability).toBeLessThan(0.2);
  });
});
