import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { type EpisodeEvent, rng } from '@ludus-agents/kernel/internal/core/index';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { Tasks } from '../curricula/seed-pool.ts';
import { Tabular } from '../learners/index.ts';
import { branchRollouts, freshStarts } from './branch-rollouts.ts';
import { entropyAware } from './entropy-advantage.ts';
import type { RolloutSettings } from './recipe.ts';
import { builtInRecipe } from './recipes/index.ts';
import { attemptsFor, playGames, turnsFor } from './rollouts.ts';
import { type EpisodeSample, samplesOf } from './samples.ts';

const kuhn = await builtInEnvironment('kuhn-poker');

it('branchRollouts grows branches up to the requested size with shared prefixes and masks', async () => {
  const policy = new Tabular().policy();
  const policies = { first: policy, second: policy };
  const trunk = await rollout(kuhn, policies, { seeds: [1, 2, 3, 4] });
  const parts = { environment: kuhn, policies, seats: ['first', 'second'], dice: rng(1) };
  const all = await branchRollouts(trunk, { ...parts, rule: { chance: 1, slope: 0 }, size: 9 });
  expect(all.length).toBe(9);
  expect(all.slice(0, 4)).toEqual(trunk);
  for (const log of all.slice(4)) {
    expect(log[0]?.kind).toBe('start');
    expect(log.at(-1)?.kind).toBe('end');
    const start = log[0] as Extract<(typeof log)[number], { kind: 'start' }>;
    const at = start.fork?.at as number;
    const parent = trunk.find((episodeEvents) => JSON.stringify(episodeEvents.slice(1, at)) === JSON.stringify(log.slice(1, at)));
    expect(parent).toBeDefined();
    expect(replay(kuhn, log)).toBeNull();
    for (const { turns } of samplesOf(log, ['first', 'second'], { prompt: 0 }))
      for (const { read, written } of turns) expect([read.length, written.length]).toEqual([1, 1]);
  }
  expect((await branchRollouts(trunk, { ...parts, rule: { chance: 0, slope: 0 }, size: 9 })).length).toBe(4);
});

it('entropy-aware advantages scale a token by 1 + a·z of its uncertainty (AEPO)', () => {
  const sampleOf = (...logprobs: number[]) => ({ turns: [{ logprobs }] }) as unknown as EpisodeSample;
  // Surprises 1 and 3 are one deviation below and above their mean.
  expect(entropyAware([sampleOf(-1, -3)], [[2]], 0.3)[0]![0]).toEqual([1.4, 2.6]);
  expect(entropyAware([sampleOf(-1), sampleOf(-3)], [[-1], [-1]], 0.3)).toEqual([[[-0.7]], [[-1.3]]]);
  expect(entropyAware([sampleOf(-1), sampleOf(-3)], [[1], [1]], 2)).toEqual([[[0]], [[3]]]);
  // Where all are equally certain, nothing changes.
  expect(entropyAware([sampleOf(-1, -1)], [[2]], 0.3)).toEqual([[2]]);
});

describe('episodes per task', () => {
  const said = (seat: string, entropy: number): EpisodeEvent =>
    ({ kind: 'action', seat, action: { text: 'x' }, calls: [{ logprobs: [-entropy] }] }) as unknown as EpisodeEvent;

  it('start fresh more often if first turns are less certain, as in the AEPO example', () => {
    const probe = (first: number, later: number) => [[said('a', first), said('b', 9), said('a', later)]];
    // 6.42 and 9.58 of 16.
    expect(freshStarts(probe(0.8, 1.2), ['a'], 16)).toBe(6);
    expect(freshStarts(probe(1.2, 0.8), ['a'], 16)).toBe(10);
    // Nothing to tell them apart: half.
    expect(freshStarts(probe(1, 1), ['a'], 16)).toBe(8);
  });

  it('decrease with the success rate (DART), but not while the task fails', () => {
    const rule = { size: 8, least: 2, above: 0.6 };
    expect([null, 0, 0.6, 0.7, 0.8, 0.9, 1].map((success) => attemptsFor(rule, success))).toEqual([8, 8, 8, 7, 5, 4, 2]);
    expect([0, 1].map((success) => attemptsFor({ ...rule, above: 1 }, success))).toEqual([8, 8]);
  });

  it('number 32 for new tasks and 8 for tasks that are always won', async () => {
    const recipe = { ...builtInRecipe('dart') };
    const small = { ...recipe, training: { ...recipe.training, task: {}, batch: 32 } };
    const games = async (won: boolean, rollout: RolloutSettings = small.rollout) => {
      const tasks = new Tasks({ kind: 'learnable' }, 1);
      const episode = { environment: '', seat: '', prompt: 0, game: 0, turns: [], returned: 1, invalid: 0, truncated: false };
      if (won)
        tasks.learn(
          Array.from({ length: 256 }, (_, task) => ({ ...episode, task })),
          0,
        );
      const players = { environment: kuhn, learner: new Tabular(), seed: 1, seats: ['first', 'second'], others: () => ({}), tasks };
      const played = await playGames({ ...small, rollout }, players, { update: 0 });
      return new Set(played.map(({ sample }) => sample.game)).size;
    };
    expect([await games(false), await games(true)]).toEqual([32, 8]);
    expect(await games(true, { kind: 'group', size: 8 })).toBe(32);
  });

  it('use new seeds when a task comes from the pool again', async () => {
    const recipe = { ...builtInRecipe('rapo'), curriculum: { kind: 'first-pass', tasks: 4, tries: 8, above: 0, below: 1 } as const };
    const small = { ...recipe, training: { ...recipe.training, task: {}, batch: 20 } };
    const textsAt = async (update: number) => {
      const tasks = new Tasks(small.curriculum, 1);
      const players = { environment: kuhn, learner: new Tabular(), seed: 1, seats: ['first', 'second'], others: () => ({}), tasks };
      const played = await playGames(small, players, { update });
      return played.map(({ log }) => log.flatMap((event) => (event.kind === 'action' ? [event.action.text] : [])).join());
    };
    expect(await textsAt(0)).toEqual(await textsAt(0));
    expect(await textsAt(1)).not.toEqual(await textsAt(0));
  });

  it('limit turns to a multiple of the longest success, or not at all without one', async () => {
    expect([null, 3, 5].map((longest) => turnsFor(1.5, longest))).toEqual([null, 5, 8]);
    const recipe = builtInRecipe('dart');
    const longest = async (known: number | undefined, longer: number | undefined) => {
      const tasks = new Tasks({ kind: 'learnable' }, 1);
      const episode = { environment: '', seat: '', prompt: 0, game: 0, turns: [], returned: 1, invalid: 0, truncated: false };
      if (known !== undefined)
        tasks.learn(
          Array.from({ length: 256 }, (_, task) => ({ ...episode, task, length: known })),
          0,
        );
      const players = { environment: kuhn, learner: new Tabular(), seed: 1, seats: ['first', 'second'], others: () => ({}), tasks };
      const rollout: RolloutSettings = { kind: 'adaptive', size: 8, least: 8, above: 1, ...(longer !== undefined && { longer }) };
      const played = await playGames({ ...recipe, rollout, training: { ...recipe.training, task: {}, batch: 64 } }, players, { update: 0 });
      return Math.max(...played.map(({ log }) => (log.at(-1) as Extract<EpisodeEvent, { kind: 'end' }>).turns));
    };
    // A hand of Kuhn poker takes three turns at most; its episodes remember how many they took.
    expect([await longest(1, 2), await longest(2, 2), await longest(undefined, 2), await longest(1, undefined)]).toEqual([2, 3, 3, 3]);
  });
});
