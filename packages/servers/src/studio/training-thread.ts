/**
 * @file A training in its own process, so that the page stays quick while it counts: it gets what to train, and reports how things stand.
 *
 * It ends when it is done, when it is asked to, and when anyone who started it is gone; its folder then knows where to go on.
 */

import '../kinds.ts';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { type Allowance, BudgetCounter, safely, sentenceOf, withBudget } from '@ludus-agents/kernel/internal/core/index';
import type { WorkerSpending } from '@ludus-agents/kernel/internal/core/jobs';
import { runFolder } from '@ludus-agents/learning/internal/training/run-folder';
import { runTraining } from '@ludus-agents/learning/internal/training/train';
import type { TrainingRun } from '@ludus-agents/learning/internal/training/training-run';
import { useEndpoints } from './endpoints.ts';

/** What it is asked to do. */
export interface TrainingRequest {
  readonly run: TrainingRun;
  readonly name: string;
  readonly cwd: string;
  /** What it may spend on models. */
  readonly allowance: Allowance;
}

/** What it says: how things stand, or how it ended. */
export type TraineeWord = ({ readonly progress: object } | { readonly failed: string } | { readonly over: true }) & {
  /** What it has spent on models since it began. */
  readonly spent: WorkerSpending;
};

let stopped = false;
const say = (word: TraineeWord) => new Promise<void>((resolve) => process.send?.(word, () => resolve()));

async function work({ run, name, cwd, allowance }: TrainingRequest): Promise<void> {
  const counter = new BudgetCounter({ ...allowance, failures: Number.POSITIVE_INFINITY });
  useEndpoints({ cwd, env: process.env });
  try {
    await withBudget(counter, async () => {
      const services = { cwd, trust: Trust.request, folder: runFolder(cwd, name), stopped: () => stopped };
      for await (const progress of runTraining(run, services)) {
        await say({ progress, spent: counter.spent });
        // Let "stop" arrive.
        await new Promise(setImmediate);
      }
    });
    await say({ over: true, spent: counter.spent });
  } catch (thrown) {
    await say({ failed: sentenceOf(thrown), spent: counter.spent });
  }
  process.disconnect();
}

process.on('message', (message: TrainingRequest | 'stop') => {
  if (message === 'stop') stopped = true;
  else safely('A training', work)(message);
});
process.on('disconnect', () => process.exit());
