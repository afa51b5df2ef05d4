/** @file Training, improving and data making for programs: the names in their requests are trusted like names on a command line. */

import type { RunRecord, Store } from '../core/index.ts';
import * as making from '../datasets/make/dataset.ts';
import * as improving from '../improving/improve.ts';
import type { ImproveServices } from '../learning/prompts/improve.ts';
import * as training from '../training/train.ts';
import { trustInProcess } from '../workspace/folder-trust.ts';
import type { TrainingRun } from '../workspace/training-run.ts';
import { Trust } from '../workspace/trust.ts';

/** The trust in the names of a program; the folder that it has chosen is trusted with them. */
function user(cwd: string): Trust {
  trustInProcess(cwd);
  return Trust.commandLine;
}

/** The run of a request. The same request is the same run. */
export function improveRun(request: improving.ImproveRequest, cwd: string = process.cwd()): ReturnType<typeof improving.improveRun> {
  return improving.improveRun(request, cwd, user(cwd));
}

/** What an improvement needs to run: its trials, proposer and engine. */
export function createImproveServices(
  store: Store,
  run: RunRecord,
  context: Omit<improving.ImproveContext, 'trust'>,
): Promise<ImproveServices> {
  return improving.createImproveServices(store, run, { ...context, trust: user(context.cwd) });
}

/** Trains, and reports the progress after each update. */
export function runTraining(run: TrainingRun, services: Omit<training.TrainingServices, 'trust'>): ReturnType<typeof training.runTraining> {
  return training.runTraining(run, { ...services, trust: user(services.cwd) });
}

/** Trains to the end. */
export function train(
  run: TrainingRun,
  services: Omit<Parameters<typeof training.train>[1], 'trust'>,
): Promise<training.TrainingReport | null> {
  return training.train(run, { ...services, trust: user(services.cwd) });
}

/** Reads what a request names; nothing is called. */
export function prepareMake(request: making.MakeRequest, cwd: string): Promise<making.MakeWork> {
  return making.prepareMake(request, cwd, user(cwd));
}
