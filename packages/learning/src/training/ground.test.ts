/** @file Tree or rollout is decided by size and by what a recipe asks for, and said in a sentence. */

import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { expect, it } from 'vitest';
import { override } from '../rl/recipe-overrides.ts';
import { builtInRecipe } from '../rl/recipes/index.ts';
import { groundOf } from './training-run.ts';

it.each([
  ['kuhn-rae', 'kuhn-poker', [], /^On the whole game tree: kuhn-poker@1 has 12 decisions in \d+ positions\.$/],
  ['kuhn-rae', 'service-desk', [], /^By rollout: the seat "agent" has a script of the same name\.$/],
  ['kuhn-rae', 'kuhn-poker', ['training.opponents=random'], /^By rollout: the learner plays against random\.$/],
  ['grpo', 'kuhn-poker', [], /^By rollout: the recipe goes over its episodes in several steps\.$/],
  ['kuhn-lm', 'kuhn-poker', [], /^By rollout: the learner reads and writes text\.$/],
] as const)('groundOf selects the training ground for %s in %s %j', async (name, environment, settings, sentence) => {
  const recipe = override(builtInRecipe(name), [...settings, `training.environment=${environment}`]);
  expect(groundOf(recipe, await builtInEnvironment(environment)).why).toMatch(sentence);
});
