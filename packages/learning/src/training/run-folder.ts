/** @file The folder of a training run: checkpoints by name, and figures for spreadsheets and TensorBoard. */

import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { Fault, isFault, type Json } from '@ludus-agents/kernel/internal/core/index';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import { checkRecipe } from '../rl/recipe-shape.ts';
import { eventFileHeader, scalarEvent } from '../rl/tensorboard.ts';
import type { TrainingRun, UpdateFigures } from './training-run.ts';

/** A checkpoint as stored in the folder. */
export interface Stored {
  readonly update: number;
  readonly seconds: number;
  /** Higher is better; comparable within a run. */
  readonly worth: number;
  /** Tokens written so far, by all processes of the run. */
  readonly tokens?: number;
  readonly checkpoint: { readonly learner: string };
}

export interface Kept extends Omit<Stored, 'update'> {
  readonly progress: UpdateFigures;
}

/** TensorBoard recognizes a run by this file name. */
const eventFile = 'events.out.tfevents.ludus';
const runFile = 'run.json';
const beginningFile = 'beginning.json';
const figures = ['update', 'games', 'exploitability', 'legal', 'returned', 'invalid', 'entropy', 'kl', 'clipped', 'tokens'] as const;

/** The folder of a run below the current folder. */
export function runFolder(cwd: string, name: string): string {
  if (name === '' || /[\\/]|^\.+$/.test(name))
    throw new Fault('input', `Invalid name "${name}" for a training run. Use a plain name such as kuhn-lm-1.`);
  return resolve(cwd, '.ludus', 'training', name);
}

/** The folder of a run or, for a recipe's name, of its newest run: kuhn-lm is kuhn-lm-1 until there is another. */
export function newestRun(cwd: string, name: string): string {
  const folder = runFolder(cwd, name);
  const all = dirname(folder);
  if (existsSync(folder) || !existsSync(all)) return folder;
  const runs = readdirSync(all).filter((run) => run.startsWith(`${name}-`) && /^[\d-]+$/.test(run.slice(name.length + 1)));
  const beganAt = (run: string) => statSync(join(all, run)).mtimeMs;
  const [newest] = runs.sort((a, b) => beganAt(b) - beganAt(a));
  return newest === undefined ? folder : join(all, newest);
}

function trainingRuns(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

export function readRun(folder: string): TrainingRun {
  const file = join(folder, runFile);
  if (!existsSync(file))
    throw new Fault(
      'input',
      `No training run at ${folder}. Start one with "ludus train RECIPE", which prints its name.${didYouMean(basename(folder), trainingRuns(dirname(folder)))}`,
    );
  const run = JSON.parse(readFileSync(file, 'utf8')) as TrainingRun;
  try {
    checkRecipe(run.recipe, file);
  } catch (thrown) {
    if (!isFault(thrown)) throw thrown;
    throw new Fault(
      'input',
      `The run at ${folder} was trained with an old recipe format that is no longer supported. Train it again. ${thrown.message}`,
    );
  }
  return run;
}

/** Whether a folder contains a run. */
export function isRunFolder(folder: string): boolean {
  return existsSync(join(folder, runFile));
}

export function createRunFolder(folder: string, run: TrainingRun): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, eventFile), eventFileHeader(Date.now() / 1000));
  writeFileSync(join(folder, 'metrics.csv'), `${figures.join(',')}\n`);
  // Written last: a folder with this file is complete, however the process ended.
  writeFileAtomicSync(join(folder, runFile), `${JSON.stringify(run, null, 2)}\n`);
}

/** The checkpoint called "last", "best" or "step-N", or null. */
export function readCheckpoint(folder: string, name: string): Stored | null {
  // A name with a path could refer to a file outside of the folder.
  const file = join(folder, `${basename(name)}.json`);
  return name === basename(name) && existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Stored) : null;
}

/** Stores the learner's returns before its first game, for the process that ends the run. */
export function keepBeginning(folder: string, beginning: Json): void {
  writeFileAtomicSync(join(folder, beginningFile), JSON.stringify(beginning));
}

export function readBeginning(folder: string): Json {
  const file = join(folder, beginningFile);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Json) : null;
}

/** The figures of the last stored update, or null. */
export function lastFigures(folder: string): UpdateFigures | null {
  const [head = '', ...rows] = readFileSync(join(folder, 'metrics.csv'), 'utf8').trim().split('\n');
  const last = rows.at(-1)?.split(',');
  if (last === undefined) return null;
  const entries = head.split(',').map((name, i) => [name, (last[i] ?? '') === '' ? null : Number(last[i])]);
  return { won: null, ...Object.fromEntries(entries) } as UpdateFigures;
}

/** The names of a run's checkpoints, steps in order. */
export function checkpointNames(folder: string): readonly string[] {
  const matches = existsSync(folder) ? readdirSync(folder) : [];
  const steps = matches.flatMap((file) => file.match(/^step-(\d+)\.json$/)?.[1] ?? []).sort((a, b) => Number(a) - Number(b));
  return [...['best', 'last'].filter((name) => matches.includes(`${name}.json`)), ...steps.map((step) => `step-${step}`)];
}

/** Writes a temporary file and renames it, so a crash leaves the old or the new checkpoint, never a partial one. */
export function writeCheckpoint(folder: string, { progress, seconds, worth, tokens, checkpoint }: Kept, names: readonly string[]): void {
  const stored: Stored = { update: progress.update, seconds, worth, ...(tokens !== undefined && { tokens }), checkpoint };
  const text = JSON.stringify(stored);
  const {
    update,
    games: _,
    ...values
  } = Object.fromEntries(figures.map((name) => [name, progress[name]])) as Record<string, number | null>;
  const observation = Object.fromEntries(Object.entries(values).filter((entry): entry is [string, number] => entry[1] !== null));
  appendFileSync(join(folder, eventFile), scalarEvent(update as number, Date.now() / 1000, observation));
  // Figures are written first: if the process dies here, an update is written twice at most, and `forgetFiguresAfter` removes the first
  // copy.
  appendFileSync(join(folder, 'metrics.csv'), `${figures.map((name) => progress[name] ?? '').join(',')}\n`);
  for (const name of names) writeFileAtomicSync(join(folder, `${name}.json`), text);
}

/** Removes the rows of updates after the last checkpoint; they will be repeated. */
export function forgetFiguresAfter(folder: string, update: number): void {
  const file = join(folder, 'metrics.csv');
  const [head = '', ...rows] = readFileSync(file, 'utf8').split('\n');
  const retainedRows = rows.filter((row) => row !== '' && Number(row.split(',', 1)[0]) <= update);
  writeFileAtomicSync(file, [head, ...retainedRows, ''].join('\n'));
}

/** Removes weights that no checkpoint references. */
export function removeUnusedWeights(folder: string): void {
  const weights = readdirSync(folder).filter((file) => file.endsWith('.safetensors'));
  if (weights.length < 2) return;
  const texts = checkpointNames(folder).map((name) => readFileSync(join(folder, `${name}.json`), 'utf8'));
  for (const file of weights) if (!texts.some((text) => text.includes(file))) rmSync(join(folder, file));
}
