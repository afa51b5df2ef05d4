/** @file The gain of self-play if there are no other players and nothing is solved. */

import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { type Policy, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { override } from '../rl/recipe-overrides.ts';
import { builtInRecipe } from '../rl/recipes/index.ts';
import { gainOf, gainWords } from './gain.ts';
import { randomPolicy } from './seat-policies.ts';
import { SelfPlayGain } from './self-play-gain.ts';
import { train } from './train.ts';

async function gain(name: string, first: Policy, now: (scripts: Readonly<Record<string, Policy>>) => Policy) {
  const environment = await builtInEnvironment(name);
  const self = await SelfPlayGain.create({ environment, tasks: [{}], seed: 1 }, async () => first);
  const scripts = Object.fromEntries(Object.entries(environment.scripts ?? {}).map(([id, script]) => [id, scriptedPolicy(id, script)]));
  return gainOf(await self.measure(first), await self.measure(now(scripts)));
}

describe('self-play gain', () => {
  it('is measured against the initial policy in a zero-sum game', async () => {
    const trainingGain = await gain('tic-tac-toe', randomPolicy, ({ minimax }) => minimax!);
    expect(trainingGain).toMatchObject({ against: 'first self', before: expect.closeTo(0, 9), episodes: 64 });
    expect(trainingGain.interval[0]).toBeGreaterThan(0.5);
    expect(gainWords(trainingGain)).toContain('against its initial version');
  });

  it('is zero without learning', async () => {
    expect((await gain('tic-tac-toe', randomPolicy, () => randomPolicy)).gain).toBe(0);
  });

  it('does not treat an unfinished game as zero-sum', async () => {
    const silent = scriptedPolicy('silent', () => ({ text: '' }));
    expect(await gain('tic-tac-toe', silent, () => silent)).toMatchObject({ against: 'first self' });
    expect(await gain('guess-my-city', silent, () => silent)).toMatchObject({ against: 'nobody' });
  });

  it('is measured in joint play if seats can win together', async () => {
    const trainingGain = await gain('dilemma', randomPolicy, ({ allc }) => allc!);
    expect(trainingGain).toMatchObject({ against: 'nobody' });
    expect(trainingGain.interval[0]).toBeGreaterThan(0);
  });
});

it('league with a teacher is measured against the initial policy and counts its successes', async () => {
  const recipe = override(builtInRecipe('xland'), [
    'training.environment=kinarow',
    'training.opponents=league',
    'curriculum.parameters={"rows":[2,4],"columns":[2,4],"k":[2,3]}',
    'training.games=640',
    'rounds.updates=5',
  ]);
  const report = (await train({ recipe, seed: 1 }, { trust: Trust.commandLine, cwd: '.', folder: null }))!;
  expect(report.gain).toMatchObject({ against: 'first self', before: expect.closeTo(0, 9) });
  expect(report.acted['successes']).toBeGreaterThan(0);
});

it('league is rejected together with written tasks', async () => {
  const recipe = override(builtInRecipe('pae'), ['training.environment=kinarow', 'training.opponents=league']);
  await expect(train({ recipe, seed: 1 }, { trust: Trust.commandLine, cwd: '.', folder: null })).rejects.toMatchObject({
    code: 'E_LEAGUE_WITH_WRITER',
  });
});
