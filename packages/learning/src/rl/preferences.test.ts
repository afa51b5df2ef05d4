/** @file Preferences that go in a circle: self-play by mirror descent finds the minimax winner on average, and a fixed reward does not. */

import { flatten } from '@ludus-agents/environments/internal/solve/flat';
import { gameTree } from '@ludus-agents/environments/internal/solve/tree';
import { type Environment, readTask } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { amount } from '../../../../test/fixtures/amount.ts';
import { Tabular } from '../learners/index.ts';
import { type JudgedEpisode, preferSamples, type RewardPreference } from './judging.ts';
import { sppo } from './losses/preference.ts';
import type { Recipe } from './recipe.ts';
import { builtInRecipe } from './recipes/index.ts';
import type { PlayedEpisode } from './rollouts.ts';
import { TrainingLoop } from './training-loop.ts';

/** The chance of the row to beat the column: a beats b, b beats c, c beats a. Its minimax winner is (2/7, 1/7, 4/7). */
const matrix = [
  [0.5, 0.9, 0.4],
  [0.1, 0.5, 0.7],
  [0.6, 0.3, 0.5],
] as const;
const answers = ['[a]', '[b]', '[c]'] as const;
/** Against an opponent drawn at random. */
const borda = [0.6, 13 / 30, 7 / 15];

/** One answer, paid by how it does against chance. */
const contest: Environment<{ done: boolean }, Record<string, never>> = {
  id: 'contest@1',
  about: { summary: 'One of three answers.', tasks: [{}], turns: 1 },
  parameters: {},
  task: (input) => readTask('contest', {}, input) as Record<string, never>,
  seats: () => ['only'],
  start: () => ({ state: { done: false }, messages: [], asks: [{ seat: 'only', choices: answers }] }),
  step: (_, actions) => ({
    ...{ state: { done: true }, messages: [], asks: [] },
    rewards: { only: borda[answers.indexOf(actions['only']?.text as '[a]')]! },
  }),
};

function answerOf({ log }: JudgedEpisode): number {
  const action = log.find((event) => event.kind === 'action');
  return answers.indexOf((action?.kind === 'action' ? action.action.text : '') as '[a]');
}

const beats: RewardPreference = async (judgedEpisode, other) => matrix[answerOf(judgedEpisode)]?.[answerOf(other)] as number;

/** How often a policy wins against its worst opponent. */
function worst(policy: ArrayLike<number>): number {
  return Math.min(...answers.map((_, column) => matrix.reduce((sum, row, i) => sum + policy[i]! * row[column]!, 0)));
}

async function trained(recipe: Recipe, prefer?: RewardPreference, seed = 1) {
  const decisions = flatten(gameTree(contest));
  const learner = new Tabular({ game: decisions, optimiser: recipe.training.optimiser });
  const loop = new TrainingLoop(recipe, { environment: contest, learner, seed, decisions, ...(prefer !== undefined && { prefer }) });
  await loop.run();
  return { last: Array.from(learner.strategy()[0] ?? []), average: Array.from(loop.average()?.[0] ?? []) };
}

const spo = builtInRecipe('spo');
const method: Recipe = { ...spo, training: { ...spo.training, environment: 'contest', games: amount(16_000, 24_000), batch: 16 } };

describe('SPO on cyclic preferences', () => {
  it('converges to the minimax winner on average, but not in its last policy', async () => {
    const { last, average } = await trained(method, beats);
    expect(worst(average)).toBeGreaterThan(0.49);
    expect(worst(last)).toBeLessThan(worst(average));
  });

  it('fails with returns instead of preferences, because the best against chance can be exploited', async () => {
    const plain: Recipe = { ...method, assignment: { kind: 'outcome' } };
    const { last, average } = await trained(plain);
    expect(last[0]).toBeGreaterThan(0.9);
    expect(worst(average)).toBeLessThan(0.42);
  });

  it('computes win rates that add up to half the group size', async () => {
    const played = [0, 0, 1, 2].map(
      (answer): PlayedEpisode => ({
        log: [{ kind: 'action', seat: 'only', action: { text: answers[answer]! } }],
        sample: { environment: 'contest', seat: 'only', prompt: 0, game: answer, turns: [], returned: 0, invalid: 0, truncated: false },
      }),
    );
    const rates = (await preferSamples(played, beats)).map(({ sample }) => sample.won as number);
    for (const [i, rate] of [0.6, 0.6, 0.3, 0.5].entries()) expect(rates[i]).toBeCloseTo(rate, 12);
    expect(rates.reduce((sum, value) => sum + value, 0)).toBeCloseTo(2, 12);
    await expect(preferSamples(played, () => 2)).rejects.toThrow('from 0 to 1, but got 2');
  });
});

describe('SPPO', () => {
  it('matches the published loss on the best and the worst', () => {
    const loss = (eta: number) => sppo(0, borda[0]!, eta).loss + sppo(0, borda[1]!, eta).loss;
    expect(loss(1)).toBeCloseTo(0.0072222, 6);
    expect(loss(1000)).toBeCloseTo(7222.22, 1);
  });

  it('keeps improving if its reference is refreshed, and stops after one step if it is not', async () => {
    const base = builtInRecipe('sppo');
    const settings = {
      ...base.training,
      environment: 'contest',
      optimiser: 'sgd',
      rate: { from: 0.2, to: 0.2 },
      games: amount(4000, 8000),
      batch: 20,
    } as const;
    const refreshed: Recipe = { ...base, loss: { ...base.loss, beta: 1 }, training: settings };
    const frozen: Recipe = { ...refreshed, loss: { ...refreshed.loss, kl: { weight: 0, estimate: 'exact', refresh: null } } };
    const moved = (policy: readonly number[]) => Math.max(...policy.map((value) => Math.abs(value - 1 / 3)));
    // One step from even odds by eta 1 is .367, .311, .322; nothing leads further from there.
    expect(moved((await trained(frozen, beats)).last)).toBeLessThan(0.1);
    expect(moved((await trained(refreshed, beats)).last)).toBeGreaterThan(0.15);
  });
});
