/** @file AgentEvol over several environments: successes of each are what the next round learns from, and each is measured. */

import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { expect, it } from 'vitest';
import type { Recipe } from '../rl/recipe.ts';
import { agentEvol, uiGenie } from '../rl/recipes/kept.ts';
import { train } from './train.ts';

const environments = [
  { environment: 'lock', task: { dials: 2 }, scale: 1 },
  { environment: 'ladder', task: { pool: 2, rungs: 2, holds: 2 }, scale: 1 },
];

const trained = (recipe: Recipe) =>
  train(
    {
      recipe: { ...recipe, training: { ...recipe.training, environments, games: 3200, batch: 40, rate: { from: 0.3, to: 0.3 } } },
      seed: 3,
    },
    { cwd: process.cwd(), trust: Trust.commandLine, folder: null },
  );

it('agent-evol learns from successes in both environments, and learns nothing without them', async () => {
  const evolved = await trained({ ...agentEvol, rounds: { updates: 20, least: 0.99, restart: true } });
  expect(evolved?.mechanism?.counts['successes']).toBeGreaterThan(0);
  expect([evolved?.gain?.taskCount, (evolved?.gain?.gain ?? 0) > 0.2]).toEqual([2, true]);
  const control = await trained({ ...agentEvol, rounds: { updates: 5, least: 99, restart: true } });
  expect([control?.mechanism?.acted, control?.gain?.gain]).toEqual([false, 0]);
});

it('training in several environments rejects a teacher or a reward model', async () => {
  await expect(trained(uiGenie)).rejects.toThrow('for one environment');
});
