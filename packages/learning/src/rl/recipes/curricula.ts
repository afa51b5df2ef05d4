/** @file Recipes in which tasks are chosen or made: teachers over the knobs of an environment, and proposers that learn with their solver. */

import type { Recipe } from '../recipe.ts';
import { meanOnly, usual } from './parts.ts';

/** A table on locks of one to twelve dials: a solver to whom the order of tasks makes all the difference. */
const locks: Recipe['training'] = {
  environment: 'lock',
  optimiser: 'adam',
  rate: { from: 0.1, to: 0.1 },
  games: 16_000,
  batch: 64,
  learner: 'table',
};

/** Any teacher over the knobs of any environment. */
export const teacherTabular: Recipe = {
  ...usual,
  name: 'teacher-tabular',
  method: 'ALP-GMM and its neighbours in the loop',
  source: 'TeachMyAgent (arXiv 2103.09815); ALP-GMM (arXiv 1910.07224)',
  differs:
    'A group of eight episodes on one task is one outcome for the teacher; the learner is measured on all tasks alike, whatever it was taught on.',
  baseline: meanOnly,
  loss: { kind: 'policy-gradient', aggregation: 'token-mean' },
  curriculum: { kind: 'teacher', teacher: 'alp-gmm', knobs: { dials: [1, 12] } },
  training: locks,
};

/** Locks of one to twelve dials, half of them broken: what is proposed decides what is learned. */
const proposed: Recipe['training'] = { ...locks, games: 12_800, rate: { from: 0.15, to: 0.15 } };
const lockKnobs = { dials: [1, 12], broken: [0, 1] } as const;

const coevolved = {
  ...usual,
  baseline: meanOnly,
  loss: { kind: 'policy-gradient', aggregation: 'token-mean' },
  training: proposed,
} as const;

export const pae: Recipe = {
  ...coevolved,
  name: 'pae',
  method: 'PAE: a proposer, an agent, and an evaluator',
  source: 'arXiv 2412.13194',
  differs:
    'The proposer learns, paid by 4p(1 − p) for tasks that are proved solvable; coevolution.learns=solver leaves it as it is, as published.',
  omits: 'the proposer reads no web pages; the environment is the evaluator',
  // Paid 0 or 1 and compared with nothing: what was solved is cloned, and nothing else.
  baseline: { kind: 'none' },
  coevolution: { proposer: 'pae', knobs: lockKnobs },
};

export const agentZero: Recipe = {
  ...coevolved,
  name: 'agent0',
  method: 'Agent0: a curriculum agent against an executor',
  source: 'arXiv 2511.16043',
  differs:
    'The solver is paid by the environment; coevolution.labels=majority pays agreement with most attempts, as published, which a solver without knowledge cannot learn from.',
  omits: 'clusters of texts; likeness is told by knobs',
  coevolution: { proposer: 'agent0', knobs: lockKnobs },
};

export const pasoDoble: Recipe = {
  ...coevolved,
  name: 'pasodoble',
  method: 'PasoDoble, online: proposer and solver learn together',
  source: 'Better LLM Reasoning via Dual-Play',
  differs: 'Tasks are chosen from the knobs of an environment, which knows their answers.',
  coevolution: { proposer: 'paso-doble', knobs: lockKnobs },
};

export const pasoDobleOffline: Recipe = {
  ...pasoDoble,
  name: 'pasodoble-offline',
  method: 'PasoDoble, offline: in turn, the solver on a buffer of tasks that taught',
  coevolution: { proposer: 'paso-doble', knobs: lockKnobs, learns: 'in-turn', period: 5, buffer: 64 },
};

export const maeRecipe: Recipe = {
  ...coevolved,
  name: 'mae',
  method: 'MAE: proposer, solver and judge are one learner',
  source: 'arXiv 2510.23595',
  differs:
    'The judge marks a task from 0 to 10 and is paid by how near that is to whether the task taught, since a form that cannot be missed teaches nothing; what nobody solves is paid nothing.',
  coevolution: { proposer: 'mae', knobs: lockKnobs, one: true },
};

/** Tasks are written from what the solver could do so far, by an agent that stays as it is. */
export const envGen: Recipe = {
  ...coevolved,
  name: 'envgen',
  method: 'EnvGen: environments written from what the learner cannot do yet',
  source: 'arXiv 2403.12014',
  differs:
    'Before every update an agent is given what came of the latest 64 tasks and writes the next ones as settings of the environment’s knobs, which the environment reads or refuses: coevolution.by=llm:…; "frontier" is a writer without a model.',
  omits:
    'a share of practice in the original environment; a model’s settings may be any that the knobs allow where it writes JSON, and "frontier" chooses from the menu',
  coevolution: { proposer: 'paso-doble', by: 'frontier', knobs: { dials: [1, 12] } },
};

/** Generations: each begins anew, is shown what the last one could do, and is taught what it can nearly do. */
export const xland: Recipe = {
  ...usual,
  name: 'xland',
  method: 'XLand: generations over a universe of tasks',
  source: 'arXiv 2107.12808',
  differs:
    'Every fifty updates a generation begins with the weights of the start and imitates successes of the last one, a share of 0.5 of the loss, while tasks that are solved half of the time come most. Progress is told in percentiles over tasks, normalised by the best on each.',
  omits:
    'co-players and populations: one learner at a time; tasks are those of the knobs of any environment, and are chosen by learnability in place of comparing with a control policy',
  baseline: meanOnly,
  loss: { kind: 'policy-gradient', aggregation: 'token-mean', imitation: { from: 0.5, to: 0.5, updates: 1 } },
  curriculum: { kind: 'teacher', teacher: 'learnability', knobs: { dials: [1, 12] } },
  rounds: { updates: 50, least: 1, restart: true },
  training: { ...locks, games: 6400 },
};

/** An experimenter reads the curve, keeps a skill once it is learned, and says which comes next. */
export const gameOn: Recipe = {
  ...usual,
  name: 'game-on',
  method: 'Game On: an experimenter leads the training',
  source: 'arXiv 2409.03402',
  differs:
    'After every five updates the experimenter is shown the returns of the skill under way and says go on, keep or roll back; then it chooses the next skill from what became of those before. It is any agent: experiment.by=llm:…; "rule" needs no model. Weights go from skill to skill.',
  omits: 'robots and pictures; skills are tasks of one environment that are named beforehand (experiment.skills)',
  baseline: meanOnly,
  loss: { kind: 'policy-gradient', aggregation: 'token-mean' },
  experiment: { by: 'rule', look: 5, skills: { two: { dials: 2 }, four: { dials: 4 }, six: { dials: 6 }, eight: { dials: 8 } } },
  training: { ...locks, games: 9600, rate: { from: 0.2, to: 0.2 } },
};

const ideaTask = (split: string) => ({ split, legal: true, window: 1 });
const heldOutIdeas = { name: 'held-out ideas', updates: 60, tasks: [ideaTask('held-out')] } as const;

/** Text adventures out of written ideas, played first: what is learned of a house is of use for errands in it that were held out. */
export const starling: Recipe = {
  ...usual,
  name: 'starling',
  method: 'Pre-training on text adventures out of written ideas',
  source: 'STARLING (arXiv 2406.05872)',
  differs:
    'A table that sees its latest message and the legal commands, on nine ideas for one house and then on three that were held out; starling-fresh is the same without the nine. Every game is proved to be winnable by search.',
  omits: 'a language model as the player, and Inform 7: ideas are sentences that are read here, or that a model writes',
  assignment: { kind: 'return-to-go', discount: 1 },
  baseline: { kind: 'running', key: ['environment', 'seat'], decay: 0.95 },
  // The same at all times, so that a stage differs from a run without one before it by what was learned alone.
  loss: { kind: 'policy-gradient', aggregation: 'sequence-mean-token-sum', entropy: { from: 0.02, to: 0.02 } },
  rollout: { kind: 'iid' },
  phases: [{ name: 'ideas', updates: 200, tasks: [ideaTask('train')] }, heldOutIdeas],
  training: {
    environment: 'idea-quest',
    task: ideaTask('held-out'),
    optimiser: 'adam',
    rate: { from: 0.1, to: 0.1 },
    games: 260 * 64,
    batch: 64,
    learner: 'table',
  },
};

/** The control: the same games that were held out, without any before them. */
export const starlingFresh: Recipe = {
  ...starling,
  name: 'starling-fresh',
  method: 'The control of starling, without pre-training',
  differs: 'As starling without its first stage.',
  phases: [heldOutIdeas],
  training: { ...starling.training, games: 60 * 64 },
};
