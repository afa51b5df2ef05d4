/**
 * @file A first training that fits into a minute: a language model in this process teaches itself Kuhn poker and reports progress, which
 * the terminal and the studio both show.
 */

import { existsSync, rmSync } from 'node:fs';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { hasRuntime } from '../learners/transformer/index.ts';
import { builtInRecipe } from '../rl/recipes/index.ts';
import { runFolder } from './run-folder.ts';
import { runTraining, type TrainingProgress } from './train.ts';

export interface DemoTraining {
  /** Episodes it plays in all; fewer than for mastery, enough to watch it improve. */
  readonly games?: number;
  /** It stops after so many seconds, however far it is. */
  readonly seconds?: number;
  readonly seed?: number;
  readonly cwd: string;
  readonly stopped?: () => boolean;
}

export interface Taught {
  /** Who learned: a language model, or a table where no runtime for one is installed. */
  readonly learner: 'language model' | 'table';
  /** What it is called as an agent. */
  readonly agent: string;
  readonly environment: string;
  readonly progress: TrainingProgress | null;
}

/** What the lesson's run is called; it begins anew every time. */
export const lessonName = 'first-lesson';

export async function* firstLesson({
  games = 302_400,
  seconds = 50,
  seed = 1,
  cwd,
  stopped,
}: DemoTraining): AsyncGenerator<TrainingProgress, Taught> {
  const language = hasRuntime();
  const base = builtInRecipe(language ? 'kuhn-lm' : 'kuhn-tabular');
  const method = { ...base, training: { ...base.training, games: language ? games : Math.max(games, 600_000) } };
  const folder = runFolder(cwd, lessonName);
  if (existsSync(folder)) rmSync(folder, { recursive: true });
  let last: TrainingProgress | null = null;
  for await (const progress of runTraining(
    { recipe: method, seed },
    { cwd, trust: Trust.commandLine, folder, stopped: () => stopped?.() === true || (last?.seconds ?? 0) > seconds },
  )) {
    last = progress;
    yield progress;
  }
  return { learner: language ? 'language model' : 'table', agent: `local/${lessonName}@best`, environment: 'kuhn-poker', progress: last };
}
