/** @file The loop on a world without a tree, to the end of a recipe. */

import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { type EpisodeEvent, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { expect, it } from 'vitest';
import { Tabular } from '../learners/index.ts';
import { builtInRecipe } from './recipes/index.ts';
import { TrainingLoop } from './training-loop.ts';

function returnOf(log: readonly EpisodeEvent[], seat: string): number {
  return (log.at(-1) as Extract<EpisodeEvent, { kind: 'end' }>).returns[seat]!;
}

it('twenty-questions recipe always earns five bits and a right guess', async () => {
  const method = builtInRecipe('twenty-questions-tabular');
  const environment = await builtInEnvironment('twenty-questions');
  const oracle = scriptedPolicy('oracle', environment.scripts?.['oracle'] as Parameters<typeof scriptedPolicy>[1]);
  const learner = new Tabular();
  await new TrainingLoop(method, { environment, learner, seed: 1, others: { oracle } }).run();
  const seeds = Array.from({ length: 300 }, (_, i) => 1_000_000 + i);
  const logs = await rollout(
    environment,
    { guesser: learner.policy({ temperature: 0 }), oracle },
    { seeds, task: method.training.task ?? {} },
  );
  // Five bits, one for the right guess, six turns at .02.
  for (const log of logs) expect(returnOf(log, 'guesser')).toBeCloseTo(5.88, 6);
});
