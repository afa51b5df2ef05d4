/** @file Episodes that follow each other in one context: what was tried before is seen, and how often each is learned from. */

import { type AnyEnvironment, choose, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { Tasks } from '../curricula/seed-pool.ts';
import { Tabular } from '../learners/index.ts';
import { EpisodeContexts } from './episode-contexts.ts';
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

/** An environment whose only message is the number of the episode, by how often it was begun. */
function numbered(): AnyEnvironment {
  let begun = 0;
  return { ...arms, start: (task, rng) => ({ ...arms.start(task, rng), messages: [{ to: ['player'], text: String(begun++) }] }) };
}

/** The numbers of the episodes that a learner reads before the one of an update. */
async function numbersShown(view: Extract<Recipe['view'], { kind: 'episodes' }>, update: number, seed = 5): Promise<readonly number[]> {
  const contexts = new EpisodeContexts(view);
  const shown: number[][] = [];
  const policy = scriptedPolicy('reader', ({ view: { seen }, ask }) => {
    shown.push(seen.flatMap((item) => (item.kind === 'message' ? [Number(item.text)] : [])));
    return { text: ask.choices![0]! };
  });
  const environment = numbered();
  const tasks = new Tasks({ kind: 'uniform' }, seed);
  const recipe = { ...relic, view, training: { ...relic.training, batch: 1 } };
  const players = { environment, learner: new Tabular(), policy, seed, seats: ['player'], others: () => ({}), tasks };
  for (let i = 0; i <= update; i++) await contexts.play(recipe, players, i);
  return shown.at(-1)!.slice(0, -1);
}

const meanOf = (metrics: readonly Metrics[]) => metrics.reduce((sum, { returned }) => sum + returned, 0) / metrics.length;

describe('many episodes in one context', () => {
  it('train on the newest turns, and at the end on all: 32 turns three times, then 128', async () => {
    const metrics = await trained({ kind: 'episodes', count: 4 });
    expect(metrics.slice(0, 8).map(({ tokens }) => tokens)).toEqual([32, 32, 32, 128, 32, 32, 32, 128]);
  });

  it('earn more from episode to episode, but not without the context', async () => {
    const metrics = await trained({ kind: 'episodes', count: 4 });
    const at = (place: number) => meanOf(metrics.slice(40).filter(({ update }) => (update - 1) % 4 === place));
    expect(at(0)).toBeLessThan(0.65);
    expect(at(3)).toBeGreaterThan(0.9);
    const flat = await trained(undefined);
    expect(meanOf(flat.slice(40))).toBeLessThan(0.65);
  });

  it('train only at the end if partial updates are off', async () => {
    const metrics = await trained({ kind: 'episodes', count: 4, partial: false });
    expect(metrics.slice(0, 8).map(({ tokens }) => tokens)).toEqual([0, 0, 0, 128, 0, 0, 0, 128]);
    expect(metrics.at(-1)!.acts!['partial updates']).toBeUndefined();
    expect((await trained({ kind: 'episodes', count: 4 })).at(-1)!.acts!['partial updates']).toBe(45);
  });

  it.each([
    [{}, [0, 1, 2, 3, 4, 5]],
    [{ window: 2 }, [4, 5]],
    [{ sinks: 1, window: 2 }, [0, 4, 5]],
  ])('show the first and latest parts of a long context: %o', async (settings, expected) => {
    expect(await numbersShown({ kind: 'episodes', count: 8, ...settings }, 6)).toEqual(expected);
  });

  it('are shown in random order if the recipe says so, without losing any', async () => {
    const orders = [];
    for (const seed of [1, 2, 3, 4]) orders.push(await numbersShown({ kind: 'episodes', count: 8, shuffle: true }, 6, seed));
    for (const order of orders) expect(order.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(new Set(orders.map(String)).size).toBeGreaterThan(1);
  });

  it('resume from a checkpoint inside a context with an identical update', async () => {
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

  it('are on the tasks of a curriculum or of the recipe, which learns from their results', async () => {
    const environment: AnyEnvironment = { ...arms, task: (task) => task, start: (task, rng) => arms.start({ arm: task }, rng) };
    const learned: number[] = [];
    const teacher = { next: () => 1, learn: (task: number) => void learned.push(task), write: () => null, read: () => {} };
    const taught = { tasks: [{ level: 0 }, { level: 1 }], teacher };
    const training = { environment: 'arms', optimiser: 'adam', rate: { from: 0.2, to: 0.2 }, games: 16, batch: 4 } as const;
    const playedTasks = async (recipe: Recipe, parts: object) => {
      const tasks: unknown[] = [];
      const spied: AnyEnvironment = {
        ...environment,
        start: (task, rng) => {
          tasks.push(task);
          return environment.start(task, rng);
        },
      };
      await new TrainingLoop(recipe, { environment: spied, learner: new Tabular(), seed: 5, ...parts }).run(2);
      return new Set(tasks.map((task) => JSON.stringify(task)));
    };
    const recipe: Recipe = { ...relic, view: { kind: 'episodes', count: 2 }, training };
    expect(await playedTasks({ ...recipe, curriculum: { kind: 'teacher', teacher: 'uniform' } }, { taught })).toEqual(
      new Set(['{"level":1}']),
    );
    expect(learned).toEqual(Array(8).fill(1));
    const two = { ...recipe, training: { ...training, tasks: taught.tasks } };
    expect(await playedTasks(two, {})).toEqual(new Set(['{"level":0}', '{"level":1}']));
  });

  it('cannot be played ahead', () => {
    expect(() => new TrainingLoop(relic, { environment: arms, learner: new Tabular(), seed: 1, ahead: 1 })).toThrow(/played in advance/);
  });
});
