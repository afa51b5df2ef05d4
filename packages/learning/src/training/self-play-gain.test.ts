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

describe('self-play', () => {
  it('is held against itself as it began where one seat wins what the other loses', async () => {
    const trainingGain = await gain('tic-tac-toe', randomPolicy, ({ minimax }) => minimax!);
    expect(trainingGain).toMatchObject({ against: 'first self', before: expect.closeTo(0, 9), episodes: 64 });
    expect(trainingGain.interval[0]).toBeGreaterThan(0.5);
    expect(gainWords(trainingGain)).toContain('against its initial version');
  });

  it('gains nothing where nothing was learned', async () => {
    expect((await gain('tic-tac-toe', randomPolicy, () => randomPolicy)).gain).toBe(0);
  });

  it('does not take a game that nobody has won yet for one in which one loses what the other wins', async () => {
    const silent = scriptedPolicy('silent', () => ({ text: '' }));
    expect(await gain('tic-tac-toe', silent, () => silent)).toMatchObject({ against: 'first self' });
    expect(await gain('guess-my-city', silent, () => silent)).toMatchObject({ against: 'nobody' });
  });

  it('is played together where seats can win together', async () => {
    const trainingGain = await gain('dilemma', randomPolicy, ({ allc }) => allc!);
    expect(trainingGain).toMatchObject({ against: 'nobody' });
    expect(trainingGain.interval[0]).toBeGreaterThan(0);
  });
});

it('measures a league on the tasks of a teacher against the learner as it began, and counts successes of generations', async () => {
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

it('refuses a league where tasks are written, which would not play', async () => {
  const recipe = override(builtInRecipe('pae'), ['training.environment=kinarow', 'training.opponents=league']);
  await expect(train({ recipe, seed: 1 }, { trust: Trust.commandLine, cwd: '.', folder: null })).rejects.toMatchObject({
    code: 'E_LEAGUE_WITH_WRITER',
  });
});
