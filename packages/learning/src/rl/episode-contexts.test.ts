/** @file Episodes that follow each other in one context: what was tried before is seen, and how often each is learned from. */

import { type AnyEnvironment, choose } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { Tabular } from '../learners/index.ts';
import type { Recipe } from './recipe.ts';
import { relic } from './recipes/views.ts';
import { type Metrics, TrainingLoop } from './training-loop.ts';

/** One of two arms pays; which one is a matter of the seed, and never said. */
const arms: AnyEnvironment = {
  id: 'arms@1',
  about: { summary: 'Two arms, one of which pays.', tasks: [{}], turns: 1, complete: true },
  parameters: {},
  task: () => ({}),
  seats: () => ['player'],
  start: (_, rng) => ({ state: { good: rng.int(2) }, messages: [], asks: [{ seat: 'player', choices: ['[a]', '[b]'] }] }),
  step(state: { good: number }, actions) {
    const read = choose(actions['player']!, ['[a]', '[b]']);
    return { state, messages: [], asks: [], rewards: { player: read.ok && read.move === ['[a]', '[b]'][state.good] ? 1 : 0 } };
  },
};

async function trained(view: Recipe['view']): Promise<readonly Metrics[]> {
  const observedMetrics: Metrics[] = [];
  const { view: _, ...rest } = relic;
  const recipe: Recipe = {
    ...rest,
    ...(view !== undefined && { view }),
    training: { environment: 'arms', optimiser: 'adam', rate: { from: 0.2, to: 0.2 }, games: 32 * 60, batch: 32 },
  };
  await new TrainingLoop(recipe, {
    environment: arms,
    learner: new Tabular(),
    seed: 5,
    tell: (metrics) => void observedMetrics.push(metrics),
  }).run();
  return observedMetrics;
}

const meanOf = (metrics: readonly Metrics[]) => metrics.reduce((sum, { returned }) => sum + returned, 0) / metrics.length;

describe('many episodes in one context', () => {
  it('are learned from the newest alone, and at the end from all: three times 32 turns, then 128', async () => {
    const metrics = await trained({ kind: 'episodes', count: 4 });
    expect(metrics.slice(0, 8).map(({ tokens }) => tokens)).toEqual([32, 32, 32, 128, 32, 32, 32, 128]);
  });

  it('pay more from one to the next, where without the context nothing can be known', async () => {
    const metrics = await trained({ kind: 'episodes', count: 4 });
    const at = (place: number) => meanOf(metrics.slice(40).filter(({ update }) => (update - 1) % 4 === place));
    expect(at(0)).toBeLessThan(0.65);
    expect(at(3)).toBeGreaterThan(0.9);
    const flat = await trained(undefined);
    expect(meanOf(flat.slice(40))).toBeLessThan(0.65);
  });

  it('go on after a checkpoint in the middle of a context to the identical update', async () => {
    const loop = () => {
      const training = { environment: 'arms', optimiser: 'adam', rate: { from: 0.2, to: 0.2 }, games: 96, batch: 8 } as const;
      return new TrainingLoop({ ...relic, training }, { environment: arms, learner: new Tabular(), seed: 5 });
    };
    const [whole, broken, again] = [loop(), loop(), loop()];
    await whole.run();
    await broken.run(5);
    await again.load(JSON.parse(JSON.stringify(await broken.save())));
    await again.run();
    expect(await again.save()).toEqual(await whole.save());
  });

  it('are never played ahead', () => {
    expect(() => new TrainingLoop(relic, { environment: arms, learner: new Tabular(), seed: 1, ahead: 1 })).toThrow(/played in advance/);
  });
});
