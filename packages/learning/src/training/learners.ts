/**
 * @file Creates the learner of a recipe: a table, a policy of numbers, a language model in this process, or one on a server; and decides
 * how exactly it can be measured.
 */

import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import type { FlatGame } from '@ludus-agents/environments/internal/game';
import { distance, type TreeStrategy } from '@ludus-agents/environments/internal/solve/best-response';
import { type ExploitFigure, exploitFigure, flatten, type MeasuredPolicy } from '@ludus-agents/environments/internal/solve/flat';
import { gameTree, type Tree } from '@ludus-agents/environments/internal/solve/tree';
import type { AnyEnvironment, Json, Learner, Policy, Seat, Seed } from '@ludus-agents/kernel/internal/core/index';
import { Fault, rng } from '@ludus-agents/kernel/internal/core/index';
import { countTerms, Gaussian, MatchingLearner, numbersAsked, Tabular } from '../learners/index.ts';
import { loadLearner } from '../loaders.ts';
import type { TextTable } from '../rl/mirror-lessons.ts';
import type { Recipe } from '../rl/recipe.ts';
import { type TextLearner, textStrategy, textTable } from '../rl/text-strategy.ts';
import { textsOf } from '../rl/vocabulary-texts.ts';
import { type RolePlace, rolesOf, withRoles } from './learner-roles.ts';
import { isPromptView } from './learner-view.ts';
import { type Ground, tableOn } from './training-run.ts';
import { demonstrationsOf } from './view-demonstrations.ts';

export interface Ready {
  readonly learner: Learner;
  /** A learner of the same kind, for loading earlier weights. */
  readonly another: () => Promise<Learner>;
  /** The exploitability of the current policy; null if the environment is too large to solve between two updates. */
  readonly exploitability: (() => Promise<ExploitFigure>) | null;
  /** The decisions of a small environment, for a table. */
  readonly decisions: FlatGame | null;
  /** The exploitability of any strategy over the decisions of the tree. */
  readonly worth: ((strategy: readonly ArrayLike<number>[]) => number) | null;
  /** A language model's texts at every decision, if it is trained on the whole tree. */
  readonly texts?: TextTable;
}

/** An environment with its task. */
export interface Playground {
  readonly environment: AnyEnvironment;
  readonly task: Json;
  /** The policies on the other seats. */
  readonly others: Readonly<Record<Seat, Policy>>;
}

/** The context of a training and its stored data. */
export interface LearnerServices {
  readonly seed: Seed;
  readonly folder: string | null;
  readonly cwd: string;
  /** The origin of the names in the recipe. */
  readonly trust: Trust;
  /** Texts of kept episodes, for the vocabulary of a language model. */
  readonly keptTexts?: readonly string[];
  /** Where a language model learns its vocabulary, unless on its own grounds: weights move between models of one vocabulary only. */
  readonly readIn?: readonly Playground[];
}

/** Larger trees are not solved between two updates; building stops at the node limit. */
const tableLimits = { sets: 64, nodes: 2000 };
/** A language model evaluates every decision in a few batches, which is feasible for games such as Leduc poker. */
const textLimits = { sets: 1000, nodes: 20_000 };

/** The learner of a recipe, for one environment or several. */
export async function learnerFor(
  recipe: Recipe,
  grounds: readonly Playground[],
  services: LearnerServices & { readonly ground: Ground },
): Promise<Ready> {
  const { ground } = services;
  const { learner: kind = 'table' } = recipe.training;
  if (ground.kind === 'tree' && kind !== 'table') return textLearnerOn(recipe, grounds, { ...services, tree: ground.tree });
  if (ground.kind === 'tree') {
    const { tree } = ground;
    const worth = tree.seats.length > 1 ? (strategy: readonly ArrayLike<number>[]) => distance(tree, strategy).exploitability : null;
    const learner = tableOn(recipe, ground);
    const measure = worth === null ? null : async () => exploitFigure(tree, allLegal(tree, learner.strategy()));
    return { learner, another: async () => tableOn(recipe, ground), exploitability: measure, decisions: null, worth };
  }
  const tree = grounds.length === 1 ? smallTree(grounds[0], kind === 'table' ? tableLimits : textLimits) : null;
  const worth = tree === null ? null : (strategy: readonly ArrayLike<number>[]) => distance(tree, strategy).exploitability;
  const plain = await makerFor(recipe, grounds, { ...services, tree });
  const roles = rolesOf(recipe);
  const make = roles === null ? plain : await withRoles(roles, plain, rolePlace(recipe, grounds, services));
  const learner = await make();
  const decisions = tree !== null && learner instanceof Tabular ? flatten(tree) : null;
  return {
    learner,
    another: make,
    decisions,
    exploitability: tree === null ? null : playing(learner, tree),
    worth,
  };
}

function playing(learner: Learner, tree: Tree): Ready['exploitability'] {
  // Sets beyond the tree's result from invalid moves, which a table never makes.
  if (learner instanceof Tabular) return async () => exploitFigure(tree, allLegal(tree, learner.strategy().slice(0, tree.sets.length)));
  if (!isTextLearner(learner)) return null;
  return async () => exploitFigure(tree, await textStrategy(learner, tree.sets));
}

/** A table always chooses a legal move. */
export function allLegal(tree: Tree, strategy: TreeStrategy): MeasuredPolicy {
  return { strategy, legal: tree.sets.map(() => 1) };
}

/** A language model that is trained on the whole tree of a small environment. */
async function textLearnerOn(recipe: Recipe, grounds: readonly Playground[], making: Making & { readonly tree: Tree }): Promise<Ready> {
  const { tree } = making;
  const make = await makerFor(recipe, grounds, making);
  const learner = await make();
  if (!isTextLearner(learner))
    throw new Fault('input', `${recipe.name}: the learner "${recipe.training.learner}" does not read and write text.`);
  const worth = (strategy: readonly ArrayLike<number>[]) => distance(tree, strategy).exploitability;
  const texts = textTable(learner, tree.sets);
  const exploitability = async () => exploitFigure(tree, await texts.read());
  return { learner, another: make, exploitability, decisions: null, worth, texts };
}

function isTextLearner(learner: Learner): learner is TextLearner {
  return 'promptOf' in learner && 'answerOf' in learner;
}

/** The environment and the policies for playing roles. */
function rolePlace(recipe: Recipe, grounds: readonly Playground[], { seed, cwd, trust }: LearnerServices): RolePlace {
  const { name, view, training } = recipe;
  if (isPromptView(view) || view?.kind === 'episodes' || training.environments !== undefined)
    throw new Fault('input', `${name} has roles, and a view or several environments, but only one of the two is supported.`);
  const [{ environment, task, others }] = grounds as readonly [Playground];
  const seats = environment.seats(environment.task(task)).filter((seat: Seat) => !Object.hasOwn(others, seat));
  return { id: `local/${name}`, environment, task, seats, seed, cwd, trust };
}

interface Making extends LearnerServices {
  readonly tree: Tree | null;
}

async function makerFor(
  { name, training, view, kept, roles }: Recipe,
  grounds: readonly Playground[],
  { seed, folder, cwd, trust, tree, keptTexts, readIn = grounds }: Making,
): Promise<() => Promise<Learner>> {
  const id = `local/${name}`;
  const { learner = 'table', optimiser, sizes = {} } = training;
  if (learner === 'tinker') return (await import('./server-learner.ts')).serverLearner({ view, training }, { seed, cwd, trust });
  if (learner === 'gaussian') {
    for (const ground of grounds) checkNumbers(ground, seed);
    return async () => new Gaussian({ id, seed, optimiser, ...(sizes.width !== undefined && { hidden: sizes.width }) });
  }
  if (learner === 'matching') {
    const terms = countTerms(grounds.flatMap((ground) => firstMessages(ground, { seed, starts: Math.ceil(32 / grounds.length) })));
    return async () => new MatchingLearner({ id, optimiser, terms });
  }
  if (learner === 'table') return async () => new Tabular({ id, optimiser, ...(tree !== null && { game: flatten(tree) }) });
  if (learner !== 'transformer') {
    const make = await loadLearner(learner, cwd, trust);
    return async () => make({ id, seed });
  }
  const { chatText, learnVocabulary, Transformer } = await import('../learners/transformer/index.ts');
  const texts: string[] = [];
  const { script, errs } = training.warmUp ?? {};
  const games = Math.ceil(64 / readIn.length);
  // Recorded conversations do not end by themselves, so random games are limited to the longest conversation.
  const turns = kept === undefined ? undefined : training.turns;
  for (const { environment, ...ground } of readIn) {
    if (isPromptView(view)) {
      const shownAnswers = await demonstrationsOf(view, { environment, ...ground }, { games: 64, seed, script, cwd, trust });
      texts.push(...shownAnswers.flatMap(({ prompt, text }) => [chatText(prompt), text]));
    } else texts.push(...(await textsOf(environment, { games: script === undefined ? 64 : games, seed, script, errs, turns, ...ground })));
  }
  const { vocabulary: size = 1024, answer = 8, ...rest } = sizes;
  // Texts of a file must be in the vocabulary, even if the environment does not produce them.
  texts.push(...(keptTexts ?? []));
  // A controller names one of its skills: each name twice, so that it becomes one token.
  const skills = roles?.kind === 'skills' ? roles.skills : [];
  texts.push(...skills, ...skills);
  const vocabulary = learnVocabulary(texts, size);
  const options = { id, vocabulary, seed, maxTokens: answer, constrained: skills.length > 0, ...rest };
  return () => Transformer.create({ ...options, ...(folder !== null && { folder }) });
}

/** What the learner's seats are told first, in some episodes of a task. */
function firstMessages({ environment, task, others }: Playground, { seed, starts }: { readonly seed: Seed; readonly starts: number }) {
  const read = environment.task(task);
  const seats = environment.seats(read).filter((seat: Seat) => !Object.hasOwn(others, seat));
  return Array.from({ length: starts }, (_, i) => {
    const { messages } = environment.start(read, rng(seed, 'first messages', i));
    return seats.map((seat: Seat) => messages.find(({ to }) => to.includes(seat))?.text ?? '').join('\n');
  });
}

/** Refuses an environment that asks the learner for anything but numbers, before play begins. */
function checkNumbers({ environment, task, others }: Playground, seed: Seed): void {
  const { asks } = environment.start(environment.task(task), rng(seed, 'asks'));
  const wrong = asks.find((ask) => !Object.hasOwn(others, ask.seat) && numbersAsked(ask) === null);
  if (wrong !== undefined)
    throw new Fault(
      'input',
      `A Gaussian policy needs asks with a list "observation" and a count "numbers" in their data, but ${environment.id} asks seat "${wrong.seat}" for something else. Train it in an environment with numeric observations, such as motor or drones.`,
    );
}

/** The tree of an environment if it is small enough to solve between two updates, or null. */
export function smallTree({ environment, task }: Pick<Playground, 'environment' | 'task'>, { sets, nodes } = tableLimits): Tree | null {
  try {
    const tree = gameTree(environment, task, nodes);
    return tree.seats.length > 1 && tree.sets.length <= sets ? tree : null;
  } catch (thrown) {
    if (thrown instanceof Fault) return null;
    throw thrown;
  }
}
