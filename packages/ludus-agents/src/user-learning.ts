/** @file Training, improving and data making for programs: the names in their requests are trusted like names on a command line. */

import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import type { RunRecord, Store } from '@ludus-agents/kernel/internal/core/index';
import * as making from '@ludus-agents/learning/internal/datasets/make/dataset';
import * as improving from '@ludus-agents/learning/internal/improving/improve';
import type { ImproveServices } from '@ludus-agents/learning/internal/prompts/improve';
import * as training from '@ludus-agents/learning/internal/training/train';
import type { TrainingRun } from '@ludus-agents/learning/internal/training/training-run';
import { trustInProcess } from '@ludus-agents/store/internal/folder-trust';

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
