/** @file Episodes without a barrier: the same logs as in lock-step, in less time, and failures that stay in their episode. */

import { kuhnPoker } from '@ludus-agents/environments/internal/kuhn-poker';
import { type Policy, rng, scriptedPolicy, type Turn } from '@ludus-agents/kernel/internal/core/index';
import { EpisodeSlots, overlapRollouts } from '@ludus-agents/kernel/internal/engine/overlap';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Tabular } from '../learners/index.ts';
import { builtInRecipe } from './recipes/index.ts';
import { type Metrics, TrainingLoop } from './training-loop.ts';
import { WeightGate } from './weight-gate.ts';

const seeds = Array.from({ length: 96 }, (_, i) => i);
const quick = scriptedPolicy('player', ({ ask, rng: dice }) => ({ text: dice.pick(ask.choices!) }));

/** Answers as the quick player does, each turn after its own time: 200 ms, give or take 400. */
const slow: Policy = {
  name: 'player',
  act: (turns) => Promise.all(turns.map((turn) => delayed(turn))),
};

async function delayed(turn: Turn) {
  const dice = rng(turn.rng.int(2 ** 32), 'delay');
  const normal = Math.sqrt(-2 * Math.log(1 - dice.next())) * Math.cos(2 * Math.PI * dice.next());
  await new Promise((done) => setTimeout(done, Math.max(0, 200 + 400 * normal)));
  return { action: { text: turn.ask.choices![0]! } };
}

async function milliseconds(play: () => Promise<unknown>): Promise<number> {
  const began = Date.now();
  let over = false;
  const playing = play().finally(() => {
    over = true;
  });
  while (!over) await vi.advanceTimersByTimeAsync(10);
  await playing;
  return Date.now() - began;
}

describe('overlapping episodes', () => {
  it('[F22] have the same logs as in lockstep, and these replay', async () => {
    const cast = { first: quick, second: quick };
    const logs = await overlapRollouts(kuhnPoker, cast, { seeds, slots: new EpisodeSlots(8) });
    expect(logs).toEqual(await rollout(kuhnPoker, cast, { seeds }));
    for (const log of logs.slice(0, 8)) expect(replay(kuhnPoker, log)).toBeNull();
  });

  it('never exceed the number of slots', async () => {
    let [now, most] = [0, 0];
    const counting: Policy = {
      name: 'counting',
      async act(turns) {
        most = Math.max(most, ++now);
        await new Promise(setImmediate);
        now--;
        return quick.act(turns);
      },
    };
    await overlapRollouts(kuhnPoker, { first: counting, second: counting }, { seeds, slots: new EpisodeSlots(8) });
    expect(most).toBe(8);
  });

  it('end individually when a seat fails', async () => {
    const failing: Policy = {
      name: 'failing',
      async act(turns) {
        if (turns[0]!.rng.int(4) === 0) throw new Error('no answer');
        return quick.act(turns);
      },
    };
    const logs = await overlapRollouts(kuhnPoker, { first: failing, second: quick }, { seeds, slots: new EpisodeSlots(8) });
    const ends = logs.map((log) => log.at(-1)).map((end) => (end?.kind === 'end' ? end.reason : ''));
    expect(ends.filter((reason) => reason === 'error').length).toBeGreaterThan(5);
    expect(ends.filter((reason) => reason === 'over').length).toBeGreaterThan(5);
  });

  describe('with simulated time', () => {
    beforeEach(() => {
      vi.useFakeTimers();
    });
    afterEach(() => {
      vi.useRealTimers();
    });

    it('take well under half the lockstep time if answer times vary around 200 ms', async () => {
      const cast = { first: slow, second: slow };
      const lockStep = await milliseconds(() => rollout(kuhnPoker, cast, { seeds, width: 16 }));
      const overlapping = await milliseconds(() => overlapRollouts(kuhnPoker, cast, { seeds, slots: new EpisodeSlots(16) }));
      expect(lockStep / overlapping).toBeGreaterThan(2.5);
    });

    it('[F23] continue while weights change, with tokens within the staleness limit', async () => {
      const { loss, ...rest } = builtInRecipe('spiral');
      const recipe = { ...rest, loss: { ...loss, epochs: 1 }, training: { ...rest.training, games: 8 * 24, batch: 24 } };
      const learner = new Tabular();
      const metrics: Metrics[] = [];
      const overlap = { slots: new EpisodeSlots(12), gate: new WeightGate({ concurrent: false }) };
      const parts = {
        environment: kuhnPoker,
        learner,
        seed: 1,
        ahead: 2,
        overlap,
        tell: (otherMetrics: Metrics) => metrics.push(otherMetrics),
      };
      await milliseconds(() => new TrainingLoop(recipe, { ...parts, others: { second: slow } }).run());
      const oldest = Math.max(...metrics.map((metric) => metric.stale!));
      expect(oldest).toBeGreaterThan(0);
      expect(oldest).toBeLessThanOrEqual(2);
      // Some tokens of a batch are from newer weights than others.
      expect(metrics.some(({ staleness }) => !Number.isInteger(staleness))).toBe(true);
      expect(metrics.at(-1)!.acts!['stale tokens']).toBeGreaterThan(0);
    });
  });
});
