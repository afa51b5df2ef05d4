/**
 * @file How long a learner waits for games: a language model learns tic-tac-toe in this process, a worker in a thread plays the games, and the
 * two meet in a store on disk. With games one batch ahead of the gradient, and without.
 */

import '@ludus-agents/servers/internal/kinds';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import type { Learner } from '@ludus-agents/kernel/internal/core/index';
import { hasRuntime } from '@ludus-agents/learning/internal/learners/transformer/index';
import type { Recipe } from '@ludus-agents/learning/internal/rl/recipe';
import { builtInRecipe } from '@ludus-agents/learning/internal/rl/recipes/index';
import { createTrainer } from '@ludus-agents/learning/internal/training/trainer';
import { rolloutsBy } from '@ludus-agents/servers/internal/fleet/rollout-jobs';
import { startWorkers } from '@ludus-agents/servers/internal/fleet/worker-pool';
import { openSharedStore } from '@ludus-agents/store/internal/open-store';
import { sizeOf } from './_size.ts';
import type { Figure, Flags } from './run.ts';

/** The first updates load what is needed and are not counted. */
const first = 1;

interface Amounts {
  readonly updates: number;
  readonly batch: number;
}

export async function overlap(flags: Flags): Promise<readonly Figure[]> {
  const amounts: Amounts = { updates: sizeOf(flags, 'updates', 6, 2), batch: sizeOf(flags, 'batch', 64, 4) };
  const { updates } = amounts;
  const name = 'overlap.learner_idle';
  if (!hasRuntime()) return [{ name, value: null, unit: '', note: 'onnxruntime-node is not installed' }];
  const [ahead, turns] = [await measureIdleTime(true, amounts), await measureIdleTime(false, amounts)];
  const per = (milliseconds: number) => `${Math.round(milliseconds / (updates - first))} ms`;
  return [
    {
      name,
      value: 1 - ahead.learned / ahead.whole,
      unit: 'of the time',
      goal: '≤ 0.1',
      note: `a batch is learned from in ${per(ahead.learned)}, and played in ${per(turns.whole - turns.learned)}`,
    },
    {
      name: `${name}_in_turns`,
      value: 1 - turns.learned / turns.whole,
      unit: 'of the time',
      note: 'games and gradient one after the other',
    },
  ];
}

/** Milliseconds in all, and those in which the learner was at work. */
async function measureIdleTime(ahead: boolean, amounts: Amounts): Promise<{ readonly whole: number; readonly learned: number }> {
  const cwd = mkdtempSync(join(tmpdir(), 'ludus-overlap-'));
  const where = join(cwd, 'store.sqlite');
  const sharedStore = await openSharedStore(where);
  const crew = startWorkers(1, { where, cwd, concurrency: 4 });
  const stop = new AbortController();
  const work = { milliseconds: 0 };
  try {
    await sharedStore.store.putRun({
      id: 'lesson',
      plan: { environments: [], seeds: [0], casts: [] },
      episodes: 0,
      work: { kind: 'train' },
    });
    const far = rolloutsBy({ sharedStore, run: 'lesson', seed: 1, environment: builtInEnvironment, signal: stop.signal });
    const rollouts = (method: Recipe, learner: Learner) => far(method, withTimer(learner, work));
    const trainer = await createTrainer(
      { recipe: lesson(ahead, amounts), seed: 1 },
      { trust: Trust.commandLine, cwd, folder: null, rollouts },
    );
    await trainer.run(first);
    work.milliseconds = 0;
    const began = performance.now();
    await trainer.run(amounts.updates);
    return { whole: performance.now() - began, learned: work.milliseconds };
  } finally {
    stop.abort();
    await crew.dismiss();
    await sharedStore.close();
    rmSync(cwd, { recursive: true, force: true });
  }
}

function lesson(ahead: boolean, { updates, batch }: Amounts): Recipe {
  const spiral = builtInRecipe('spiral');
  const warmUp = { games: batch, steps: updates * 10, rate: 3e-3, rows: 32 };
  const about = { environment: 'tic-tac-toe', learner: 'transformer', sizes: { width: 128, layers: 2, heads: 4 }, warmUp } as const;
  // So slowly that games and gradients stay what they are: it is their time that is measured.
  const rate = { from: 1e-6, to: 1e-6 };
  const training = { ...spiral.training, ...about, rate, games: batch * updates, batch, ahead };
  return { ...spiral, training };
}

/** The learner, with a watch on what it does for an update. */
function withTimer<T extends Learner>(learner: T, work: { milliseconds: number }): T {
  for (const method of ['forwardBackward', 'optimStep', 'logprobs'] as const) {
    const plain = learner[method].bind(learner) as (...inputs: unknown[]) => Promise<unknown>;
    const timed = async (...inputs: unknown[]) => {
      const began = performance.now();
      try {
        return await plain(...inputs);
      } finally {
        work.milliseconds += performance.now() - began;
      }
    };
    Object.assign(learner, { [method]: timed });
  }
  return learner;
}
