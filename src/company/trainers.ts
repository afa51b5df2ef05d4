/** @file Every way to train under one face: on a whole game tree, by rollout, and of a language model through text. */

import { type AnyEnvironment, Fault, type Learner, type Policy, type Seat, type Seed, type View } from '../core/index.ts';
import { distance } from '../environments/solve/best-response.ts';
import { flatten } from '../environments/solve/flat.ts';
import { positions } from '../environments/solve/minimax.ts';
import { gameTree, type Tree } from '../environments/solve/tree.ts';
import { Tabular } from '../learners/index.ts';
import type { Rollouts } from '../learning/games.ts';
import type { LanguageCheckpoint } from '../learning/language.ts';
import type { LanguageRecipe } from '../learning/languages.ts';
import { Loop, type LoopCheckpoint, type LoopParts, type Metrics } from '../learning/loop.ts';
import type { Recipe } from '../learning/recipe.ts';
import { type TreeCheckpoint, TreeTraining } from '../learning/tree.ts';
import { warmUp } from '../learning/warm-up.ts';
import { beyondTree } from '../learning/ways.ts';
import { languageTraining } from './language.ts';
import { type LeagueState, Season } from './league.ts';
import { learnerFor, opponentBy, showing, standIns } from './rollouts.ts';
import { worldOf } from './worlds.ts';

export type AnyRecipe = Recipe | LanguageRecipe;

/** Which method, on which seed: everything that a run is. */
export interface TrainingRun {
  readonly recipe: AnyRecipe;
  readonly seed: Seed;
}

/** How things stand. What a way to train cannot tell is null. */
export interface Measured {
  readonly update: number;
  readonly games: number;
  readonly exploitability: number | null;
  /** What the learner's seats are paid on average. */
  readonly returned: number | null;
  /** Share of moves that broke the rules. */
  readonly invalid: number;
  readonly entropy: number | null;
  readonly kl: number | null;
  /** Share of tokens whose ratio was cut off. */
  readonly clipped: number | null;
  /** Share of games won, drawn ones half. */
  readonly won: number | null;
  /** Tokens sampled so far by this process. */
  readonly tokens: number;
}

/** A way to train, whichever it is. */
export interface Trainer {
  readonly updates: number;
  /** Whether the learner plays token by token, so that none played means that it had nothing to learn from. */
  readonly byTokens: boolean;
  update(): number;
  /** Goes on until so many updates are made; a sentence when there is no point in it. */
  run(updates: number): Promise<string | null>;
  measure(): Promise<Measured>;
  /** Exploitability of the average of all policies, where one is kept. */
  average(): number | null;
  save(): Promise<{ readonly learner: string }>;
  load(checkpoint: unknown): Promise<void>;
}

export interface TrainerHands {
  readonly cwd: string;
  /** Where a learner puts weights that are too large for a checkpoint. */
  readonly folder: string | null;
  /** Games of a learner, played elsewhere. */
  readonly rollouts?: (recipe: Recipe, learner: Learner) => Rollouts;
}

type Strategy = readonly ArrayLike<number>[];

export function isLanguage(recipe: AnyRecipe): recipe is LanguageRecipe {
  return 'kind' in recipe && recipe.kind === 'language';
}

/** The worlds a recipe plays. */
export function worldsOf(recipe: AnyRecipe): readonly string[] {
  return isLanguage(recipe) ? recipe.worlds.map(({ environment }) => environment) : [recipe.training.environment];
}

export async function trainerOf({ recipe, seed }: TrainingRun, hands: TrainerHands): Promise<Trainer> {
  if (isLanguage(recipe)) {
    if (hands.rollouts !== undefined) throw new Fault('input', `${recipe.name} plays where its weights are; train it without --workers.`);
    return inLanguage(recipe, seed, hands);
  }
  const environment = await worldOf(recipe.training.environment, hands.cwd);
  if (hands.rollouts !== undefined) elsewhere(recipe);
  return onTrees(recipe) && hands.rollouts === undefined
    ? onTree(recipe, seed, environment)
    : byRollout(recipe, { seed, ...hands }, environment);
}

/** Whether a recipe is trained on the whole tree of its world: nothing it asks for is beyond one, and it plays itself with a table. */
export function onTrees(recipe: Recipe): boolean {
  const { learner = 'table', opponents = 'self' } = recipe.training;
  return beyondTree(recipe) === null && learner === 'table' && opponents === 'self';
}

async function inLanguage(recipe: LanguageRecipe, seed: Seed, { cwd, folder }: TrainerHands): Promise<Trainer> {
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

/** The tree of a world, the learner that plays it, and what it knows views by. */
export function treeTable(recipe: Recipe, environment: AnyEnvironment): { readonly tree: Tree; readonly learner: Tabular } {
  const task = recipe.training.task ?? {};
  const met = positions(environment, task);
  const tree: Tree = met ?? gameTree(environment, task);
  const learner = new Tabular({
    id: `local/${recipe.name}`,
    game: flatten(tree),
    optimiser: recipe.training.optimiser,
    ...(met !== null && { key: positionKey }),
  });
  return { tree, learner };
}

/** Where branches meet, what was said last shows the position below its first line, however it was reached. */
function positionKey({ seat, seen }: View): string {
  const last = seen.findLast((item) => item.kind === 'message');
  return `${seat}\n${last?.kind === 'message' ? last.text.slice(last.text.indexOf('\n') + 1) : ''}`;
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
  const season = training.opponents === 'league' ? new Season(recipe, environment, { ready, seed }) : null;
  let last: Metrics | null = null;
  let tokens = 0;
  const shown = showing(recipe, environment, { learner, seed });
  const loop = new Loop(recipe, {
    ...{ environment, learner, seed, stale: training.ahead === true },
    ...seating(recipe, environment, season),
    ...(shown !== undefined && { shown }),
    ...(rollouts !== undefined && { rollouts: rollouts(recipe, learner) }),
    tell: (metrics) => {
      last = metrics;
      tokens += metrics.tokens;
      season?.heard(metrics);
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
        if (loop.update % tenth === 0) await season?.remember(`step-${loop.update}`);
      }
      return null;
    },
    async measure() {
      if (last === null) throw new Fault('input', 'Nothing has been trained yet; run an update first.');
      const { update, games, returned, invalid, entropy, kl, clipped, won } = last;
      return { update, games, exploitability: ready.exploitability?.() ?? null, returned, invalid, entropy, kl, clipped, won, tokens };
    },
    average: () => null,
    save: async () => ({ ...(await loop.save()), ...(season !== null && { league: season.write() }) }),
    async load(checkpoint) {
      const { league, ...rest } = checkpoint as LoopCheckpoint & { readonly league?: LeagueState };
      await loop.load(rest);
      if (league !== undefined) await season?.read(league);
    },
  };
}

interface Rolling extends Pick<TrainerHands, 'folder' | 'rollouts'> {
  readonly seed: Seed;
}

/** A learner like the one that is trained, and who sits opposite it: what a worker needs to play its games. */
export async function sparring(
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
function seating(recipe: Recipe, environment: AnyEnvironment, season: Season | null): Pick<LoopParts, 'others' | 'cast'> {
  const others = standIns(environment, recipe);
  const { opponents = 'self', task = {} } = recipe.training;
  if (season !== null) return { cast: (update) => ({ ...season.cast(update), ...others }) };
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
