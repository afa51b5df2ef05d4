/** @file What a generation that learns from the last one is worth, on the percentiles over tasks. */

import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { expect, it } from 'vitest';
import { override } from '../rl/recipe-overrides.ts';
import { builtInRecipe } from '../rl/recipes/index.ts';
import { train } from './train.ts';

it('xland: a generation guided by the previous one ends higher than a fresh one', async () => {
  const ended = async (...settings: readonly string[]) => {
    const recipe = override(builtInRecipe('xland'), ['training.games=6400', ...settings]);
    const { gain } = (await train({ recipe, seed: 1 }, { trust: Trust.commandLine, cwd: process.cwd(), folder: null }))!;
    return gain!;
  };
  const [taught, fresh] = [await ended(), await ended('loss.imitation={"from":0,"to":0,"updates":1}')];
  expect(taught.after).toBeGreaterThan(fresh.after + 0.2);
  expect(taught.tasks!.better).toBe(true);
});
