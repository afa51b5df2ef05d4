/**
 * @file A training in a process of its own, so that the page stays quick while it counts: told what to train, it tells how things stand.
 *
 * It ends when it is done, when it is asked to, and when whoever started it is gone; its folder then knows where to go on.
 */

import { runFolder } from '../../company/folders.ts';
import type { TrainingRun } from '../../company/trainers.ts';
import { training } from '../../company/training.ts';
import { safely, sentenceOf } from '../../core/index.ts';

/** What it is asked to do. */
export interface TrainingWanted {
  readonly run: TrainingRun;
  readonly name: string;
  readonly cwd: string;
}

/** What it says: how things stand, or how it ended. */
export type TraineeWord = { readonly progress: object } | { readonly failed: string } | { readonly over: true };

let stopped = false;
const say = (word: TraineeWord) => new Promise<void>((resolve) => process.send?.(word, () => resolve()));

async function work({ run, name, cwd }: TrainingWanted): Promise<void> {
  try {
    const hands = { cwd, folder: runFolder(cwd, name), stopped: () => stopped };
    for await (const progress of training(run, hands)) {
      await say({ progress });
      // Let "stop" be heard.
      await new Promise(setImmediate);
    }
    await say({ over: true });
  } catch (thrown) {
    await say({ failed: sentenceOf(thrown) });
  }
  process.disconnect();
}

process.on('message', (message: TrainingWanted | 'stop') => {
  if (message === 'stop') stopped = true;
  else safely('A training', work)(message);
});
process.on('disconnect', () => process.exit());
