/** @file The loop on worlds without a tree: it learns, forgets nothing when stopped, and trains nobody else's words. */

import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { distance, expectedReturns } from '@ludus-agents/environments/internal/solve/best-response';
import { flatten } from '@ludus-agents/environments/internal/solve/flat';
import { gameTree } from '@ludus-agents/environments/internal/solve/tree';
import { type EpisodeEvent, type Policy, rng, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { amount } from '../../../../test/fixtures/amount.ts';
import { Tabular } from '../learners/index.ts';
import type { Recipe } from './recipe.ts';
import { builtInRecipe } from './recipes/index.ts';
import { withSalt } from './rollouts.ts';
import { rowsOf, samplesOf } from './samples.ts';
import { type Metrics, TrainingLoop } from './training-loop.ts';

const kuhn = await builtInEnvironment('kuhn-poker');
const random: Policy = scriptedPolicy('random', ({ ask, rng: dice }) => ({ text: dice.pick(ask.choices as readonly string[]) }));

const short: Recipe = { ...builtInRecipe('kuhn-rae'), training: { ...builtInRecipe('kuhn-rae').training, games: 640, batch: 64 } };

/** What a table that has learned nothing is paid by a random player, exactly. */
const untrained = (() => {
  const tree = gameTree(kuhn);
  return expectedReturns(tree, new Tabular({ game: flatten(tree) }).strategy())[0]!;
})();

function returnOf(log: readonly EpisodeEvent[], seat: string): number {
  return (log.at(-1) as Extract<EpisodeEvent, { kind: 'end' }>).returns[seat]!;
}

describe('training by rollout', () => {
  it('reaches the optimum of 0.80 in the mini clinic', async () => {
    const method = builtInRecipe('clinic-tabular');
    const environment = await builtInEnvironment('clinic');
    const learner = new Tabular();
    expect(await new TrainingLoop(method, { environment, learner, seed: 1 }).run()).toBeNull();
    const seeds = Array.from({ length: amount(600, 3000) }, (_, i) => 1_000_000 + i);
    const logs = await rollout(environment, { doctor: learner.policy({ temperature: 0 }) }, { seeds, task: method.training.task ?? {} });
    const optimal = scriptedPolicy('bayes', environment.scripts?.['bayes'] as Parameters<typeof scriptedPolicy>[1]);
    const best = await rollout(environment, { doctor: optimal }, { seeds, task: method.training.task ?? {} });
    const mean = (all: typeof logs) => all.reduce((sum, log) => sum + returnOf(log, 'doctor'), 0) / all.length;
    expect(mean(best)).toBeCloseTo(0.8, 1);
    // On the same cases it is paid what the optimal doctor is paid.
    expect(mean(logs)).toBeGreaterThan(mean(best) - 0.005);
  });

  it.each([
    [
      'a group mean',
      {
        ...short,
        baseline: { kind: 'group', key: ['prompt', 'seat'], center: 'mean', scale: 'none' },
        rollout: { kind: 'group', size: 4 },
      },
    ],
    [
      'a turn critic',
      { ...short, assignment: { kind: 'critic', discount: 1 }, baseline: { kind: 'value', level: 'turn', discount: 1, trace: 0.95 } },
    ],
    [
      'a token critic',
      { ...short, assignment: { kind: 'critic', discount: 1 }, baseline: { kind: 'value', level: 'token', discount: 1, trace: 0.95 } },
    ],
    [
      'best-worst pairs',
      {
        ...short,
        baseline: { kind: 'none' },
        loss: { kind: 'preference', aggregation: 'token-mean', beta: 0.3 },
        rollout: { kind: 'group', size: 4 },
      },
    ],
    [
      'good and bad games',
      {
        ...short,
        baseline: { kind: 'none' },
        loss: { kind: 'desirability', aggregation: 'token-mean', beta: 0.3 },
        rollout: { kind: 'group', size: 4 },
      },
    ],
    [
      'squared win rates',
      {
        ...short,
        assignment: { kind: 'win-rate' },
        baseline: { kind: 'none' },
        loss: { kind: 'squared', aggregation: 'token-mean', beta: 0.1 },
        rollout: { kind: 'group', size: 5 },
      },
    ],
    ['learnable openings', { ...short, curriculum: { kind: 'learnable' } }],
    ['surprising openings', { ...short, curriculum: { kind: 'replayed-levels', temperature: 0.3 } }],
    ['evenly dealt openings', { ...short, rollout: { kind: 'even' } }],
    [
      'clipping, importance weights, and k2',
      {
        ...short,
        loss: {
          kind: 'clipped',
          clip: [0.2, 0.28],
          aggregation: 'sequence-mean-token-sum',
          kl: { weight: 0.1, estimate: 'k2', refresh: 5 },
        },
        importance: 2,
      },
    ],
  ] as readonly (readonly [string, Recipe])[])('beats a random player with %s', async (_, method) => {
    const long: Recipe = { ...method, training: { ...method.training, games: 6400, rate: { from: 0.1, to: 0.02 } } };
    const returns: number[] = [];
    const parts = { environment: kuhn, learner: new Tabular(), seed: 3, others: { second: random }, ahead: 1 };
    await new TrainingLoop(long, { ...parts, tell: (metrics: Metrics) => returns.push(metrics.returned) }).run();
    const mean = (list: readonly number[]) => list.reduce((sum, value) => sum + value, 0) / list.length;
    expect(mean(returns.slice(-20))).toBeGreaterThan(untrained + 0.1);
  });

  it('reduces exploitability to a third within 25,600 games', async () => {
    const tree = gameTree(kuhn);
    const learner = new Tabular({ game: flatten(tree) });
    const method: Recipe = {
      ...short,
      loss: { kind: 'policy-gradient', aggregation: 'sequence-mean-token-sum', kl: { weight: 0.5, estimate: 'exact', refresh: 40 } },
      training: { ...short.training, games: 25_600, rate: { from: 0.1, to: 0.01 } },
    };
    await new TrainingLoop(method, { environment: kuhn, learner, seed: 1 }).run();
    expect(distance(tree, learner.strategy()).exploitability).toBeLessThan(0.4583 / 3);
  });
});

describe('resumed rollout training', () => {
  it.each([0, 1, 3])('has an identical next update (batches ahead: %s)', async (ahead) => {
    const loop = () => {
      const learner = new Tabular();
      return new TrainingLoop(short, { environment: kuhn, learner, seed: 9, ahead });
    };
    const whole = loop();
    await whole.run();
    const broken = loop();
    await broken.run(4);
    const again = loop();
    await again.load(JSON.parse(JSON.stringify(await broken.save())));
    await again.run();
    expect(await again.save()).toEqual(await whole.save());
  });
});

describe('training rows', () => {
  it("contain only the learner's turns, not those of other seats", async () => {
    const learner = new Tabular();
    const [log] = await rollout(kuhn, { first: learner.policy(), second: random }, { seeds: [1] });
    const [sample, none] = samplesOf(log as readonly EpisodeEvent[], ['first'], { prompt: 0 });
    expect(none).toBeUndefined();
    const ownLength = (log as readonly EpisodeEvent[]).filter((event) => event.kind === 'action' && event.seat === 'first').length;
    expect(sample?.turns.length).toBe(ownLength);
    const rows = rowsOf(sample?.turns ?? [], [2, 2, 2]);
    for (const { mask, advantages } of rows) expect(Array.from(advantages ?? [])).toEqual(Array.from(mask, (bit) => bit * 2));
    expect(sample?.turns.reduce((sum, { reward }) => sum + reward, 0)).toBe(sample?.returned);
  });

  it('of a group share the environment seed but sample differently', async () => {
    const texts = (log: readonly EpisodeEvent[] | undefined) =>
      log?.flatMap((event) => (event.kind === 'message' ? [event.text] : [])) ?? [];
    const first = await rollout(kuhn, { first: withSalt(random, 0), second: withSalt(random, 0) }, { seeds: [1, 2, 3, 4, 5, 6] });
    const second = await rollout(kuhn, { first: withSalt(random, 1), second: withSalt(random, 1) }, { seeds: [1, 2, 3, 4, 5, 6] });
    first.forEach((log, i) => {
      expect(texts(second[i]).slice(0, 2)).toEqual(texts(log).slice(0, 2));
    });
    expect(second.map((log) => log.length)).not.toEqual(first.map((log) => log.length));
    expect(rng(1, 'salt', 0).next()).not.toBe(rng(1, 'salt', 1).next());
  });
});

describe('training loop', () => {
  it('stops with a reason when training collapses', async () => {
    const learner = new Tabular();
    const broken = Object.assign(Object.create(learner) as Tabular, {
      policy: () => learner.policy(),
      logprobs: learner.logprobs.bind(learner),
      optimStep: async () => {},
      forwardBackward: async () => ({ loss: Number.NaN }),
    });
    expect(await new TrainingLoop(short, { environment: kuhn, learner: broken, seed: 1 }).run()).toMatch(/has a loss of NaN/);
  });

  it('rejects recipes that need inputs it was not given', () => {
    const parts = { environment: kuhn, learner: new Tabular(), seed: 1 };
    expect(() => new TrainingLoop({ ...short, assignment: { kind: 'checklist' } }, parts)).toThrow(/which needs a judge/);
    expect(() => new TrainingLoop({ ...short, loss: { kind: 'imitation', aggregation: 'token-mean' } }, parts)).toThrow(
      /has no demonstrations/,
    );
    expect(() => new TrainingLoop({ ...short, curriculum: { kind: 'opening', share: 0.5, moves: 2 } }, parts)).toThrow(/takes a tree/);
  });
});
