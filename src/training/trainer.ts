/** @file One interface for every way to train: on a whole game tree, by rollout, and of a language model through text. */

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
import { demonstrationRows, learnerFor, policyFor, type Seating, seatingOf } from './rollout-trainer.ts';

/** A way to train, whichever it is. */
export interface Trainer {
  readonly updates: number;
  /** Whether the learner plays token by token, so that none played means that it had nothing to learn from. */
  readonly byTokens: boolean;
  /** False once games were played and all of them paid the same: there was nothing to learn from. */
  readonly varied?: () => boolean;
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
  /** Episodes of a learner, played elsewhere. */
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

async function byRollout(recipe: Recipe, { seed, cwd, folder, rollouts }: Rolling, environment: AnyEnvironment): Promise<Trainer> {
  const seating = await seatingOf(recipe, environment, cwd);
  const ready = await learnerFor(recipe, environment, { seed, folder });
  const { learner } = ready;
  const { training } = recipe;
  const schedule = training.opponents === 'league' ? new LeagueSchedule(recipe, environment, { ready, seed }) : null;
  const fixed = training.opponents !== undefined && training.opponents !== 'self' && schedule === null;
  let last: Metrics | null = null;
  let tokens = 0;
  let [lowest, highest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let varied = false;
  const shown = demonstrationRows(recipe, environment, { learner, seed, others: seating.others });
  const loop = new TrainingLoop(recipe, {
    ...{ environment, learner, seed, stale: training.ahead === true },
    ...(await castBy(recipe, { environment, cwd, seating, schedule })),
    ...(shown !== undefined && { shown }),
    ...(rollouts !== undefined && { rollouts: rollouts(recipe, learner) }),
    tell: (metrics) => {
      last = metrics;
      tokens += metrics.tokens;
      lowest = Math.min(lowest, metrics.returned);
      highest = Math.max(highest, metrics.returned);
      varied ||= metrics.spread > 0 || highest > lowest;
      schedule?.heard(metrics);
    },
  });
  const tenth = Math.max(1, Math.ceil(loop.updates / 10));
  return {
    updates: loop.updates,
    byTokens: true,
    varied: () => varied,
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
      // Against a fixed opponent a learner is paid for what it wins, and may be exploited itself.
      const exploitability = fixed ? null : (ready.exploitability?.() ?? null);
      return { update, games, exploitability, returned, invalid, entropy, kl, clipped, won, tokens };
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

interface Rolling extends TrainerServices {
  readonly seed: Seed;
}

/** A learner like the one that is trained, and its opponents: what a worker needs to play its episodes. */
export async function createSparring(
  recipe: Recipe,
  seed: Seed,
  { environment, cwd }: { readonly environment: AnyEnvironment; readonly cwd: string },
): Promise<{ readonly learner: Learner; readonly others: (update: number) => Readonly<Record<Seat, Policy>> }> {
  elsewhere(recipe);
  const { learner } = await learnerFor(recipe, environment, { seed, folder: null });
  const seating = await seatingOf(recipe, environment, cwd);
  const { others = {}, cast } = await castBy(recipe, { environment, cwd, seating, schedule: null });
  return { learner, others: cast ?? (() => others) };
}

/** Refuses what a worker cannot play, since it has only the current weights. */
function elsewhere(recipe: Recipe): void {
  if (recipe.training.opponents === 'league')
    throw new Fault('input', `${recipe.name} plays against its own past, which workers do not have; train it without --workers.`);
}

interface Casting {
  readonly environment: AnyEnvironment;
  readonly cwd: string;
  readonly seating: Seating;
  readonly schedule: LeagueSchedule | null;
}

/** Who plays the seats that the learner does not, at an update: a league where there is one, else an opponent whom the learner faces from every seat of its own. */
async function castBy(
  { training }: Recipe,
  { environment, cwd, seating: { mine, others }, schedule }: Casting,
): Promise<Pick<LoopParts, 'others' | 'cast'>> {
  const { opponents = 'self' } = training;
  if (schedule !== null) return { cast: (update) => ({ ...schedule.cast(update), ...others }) };
  if (opponents === 'self') return { others };
  if (mine.length < 2)
    throw new Fault(
      'input',
      `${environment.id} leaves the learner one seat, so nobody can play against it; name the others in training.seats.`,
    );
  const against = new Map(
    await Promise.all(mine.map(async (seat) => [seat, await policyFor(opponents, { seat, environment, cwd })] as const)),
  );
  return {
    cast: (update) => {
      const own = mine[update % mine.length];
      return { ...Object.fromEntries([...against].filter(([seat]) => seat !== own)), ...others };
    },
  };
}
