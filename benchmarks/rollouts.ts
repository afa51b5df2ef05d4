/**
 * @file Episodes that overlap compared with lock-step, at equal concurrency: a learner that writes calls a tool of 200 ms (give or take 400)
 * in each of its turns, and a learner of a table faces a seat as slow. Training throughput, and how stale its tokens are.
 */

import '@ludus-agents/servers/internal/kinds';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { kuhnPoker } from '@ludus-agents/environments/internal/kuhn-poker';
import type { Learner, ModelCall, Policy, Prompt } from '@ludus-agents/kernel/internal/core/index';
import { EpisodeSlots, overlapRollouts } from '@ludus-agents/kernel/internal/engine/overlap';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { Tabular } from '@ludus-agents/learning/internal/learners/index';
import { builtInRecipe } from '@ludus-agents/learning/internal/rl/recipes/index';
import { type Metrics, TrainingLoop } from '@ludus-agents/learning/internal/rl/training-loop';
import { WeightGate } from '@ludus-agents/learning/internal/rl/weight-gate';
import { viewPolicy } from '@ludus-agents/learning/internal/training/learner-view';
import { sizeOf } from './_size.ts';
import { wait } from './_slow-tool.ts';
import type { Figure, Flags } from './run.ts';

export async function measure(flags: Flags): Promise<readonly Figure[]> {
  const concurrency = sizeOf(flags, 'concurrency', 64, 4);
  const episodes = sizeOf(flags, 'episodes', 512, 8);
  return [...(await withTools(episodes, concurrency)), ...(await withSlowSeat(sizeOf(flags, 'updates', 8, 2), concurrency))];
}

async function withTools(episodes: number, concurrency: number): Promise<readonly Figure[]> {
  const gate = new WeightGate({ concurrent: false });
  const view = { kind: 'window', tokens: 600, tools: ['./_slow-tool.ts'], steps: 1 } as const;
  const policy = viewPolicy(writer, view, { environment: kuhnPoker, cwd: import.meta.dirname, trust: Trust.commandLine }, gate);
  const cast = { first: policy, second: policy };
  const seeds = Array.from({ length: episodes }, (_, seed) => seed);
  const lockStep = await measureTime(() => rollout(kuhnPoker, cast, { seeds, width: concurrency }));
  const overlapping = await measureTime(() => overlapRollouts(kuhnPoker, cast, { seeds, slots: new EpisodeSlots(concurrency) }));
  const unlike = overlapping.value.filter((log) => replay(kuhnPoker, log) !== null).length;
  const note = `${episodes} episodes, ${concurrency} at a time`;
  return [
    { name: 'tools.lock_step', value: episodes / lockStep.seconds, unit: 'episodes/s', note },
    { name: 'tools.overlap', value: episodes / overlapping.seconds, unit: 'episodes/s', note },
    { name: 'tools.speedup', value: lockStep.seconds / overlapping.seconds, unit: 'times', goal: '≥ 3' },
    { name: 'tools.logs_that_do_not_replay', value: unlike, unit: 'logs', goal: '0' },
  ];
}

async function withSlowSeat(updates: number, concurrency: number): Promise<readonly Figure[]> {
  const batch = 2 * concurrency;
  const lockStep = await trainOnce({ updates, batch, concurrency, overlap: false, ahead: 0 });
  const overlapping = await trainOnce({ updates, batch, concurrency, overlap: true, ahead: 0 });
  const ahead = await trainOnce({ updates, batch, concurrency, overlap: true, ahead: 2 });
  const rate = (seconds: number) => (updates * batch) / seconds;
  const stale = Math.max(...ahead.metrics.map((metric) => metric.stale ?? 0));
  const staleness = ahead.metrics.reduce((sum, metrics) => sum + (metrics.staleness ?? 0), 0) / ahead.metrics.length;
  return [
    { name: 'training.lock_step', value: rate(lockStep.seconds), unit: 'episodes/s' },
    { name: 'training.overlap', value: rate(overlapping.seconds), unit: 'episodes/s', note: 'a batch ends before the next begins' },
    { name: 'training.overlap_ahead', value: rate(ahead.seconds), unit: 'episodes/s', note: 'two batches ahead' },
    { name: 'training.speedup', value: lockStep.seconds / ahead.seconds, unit: 'times', goal: '≥ 3' },
    { name: 'training.oldest_token', value: stale, unit: 'updates', goal: '≤ 2', note: `mean ${staleness.toFixed(2)} over tokens` },
  ];
}

interface Amounts {
  readonly updates: number;
  readonly batch: number;
  readonly concurrency: number;
  readonly overlap: boolean;
  readonly ahead: number;
}

async function trainOnce({ updates, batch, concurrency, overlap, ahead }: Amounts) {
  const { loss, ...rest } = builtInRecipe('spiral');
  const recipe = { ...rest, loss: { ...loss, epochs: 1 }, training: { ...rest.training, games: updates * batch, batch } };
  const metrics: Metrics[] = [];
  const gate = new WeightGate({ concurrent: false });
  const loop = new TrainingLoop(recipe, {
    ...{ environment: kuhnPoker, learner: new Tabular(), seed: 1, others: { second: slowSeat }, ahead },
    ...(overlap && { overlap: { slots: new EpisodeSlots(concurrency), gate } }),
    tell: (otherMetrics) => void metrics.push(otherMetrics),
  });
  const { seconds } = await measureTime(() => loop.run());
  return { seconds, metrics };
}

const slowSeat: Policy = {
  name: 'slow',
  act: (turns) =>
    Promise.all(
      turns.map(async ({ ask }) => {
        await wait();
        return { action: { text: (ask.choices ?? [])[0] } };
      }),
    ),
};

/** Writes a call of the tool first, and then what it said. */
const writer: Learner = {
  ...({} as Learner),
  id: 'writer',
  price: { prompt: 0, completion: 0 },
  rowFor: () => ({ tokens: [], mask: [] }),
  complete,
};

async function complete(prompt: Prompt): Promise<ModelCall> {
  const last = prompt.messages[prompt.messages.length - 1].content;
  const text = /lookup/.test(String(last)) ? '[bet]' : 'Tool: lookup {}';
  const usage = { promptTokens: 1, completionTokens: 1 };
  return { model: 'writer', prompt, text, finish: 'stop', usage, cost: 0, promptTokenIds: [1], tokenIds: [2], logprobs: [-1] };
}

async function measureTime<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly seconds: number }> {
  const began = performance.now();
  const value = await work();
  return { value, seconds: (performance.now() - began) / 1000 };
}
