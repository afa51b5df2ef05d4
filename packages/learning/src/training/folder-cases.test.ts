/** @file What a recipe plays on a folder of content: its cases, its tested seats, and as many messages as a table can use. */

import { join } from 'node:path';
import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { expect, it } from 'vitest';
import { contentTabular } from '../rl/recipes/tabular.ts';
import { usualRecipe, withCases } from './folder-cases.ts';

const cwd = join(import.meta.dirname, '../../../../examples/worlds');

async function trainingOn(environment: string, changes: object = {}) {
  const { task: _, ...training } = contentTabular.training;
  const recipe = { ...contentTabular, training: { ...training, environment, ...changes } };
  return (await withCases(recipe, cwd, Trust.commandLine)).training;
}

it('usualRecipe picks the recipe that fits an environment', async () => {
  const recipeFor = async (name: string) => usualRecipe(await resolveEnvironment(name, cwd, Trust.commandLine));
  expect([await recipeFor('./station'), await recipeFor('service-desk'), await recipeFor('kuhn-poker')]).toEqual([
    'content-tabular',
    'service-desk-lm',
    'grpo',
  ]);
});

it('team on custom documents learns in all its seats', async () => {
  const { seats, tasks } = await trainingOn('./station');
  expect(seats).toEqual({ planner: 'learner', retriever: 'learner', writer: 'learner' });
  expect(tasks).toEqual([1, 2, 3, 4, 5, 6].map((i) => ({ window: 0, case: `q${i}` })));
});

it('all seats of a task learn if it has other seats than the content tests', async () => {
  expect((await trainingOn('./station', { task: { team: false } })).seats).toEqual({ reader: 'learner' });
});

it('scripts play the untested seats unless the recipe names other agents', async () => {
  expect((await trainingOn('./reader-tastes')).seats).toEqual({ writer: 'learner', reader: 'scripted:reader' });
  expect((await trainingOn('./reader-tastes', { seats: { reader: 'learner' } })).seats).toEqual({ writer: 'learner', reader: 'learner' });
});

it('every step on custom pages is read with the goal, which only the first message has', async () => {
  expect((await trainingOn('./museum')).tasks?.[0]).toEqual({ window: 0, case: 'maker' });
  const { seats, tasks } = await trainingOn('terminal:./museum', { learner: 'transformer' });
  expect([seats, tasks?.[0]]).toEqual([{ agent: 'learner' }, { window: 0, case: 'maker' }]);
});

it('tables read only the latest message, and learners with memory read all', async () => {
  expect((await trainingOn('./reader-tastes')).tasks).toEqual([{ window: 1 }]);
  expect((await trainingOn('./reader-tastes', { learner: 'transformer', task: { window: 1 } })).tasks).toEqual([{ window: 0 }]);
});
