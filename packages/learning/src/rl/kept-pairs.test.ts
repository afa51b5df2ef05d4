/** @file Stored episodes that are compared: the better ones of a task become likelier, and groups of equals teach nothing. */

import { type EpisodeEvent, type Script, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { expect, it } from 'vitest';
import { Tabular } from '../learners/index.ts';
import { keptLook } from '../training/kept-fit.ts';
import type { KeptEpisode } from './kept-lessons.ts';
import { KeptPairs } from './kept-pairs.ts';
import { locks } from './locks.cases.ts';
import { builtInRecipe } from './recipes/index.ts';
import { TrainingLoop } from './training-loop.ts';

async function episode(script: 'keyholder' | 'stubborn', seed: number): Promise<KeptEpisode> {
  const { keyholder } = locks.scripts as Record<string, Script>;
  const cast = { opener: scriptedPolicy(script, script === 'keyholder' ? keyholder! : () => ({ text: 'd' })) };
  const [log] = (await rollout(locks, cast, { seeds: [seed] })) as [readonly EpisodeEvent[]];
  return { log, seat: 'opener' };
}

async function trained(episodes: readonly KeptEpisode[]) {
  const learner = new Tabular();
  const look = keptLook(learner, episodes, true)?.look;
  const before = await look?.();
  const base = builtInRecipe('m-dpo');
  const recipe = { ...base, training: { ...base.training, environment: 'lock', games: 40, batch: 2 } };
  const guide = new KeptPairs({ learner, episodes, seed: 1 });
  const loop = new TrainingLoop(recipe, { environment: locks, learner, seed: 1, guides: [guide] });
  await loop.run(20);
  return { groups: guide.groups.length, before, after: await look?.() };
}

it('preference training on saved episodes favors the better-paid one on each task and seed', async () => {
  const seeds = [1, 2, 3, 4];
  const episodes = await Promise.all(seeds.flatMap((seed) => [episode('stubborn', seed), episode('keyholder', seed)]));
  const { groups, before, after } = await trained(episodes);
  expect(groups).toBeGreaterThan(0);
  expect(after!.ranked).toBeGreaterThan(before!.ranked!);
  expect(after!.ranked).toBe(1);
});

it('forms no group from a seed that was played once', async () => {
  expect((await trained([await episode('keyholder', 1), await episode('stubborn', 2)])).groups).toBe(0);
});
