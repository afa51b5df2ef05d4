import { expect, it } from 'vitest';
import { rng } from '../../core/index.ts';
import { replay } from '../../engine/replay.ts';
import { rollout } from '../../engine/rollout.ts';
import { builtInEnvironment } from '../../environments/index.ts';
import { Tabular } from '../../learners/index.ts';
import { branchRollouts } from './branch-rollouts.ts';
import { samplesOf } from './samples.ts';

const kuhn = await builtInEnvironment('kuhn-poker');

it('grows branches to the size asked for and no further; what they share is the same, masks and all', async () => {
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
    const parent = trunk.find((one) => JSON.stringify(one.slice(1, at)) === JSON.stringify(log.slice(1, at)));
    expect(parent).toBeDefined();
    expect(replay(kuhn, log)).toBeNull();
    for (const { turns } of samplesOf(log, ['first', 'second'], { prompt: 0 }))
      for (const { read, written } of turns) expect([read.length, written.length]).toEqual([1, 1]);
  }
  expect((await branchRollouts(trunk, { ...parts, rule: { chance: 0, slope: 0 }, size: 9 })).length).toBe(4);
});
