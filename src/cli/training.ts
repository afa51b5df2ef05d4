/** @file A training run in a folder of its own: what it is, its last checkpoint, its metrics; taken up again where it stopped. */

import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Fault, type Seed } from '../core/index.ts';
import { distance } from '../environments/solve/best-response.ts';
import { flatten } from '../environments/solve/flat.ts';
import { positions } from '../environments/solve/minimax.ts';
import { gameTree, type Tree } from '../environments/solve/tree.ts';
import { Tabular } from '../learners/index.ts';
import type { Recipe } from '../learning/recipe.ts';
import { type TreeCheckpoint, type TreeProgress, TreeTraining } from '../learning/tree.ts';
import { worldOf } from './worlds.ts';

/** Which method, on which seed: everything that a run is. */
export interface TrainingRun {
  readonly recipe: Recipe;
  readonly seed: Seed;
}

export interface TrainingReport {
  /** Null where the world has no single measure of it. */
  readonly exploitability: number | null;
  /** The same of the average of all policies. */
  readonly average: number | null;
  readonly games: number;
  readonly seconds: number;
  /** Share of moves that broke the rules. A learner that chooses among listed moves breaks none. */
  readonly invalid: number;
}

export interface TrainingHands {
  readonly cwd: string;
  /** Where to keep it; null to keep nothing. */
  readonly folder: string | null;
  readonly tell?: (progress: TreeProgress, updates: number) => void;
  readonly stopped?: () => boolean;
}

const parts = 50;

/** Trains to the end, or until it is stopped: then the report is null, and the folder knows where to go on. */
export async function train(run: TrainingRun, hands: TrainingHands): Promise<TrainingReport | null> {
  const began = performance.now();
  const { training, distanceOf } = await ready(run, hands.cwd);
  const before = hands.folder === null ? 0 : await open(hands.folder, run, training);
  const chunk = Math.ceil(training.updates / parts);
  while (training.update < training.updates) {
    if (hands.stopped?.() === true) return null;
    const progress = await training.run(Math.floor(training.update / chunk) * chunk + chunk);
    hands.tell?.(progress, training.updates);
    const seconds = before + (performance.now() - began) / 1000;
    if (hands.folder !== null) await keep(hands.folder, { progress, seconds, checkpoint: await training.save() });
    // Ctrl-C is heard between two turns of the event loop only.
    await new Promise(setImmediate);
  }
  return {
    exploitability: training.progress().exploitability,
    average: distanceOf === null ? null : distanceOf(training.average.strategy()),
    games: training.progress().games,
    seconds: before + (performance.now() - began) / 1000,
    invalid: 0,
  };
}

async function ready(
  { recipe, seed }: TrainingRun,
  cwd: string,
): Promise<{ training: TreeTraining; distanceOf: ((strategy: Strategy) => number) | null }> {
  const environment = await worldOf(recipe.training.environment, cwd);
  const task = recipe.training.task ?? {};
  const tree: Tree = positions(environment, task) ?? gameTree(environment, task);
  const game = flatten(tree);
  const learner = new Tabular({ id: `local/${recipe.name}`, game, optimiser: recipe.training.optimiser });
  const distanceOf = tree.seats.length > 1 ? (strategy: Strategy) => distance(tree, strategy).exploitability : null;
  const training = new TreeTraining(recipe, { game, learner, seed, ...(distanceOf === null ? {} : { exploitability: distanceOf }) });
  return { training, distanceOf };
}

type Strategy = readonly ArrayLike<number>[];

/** Where a run is kept below the current folder. */
export function runFolder(cwd: string, name: string): string {
  return resolve(cwd, '.ludus', 'training', name);
}

export function readRun(folder: string): TrainingRun {
  const file = join(folder, 'run.json');
  if (!existsSync(file))
    throw new Fault('input', `There is no training run at ${folder}; "ludus train RECIPE" begins one and says what it is called.`);
  return JSON.parse(readFileSync(file, 'utf8')) as TrainingRun;
}

/** Makes the folder, or takes up what is in it; returns the seconds spent before. */
async function open(folder: string, run: TrainingRun, training: TreeTraining): Promise<number> {
  const file = join(folder, 'checkpoint.json');
  if (existsSync(file)) {
    const { seconds, checkpoint } = JSON.parse(readFileSync(file, 'utf8')) as { seconds: number; checkpoint: TreeCheckpoint };
    await training.load(checkpoint);
    return seconds;
  }
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'run.json'), `${JSON.stringify(run, null, 2)}\n`);
  writeFileSync(join(folder, 'metrics.csv'), 'update,games,exploitability,first_return\n');
  return 0;
}

interface Kept {
  readonly progress: TreeProgress;
  readonly seconds: number;
  readonly checkpoint: TreeCheckpoint;
}

/** Written beside and moved into place: a crash leaves the checkpoint before or this one, never half of one. */
async function keep(folder: string, { progress, seconds, checkpoint }: Kept): Promise<void> {
  const file = join(folder, 'checkpoint.json');
  writeFileSync(`${file}.part`, JSON.stringify({ seconds, checkpoint }));
  renameSync(`${file}.part`, file);
  const row = [progress.update, progress.games, progress.exploitability ?? '', progress.returns[0] ?? ''];
  appendFileSync(join(folder, 'metrics.csv'), `${row.join(',')}\n`);
}
