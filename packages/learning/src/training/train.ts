/**
 * @file Runs a training: reports progress, writes a folder and a journal in the store, and continues where it stopped.
 *
 * The folder contains the settings of the run, its last and best checkpoints, some in between, and its figures for spreadsheets and
 * TensorBoard.
 */

import type { RewardCard } from '@ludus-agents/evaluation/internal/scoring/reward-model/reward-card';
import { Fault, type JsonObject, type Store } from '@ludus-agents/kernel/internal/core/index';
import { type Mechanism, mechanismText } from '../rl/counters.ts';
import { comparesKept } from '../rl/kept-pairs.ts';
import type { Recipe } from '../rl/recipe.ts';
import { type FreshReturns, gainOf, gainWords, type TrainingGain } from './gain.ts';
import { type HeldTask, heldWords } from './held-tasks.ts';
import { fitText, type KeptFit } from './kept-fit.ts';
import {
  createRunFolder,
  forgetFiguresAfter,
  isRunFolder,
  type Kept,
  keepBeginning,
  lastFigures,
  readBeginning,
  readCheckpoint,
  readRun,
  removeUnusedWeights,
  writeCheckpoint,
} from './run-folder.ts';
import { createTrainer, type ProposalReport, type Trainer, type TrainerServices } from './trainer.ts';
import { environmentsOf, type TrainingRun, taskOf, type UpdateFigures } from './training-run.ts';

/** The result of a training: its measurements, its cost, and how often its mechanisms acted. */
export type TrainingReport = {
  /** Null if the environment has no single measure of it, or if too little of the policy is legal. */
  readonly exploitability: number | null;
  /** The mean probability of legal moves over information states; null if exploitability is not measured. */
  readonly legal: number | null;
  /** The exploitability of the average of all policies, if one was maintained. */
  readonly average: number | null;
  /** The latest mean return of the learner's seats. */
  readonly returned: number;
  readonly games: number;
  readonly seconds: number;
  /** The final share of illegal moves. */
  readonly invalid: number;
  /** Tokens sampled, by all processes of the run. */
  readonly tokens: number;
  /** Why the training cannot have had any effect, or null. */
  readonly nothing: string | null;
  /**
   * Returns in fresh episodes before and after; null if the policy is measured exactly, or if a resumed run would need the initial learner.
   */
  readonly gain: TrainingGain | null;
  /** The fit to stored episodes before and after; absent if the training uses none, and after resuming. */
  readonly fit?: KeptFit;
  /** The mean reward of an episode from the environment and from each channel at the end of the run, before weights. */
  readonly channels: Readonly<Record<string, number>>;
  /** How often each mechanism of the recipe acted, by name: rows replayed or shown, episodes injected or left out. */
  readonly acted: Readonly<Record<string, number>>;
  /** The returns of each policy of a set on held-out tasks. */
  readonly held: readonly HeldTask[];
  /** The final figures of a task proposer, if there is one. */
  readonly proposals?: ProposalReport;
  /** How often the recipe's mechanism acted, and which of its counters remained 0; null if nothing is counted. */
  readonly mechanism: Mechanism | null;
  /** The trust card of the reward model trained alongside the policy; null if it had too little data. */
  readonly rewardModel?: RewardCard | null;
};

export interface TrainingServices extends TrainerServices {
  /** The store and the run whose journal `metrics` is written. */
  readonly journal?: { readonly store: Store; readonly run: string };
  readonly stopped?: () => boolean;
}

/** Progress, reported about fifty times a run. */
export type TrainingProgress = UpdateFigures & {
  readonly updates: number;
  readonly seconds: number;
  /** Tokens sampled per second since the last report. */
  readonly tokensPerSecond: number;
};

const parts = 50;
const isStopped: unique symbol = Symbol('stopped');

/**
 * Trains and yields progress. Returns the report, or null if it was stopped; the folder then has everything needed to continue.
 */
export async function* runTraining(run: TrainingRun, services: TrainingServices): AsyncGenerator<TrainingProgress, TrainingReport | null> {
  const statements: string[] = [];
  const say = (sentence: string) => {
    statements.push(sentence);
    services.say?.(sentence);
  };
  const { journal } = services;
  const trainer = await createTrainer(run, { ...(journal !== undefined && { store: journal.store }), ...services, say });
  try {
    return yield* trainSteps(trainer, run, { services, said: statements, say });
  } finally {
    // Stops episodes played ahead of the last update, which would keep the process and a server busy without use.
    await trainer.learner.close?.();
  }
}

interface Telling {
  readonly services: TrainingServices;
  /** Messages that are not in the journal yet. */
  readonly said: string[];
  readonly say: (sentence: string) => void;
}

async function* trainSteps(
  trainer: Trainer,
  run: TrainingRun,
  { services, said, say }: Telling,
): AsyncGenerator<TrainingProgress, TrainingReport | null> {
  say(trainer.how);
  const before = services.folder === null ? null : await open(services.folder, run, trainer);
  const began = performance.now() - 1000 * (before?.seconds ?? 0);
  const seconds = () => (performance.now() - began) / 1000;
  const chunk = Math.ceil(trainer.updates / parts);
  const looked = before === null ? ((await trainer.fit?.look()) ?? null) : null;
  await trainer.begin();
  const first = await beginningOf(trainer, services.folder, before !== null);
  let last: TrainingProgress | null = null;
  let best = before?.best ?? null;
  const earlier = { tokens: before?.tokens ?? 0, seconds: before?.seconds ?? 0 };
  const { tokens: most = Infinity } = run.recipe.training;
  if (most < Infinity && !trainer.byTokens)
    throw new Fault('input', `${run.recipe.name} trains on a game tree, which uses no tokens. Remove "training.tokens".`);
  while (trainer.update() < trainer.updates && (last?.tokens ?? earlier.tokens) < most) {
    if (services.stopped?.() === true) return null;
    const collapsed = await trainer.run(Math.floor(trainer.update() / chunk) * chunk + chunk).catch((thrown: unknown): typeof isStopped => {
      // If answers stop because the run is being stopped, it resumes later from the last checkpoint.
      if (services.stopped?.() === true) return isStopped;
      throw thrown;
    });
    if (collapsed === isStopped) return null;
    const measured = await trainer.measure();
    const figures = { ...measured, tokens: earlier.tokens + measured.tokens };
    last = progressOf(figures, { last: last ?? earlier, seconds: seconds(), updates: trainer.updates });
    for (const text of said.splice(0)) await note(services, 'words', { text });
    await note(services, 'metrics', { ...last, ...(collapsed === null ? {} : { collapsed }) });
    if (collapsed !== null) throw new Fault('agent', `Training has collapsed. ${collapsed}`);
    if (services.folder !== null) best = await keepCheckpoint(services.folder, { trainer, progress: last, best });
    yield last;
    // Ctrl-C is noticed only between two turns of the event loop.
    await new Promise(setImmediate);
  }
  // For a run that had already ended, the figures stored last.
  const updateFigures = last ?? (services.folder === null || before === null ? null : lastFigures(services.folder));
  if (last === null && updateFigures !== null) say('This run was at its end already, so nothing is left to train.');
  const { exploitability, legal, returned, games, invalid, tokens } = updateFigures ?? (await trainer.measure());
  if (most < Infinity && tokens < most)
    say(`Its games used ${tokens} of ${most} tokens. Raise "training.games" to compare it at that cost.`);
  const nothing = before === null ? nothingLearned(trainer, { games, tokens, recipe: run.recipe }) : null;
  const end = first === null ? null : await trainer.fresh();
  const rewarded = trainer.rewardCard === undefined ? {} : { rewardModel: trainer.rewardCard() };
  const proposed = trainer.proposals === undefined ? {} : { proposals: trainer.proposals() };
  const gain = first === null || end === null ? null : gainOf(first, end);
  if (gain !== null && last !== null) await note(services, 'words', { text: gainWords(gain) });
  const heldTasks = await trainer.held();
  for (const heldTask of heldTasks) say(heldWords(heldTask));
  const fit =
    trainer.fit === undefined || looked === null ? null : { answers: trainer.fit.answers, before: looked, after: await trainer.fit.look() };
  if (fit !== null && last !== null) await note(services, 'words', { text: fitText(fit) });
  const mechanism = trainer.mechanism();
  if (mechanism !== null) said.push(mechanismText(mechanism));
  for (const text of said.splice(0)) await note(services, 'words', { text });
  const report: TrainingReport = {
    mechanism,
    exploitability,
    legal,
    average: trainer.average(),
    returned: returned ?? 0,
    games,
    seconds: seconds(),
    invalid,
    tokens,
    nothing,
    gain,
    ...(fit !== null && { fit }),
    held: heldTasks,
    ...proposed,
    ...rewarded,
    channels: trainer.channels(),
    acted: trainer.acted(),
  };
  if (last !== null) await note(services, 'report', report);
  return report;
}

/** Why a completed training cannot have had any effect, or null. */
function nothingLearned(
  trainer: Trainer,
  { games, tokens, recipe }: { readonly games: number; readonly tokens: number; readonly recipe: Recipe },
): string | null {
  if (games === 0) return 'no game was played.';
  // Stored answers are compared in place of games, so no token is sampled.
  if (recipe.kept !== undefined && comparesKept(recipe)) return null;
  if (tokens === 0 && trainer.proposals?.().valid === 0) {
    const refusals = Object.entries(trainer.acted()).flatMap(([name, count]) => (name.includes('refused') ? [`${count} ${name}`] : []));
    return `none of the proposed tasks is valid (${refusals.join(', ') || 'none was written'}). A proposer (coevolution.by) must answer with a task as JSON that the environment reads and the checks accept.`;
  }
  if (trainer.byTokens && tokens === 0)
    return `no learner played a token in ${games} games; the environment must ask a seat that the learner has, and a table plays only where moves are listed (--learner transformer reads and writes text).`;
  if (!trainer.varied()) {
    const { learner, warmUp } = recipe.training;
    const hint =
      learner === 'transformer' && warmUp === undefined
        ? ' Let the learner imitate legal play first: --set \'training.warmUp={"games":400,"steps":300,"rate":0.003,"rows":64}\'.'
        : '';
    return `all ${games} games paid the same, so no answer was better than another.${hint}`;
  }
  return null;
}

/** Runs a training to completion and returns its report. To observe progress, use {@link runTraining}. */
export async function train(
  run: TrainingRun,
  services: TrainingServices & { readonly tell?: (progress: TrainingProgress) => void },
): Promise<TrainingReport | null> {
  const steps = runTraining(run, services);
  for (;;) {
    const next = await steps.next();
    if (next.done === true) return next.value;
    services.tell?.(next.value);
  }
}

/** A run of the store for a training, under the training's own name; its journal takes the figures. */
export async function createTrainingRun(
  store: Store,
  { name, resumed }: { readonly name: string; readonly resumed: boolean },
  { recipe, seed }: TrainingRun,
): Promise<string> {
  const run = name;
  if ((await store.run(run)) !== null) {
    if (resumed) return run;
    throw new Fault('input', `Run "${name}" already exists in this store. Choose another name.`, { code: 'E_ALREADY_EXISTS' });
  }
  await store.putRun({
    id: run,
    plan: {
      name: run,
      environments: environmentsOf(recipe).map((environment) => ({ environment, tasks: [taskOf(recipe)] })),
      seeds: { from: seed, count: 0 },
      casts: [],
    },
    episodes: 0,
    work: { kind: 'train', recipe: recipe, seed, name },
  });
  return run;
}

interface Resumed {
  readonly seconds: number;
  readonly best: number | null;
  readonly tokens: number;
}

async function open(folder: string, run: TrainingRun, trainer: Trainer): Promise<Resumed | null> {
  if (!isRunFolder(folder)) createRunFolder(folder, run);
  readRun(folder);
  const matchingCheckpoint = readCheckpoint(folder, 'last');
  forgetFiguresAfter(folder, matchingCheckpoint?.update ?? 0);
  if (matchingCheckpoint === null) return null;
  await trainer.load(matchingCheckpoint.checkpoint);
  return {
    seconds: matchingCheckpoint.seconds,
    best: readCheckpoint(folder, 'best')?.worth ?? null,
    tokens: matchingCheckpoint.tokens ?? 0,
  };
}

/** The returns in fresh episodes before the first game: measured now, or stored by the process that began the run. */
async function beginningOf(trainer: Trainer, folder: string | null, resumed: boolean): Promise<FreshReturns | null> {
  if (resumed) {
    const freshReturns = folder === null ? null : (readBeginning(folder) as FreshReturns | null);
    // The initial learner was not saved, so it can't be played against any more.
    return freshReturns?.against === 'first self' ? null : freshReturns;
  }
  const rewardFreshReturns = await trainer.fresh();
  if (folder !== null && rewardFreshReturns !== null) keepBeginning(folder, rewardFreshReturns);
  return rewardFreshReturns;
}

/** Stores a checkpoint as the last, as the best if it is, and at every tenth of the run; returns the best value. */
async function keepCheckpoint(
  folder: string,
  { trainer, progress, best }: { readonly trainer: Trainer; readonly progress: TrainingProgress } & Pick<Resumed, 'best'>,
): Promise<number | null> {
  const { update, updates, seconds, tokens } = progress;
  const worth = worthOf(progress);
  const better = best === null || worth >= best;
  const tenths = (updatesMade: number) => Math.floor((10 * updatesMade) / updates);
  const milestone = tenths(update) > tenths(update - Math.ceil(updates / parts));
  const at: Kept = { progress, seconds, worth, tokens, checkpoint: await trainer.save() };
  // `last` is written last: a process that dies before repeats this update, and one that dies after loses nothing.
  writeCheckpoint(folder, at, [...(better ? ['best'] : []), ...(milestone ? [`step-${update}`] : []), 'last']);
  removeUnusedWeights(folder);
  return better ? worth : best;
}

/** Orders checkpoints by exploitability, then by legality, else by return; without any figure, the latest is best. */
function worthOf({ exploitability, legal, returned, update }: UpdateFigures): number {
  if (exploitability !== null) return -exploitability;
  return legal === null ? (returned ?? update) : legal - illegalWorth;
}

/** Above any exploitability: a policy with a figure is better than one without. */
const illegalWorth = 1e9;

function progressOf(
  measured: UpdateFigures,
  {
    last,
    seconds,
    updates,
  }: { readonly last: Pick<TrainingProgress, 'seconds' | 'tokens'>; readonly seconds: number; readonly updates: number },
): TrainingProgress {
  const since = seconds - last.seconds;
  return { ...measured, updates, seconds, tokensPerSecond: (measured.tokens - last.tokens) / Math.max(1e-3, since) };
}

/** Writes figures to the journal `metrics`, sentences to `words`, and the final report to `report`. */
async function note(
  { journal }: TrainingServices,
  name: 'metrics' | 'words' | 'report',
  entry: JsonObject | TrainingProgress,
): Promise<void> {
  if (journal === undefined) return;
  const { store, run } = journal;
  const { [name]: length = 0 } = await store.journals(run);
  await store.note(run, name, length, [entry as JsonObject]);
}
