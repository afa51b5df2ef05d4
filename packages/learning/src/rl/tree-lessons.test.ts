/** @file What converges in self-play and what does not, on games whose equilibria are known exactly. */

import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { dilemma } from '@ludus-agents/environments/internal/dilemma';
import { distance, expectedReturns } from '@ludus-agents/environments/internal/solve/best-response';
import { flatten } from '@ludus-agents/environments/internal/solve/flat';
import { positions } from '@ludus-agents/environments/internal/solve/minimax';
import { gameTree } from '@ludus-agents/environments/internal/solve/tree';
import { type AnyEnvironment, type Environment, type Json, parameter, readTask } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { amount } from '../../../../test/fixtures/amount.ts';
import { Tabular } from '../learners/index.ts';
import type { Recipe } from './recipe.ts';
import { builtInRecipe } from './recipes/index.ts';
import { TrainingLoop } from './training-loop.ts';

function trainingOf(environment: AnyEnvironment, method: Recipe, seed: number) {
  const task: Json = method.training.task ?? {};
  const tree = positions(environment, task) ?? gameTree(environment, task);
  const game = flatten(tree);
  const learner = new Tabular({ game, optimiser: method.training.optimiser });
  return { tree, learner, training: new TrainingLoop(method, { environment, game, learner, seed }) };
}

async function trained(environment: AnyEnvironment, method: Recipe, seed: number) {
  const { tree, learner, training } = trainingOf(environment, method, seed);
  await training.run();
  const last = distance(tree, learner.strategy());
  return { tree, learner, last, average: distance(tree, training.average() ?? learner.strategy()) };
}

/** Matching pennies where a match of heads pays the first seat double: the equilibrium is (.4, .6) for both, worth .2. */
const parameters = { game: parameter.choice({ options: ['biased'], default: 'biased', description: 'the only one' }) } as const;
const pennies: Environment<{ done: boolean }, { game: 'biased' }> = {
  id: 'biased-pennies@1',
  about: { summary: 'Matching pennies, heads counting double.', tasks: [{}], turns: 1, sum: 0 },
  parameters,
  task: (input) => readTask('biased-pennies', parameters, input),
  seats: () => ['first', 'second'],
  start: () => ({
    state: { done: false },
    messages: [],
    asks: ['first', 'second'].map((seat) => ({ seat, choices: ['[heads]', '[tails]'] })),
  }),
  step(_, actions) {
    const [item, two] = [actions['first']?.text, actions['second']?.text];
    const paid = item === two ? (item === '[heads]' ? 2 : 1) : -1;
    return { state: { done: true }, messages: [], asks: [], rewards: { first: paid, second: -paid } };
  },
};

const kuhn = await builtInEnvironment('kuhn-poker');

describe('Kuhn poker after a million games', () => {
  it('has a near-equilibrium last policy with a refreshed reference, in 9 of 10 seeds', async () => {
    const matches: number[] = [];
    const seeds = amount(1, 10);
    for (let seed = 101; seed <= 100 + seeds; seed++)
      matches.push((await trained(kuhn, builtInRecipe('kuhn-tabular'), seed)).last.exploitability);
    expect(matches.filter((value) => value < 0.02).length).toBeGreaterThanOrEqual(Math.max(1, seeds - 1));
  });

  it('has a near-equilibrium policy with the published method, too, but with more noise', async () => {
    const { last, average } = await trained(kuhn, builtInRecipe('kuhn-rae'), 7);
    expect(last.exploitability).toBeLessThan(0.03);
    expect(average.exploitability).toBeLessThan(0.02);
  });

  it('has a converging average but a cycling last policy without a reference', async () => {
    for (const seed of [1, 2, 3].slice(0, amount(1, 3))) {
      const { last, average } = await trained(kuhn, builtInRecipe('kuhn-rae-plain'), seed);
      expect(average.exploitability).toBeLessThan(0.02);
      expect(last.exploitability).toBeGreaterThan(0.08);
    }
  });

  it('converges with a mean per deal, but not with a deviation per deal', async () => {
    for (const seed of [1, 2, 3].slice(0, amount(1, 3))) {
      const { last, average } = await trained(kuhn, builtInRecipe('kuhn-grpo-std'), seed);
      expect(last.exploitability).toBeGreaterThan(0.08);
      expect(average.exploitability).toBeGreaterThan(0.08);
    }
    expect((await trained(kuhn, builtInRecipe('kuhn-dr-grpo'), 1)).last.exploitability).toBeLessThan(0.03);
  });
});

describe('other games after training', () => {
  it('biased pennies converge to (.4, .6) with a refreshed reference, and diverge without one', async () => {
    const method: Recipe = {
      ...builtInRecipe('kuhn-rae-plain'),
      training: { ...builtInRecipe('kuhn-rae-plain').training, rate: { from: 0.1, to: 0.1 }, games: 2_560_000, batch: 512 },
    };
    const referred: Recipe = {
      ...method,
      loss: { ...method.loss, kl: { weight: 0.2, estimate: 'exact', refresh: 500 } },
      training: { ...method.training, rate: { from: 0.1, to: 0.005 } },
    };
    const with_ = await trained(pennies, referred, 1);
    for (const mix of with_.learner.strategy()) {
      expect(mix[0]).toBeGreaterThan(0.38);
      expect(mix[0]).toBeLessThan(0.42);
    }
    expect(with_.last.values[0]).toBeCloseTo(0.2, 2);
    const without = await trained(pennies, method, 1);
    expect(without.last.exploitability).toBeGreaterThan(0.3);
  });

  it('repeated dilemma ends in mutual defection from the first round on', async () => {
    const { tree, learner } = await trained(dilemma, builtInRecipe('dilemma-tabular'), 1);
    const [first, second] = expectedReturns(tree, learner.strategy()) as [number, number];
    expect(first).toBeLessThan(3.3);
    expect(second).toBeLessThan(3.3);
    const opening = tree.sets.filter((set) => set.after === null).map((set) => learner.strategy()[set.index]?.[1] as number);
    expect(Math.min(...opening)).toBeGreaterThan(0.9);
  });

  it('tic-tac-toe reaches NashConv below .05 from random openings, but not without them', async () => {
    const environment = await builtInEnvironment('tic-tac-toe');
    const method = builtInRecipe('tic-tac-toe-tabular');
    const short: Recipe = { ...method, training: { ...method.training, games: 200_000 } };
    const plain: Recipe = { ...short, curriculum: { kind: 'uniform' }, loss: { kind: 'policy-gradient', aggregation: 'constant' } };
    const { nashConv: without } = (await trained(environment, plain, 1)).last;
    expect(without).toBeGreaterThan(0.5);
    // After the first games it is on its way. All of them: after half a wrong move may still be left, on one seed or on another machine.
    const all = amount(0, 1) === 1;
    expect((await trained(environment, all ? method : short, 1)).last.nashConv).toBeLessThan(all ? 0.05 : 0.75 * without);
  });

  it('hanabi-tiny reaches the team optimum of 10 on every seed', async () => {
    const environment = await builtInEnvironment('hanabi-tiny');
    for (const seed of [1, 2, 3, 4, 5].slice(0, amount(2, 5))) {
      const { tree, learner } = await trained(environment, builtInRecipe('hanabi-tabular'), seed);
      expect(expectedReturns(tree, learner.strategy())[0]).toBeGreaterThan(9.98);
      const likeliest = learner.strategy().map((mix) => mix.map((chance) => (chance === Math.max(...mix) ? 1 : 0)));
      expect(expectedReturns(tree, likeliest)[0]).toBe(10);
    }
  });
});

describe('resumed tree training', () => {
  it('has an identical next update', async () => {
    for (const name of ['kuhn-tabular', 'kuhn-rae-plain', 'kuhn-grpo-std']) {
      const whole = trainingOf(kuhn, builtInRecipe(name), 5);
      await whole.training.run(700);
      const broken = trainingOf(kuhn, builtInRecipe(name), 5);
      await broken.training.run(333);
      const checkpoint = JSON.parse(JSON.stringify(await broken.training.save()));
      const again = trainingOf(kuhn, builtInRecipe(name), 5);
      await again.training.load(checkpoint);
      await again.training.run(700);
      expect(await again.training.save()).toEqual(await whole.training.save());
    }
  });

  it('depends on its seed', async () => {
    const [item, two] = [trainingOf(kuhn, builtInRecipe('kuhn-tabular'), 5), trainingOf(kuhn, builtInRecipe('kuhn-tabular'), 6)];
    await item.training.run(20);
    await two.training.run(20);
    expect(item.learner.strategy()).not.toEqual(two.learner.strategy());
  });
});

it('tree training rejects recipes that need more than a tree', () => {
  const method: Recipe = { ...builtInRecipe('kuhn-tabular'), assignment: { kind: 'checklist' } };
  expect(() => trainingOf(kuhn, method, 1)).toThrow(/, which training on a game tree does not/);
});
