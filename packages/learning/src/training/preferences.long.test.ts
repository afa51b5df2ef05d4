/** @file A language model learns by comparing its own games. */

import { describe, expect, it } from 'vitest';
import { hasRuntime } from '../learners/transformer/index.ts';
import { override } from '../rl/recipe-overrides.ts';
import { builtInRecipe } from '../rl/recipes/index.ts';
import { returnsOf } from './trainer.cases.ts';

describe.skipIf(!hasRuntime())('language model with preference training', () => {
  it.each(['lm-dpo', 'lm-kto'])('wins more often with %s by comparing its games', async (name) => {
    const { first, last } = await returnsOf(override(builtInRecipe(name), ['training.games=10240']));
    expect(last).toBeGreaterThan(first + 0.1);
  });
});
