/** @file Errors slipped into an expert's steps against a critic of steps: who is paid, what counts as an error, what the critic learns. */

import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { type EpisodeEvent, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { Tabular } from '../learners/index.ts';
import { locks } from './locks.cases.ts';
import { turnsInLog } from './log-turns.ts';
import { builtInRecipe } from './recipes/index.ts';
import { createStepGame, criticTurn } from './step-game.ts';
import { TrainingLoop } from './training-loop.ts';

const seeds = Array.from({ length: 60 }, (_, i) => i);
const game = createStepGame(locks, { expert: 'keyholder', episodes: 8 });

/** What was paid to whom, and what was shown, in games between two fixed players. */
async function results(environment: typeof game, verdict: string, task = {}) {
  const generator = scriptedPolicy('first', ({ ask }) => ({ text: ask.choices![0]! }));
  const critic = scriptedPolicy('same', () => ({ text: verdict }));
  const logs = await rollout(environment, { generator, critic }, { seeds, task });
  for (const log of logs) expect(replay(environment, log)).toBeNull();
  return logs.map((log) => {
    const end = log.at(-1) as Extract<EpisodeEvent, { kind: 'end' }>;
    const slipped = log.some((event) => event.kind === 'action' && event.seat === 'generator');
    return { slipped, critic: end.returns['critic'], generator: end.returns['generator'] };
  });
}

describe('step game', () => {
  it('pays the critic for detected errors and passed steps, and the generator for missed errors', async () => {
    for (const verdict of ['right', 'wrong']) {
      const all = await results(game, verdict);
      const sign = verdict === 'wrong' ? 1 : -1;
      expect(all.some(({ slipped }) => slipped) && all.some(({ slipped }) => !slipped)).toBe(true);
      for (const { slipped, critic, generator } of all) expect([critic, generator]).toEqual(slipped ? [sign, -sign] : [-sign, 0]);
    }
  });

  it('pays nothing for a change that lowers no return, such as some detours on a lake', async () => {
    const lake = await builtInEnvironment('frozen-lake');
    const steps = createStepGame(lake, { expert: 'optimal', episodes: 1 });
    const slipped = (await results(steps, 'right', { steady: 1, steps: 8 })).filter((item) => item.slipped);
    expect(new Set(slipped.map(({ generator }) => generator))).toEqual(new Set([0, 1]));
    expect(() => createStepGame(lake, { expert: 'nobody', episodes: 1 })).toThrow(/no script "nobody"/);
  });

  it('trains a critic that tells wrong steps from right ones in new episodes', async () => {
    const recipe = builtInRecipe('spc');
    const learner = new Tabular();
    const accuracy = async () => {
      const critic = learner.policy({ temperature: 0 });
      const player = new Tabular().policy();
      const logs = await rollout(locks, { opener: player }, { seeds: seeds.map((seed) => 1000 + seed) });
      // Right is what the keyholder would have done; after an error the expert's episodes have nothing to say, so first steps are judged.
      const first = logs.map((log) => turnsInLog(log, ['opener'])[0]!);
      const keyholder = locks.scripts!['keyholder']!;
      const truth = first.map(({ turn, action }) => ((keyholder(turn) as { text: string }).text === action.text ? 'right' : 'wrong'));
      const replies = await critic.act(first.map(({ turn, action }) => criticTurn(turn, action.text)));
      return truth.filter((item, i) => item === replies[i]!.action.text).length / truth.length;
    };
    expect(await accuracy()).toBeLessThan(0.5);
    const training = { ...recipe.training, environment: 'locks', task: {}, games: 3200, batch: 64, rate: { from: 0.3, to: 0.1 } };
    await new TrainingLoop({ ...recipe, training }, { environment: game, learner, seed: 1 }).run();
    expect(await accuracy()).toBeGreaterThan(0.9);
  });
});
