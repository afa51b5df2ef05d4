/** @file Recipes of one's own: every built-in one reads back as it is, and what is wrong is reported with its range. */

import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import type { JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import type { Recipe } from '../rl/recipe.ts';
import { recipes } from '../rl/recipes/index.ts';
import { outsideAgents } from './overlap.ts';
import { readRecipe } from './recipe-file.ts';
import { seatingOf } from './seating.ts';

describe('recipe file', () => {
  it.each(recipes.map((recipe) => [recipe.name, recipe] as const))('preserves %s in a round trip', (_, recipe) => {
    const read = readRecipe(JSON.parse(JSON.stringify(recipe)), 'x') as unknown as JsonObject;
    expect(read).toMatchObject(recipe);
    expect(readRecipe({ name: 'mine', base: recipe.name }, 'x')).toMatchObject({ ...recipe, name: 'mine' });
  });

  it('overrides only the given fields of its base', () => {
    const base = recipes.find(({ name }) => name === 'kuhn-tabular') as Recipe;
    const read = readRecipe(
      { name: 'mine', base: 'kuhn-tabular', loss: { kl: { weight: 0.1 } }, rollout: { kind: 'group', size: 4 } },
      'x',
    );
    expect(read).toEqual({
      ...base,
      name: 'mine',
      loss: { ...base.loss, kl: { ...base.loss.kl, weight: 0.1 } },
      // Another choice replaces the whole slot.
      rollout: { kind: 'group', size: 4 },
    });
  });

  it.each([
    [{ base: 'kuhn-tabula', name: 'a' }, 'Did you mean "kuhn-tabular"?'],
    [{ base: 'grpo' }, 'name must be letters, digits, dots, or dashes, but is missing'],
    [{ base: 'grpo', name: 'a', trainig: {} }, 'unknown field "trainig" (did you mean "training"?)'],
    [{ base: 'grpo', name: 'a', training: { batch: -5 } }, 'training.batch must be an integer from 1 to 10,000,000, but got -5'],
    [{ base: 'grpo', name: 'a', training: { rate: { from: 1e300 } } }, 'training.rate.from must be a number above 0, at most 1000'],
    [{ base: 'grpo', name: 'a', rollout: { kind: 'gruop', size: 2 } }, 'rollout.kind must be one of "iid", "even", "explore", "group"'],
    [
      { base: 'grpo', name: 'a', rollout: { kind: 'branch', size: 2 } },
      'rollout.trunk must be an integer from 1 to 10,000,000, but is missing',
    ],
    [{ base: 'grpo', name: 'a', loss: { clip: 'wide' } }, 'loss.clip must be a list'],
    [{ base: 'kuhn-lm', name: 'a', training: { games: 0 } }, 'training.games must be an integer from 1 to 1,000,000,000,000'],
  ])('rejects %j', (recipe, sentence) => {
    expect(() => readRecipe(recipe, 'mine.json')).toThrow(sentence);
  });

  it('seats an agent by its specification', async () => {
    const seats = { first: 'learner', second: { name: 'dice', kind: 'random' } };
    const { training } = readRecipe({ name: 'mine', base: 'grpo', training: { seats } }, 'x') as Recipe;
    expect(training.seats).toEqual(seats);
    const environment = await builtInEnvironment('kuhn-poker');
    const { mine, others } = await seatingOf({ training }, environment, process.cwd(), Trust.commandLine);
    expect([mine, others['second']?.name]).toEqual([['first'], 'dice']);
    expect(outsideAgents({ training }, environment)).toEqual(['dice']);
    expect(() => readRecipe({ name: 'mine', base: 'grpo', training: { seats: { first: { kind: 1 } } } }, 'x')).toThrow(/seats\.first/);
  });

  it('is not confused with other documents', () => {
    for (const value of [null, 1, 'x', [], {}, { name: 'a' }, () => 1]) expect(readRecipe(value, 'x')).toBeUndefined();
  });
});
