/** @file A table of a trained checkpoint's policy in a small environment, decision by decision, next to the exact solution. */

import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { isZeroSum } from '@ludus-agents/environments/internal/solve/cfr';
import { exploitFigure, type MeasuredPolicy } from '@ludus-agents/environments/internal/solve/flat';
import type { InformationSet, Tree, TreeStrategy } from '@ludus-agents/environments/internal/solve/index';
import { cfr, distance, gameTree, minimax, positions, uniform } from '@ludus-agents/environments/internal/solve/index';
import { type AnyEnvironment, Fault, type Json, textOf } from '@ludus-agents/kernel/internal/core/index';
import { Tabular } from '../learners/index.ts';
import { type TextLearner, textStrategy } from '../rl/text-strategy.ts';
import { allLegal } from './learners.ts';
import { readRun, runFolder } from './run-folder.ts';
import { loadTrainedModel } from './trained-agents.ts';
import { environmentsOf, type TrainingRun, taskOf } from './training-run.ts';

export interface PolicyRow {
  readonly seat: string;
  /** The text that distinguishes this decision from others of the same seat. */
  readonly known: string;
  readonly choices: readonly string[];
  readonly policy: readonly number[];
  /** The total probability of legal moves; the policy is renormalized over them. */
  readonly legal: number;
  /** The solution's probabilities; null if the environment has no unique solution. */
  readonly exact: readonly number[] | null;
}

export interface PolicyTable {
  readonly environment: string;
  readonly rows: readonly PolicyRow[];
  /** The mean gain of the seats from deviating; null if too little of the policy is legal. */
  readonly exploitability: number | null;
  /** The mean probability of legal moves over information states. */
  readonly legal: number;
  /** The exploitability of the computed solution: its remaining error. */
  readonly exact: number | null;
  /** The exploitability of random play. */
  readonly random: number | null;
  /** The first seat's value under optimal play. */
  readonly value: number | null;
}

/** The limit on decisions in a table, for readability and solving time. */
const most = 400;

/** The table of a checkpoint such as `local/RUN@best`. */
export async function policyTable(run: string, at: string, cwd: string, trust: Trust): Promise<PolicyTable> {
  const trained = readRun(runFolder(cwd, run));
  const [name, ...others] = environmentsOf(trained.recipe);
  if (name === undefined || others.length > 0)
    throw new Fault('input', `${run} plays several environments, but a table can only show one small environment.`);
  const environment = await resolveEnvironment(name, cwd, trust);
  const task = taskOf(trained.recipe);
  const tree = treeOf(environment, task);
  const policy = await playOf(trained, tree, { run, at, cwd });
  const solved = solutionOf(environment.id, task, tree);
  const figure = exploitFigure(tree, policy);
  return {
    environment: environment.id,
    rows: rowsOf(tree, policy, solved?.strategy ?? null),
    exploitability: tree.seats.length > 1 ? figure.exploitability : null,
    legal: figure.legal,
    exact: solved === null ? null : distance(tree, solved.strategy).exploitability,
    random: tree.seats.length > 1 ? distance(tree, uniform(tree)).exploitability : null,
    value: solved?.value ?? null,
  };
}

function treeOf(environment: AnyEnvironment, task: Json): Tree {
  const tree = positions(environment, task, 5000) ?? gameTree(environment, task, 200_000);
  if (tree.sets.length > most)
    throw new Fault('input', `${environment.id} has ${tree.sets.length} decisions, but a table can show at most ${most}.`, {
      code: 'E_TOO_LARGE',
    });
  return tree;
}

interface Checkpoint {
  readonly run: string;
  readonly at: string;
  readonly cwd: string;
}

async function playOf({ recipe }: TrainingRun, tree: Tree, { run, at, cwd }: Checkpoint): Promise<MeasuredPolicy> {
  const learner = await loadTrainedModel(`local/${run}@${at}`, cwd);
  if (recipe.training.learner === 'transformer') return textStrategy(learner as TextLearner, tree.sets);
  const strategy = learner instanceof Tabular ? learner.strategy() : [];
  if (tree.sets.every(({ choices }, i) => strategy[i]?.length === choices.length))
    return allLegal(tree, strategy.slice(0, tree.sets.length));
  throw new Fault(
    'input',
    `${run} learned by rollout and only knows the states it visited. A table needs a learner that knows every decision.`,
  );
}

interface Solved {
  readonly strategy: TreeStrategy;
  readonly value: number;
}

const solutions = new Map<string, Solved | null>();

/** Solved once for each environment and task. */
function solutionOf(id: string, task: Json, tree: Tree): Solved | null {
  const key = `${id} ${JSON.stringify(task)}`;
  const solution = solutions.get(key);
  if (solution !== undefined) return solution;
  const open = tree.sets.every(({ nodes }) => nodes.length === 1);
  let solved: Solved | null = null;
  if (isZeroSum(tree) && open) solved = minimax(tree);
  else if (isZeroSum(tree)) {
    const strategy = cfr(tree, 20_000, 1e-6);
    solved = { strategy, value: distance(tree, strategy).values[0] };
  }
  solutions.set(key, solved);
  return solved;
}

/** Every decision with its distinguishing text: drops lines that all decisions of a seat begin with. */
function rowsOf(tree: Tree, { strategy, legal }: MeasuredPolicy, exact: TreeStrategy | null): readonly PolicyRow[] {
  const lines = tree.sets.map(({ view }) => textOf(view).trimEnd().split('\n'));
  const shared = tree.seats.map((_, seat) => commonStart(tree.sets.flatMap((set, i) => (set.seat === seat ? [lines[i]] : []))));
  return tree.sets.map((set: InformationSet, i) => ({
    seat: tree.seats[set.seat],
    known: lines[i].slice(shared[set.seat]).join('\n'),
    choices: set.choices,
    policy: Array.from(strategy[i] ?? []),
    legal: legal[i] ?? 0,
    exact: exact === null ? null : Array.from(exact[i] ?? []),
  }));
}

function commonStart(texts: readonly (readonly string[])[]): number {
  let same = 0;
  while (texts.length > 1 && texts.every((text) => text[same] !== undefined && text[same] === texts[0]?.[same])) same++;
  return same;
}
