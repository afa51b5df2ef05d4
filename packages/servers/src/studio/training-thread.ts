/**
 * @file A training in its own process, so the page stays responsive: it receives its settings, and reports its progress.
 *
 * It ends when it is done, when it is told to, and when its parent process is gone; it can be resumed from its folder.
 */

import '../kinds.ts';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { safely, sentenceOf, withBudget } from '@ludus-agents/kernel/internal/core/index';
import { runFolder } from '@ludus-agents/learning/internal/training/run-folder';
import { runTraining } from '@ludus-agents/learning/internal/training/train';
import type { TrainingRun } from '@ludus-agents/learning/internal/training/training-run';
import { DistantPurse, type PurseAnswer, type PurseWord } from './distant-purse.ts';
import { useEndpoints } from './endpoints.ts';

/** The request. */
export interface TrainingRequest {
  readonly run: TrainingRun;
  readonly name: string;
  readonly cwd: string;
  /** The budget, if any: a model without a price is rejected before anything is spent. */
  readonly money?: number;
}

/** Its messages: progress, the result, and each of its model calls. */
export type TraineeWord = { readonly progress: object } | { readonly failed: string } | { readonly over: true } | PurseWord;

let stopped = false;
const say = (word: TraineeWord) => new Promise<void>((resolve) => process.send?.(word, () => resolve()));

let purse: DistantPurse | null = null;

/** If a training run fails, running calls get this many milliseconds to end; their answers are counted. */
const patience = 5000;

async function work({ run, name, cwd, money }: TrainingRequest): Promise<void> {
  purse = new DistantPurse((word) => process.send?.(word, () => {}), money);
  useEndpoints({ cwd, env: process.env });
  try {
    await withBudget(purse, async () => {
      const services = { cwd, trust: Trust.request, folder: runFolder(cwd, name), stopped: () => stopped };
      for await (const progress of runTraining(run, services)) {
        await say({ progress });
        // Let the "stop" message arrive.
        await new Promise(setImmediate);
      }
    });
    await say({ over: true });
  } catch (thrown) {
    await purse.idle(patience);
    await say({ failed: sentenceOf(thrown) });
  }
  process.disconnect();
}

process.on('message', (message: TrainingRequest | PurseAnswer | 'stop') => {
  if (message === 'stop') stopped = true;
  else if ('purse' in message) purse?.take(message);
  else safely('A training', work)(message);
});
process.on('disconnect', () => process.exit());
