/**
 * @file A training in a process of its own, so that the page stays quick while it counts: it gets what to train, and reports how things stand.
 *
 * It ends when it is done, when it is asked to, and when anyone who started it is gone; its folder then knows where to go on.
 */

import '../kinds.ts';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { safely, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { runFolder } from '@ludus-agents/learning/internal/training/run-folder';
import { runTraining } from '@ludus-agents/learning/internal/training/train';
import type { TrainingRun } from '@ludus-agents/learning/internal/training/training-run';

/** What it is asked to do. */
export interface TrainingRequest {
  readonly run: TrainingRun;
  readonly name: string;
  readonly cwd: string;
}

/** What it says: how things stand, or how it ended. */
export type TraineeWord = { readonly progress: object } | { readonly failed: string } | { readonly over: true };

let stopped = false;
const say = (word: TraineeWord) => new Promise<void>((resolve) => process.send?.(word, () => resolve()));

async function work({ run, name, cwd }: TrainingRequest): Promise<void> {
  try {
    const services = { cwd, trust: Trust.request, folder: runFolder(cwd, name), stopped: () => stopped };
    for await (const progress of runTraining(run, services)) {
      await say({ progress });
      // Let "stop" arrive.
      await new Promise(setImmediate);
    }
    await say({ over: true });
  } catch (thrown) {
    await say({ failed: sentenceOf(thrown) });
  }
  process.disconnect();
}

process.on('message', (message: TrainingRequest | 'stop') => {
  if (message === 'stop') stopped = true;
  else safely('A training', work)(message);
});
process.on('disconnect', () => process.exit());
