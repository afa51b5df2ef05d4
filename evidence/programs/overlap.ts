/**
 * @file Training throughput with a slow seat. Options: overlap (1 or 0), ahead, seed.
 *
 * A table learns Kuhn poker against a seat that answers after 200 ms ± 400 ms, drawn from the seed, with 64 concurrent episodes. Prints
 * the binary logarithm of episodes per second, the number of episodes sampled while the weights changed, and the age of the oldest
 * token.
 */

import { kuhnPoker } from '@ludus-agents/environments/internal/kuhn-poker';
import { type Json, type Policy, rng } from '@ludus-agents/kernel/internal/core/index';
import { EpisodeSlots } from '@ludus-agents/kernel/internal/engine/overlap';
import { Tabular } from '@ludus-agents/learning/internal/learners/index';
import { builtInRecipe } from '@ludus-agents/learning/internal/rl/recipes/index';
import { type Metrics, TrainingLoop } from '@ludus-agents/learning/internal/rl/training-loop';
import { WeightGate } from '@ludus-agents/learning/internal/rl/weight-gate';
import type { ProgramOptions } from '../arms.ts';

/** Lock-step has as many episodes under way at a time. */
const [updates, batch, concurrency] = [8, 128, 64];

export default async function run({ overlap = 1, ahead = 0, seed = 1 }: ProgramOptions): Promise<Json> {
  const { loss, ...rest } = builtInRecipe('spiral');
  const recipe = { ...rest, loss: { ...loss, epochs: 1 }, training: { ...rest.training, games: updates * batch, batch } };
  const dice = rng(Number(seed), 'waits');
  const wait = (): Promise<void> => {
    const normal = Math.sqrt(-2 * Math.log(1 - dice.next())) * Math.cos(2 * Math.PI * dice.next());
    return new Promise((done) => setTimeout(done, Math.max(0, 200 + 400 * normal)));
  };
  const slow: Policy = {
    name: 'slow',
    act: (turns) =>
      Promise.all(
        turns.map(async ({ ask }) => {
          await wait();
          return { action: { text: ask.choices![0] } };
        }),
      ),
  };
  const metrics: Metrics[] = [];
  const loop = new TrainingLoop(recipe, {
    ...{ environment: kuhnPoker, learner: new Tabular(), seed: Number(seed), others: { second: slow }, ahead: Number(ahead) },
    // In lock-step all episodes of a wave wait for the slowest.
    ...(overlap === 1 && { overlap: { slots: new EpisodeSlots(concurrency), gate: new WeightGate({ concurrent: false }) } }),
    tell: (otherMetrics) => void metrics.push(otherMetrics),
  });
  const began = performance.now();
  await loop.run();
  const rate = (updates * batch) / ((performance.now() - began) / 1000);
  const mixed = metrics.filter(({ staleness = 0 }) => staleness > 0).length;
  return { doublings: Math.log2(rate), rate, overlapped: mixed * batch, oldest: Math.max(...metrics.map(({ stale = 0 }) => stale)) };
}
