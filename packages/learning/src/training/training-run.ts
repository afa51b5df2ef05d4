/**
 * @file The data of a training run: its recipe and seed, the environments it plays, the figures of an update, and the table of a small
 * environment.
 */

import { flatten } from '@ludus-agents/environments/internal/solve/flat';
import { positions } from '@ludus-agents/environments/internal/solve/minimax';
import { gameTree, type Tree } from '@ludus-agents/environments/internal/solve/tree';
import { type AnyEnvironment, Fault, type Json, type Seed, type View } from '@ludus-agents/kernel/internal/core/index';
import { Tabular } from '../learners/index.ts';
import type { Recipe } from '../rl/recipe.ts';
import { beyondTree } from '../rl/recipe-support.ts';

/** A training run as plain data: the recipe and the seed that decide it. */
export interface TrainingRun {
  readonly recipe: Recipe;
  readonly seed: Seed;
}

/** The progress of a training. Figures are null if the way to train does not have them. */
export type UpdateFigures = {
  readonly update: number;
  readonly games: number;
  /** Null if it is not measured, or if too little of the policy is legal. */
  readonly exploitability: number | null;
  /** The mean probability of legal moves over information states; null if exploitability is not measured. */
  readonly legal: number | null;
  /** The mean return of the learner's seats. */
  readonly returned: number | null;
  /** Share of illegal moves. */
  readonly invalid: number;
  readonly entropy: number | null;
  readonly kl: number | null;
  /** The share of tokens with a clipped ratio. */
  readonly clipped: number | null;
  /** The share of episodes won; draws count half. */
  readonly won: number | null;
  /** Tokens sampled so far by this process. */
  readonly tokens: number;
  /** The age of the update's oldest token in updates, and the mean over its tokens; omitted if none is stale. */
  readonly stale?: number;
  readonly staleness?: number | undefined;
  /** How often each part of the mechanism acted since the run began. */
  readonly acts?: Readonly<Record<string, number>>;
  /** How often the recipe's mechanism acted: the mean of each of its counters over the updates since the last report. */
  readonly mechanism?: Readonly<Record<string, number>>;
};

/** The environments a recipe plays. */
export function environmentsOf({ training }: Recipe): readonly string[] {
  return training.environments?.map(({ environment }) => environment) ?? [training.environment];
}

/** The task of the first environment that a recipe plays. */
export function taskOf({ training }: Recipe): Json {
  return training.environments?.[0]?.task ?? training.tasks?.[0] ?? training.task ?? {};
}

/** How a recipe is trained, and why: on the whole tree of its environment, or by rollout. */
export type Ground =
  | { readonly kind: 'tree'; readonly tree: Tree; readonly met: boolean; readonly why: string }
  | { readonly kind: 'rollout'; readonly why: string };

/** The node limit of a tree that is played as a whole: some hundred megabytes for an environment with long texts. */
const mostNodes = 100_000;

/** On the whole tree if the recipe needs nothing more and the tree is small enough; else by rollout. */
export function groundOf(recipe: Recipe, environment: AnyEnvironment): Ground {
  const beyond = beyondTable(recipe, environment);
  if (beyond !== null) return { kind: 'rollout', why: `By rollout: ${beyond}.` };
  const task = recipe.training.task ?? {};
  try {
    const met = positions(environment, task, mostNodes);
    const tree: Tree = met ?? gameTree(environment, task, mostNodes);
    const why = `On the whole game tree: ${environment.id} has ${tree.sets.length} decisions in ${tree.nodes.length} positions.`;
    return { kind: 'tree', tree, met: met !== null, why };
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    return { kind: 'rollout', why: `By rollout, because the full game tree is not available. ${thrown.message}` };
  }
}

const builtInLearners = ['table', 'matching', 'gaussian', 'transformer', 'tinker'];

/** Whether a learner is the user's: a file, a package, a name of the configuration. */
export function isOwnLearner(name: string): boolean {
  return !builtInLearners.includes(name);
}

/** Why a recipe cannot be trained on a tree, whatever the size of the environment, or null. */
function beyondTable(recipe: Recipe, environment: AnyEnvironment): string | null {
  const { learner = 'table', opponents = 'self', seats, environments, task = {} } = recipe.training;
  if (learner === 'gaussian') return 'the learner reads and writes numbers';
  if (learner === 'matching') return 'the learner compares listed moves with the text';
  if (isOwnLearner(learner)) return 'the learner is custom';
  if (learner !== 'table' && recipe.loss.kind !== 'mirror') return 'the learner reads and writes text';
  const beyond = beyondTree(recipe);
  if (beyond !== null) return `the recipe ${beyond}`;
  if (environments !== undefined) return 'several environments are played at once';
  if (recipe.training.tasks !== undefined) return 'several tasks are played in turn';
  if (opponents !== 'self') return `the learner plays against ${opponents}`;
  if (seats !== undefined) return 'the recipe assigns seats to other agents';
  const scripted = environment.seats(environment.task(task)).find((seat: string) => Object.hasOwn(environment.scripts ?? {}, seat));
  return scripted === undefined ? null : `the seat "${scripted}" has a script of the same name`;
}

/** Creates a table over the decisions of a whole tree. */
export function tableOn(recipe: Recipe, { tree, met }: Extract<Ground, { kind: 'tree' }>): Tabular {
  const { optimiser } = recipe.training;
  return new Tabular({ id: `local/${recipe.name}`, game: flatten(tree), optimiser, ...(met && { key: positionKey }) });
}

/** In environments with merging branches, the last message describes the position below its first line, independent of the path. */
function positionKey({ seat, seen }: View): string {
  const last = seen.findLast((item) => item.kind === 'message');
  return `${seat}\n${last?.kind === 'message' ? last.text.slice(last.text.indexOf('\n') + 1) : ''}`;
}
