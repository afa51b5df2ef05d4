/**
 * @file The data of a training run: its recipe and seed, the environments it plays, the figures of an update, and the table of a small
 * environment.
 */

import type { AnyEnvironment, Seed, View } from '../core/index.ts';
import { flatten } from '../environments/solve/flat.ts';
import { positions } from '../environments/solve/minimax.ts';
import { gameTree, type Tree } from '../environments/solve/tree.ts';
import { Tabular } from '../learners/index.ts';
import type { Recipe } from '../learning/rl/recipe.ts';
import { beyondTree } from '../learning/rl/recipe-support.ts';
import type { LanguageRecipe } from '../learning/rl/recipes/language.ts';

/** A recipe for a table, or for a language model. */
export type AnyRecipe = Recipe | LanguageRecipe;

/** Which method, on which seed: everything that a run is. */
export interface TrainingRun {
  readonly recipe: AnyRecipe;
  readonly seed: Seed;
}

/** Progress of a training. Figures that a way to train does not have are null. */
export interface UpdateFigures {
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
  /** Share of episodes won, draws count half. */
  readonly won: number | null;
  /** Tokens sampled so far by this process. */
  readonly tokens: number;
}

export function isLanguage(recipe: AnyRecipe): recipe is LanguageRecipe {
  return 'kind' in recipe && recipe.kind === 'language';
}

/** The environments a recipe plays. */
export function environmentsOf(recipe: AnyRecipe): readonly string[] {
  return isLanguage(recipe) ? recipe.worlds.map(({ environment }) => environment) : [recipe.training.environment];
}

/**
 * Whether a recipe is trained on the whole tree of its environment: nothing it asks for is beyond one, and it plays itself with a table.
 */
export function onTrees(recipe: Recipe): boolean {
  const { learner = 'table', opponents = 'self', seats } = recipe.training;
  return beyondTree(recipe) === null && learner === 'table' && opponents === 'self' && seats === undefined;
}

/** The tree of an environment, the learner that plays it, and its keys of views. */
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

/** Where branches meet, the last message shows the position below its first line, however it was reached. */
function positionKey({ seat, seen }: View): string {
  const last = seen.findLast((item) => item.kind === 'message');
  return `${seat}\n${last?.kind === 'message' ? last.text.slice(last.text.indexOf('\n') + 1) : ''}`;
}
