/** @file A learner that can play by its weights while they change: the next games begin with the step, and come to what they came to before. */

import { kuhnPoker } from '@ludus-agents/environments/internal/kuhn-poker';
import type { Policy } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { Tabular } from '../learners/index.ts';
import type { Recipe } from './recipe.ts';
import { builtInRecipe } from './recipes/index.ts';
import { type LoopCheckpoint, type Metrics, TrainingLoop } from './training-loop.ts';

const updates = 6;

function recipe(): Recipe {
  const { loss, ...rest } = builtInRecipe('spiral');
  return { ...rest, loss: { ...loss, epochs: 1 }, training: { ...rest.training, games: updates * 32, batch: 32 } };
}

/** A table whose policies can be frozen; what was done with it is in `story`. */
function freezing(story: string[]) {
  const table = new Tabular();
  let [frozen, stepping] = [0, false];
  return Object.assign(Object.create(table) as Tabular, {
    policy: () => table.policy(),
    logprobs: table.logprobs.bind(table),
    forwardBackward: table.forwardBackward.bind(table),
    save: table.save.bind(table),
    load: table.load.bind(table),
    async optimStep(...inputs: Parameters<Tabular['optimStep']>) {
      stepping = true;
      await table.optimStep(...inputs);
      await new Promise(setImmediate);
      stepping = false;
      story.push('stepped');
    },
    frozenPolicy(): Policy {
      const number = frozen++;
      story.push(stepping ? `froze ${number} with the step` : `froze ${number}`);
      return table.policy();
    },
  });
}

async function run(ahead: number, story: string[] = [], plain = false): Promise<{ readonly told: Metrics[]; readonly loop: TrainingLoop }> {
  const observedMetrics: Metrics[] = [];
  const learner = plain ? new Tabular() : freezing(story);
  const loop = new TrainingLoop(recipe(), {
    environment: kuhnPoker,
    learner,
    seed: 3,
    ahead,
    tell: (metrics) => void observedMetrics.push(metrics),
  });
  await loop.run();
  return { told: observedMetrics, loop };
}

describe('early start of the next games', () => {
  it('coincides with the step and does not change the run', async () => {
    const story: string[] = [];
    const { told } = await run(0, story);
    expect(told).toEqual((await run(0, [], true)).told);
    const begun = Array.from({ length: updates - 1 }, (_, i) => [`froze ${i + 1} with the step`, 'stepped']).flat();
    expect(story).toEqual(['froze 0', ...begun, 'stepped']);
  });

  it('happens one step earlier when playing ahead', async () => {
    const story: string[] = [];
    await run(1, story);
    const begun = Array.from({ length: updates - 2 }, (_, i) => ['stepped', `froze ${i + 2}`]).flat();
    expect(story).toEqual(['froze 0', 'froze 1', ...begun, 'stepped', 'stepped']);
  });

  it('is repeated when a run resumes, with an identical result', async () => {
    const straight = await run(0);
    const story: string[] = [];
    const begin = (observedMetrics: Metrics[]) =>
      new TrainingLoop(recipe(), {
        environment: kuhnPoker,
        learner: freezing(story),
        seed: 3,
        tell: (metrics) => void observedMetrics.push(metrics),
      });
    const first = begin([]);
    await first.run(3);
    const saved = JSON.parse(JSON.stringify(await first.save())) as LoopCheckpoint;
    expect(saved.lessons['waiting']).toEqual([]);
    const observations: Metrics[] = [];
    const second = begin(observations);
    await second.load(saved);
    await second.run();
    expect(observations).toEqual(straight.told.slice(3));
  });
});
