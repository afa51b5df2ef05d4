/** @file Learn to Follow: what is learned from the planned way and the cells around it serves more goals than taking the way blindly. */

import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { type EndEvent, type Policy, type Script, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { expect, it } from 'vitest';
import { learnToFollow } from '../rl/recipes/environments.ts';
import { createTrainer } from './trainer.ts';

async function goalsOf(policy: Policy): Promise<number> {
  const pathfinding = await builtInEnvironment('pathfinding');
  const task = { size: 20, agents: 16, density: 0.3, sight: 'way', steps: 64, window: 1 };
  const seats = pathfinding.seats(pathfinding.task(task));
  const logs = await rollout(pathfinding, Object.fromEntries(seats.map((seat) => [seat, policy])), { seeds: [901, 902, 903, 904], task });
  return logs.reduce((sum, log) => sum + Object.values((log.at(-1) as EndEvent).returns).reduce((all, payment) => all + payment, 0), 0) / 4;
}

it('learn-to-follow policy from 100-cell maps beats the stubborn script on 400-cell maps', async () => {
  const task = { size: 10, agents: 8, density: 0.3, sight: 'way', stride: 0.3, steps: 24, window: 1 };
  const recipe = { ...learnToFollow, training: { ...learnToFollow.training, task, games: 160 } };
  const trainer = await createTrainer({ recipe, seed: 3 }, { cwd: process.cwd(), trust: Trust.commandLine, folder: null });
  await trainer.begin();
  await trainer.run(trainer.updates);
  const { stubborn } = (await builtInEnvironment('pathfinding')).scripts as Record<string, Script>;
  expect(await goalsOf(trainer.learner.policy())).toBeGreaterThan(1.5 * (await goalsOf(scriptedPolicy('stubborn', stubborn!))));
});
