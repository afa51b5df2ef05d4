/**
 * @file One batch of logs through the loop with any recipe, by a learner whose chances never change: which rows reach the gradient, with which
 * weights, in how many steps. Two recipes that do the same here differ in nothing that is done with a batch.
 */

import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { type EpisodeEvent, type Learner, scriptedPolicy, type TokenRow } from '@ludus-agents/kernel/internal/core/index';
import { Tasks } from '../../curricula/seed-pool.ts';
import { Tabular } from '../../learners/index.ts';
import { LoggedLessons } from '../logged-lessons.ts';
import type { Recipe } from '../recipe.ts';
import { channelsOf } from '../recipe-support.ts';
import { playGames } from '../rollouts.ts';

const kuhn = await builtInEnvironment('kuhn-poker');

/** What was read, how many tokens were written, how much likelier they are now than when they were sampled, and what it was paid. */
type Written = readonly [read: number, tokens: number, ratio: number, paid: number];
/** The turns of a seat, and what it was fined at the end. */
type Played = { readonly turns: readonly Written[]; readonly fined?: number };

/** Groups of the first seat: one with every kind of ratio, one that wins or loses, one that teaches nothing, one that differs little. */
const groups: readonly (readonly Played[])[] = [
  [
    {
      turns: [
        [1, 1, 1.25, 0],
        [2, 2, 1.29, 1],
      ],
    },
    {
      turns: [
        [1, 1, 0.75, 0],
        [3, 1, 0.5, 0],
      ],
    },
    {
      turns: [
        [1, 1, 1.15, 0.5],
        [2, 1, 1, 0],
      ],
    },
    { turns: [[1, 1, 4, 0]], fined: 0.25 },
  ],
  [
    {
      turns: [
        [4, 1, 2, 0],
        [5, 3, 0.9, 1],
      ],
    },
    { turns: [[4, 1, 12, 0]] },
  ],
  [{ turns: [[6, 1, 1, 0]] }, { turns: [[6, 1, 1, 0]] }],
  [{ turns: [[8, 1, 1, 0.1]] }, { turns: [[8, 1, 1, 0]] }],
];

/** Chances of every token: now, and by the reference. */
const [now, reference] = [0.25, 0.3];

function logOf({ turns, fined = 0 }: Played, seed: number): readonly EpisodeEvent[] {
  const said = (seat: string, [read, tokens, ratio]: Written, answer: number) => ({
    kind: 'action',
    seat,
    action: { text: `${answer}` },
    calls: [
      {
        promptTokenIds: [read],
        tokenIds: Array.from({ length: tokens }, (_, i) => answer + i),
        logprobs: Array.from({ length: tokens }, () => Math.log(now / ratio)),
      },
    ],
  });
  const all = turns.reduce((sum, [, , , payment]) => sum + payment, 0);
  return [
    { kind: 'start', environment: 'golden@1', seed, task: {}, cast: { first: 'learner', second: 'learner' } },
    // The other seat loses what this one wins.
    said('second', [7, 1, 1, 0], 20),
    ...turns.flatMap((turn, i) => [
      said('first', turn, 10 + i),
      {
        kind: 'reward',
        rewards: { first: turn[3], second: -turn[3] },
        ...(fined > 0 && i === turns.length - 1 && { penalties: { first: fined } }),
      },
    ]),
    { kind: 'end', reason: 'over', returns: { first: all, second: -all }, penalties: { first: fined }, turns: turns.length + 1 },
  ] as unknown as readonly EpisodeEvent[];
}

/** One gradient: the weights of all tokens that were written, by row, and what is added to the loss besides. */
export interface GoldenStep {
  readonly weights: readonly (readonly number[])[];
  readonly settings: Readonly<Record<string, number>>;
}

/** An update: its gradients, and the share of tokens whose ratio was cut. */
export interface GoldenUpdate {
  readonly steps: readonly GoldenStep[];
  readonly clipped: number;
}

/** Learns twice from the same batch, at the beginning and in the middle of a run. */
export async function goldenUpdates(recipe: Recipe): Promise<readonly [GoldenUpdate, GoldenUpdate]> {
  const steps: GoldenStep[] = [];
  const round = (value: number) => Math.round(value * 1e4) / 1e4 + 0;
  const learner: Learner = {
    ...{ id: 'still', price: { prompt: 0, completion: 0 } },
    policy: () => scriptedPolicy('still', () => ({ text: '' })),
    complete: () => Promise.reject(new Error('Nobody asks it.')),
    logprobs: async (rows: readonly TokenRow[], of?: string) =>
      rows.map(({ tokens }) => Array.from(tokens, () => Math.log(of === 'reference' ? reference : now))),
    forwardBackward: async (rows: readonly TokenRow[], _loss: string, settings = {}) => {
      steps.push({
        weights: rows.map(({ mask, weights = [] }) => Array.from(mask).flatMap((bit, i) => (bit === 0 ? [] : [round(weights[i] ?? 0)]))),
        settings: Object.fromEntries(Object.entries(settings as Record<string, number>).map(([name, value]) => [name, round(value)])),
      });
      return { loss: 0, tokens: rows.length, entropy: 1 + steps.length };
    },
    ...{ optimStep: async () => {}, refer: async () => {}, save: async () => '', load: async () => {} },
  };
  const judge = async ({ sample }: { readonly sample: { readonly turns: readonly { readonly reward: number }[] } }) =>
    sample.turns.map(({ reward }, i) => (i === 0 ? 0.3 : -reward));
  const lessons = new LoggedLessons(
    {
      ...recipe,
      ...(recipe.replay.kind === 'route' && { replay: { ...recipe.replay, updates: 1 } }),
      // The episodes to learn from were already played, so no task is chosen.
      ...(recipe.curriculum.kind === 'teacher' && { curriculum: { kind: 'uniform' } }),
      training: { ...recipe.training, environment: 'kuhn-poker', task: {} },
    },
    {
      ...{ environment: kuhn, learner, seed: 1, judge: undefined },
      ...(['checklist', 'human-gain'].includes(recipe.assignment.kind) && { judge }),
      judges: Object.fromEntries(Object.keys(channelsOf(recipe)).map((name) => [name, judge])),
      shown: async () => [{ tokens: [9, 10], mask: [0, 1] }],
      played: async () => groups.map((group, prompt) => ({ logs: group.map((item) => logOf(item, prompt)) })),
      seats: ['first', 'second'],
    } as unknown as ConstructorParameters<typeof LoggedLessons>[1],
    2,
  );
  const learn = async (update: number, done: number): Promise<GoldenUpdate> => {
    const { clipped } = await lessons.learn({ update, done, step: { rate: 0.1 } });
    return { steps: steps.splice(0), clipped: round(clipped ?? 0) };
  };
  return [await learn(0, 0), await learn(1, 0.5)];
}

/** The most turns of an episode that is played at each of these updates, where the rules would allow eighty. */
export async function longestTurns(recipe: Recipe, updates: readonly number[]): Promise<readonly number[]> {
  const environment = await builtInEnvironment('dilemma');
  const training = {
    environment: 'dilemma',
    task: { rounds: 40 },
    optimiser: 'sgd',
    rate: { from: 1, to: 1 },
    games: 4,
    batch: 4,
  } as const;
  const players = { environment, learner: new Tabular(), seed: 1, seats: environment.seats(environment.task({ rounds: 40 })) };
  const matches: number[] = [];
  for (const update of updates) {
    const tasks = new Tasks(recipe.curriculum, 1);
    const played = await playGames({ ...recipe, training }, { ...players, others: () => ({}), tasks }, { update });
    matches.push(
      Math.max(...played.map(({ log }) => log.filter((event) => event.kind === 'action' && event.seat === players.seats[0]).length)),
    );
  }
  return matches;
}

/** How an update of 64 games is played: episodes of each prompt, and which of them have a task from a pool. */
export async function goldenPlay(recipe: Recipe): Promise<{ readonly sizes: readonly number[]; readonly pooled: boolean }> {
  const { rollout, curriculum } = recipe;
  const method: Recipe = {
    ...recipe,
    training: { environment: 'kuhn-poker', optimiser: 'sgd', rate: { from: 1, to: 1 }, games: 64, batch: 64 },
  };
  const tasks = new Tasks(curriculum, 1);
  const players = { environment: kuhn, learner: new Tabular(), seed: 1, seats: ['first', 'second'], others: () => ({}), tasks };
  const played = await playGames({ ...method, rollout }, players, { update: 0 });
  const prompts = Map.groupBy(played, ({ sample }) => sample.prompt);
  return {
    sizes: [...prompts.values()].map((prompt) => new Set(prompt.map(({ sample }) => sample.game)).size),
    pooled: played.some(({ sample }) => sample.task !== undefined),
  };
}
