/**
 * @file A first lesson that fits into a minute: a language model in this process teaches itself Kuhn poker, told as it goes. Whoever shows it
 * (a terminal, a page) draws the same progress.
 */

import { existsSync, rmSync } from 'node:fs';
import { hasRuntime } from '../learners/transformer/index.ts';
import { kuhnLm } from '../learning/languages.ts';
import { recipe } from '../learning/recipes/index.ts';
import { runFolder } from './folders.ts';
import type { AnyRecipe } from './trainers.ts';
import { type Progress, training } from './training.ts';

export interface Lesson {
  /** Games it plays in all; fewer than for mastery, enough to watch it get there. */
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
  readonly world: string;
  readonly progress: Progress | null;
}

/** What the lesson's run is called; it begins anew every time. */
export const lessonName = 'first-lesson';

export async function* firstLesson({ games = 302_400, seconds = 50, seed = 1, cwd, stopped }: Lesson): AsyncGenerator<Progress, Taught> {
  const language = hasRuntime();
  const table = recipe('kuhn-tabular');
  const method: AnyRecipe = language
    ? { ...kuhnLm, games }
    : { ...table, training: { ...table.training, games: Math.max(games, 600_000) } };
  const folder = runFolder(cwd, lessonName);
  if (existsSync(folder)) rmSync(folder, { recursive: true });
  let last: Progress | null = null;
  for await (const progress of training(
    { recipe: method, seed },
    { cwd, folder, stopped: () => stopped?.() === true || (last?.seconds ?? 0) > seconds },
  )) {
    last = progress;
    yield progress;
  }
  return { learner: language ? 'language model' : 'table', agent: `local/${lessonName}@best`, world: 'kuhn-poker', progress: last };
}
