/** @file A training run in a folder of its own: what it is, its last checkpoint, its metrics; taken up again where it stopped. */

import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type AnyEnvironment, Fault, type Policy, policyOf, type Script, type Seat, type Seed } from '../core/index.ts';
import { distance } from '../environments/solve/best-response.ts';
import { flatten } from '../environments/solve/flat.ts';
import { positions } from '../environments/solve/minimax.ts';
import { gameTree, type Tree } from '../environments/solve/tree.ts';
import { Tabular } from '../learners/index.ts';
import { Loop, type LoopCheckpoint, type Metrics } from '../learning/loop.ts';
import type { Recipe } from '../learning/recipe.ts';
import { eventFileHeader, scalarEvent } from '../learning/tensorboard.ts';
import { type TreeCheckpoint, TreeTraining } from '../learning/tree.ts';
import { beyondTree } from '../learning/ways.ts';
import { worldOf } from './worlds.ts';

/** Which method, on which seed: everything that a run is. */
export interface TrainingRun {
  readonly recipe: Recipe;
  readonly seed: Seed;
}

export interface TrainingReport {
  /** Null where the world has no single measure of it. */
  readonly exploitability: number | null;
  /** The same of the average of all policies, where one was kept. */
  readonly average: number | null;
  /** What the learner's seats were last paid on average. */
  readonly returned: number;
  readonly games: number;
  readonly seconds: number;
  /** Share of moves that broke the rules. */
  readonly invalid: number;
}

export interface TrainingHands {
  readonly cwd: string;
  /** Where to keep it; null to keep nothing. */
  readonly folder: string | null;
  readonly tell?: (progress: Progress) => void;
  readonly stopped?: () => boolean;
}

/** How things stand. */
export interface Progress {
  readonly update: number;
  readonly updates: number;
  readonly games: number;
  readonly exploitability: number | null;
  readonly returned: number;
  readonly invalid: number;
}

/** A way to train, whichever it is: on a tree or by rollout. */
interface Trainer {
  readonly updates: number;
  update(): number;
  /** Goes on until so many updates are made; a sentence when there is no point in it. */
  run(updates: number): Promise<string | null>;
  progress(): Progress;
  average(): number | null;
  save(): Promise<unknown>;
  load(checkpoint: unknown): Promise<void>;
}

type Strategy = readonly ArrayLike<number>[];

const parts = 50;

/** TensorBoard finds a run by this name. */
const eventFile = 'events.out.tfevents.ludus';

/** Trains to the end, or until it is stopped: then the report is null, and the folder knows where to go on. */
export async function train(run: TrainingRun, hands: TrainingHands): Promise<TrainingReport | null> {
  const began = performance.now();
  const trainer = await trainerOf(run, hands.cwd);
  const before = hands.folder === null ? 0 : await open(hands.folder, run, trainer);
  const chunk = Math.ceil(trainer.updates / parts);
  const seconds = () => before + (performance.now() - began) / 1000;
  while (trainer.update() < trainer.updates) {
    if (hands.stopped?.() === true) return null;
    const collapsed = await trainer.run(Math.floor(trainer.update() / chunk) * chunk + chunk);
    if (collapsed !== null) throw new Fault('agent', `The run has collapsed. ${collapsed}`);
    const progress = trainer.progress();
    hands.tell?.(progress);
    if (hands.folder !== null) keep(hands.folder, { progress, seconds: seconds(), checkpoint: await trainer.save() });
    // Ctrl-C is heard between two turns of the event loop only.
    await new Promise(setImmediate);
  }
  const { exploitability, returned, games, invalid } = trainer.progress();
  return { exploitability, average: trainer.average(), returned, games, seconds: seconds(), invalid };
}

async function trainerOf(run: TrainingRun, cwd: string): Promise<Trainer> {
  const environment = await worldOf(run.recipe.training.environment, cwd);
  return beyondTree(run.recipe) === null ? onTree(run, environment) : byRollout(run, environment);
}

function onTree({ recipe, seed }: TrainingRun, environment: AnyEnvironment): Trainer {
  const task = recipe.training.task ?? {};
  const tree: Tree = positions(environment, task) ?? gameTree(environment, task);
  const game = flatten(tree);
  const learner = new Tabular({ id: `local/${recipe.name}`, game, optimiser: recipe.training.optimiser });
  const measure = tree.seats.length > 1 ? (strategy: Strategy) => distance(tree, strategy).exploitability : null;
  const training = new TreeTraining(recipe, { game, learner, seed, ...(measure === null ? {} : { exploitability: measure }) });
  return {
    updates: training.updates,
    update: () => training.update,
    async run(updates) {
      await training.run(updates);
      return null;
    },
    progress() {
      const { returns, ...rest } = training.progress();
      // Choosing among listed moves, a table breaks no rule.
      return { ...rest, updates: training.updates, returned: returns[0] ?? 0, invalid: 0 };
    },
    average: () => (measure === null || !training.averaged ? null : measure(training.average.strategy())),
    save: () => training.save(),
    load: (checkpoint) => training.load(checkpoint as TreeCheckpoint),
  };
}

function byRollout({ recipe, seed }: TrainingRun, environment: AnyEnvironment): Trainer {
  const learner = new Tabular({ id: `local/${recipe.name}`, optimiser: recipe.training.optimiser });
  let last: Metrics | null = null;
  const tell = (metrics: Metrics) => {
    last = metrics;
  };
  const loop = new Loop(recipe, { environment, learner, seed, others: standIns(environment, recipe), tell });
  return {
    updates: loop.updates,
    update: () => loop.update,
    run: (updates) => loop.run(updates),
    progress: () => ({
      update: loop.update,
      updates: loop.updates,
      games: loop.update * recipe.training.batch,
      exploitability: null,
      returned: last?.returned ?? 0,
      invalid: last?.invalid ?? 0,
    }),
    average: () => null,
    save: () => loop.save(),
    load: (checkpoint) => loop.load(checkpoint as LoopCheckpoint),
  };
}

/** Seats that a script is named after are its own: the oracle, the patient. */
function standIns(environment: AnyEnvironment, { training }: Recipe): Readonly<Record<Seat, Policy>> {
  const seats = environment.seats(environment.task(training.task ?? {}));
  const scripts = environment.scripts ?? {};
  return Object.fromEntries(
    seats.filter((seat) => Object.hasOwn(scripts, seat)).map((seat) => [seat, policyOf(seat, scripts[seat] as Script)]),
  );
}

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
async function open(folder: string, run: TrainingRun, trainer: Trainer): Promise<number> {
  const file = join(folder, 'checkpoint.json');
  if (existsSync(file)) {
    const { seconds, checkpoint } = JSON.parse(readFileSync(file, 'utf8')) as { seconds: number; checkpoint: unknown };
    await trainer.load(checkpoint);
    return seconds;
  }
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'run.json'), `${JSON.stringify(run, null, 2)}\n`);
  writeFileSync(join(folder, eventFile), eventFileHeader(Date.now() / 1000));
  writeFileSync(join(folder, 'metrics.csv'), 'update,games,exploitability,returned,invalid\n');
  return 0;
}

interface Kept {
  readonly progress: Progress;
  readonly seconds: number;
  readonly checkpoint: unknown;
}

/** Written beside and moved into place: a crash leaves the checkpoint before or this one, never half of one. */
function keep(folder: string, { progress, seconds, checkpoint }: Kept): void {
  const file = join(folder, 'checkpoint.json');
  writeFileSync(`${file}.part`, JSON.stringify({ seconds, checkpoint }));
  renameSync(`${file}.part`, file);
  const { update, games, exploitability, returned, invalid } = progress;
  appendFileSync(join(folder, eventFile), scalarEvent(update, Date.now() / 1000, { exploitability, returned, invalid }));
  appendFileSync(join(folder, 'metrics.csv'), `${[update, games, exploitability ?? '', returned, invalid].join(',')}\n`);
}
