/** @file Chains of tasks: what solved one is a skill for the next, in exact cases; what is paid, counted, and learned. */

import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { lock } from '@ludus-agents/environments/internal/lock';
import { type EpisodeEvent, type Policy, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { check } from '@ludus-agents/kernel/internal/engine/check';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { train } from '../training/train.ts';
import { createChainGame, skillCounts, skillReward } from './chain-game.ts';
import { override } from './recipe-overrides.ts';
import { builtInRecipe } from './recipes/index.ts';
import type { EpisodeSample } from './samples.ts';

const chain = createChainGame(lock);
const seat = 'opener';

/** Plays these answers, then the first choice; a combination of [a], [b] and [c] opens the lock. */
function says(...answers: readonly string[]): Policy {
  let turn = 0;
  return scriptedPolicy('says', ({ ask }) => ({ text: answers[turn++] ?? ask.choices![0]! }));
}

async function play(policy: Policy, task = {}): Promise<readonly EpisodeEvent[]> {
  const [log] = await rollout(chain, { [seat]: policy }, { seeds: [1], task: { dials: 1, letters: 3, ...task } });
  expect(replay(chain, log!)).toBeNull();
  return log!;
}

const paidIn = (log: readonly EpisodeEvent[]) => {
  const end = log.at(-1);
  return end?.kind === 'end' ? end.returns[seat] : null;
};
const choicesIn = (log: readonly EpisodeEvent[]) => log.flatMap((event) => (event.kind === 'turn' ? [event.asks[0]!.choices!] : []));

/** The letter that opens the last dial of a lock, found by trying. */
async function key(): Promise<string> {
  for (const letter of ['[a]', '[b]', '[c]']) if (paidIn(await play(says(letter, letter, letter), { chain: 1 })) === 1) return letter;
  throw new Error('No letter opens the lock.');
}

describe('task chain', () => {
  it('passes the environment checks', async () => {
    expect(await check({ ...chain, id: 'chained@1' }, { episodes: 5, steps: 60 })).toEqual([]);
  });

  it('offers the solution of a task as a skill in the next, which makes the same moves', async () => {
    const right = await key();
    const log = await play(says(right, '[keep]', '[use skill-1]', '[use skill-1]'), { chain: 3 });
    expect(choicesIn(log)).toEqual([
      ['[a]', '[b]', '[c]'],
      ['[keep]', '[drop]'],
      ['[a]', '[b]', '[c]', '[use skill-1]'],
      ['[a]', '[b]', '[c]', '[use skill-1]'],
    ]);
    expect([paidIn(log), skillCounts(log)]).toEqual([1, { kept: 1, reused: 2 }]);
    const turns = log.flatMap((event, at) => (event.kind === 'action' ? [{ at }] : []));
    // Half of each reuse is for keeping, half for the use.
    expect(await skillReward({ log, seat, sample: { seat, turns } as unknown as EpisodeSample })).toEqual([0, 1, 0.5, 0.5]);
  });

  it('offers no skills without a library, and none that were dropped or unpaid', async () => {
    const right = await key();
    const wrong = ['[a]', '[b]', '[c]'].find((letter) => letter !== right)!;
    for (const log of [
      await play(says(right, right), { chain: 2, skills: 0 }),
      await play(says(right, '[drop]', right), { chain: 2 }),
      await play(says(wrong, wrong), { chain: 2 }),
    ]) {
      expect(choicesIn(log).flat()).not.toContain('[use skill-1]');
      expect(skillCounts(log)).toEqual({ kept: 0, reused: 0 });
    }
  });

  it('stops a skill in an unknown situation and returns control to the player', async () => {
    const right = await key();
    // A lock of two dials: the skill of one dial knows its first situation alone.
    const family = [{ dials: 1 }];
    const log = await play(says(right, '[keep]', '[use skill-1]'), { chain: 2, family });
    expect(paidIn(log)).toBe(1);
    expect(() => chain.task({ chain: 2, family: [] })).toThrow(expect.objectContaining({ boundary: 'input' }));
  });

  it('ends with higher returns after training with a library than without', async () => {
    const gain = async (...settings: readonly string[]) =>
      (await train(
        { recipe: override(builtInRecipe('sage'), ['training.games=1280', ...settings]), seed: 1 },
        { trust: Trust.commandLine, cwd: '.', folder: null },
      ))!;
    const [skilled, plain] = [await gain(), await gain('training.task.skills=0')];
    expect(skilled.gain!.after).toBeGreaterThan(plain.gain!.after + 0.04);
    expect([skilled.mechanism?.acted, plain.mechanism?.acted]).toEqual([true, false]);
  });
});
