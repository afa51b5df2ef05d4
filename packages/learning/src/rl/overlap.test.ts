/** @file Play ahead of the update, by a clock that only moves when someone waits: how long the learner waits for games. */

import { kuhnPoker } from '@ludus-agents/environments/internal/kuhn-poker';
import type { Policy } from '@ludus-agents/kernel/internal/core/index';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Tabular } from '../learners/index.ts';
import type { EpisodeJudge } from './judging.ts';
import { builtInRecipe } from './recipes/index.ts';
import { TrainingLoop } from './training-loop.ts';

const sleep = (milliseconds: number) => new Promise<void>((done) => setTimeout(done, milliseconds));

/** A learner that takes its time over gradients, whose games take theirs; and how long it was at work. */
function slow(play: number, gradient: number) {
  const learner = new Tabular();
  const work = { milliseconds: 0 };
  const policy: Policy = {
    name: 'slow',
    async act(turns) {
      await sleep(play);
      return learner.policy().act(turns);
    },
  };
  const timed = Object.assign(Object.create(learner) as Tabular, {
    policy: () => policy,
    logprobs: learner.logprobs.bind(learner),
    optimStep: learner.optimStep.bind(learner),
    async forwardBackward(...inputs: Parameters<Tabular['forwardBackward']>) {
      await sleep(gradient);
      work.milliseconds += gradient;
      return learner.forwardBackward(...inputs);
    },
  });
  return { timed, work };
}

/** The share of the time that the learner waited; a judge takes its time over every episode, all of a batch at once. */
async function idle(play: number, gradient: number, ahead: number, judge = 0): Promise<number> {
  const { timed, work } = slow(play, gradient);
  const { loss, ...rest } = builtInRecipe('spiral');
  const spiral = { ...rest, loss: { ...loss, epochs: 1 } };
  const rewards = judge === 0 ? {} : { rewards: { tone: { weight: 0.1 } } };
  const method = { ...spiral, ...rewards, training: { ...spiral.training, games: (judge === 0 ? 20 : 60) * 32, batch: 32 } };
  const tone: EpisodeJudge = async ({ sample, log, seat }) => {
    await sleep(judge);
    expect(log.at(-1)?.kind).toBe('end');
    expect(seat).toBe(sample.seat);
    return sample.turns.map((_, i) => i);
  };
  const judges = judge === 0 ? {} : { tone };
  const began = Date.now();
  let over = false;
  const running = new TrainingLoop(method, { environment: kuhnPoker, learner: timed, seed: 1, ahead, judges }).run().finally(() => {
    over = true;
  });
  while (!over) await vi.advanceTimersByTimeAsync(1);
  expect(await running).toBeNull();
  return 1 - work.milliseconds / (Date.now() - began);
}

describe('playing ahead', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('keeps the learner busy 90% of the time if games are faster than updates', async () => {
    expect(await idle(5, 40, 1)).toBeLessThan(0.1);
    expect(await idle(5, 40, 0)).toBeGreaterThan(0.2);
  });

  it('hides a 200 ms judge with seven batches ahead, but not with one', async () => {
    expect(await idle(5, 40, 7, 200)).toBeLessThan(0.1);
    const [value, none] = [await idle(5, 40, 1, 200), await idle(5, 40, 0, 200)];
    expect(value).toBeGreaterThan(0.5);
    expect(none).toBeGreaterThan(value);
  });

  it('cannot help if games are slower than updates', async () => {
    expect(await idle(40, 5, 1)).toBeGreaterThan(0.8);
  });
});
