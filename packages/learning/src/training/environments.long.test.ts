/** @file Tables learn in tasks of environments that take some seconds each; written ideas, played first, help at first. */

import { expect, it } from 'vitest';
import type { Recipe } from '../rl/recipe.ts';
import { builtInRecipe } from '../rl/recipes/index.ts';
import { learns, returnAfter } from './environments.cases.ts';

it.each([
  ['maze-tabular', 100, -25, -5.5],
  ['minesweeper-tabular', 400, 0.15, 0.45],
  ['pathfinding-tabular', 200, 0.8, 1],
  ['skirmish-tabular', 100, 1.2, 2.1],
  ['chess-tabular', 100, 0.2, 0.9],
  ['kitchen-tabular', 100, 4, 25],
  ['mental-arena', 200, 0.35, 0.5],
  ['nations-tabular', 100, 0.1, 0.7],
  ['guess-my-city-tabular', 100, -1.3, -0.3],
  ['commons-tabular', 100, 22, 31],
  ['shift-tabular', 100, 0.55, 0.8],
  ['support-tabular', 200, -0.3, 0.8],
  ['volleyball-tabular', 200, 0, 4],
  ['debate-tabular', 200, 0.65, 0.75],
  ['web-agent-r1', 20, 0.5, 0.6],
] as const)('%s learns within %i updates, from below %f to above %f', learns);

it('starling: ideas played first help on held-out tasks more than starling-fresh', async () => {
  const [taught, fresh] = ['starling', 'starling-fresh'].map((name) => builtInRecipe(name) as Recipe);
  expect(await returnAfter(taught!, 230)).toBeGreaterThan((await returnAfter(fresh!, 30)) + 0.2);
});
