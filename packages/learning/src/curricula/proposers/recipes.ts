/** @file Proposer recipes by name: the proposer's and the solver's rewards, and the checks of tasks. */

import { Fault, findEntry } from '@ludus-agents/kernel/internal/core/index';
import { agentZero, constant, type DifficultyReward, hard, learnable, least, mae, maePublished, pasoDoble, triangle } from './shapes.ts';

/** A proposer's recipe: a published method of writing tasks, as data. */
export interface ProposerRecipe {
  readonly name: string;
  readonly method: string;
  readonly source: string;
  readonly differs: string;
  readonly reward: DifficultyReward;
  /** The reward of a proposal without a valid task. */
  readonly invalid: number;
  /** The success rate of a task: by the environment's verdict, or by the agreement of the attempts. */
  readonly rate: 'success' | 'majority';
  readonly attempts: number;
  /** The solver trains on tasks with a rate in this range. */
  readonly keep: readonly [number, number];
  /** Whether a judge rates tasks. */
  readonly judged: boolean;
  /** Checks that a task must pass before the solver tries it. */
  readonly checks: readonly string[];
  /** Verbs of moves that count as tool calls. */
  readonly tools?: readonly string[];
}

/** A curriculum agent against an executor, without ground truth: tasks are hard if attempts disagree. */
const agentZeroRecipe: ProposerRecipe = {
  name: 'agent0',
  method: 'Agent0',
  source: 'arXiv 2511.16043',
  differs: 'Tool calls are counted in the log instead of in the text, and similarity to recent tasks replaces clusters of a batch.',
  reward: agentZero,
  invalid: -1,
  rate: 'majority',
  attempts: 8,
  keep: [0.3, 0.8],
  judged: false,
  checks: [],
  tools: ['calc', 'run', 'search'],
};

/** Proposer, solver and judge: quality, difficulty and form in equal parts. */
const maeRecipe: ProposerRecipe = {
  name: 'mae',
  method: 'MAE',
  source: 'arXiv 2510.23595',
  differs: 'A task that is never solved earns nothing; the paper rewards it most.',
  reward: mae,
  invalid: 0,
  rate: 'success',
  attempts: 8,
  keep: [0.01, 0.99],
  judged: true,
  checks: [],
};

/** Tasks from the contents of a world; the agent learns from those it solved. */
const pae: ProposerRecipe = {
  name: 'pae',
  method: 'PAE',
  source: 'arXiv 2412.13194',
  differs:
    'Tasks are read by the environment and checked to be solvable, where the paper takes what is written; the environment is the evaluator.',
  reward: learnable,
  invalid: 0,
  rate: 'success',
  attempts: 8,
  keep: [0.01, 1],
  judged: false,
  checks: ['winnable'],
};

/** Two models in dual play: tasks that are hard, sometimes solved, and different from earlier ones. */
const pasoDobleRecipe: ProposerRecipe = {
  name: 'paso-doble',
  method: 'PasoDoble',
  source: 'Better LLM Reasoning via Dual-Play',
  differs: 'Similarity is told by the parameters and words of a task; the answer is checked by running its program.',
  reward: pasoDoble,
  invalid: 0,
  rate: 'success',
  attempts: 8,
  keep: [0.01, 0.99],
  judged: false,
  checks: ['program'],
};

/** Search self-play: a question is written for a known answer, and counts only if the answer follows from the writer's documents. */
const ssp: ProposerRecipe = {
  name: 'ssp',
  method: 'SSP',
  source: 'arXiv 2510.18821',
  differs:
    'Rewarded by 4p(1 − p), which the paper has as an option; a check that breaks refuses the question, where the published code lets it through.',
  reward: learnable,
  invalid: 0,
  rate: 'success',
  attempts: 5,
  keep: [0.01, 0.99],
  judged: false,
  checks: ['retrieval'],
};

/** Rewards by name, for proposers that are written as data. */
const shapes: Readonly<Record<string, DifficultyReward>> = {
  ...{ learnable, triangle, least, hard, constant, mae },
  ...{ 'paso-doble': pasoDoble, agent0: agentZero, 'mae-published': maePublished },
};

/** Reads a user's proposer recipe, with common defaults. */
export function readProposer(value: Readonly<Record<string, unknown>>, where: string): ProposerRecipe {
  const { reward, keep } = value;
  const rewardShape = typeof reward === 'function' ? (reward as DifficultyReward) : findEntry(shapes, String(reward));
  if (rewardShape === null)
    throw new Fault('input', `${where}: "reward" must be a function of a task's result, or one of ${Object.keys(shapes).join(', ')}.`);
  const [low, high] = keep as readonly unknown[];
  if (typeof low !== 'number' || typeof high !== 'number' || !(low >= 0 && low <= high && high <= 1))
    throw new Fault('input', `${where}: "keep" must be two rates from 0 to 1, the lower first, but got ${JSON.stringify(keep)}.`);
  const usual = {
    method: 'custom',
    source: where,
    differs: '',
    invalid: 0,
    rate: 'success',
    attempts: 8,
    judged: false,
    checks: [],
  };
  return { ...usual, ...value, reward: rewardShape } as unknown as ProposerRecipe;
}

/** Proposers' recipes, one line each. */
export const proposerRecipes: readonly ProposerRecipe[] = [pae, agentZeroRecipe, maeRecipe, pasoDobleRecipe, ssp];

export function proposerRecipe(name: string): ProposerRecipe {
  const proposerRecipe = proposerRecipes.find((otherProposerRecipe) => otherProposerRecipe.name === name);
  if (proposerRecipe === undefined)
    throw new Fault(
      'input',
      `Unknown proposer "${name}". Available: ${proposerRecipes.map((otherProposerRecipe) => otherProposerRecipe.name).join(', ')}.`,
      { code: 'E_UNKNOWN_NAME' },
    );
  return proposerRecipe;
}
