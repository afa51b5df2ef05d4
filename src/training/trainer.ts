/** @file Every way to train under one face: on a whole game tree, by rollout, and of a language model through text. */

import { type AnyEnvironment, Fault, type Learner, type Policy, type Seat, type Seed } from '../core/index.ts';
import { distance } from '../environments/solve/best-response.ts';
import { flatten } from '../environments/solve/flat.ts';
import type { LanguageCheckpoint } from '../learning/rl/language-training.ts';
import type { Recipe } from '../learning/rl/recipe.ts';
import type { LanguageRecipe } from '../learning/rl/recipes/language.ts';
import type { Rollouts } from '../learning/rl/rollouts.ts';
import { type LoopCheckpoint, type LoopParts, type Metrics, TrainingLoop } from '../learning/rl/training-loop.ts';
import { type TreeCheckpoint, TreeTraining } from '../learning/rl/tree-training.ts';
import { warmUp } from '../learning/rl/warm-up.ts';
import { resolveEnvironment } from '../workspace/environments.ts';
import { isLanguage, onTrees, type TrainingRun, treeTable, type UpdateFigures } from '../workspace/training-run.ts';
import { languageTraining } from './language-trainer.ts';
import { LeagueSchedule, type LeagueState } from './league-schedule.ts';
import { demonstrationRows, learnerFor, opponentBy, standIns } from './rollout-trainer.ts';

/** A way to train, whichever it is. */
export interface Trainer {
  readonly updates: number;
  /** Whether the learner plays token by token, so that none played means that it had nothing to learn from. */
  readonly byTokens: boolean;
  update(): number;
  /** Goes on until so many updates are made; a sentence when there is no point in it. */
  run(updates: number): Promise<string | null>;
  measure(): Promise<UpdateFigures>;
  /** Exploitability of the average of all policies, where one is kept. */
  average(): number | null;
  save(): Promise<{ readonly learner: string }>;
  load(checkpoint: unknown): Promise<void>;
}

export interface TrainerServices {
  readonly cwd: string;
  /** Where a learner puts weights that are too large for a checkpoint. */
  readonly folder: string | null;
  /** Games of a learner, played elsewhere. */
  readonly rollouts?: (recipe: Recipe, learner: Learner) => Rollouts;
}

type Strategy = readonly ArrayLike<number>[];

/** The trainer that a recipe needs: over a game tree, by rollouts, or of a language model. */
export async function createTrainer({ recipe, seed }: TrainingRun, services: TrainerServices): Promise<Trainer> {
  if (isLanguage(recipe)) {
    if (services.rollouts !== undefined)
      throw new Fault('input', `${recipe.name} plays where its weights are; train it without --workers.`);
    return inLanguage(recipe, seed, services);
  }
  const environment = await resolveEnvironment(recipe.training.environment, services.cwd);
  if (services.rollouts !== undefined) elsewhere(recipe);
  return onTrees(recipe) && services.rollouts === undefined
    ? onTree(recipe, seed, environment)
    : byRollout(recipe, { seed, ...services }, environment);
}

async function inLanguage(recipe: LanguageRecipe, seed: Seed, { cwd, folder }: TrainerServices): Promise<Trainer> {
  const { training, learner } = await languageTraining(recipe, { cwd, seed: seed as number, folder });
  return {
    updates: training.updates,
    byTokens: true,
    update: () => training.update,
    run: (updates) => training.run(updates),
    async measure() {
      const { update, games, exploitability, invalid, entropy, kl } = await training.progress();
      return { update, games, exploitability, returned: null, invalid, entropy, kl, clipped: null, won: null, tokens: learner.sampled };
    },
    average: () => null,
    save: () => training.save(),
    load: (checkpoint) => training.load(checkpoint as LanguageCheckpoint),
  };
}

function onTree(recipe: Recipe, seed: Seed, environment: AnyEnvironment): Trainer {
  const { tree, learner } = treeTable(recipe, environment);
  const measure = tree.seats.length > 1 ? (strategy: Strategy) => distance(tree, strategy).exploitability : null;
  const training = new TreeTraining(recipe, {
    game: flatten(tree),
    learner,
    seed,
    ...(measure === null ? {} : { exploitability: measure }),
  });
  return {
    updates: training.updates,
    byTokens: false,
    update: () => training.update,
    async run(updates) {
      await training.run(updates);
      return null;
    },
    async measure() {
      const { update, games, returns, exploitability } = training.progress();
      // Choosing among listed moves, a table breaks no rule.
      const rest = { invalid: 0, entropy: null, kl: null, clipped: null, won: null, tokens: 0 };
      return { update, games, exploitability, returned: returns[0] ?? 0, ...rest };
    },
    average: () => (measure === null || !training.averaged ? null : measure(training.average.strategy())),
    save: () => training.save(),
    load: (checkpoint) => training.load(checkpoint as TreeCheckpoint),
  };
}

async function byRollout(recipe: Recipe, { seed, folder, rollouts }: Rolling, environment: AnyEnvironment): Promise<Trainer> {
  const ready = await learnerFor(recipe, environment, { seed, folder });
  const { learner } = ready;
  const { training } = recipe;
  const schedule = training.opponents === 'league' ? new LeagueSchedule(recipe, environment, { ready, seed }) : null;
  let last: Metrics | null = null;
  let tokens = 0;
  const shown = demonstrationRows(recipe, environment, { learner, seed });
  const loop = new TrainingLoop(recipe, {
    ...{ environment, learner, seed, stale: training.ahead === true },
    ...seating(recipe, environment, schedule),
    ...(shown !== undefined && { shown }),
    ...(rollouts !== undefined && { rollouts: rollouts(recipe, learner) }),
    tell: (metrics) => {
      last = metrics;
      tokens += metrics.tokens;
      schedule?.heard(metrics);
    },
  });
  const tenth = Math.max(1, Math.ceil(loop.updates / 10));
  return {
    updates: loop.updates,
    byTokens: true,
    update: () => loop.update,
    async run(updates) {
      if (loop.update === 0 && training.warmUp !== undefined)
        await warmUp(learner, [{ environment, task: training.task ?? {} }], { ...training.warmUp, seed });
      while (loop.update < updates && loop.update < loop.updates) {
        const collapsed = await loop.run(Math.min(updates, Math.floor(loop.update / tenth) * tenth + tenth));
        if (collapsed !== null) return collapsed;
        if (loop.update % tenth === 0) await schedule?.remember(`step-${loop.update}`);
      }
      return null;
    },
    async measure() {
      if (last === null) throw new Fault('input', 'Nothing has been trained yet; run an update first.');
      const { update, games, returned, invalid, entropy, kl, clipped, won } = last;
      return { update, games, exploitability: ready.exploitability?.() ?? null, returned, invalid, entropy, kl, clipped, won, tokens };
    },
    average: () => null,
    save: async () => ({ ...(await loop.save()), ...(schedule !== null && { league: schedule.write() }) }),
    async load(checkpoint) {
      const { league, ...rest } = checkpoint as LoopCheckpoint & { readonly league?: LeagueState };
      await loop.load(rest);
      if (league !== undefined) await schedule?.read(league);
    },
  };
}

interface Rolling extends Pick<TrainerServices, 'folder' | 'rollouts'> {
  readonly seed: Seed;
}

/** A learner like the one that is trained, and who sits opposite it: what a worker needs to play its games. */
export async function createSparring(
  recipe: Recipe,
  seed: Seed,
  environment: AnyEnvironment,
): Promise<{ readonly learner: Learner; readonly others: (update: number) => Readonly<Record<Seat, Policy>> }> {
  elsewhere(recipe);
  const { learner } = await learnerFor(recipe, environment, { seed, folder: null });
  const { others = {}, cast } = seating(recipe, environment, null);
  return { learner, others: cast ?? (() => others) };
}

/** Refuses what cannot be played by a worker, who knows the weights of today and no others. */
function elsewhere(recipe: Recipe): void {
  if (recipe.training.opponents === 'league')
    throw new Fault('input', `${recipe.name} plays against its own past, which workers do not have; train it without --workers.`);
}

/** Who sits where the learner does not: stand-ins always, a league where there is one, else a fixed opponent whom the learner faces from every seat. */
function seating(recipe: Recipe, environment: AnyEnvironment, schedule: LeagueSchedule | null): Pick<LoopParts, 'others' | 'cast'> {
  const others = standIns(environment, recipe);
  const { opponents = 'self', task = {} } = recipe.training;
  if (schedule !== null) return { cast: (update) => ({ ...schedule.cast(update), ...others }) };
  if (opponents === 'self') return { others };
  const opponent = opponentBy(opponents, environment);
  const seats: readonly Seat[] = environment.seats(environment.task(task)).filter((seat: Seat) => !Object.hasOwn(others, seat));
  return {
    cast: (update) => {
      const mine = seats[update % seats.length];
      return { ...Object.fromEntries(seats.filter((seat) => seat !== mine).map((seat) => [seat, opponent])), ...others };
    },
  };
}
