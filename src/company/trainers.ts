/** @file Every way to train under one face: on a whole game tree, by rollout, and of a language model through text. */

import { type AnyEnvironment, Fault, type Policy, policyOf, type Script, type Seat, type Seed, type View } from '../core/index.ts';
import { distance } from '../environments/solve/best-response.ts';
import { flatten } from '../environments/solve/flat.ts';
import { positions } from '../environments/solve/minimax.ts';
import { gameTree, type Tree } from '../environments/solve/tree.ts';
import { Tabular } from '../learners/index.ts';
import type { LanguageCheckpoint } from '../learning/language.ts';
import type { LanguageRecipe } from '../learning/languages.ts';
import { Loop, type LoopCheckpoint, type Metrics } from '../learning/loop.ts';
import type { Recipe } from '../learning/recipe.ts';
import { type TreeCheckpoint, TreeTraining } from '../learning/tree.ts';
import { beyondTree } from '../learning/ways.ts';
import { languageTraining } from './language.ts';
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
  if (isLanguage(recipe)) return inLanguage(recipe, seed, hands);
  const environment = await worldOf(recipe.training.environment, hands.cwd);
  return beyondTree(recipe) === null ? onTree(recipe, seed, environment) : byRollout(recipe, seed, environment);
}

async function inLanguage(recipe: LanguageRecipe, seed: Seed, { cwd, folder }: TrainerHands): Promise<Trainer> {
  const { training, learner } = await languageTraining(recipe, { cwd, seed: seed as number, folder });
  return {
    updates: training.updates,
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

function byRollout(recipe: Recipe, seed: Seed, environment: AnyEnvironment): Trainer {
  const learner = new Tabular({ id: `local/${recipe.name}`, optimiser: recipe.training.optimiser });
  let last: Metrics | null = null;
  let tokens = 0;
  const tell = (metrics: Metrics) => {
    last = metrics;
    tokens += metrics.tokens;
  };
  const loop = new Loop(recipe, { environment, learner, seed, others: standIns(environment, recipe), tell });
  return {
    updates: loop.updates,
    update: () => loop.update,
    run: (updates) => loop.run(updates),
    async measure() {
      if (last === null) throw new Fault('input', 'Nothing has been trained yet; run an update first.');
      const { update, games, returned, invalid, entropy, kl, clipped } = last;
      return { update, games, exploitability: null, returned, invalid, entropy, kl, clipped, won: null, tokens };
    },
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
