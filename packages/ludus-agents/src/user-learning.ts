/** @file Training, improving, and data generation for programs: names in their requests are trusted like names on a command line. */

import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import * as making from '@ludus-agents/learning/internal/datasets/make/dataset';
import * as training from '@ludus-agents/learning/internal/training/train';
import type { TrainingRun } from '@ludus-agents/learning/internal/training/training-run';
import { trustInProcess } from '@ludus-agents/store/internal/folder-trust';

/** The trust in the names of a program, including the folder that it selected. */
function user(cwd: string): Trust {
  trustInProcess(cwd);
  return Trust.commandLine;
}

/** Trains, and reports the progress after each update. */
export function runTraining(run: TrainingRun, services: Omit<training.TrainingServices, 'trust'>): ReturnType<typeof training.runTraining> {
  return training.runTraining(run, { ...services, trust: user(services.cwd) });
}

/** Loads the pipeline, source, and models that a request names; no model is called. */
export function prepareMake(request: making.MakeRequest, cwd: string): Promise<making.MakeWork> {
  return making.prepareMake(request, cwd, user(cwd));
}
