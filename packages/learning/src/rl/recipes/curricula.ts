/**
 * @file Recipes in which tasks are chosen or written: teachers over the parameters of an environment, and proposers that learn with their
 * solver.
 */

import type { Recipe } from '../recipe.ts';
import { meanOnly, usual } from './parts.ts';

/** A table on locks of one to twelve dials, where the order of tasks makes all the difference. */
const locks: Recipe['training'] = {
  environment: 'lock',
  optimiser: 'adam',
  rate: { from: 0.1, to: 0.1 },
  games: 16_000,
  batch: 64,
  learner: 'table',
};

/** Any teacher over the parameters of any environment. */
export const teacherTabular: Recipe = {
  ...usual,
  name: 'teacher-tabular',
  method: 'ALP-GMM and related teachers in the loop',
  source: 'TeachMyAgent (arXiv 2103.09815); ALP-GMM (arXiv 1910.07224)',
  differs: 'A group of eight episodes on one task is one outcome for the teacher. The learner is measured on all tasks equally.',
  baseline: meanOnly,
  loss: { kind: 'policy-gradient', aggregation: 'token-mean' },
  curriculum: { kind: 'teacher', teacher: 'alp-gmm', parameters: { dials: [1, 12] } },
  training: locks,
};

/** Orders of a forge, most of them too long for the site or for the smith: the written tasks decide what is learned. */
const orders: Recipe['training'] = { ...locks, environment: 'forge', games: 12_800, rate: { from: 0.15, to: 0.15 } };
const longOrders = [{ goal: 4 }, { goal: 8 }, { goal: 12 }, { goal: 16 }] as const;
/** Questions with an answer and a program that computes it. */
const questions: Recipe['training'] = { ...orders, environment: 'exam' };

const written = {
  ...usual,
  baseline: meanOnly,
  loss: { kind: 'policy-gradient', aggregation: 'token-mean' },
  training: orders,
} as const;

export const pae: Recipe = {
  ...written,
  name: 'pae',
  method: 'PAE: a proposer, an agent, and an evaluator',
  source: 'arXiv 2412.13194',
  differs:
    'The writer of tasks learns, rewarded by 4p(1 − p) for tasks that can be solved; coevolution.learns=solver freezes it, as published, and coevolution.by=llm:… lets a model write.',
  omits: 'pictures of web pages; the environment is the evaluator',
  // Rewards are 0 or 1 without a baseline: only successes are cloned.
  baseline: { kind: 'none' },
  coevolution: { proposer: 'pae', originals: longOrders },
};

/** Questions over pages are written backwards from an answer, and checked by retrieval. */
export const ssp: Recipe = {
  ...written,
  name: 'ssp',
  method: 'SSP: search self-play',
  source: 'arXiv 2510.18821',
  differs:
    'The writer chooses a fact and the page to start from, the nearest first; a model writes freely after searches (coevolution.by=llm:…). The answer must follow from its pages among four others, and not without them. Rewarded by 4p(1 − p).',
  omits: 'web search; documents are a folder (coevolution.documents) or 300 generated notes',
  coevolution: { proposer: 'ssp', originals: [{}], rate: 40, variety: 0.02 },
  // Plain gradients: a step of Adam is as large for a failed detour as for the successful path.
  training: { ...orders, environment: 'trail', task: { made: 'notes', turns: 4 }, optimiser: 'sgd', rate: { from: 200, to: 200 } },
};

export const agentZero: Recipe = {
  ...written,
  name: 'agent0',
  method: 'Agent0: a curriculum agent against an executor with a tool',
  source: 'arXiv 2511.16043',
  differs:
    'The solver is rewarded for the majority answer of its attempts, as published; coevolution.labels=environment rewards the written answer.',
  omits: 'clusters of texts; similarity is that of parameters',
  coevolution: { proposer: 'agent0', labels: 'majority', originals: [{ calculator: true }] },
  training: { ...questions, task: { calculator: true } },
};

export const pasoDoble: Recipe = {
  ...written,
  name: 'pasodoble',
  method: 'PasoDoble, online: proposer and solver learn together',
  source: 'Better LLM Reasoning via Dual-Play',
  differs: 'The writer claims an answer for its question, and may be wrong: its program is run, and a false claim earns nothing.',
  omits: 'snippets of knowledge for the writer',
  coevolution: { proposer: 'paso-doble', originals: [{}] },
  training: questions,
};

export const pasoDobleOffline: Recipe = {
  ...pasoDoble,
  name: 'pasodoble-offline',
  method: 'PasoDoble, offline: in turn, the solver on a buffer of tasks that taught',
  coevolution: { proposer: 'paso-doble', originals: [{}], learns: 'in-turn', period: 5, buffer: 64 },
};

export const maeRecipe: Recipe = {
  ...written,
  name: 'mae',
  method: 'MAE: proposer, solver and judge are one learner',
  source: 'arXiv 2510.23595',
  differs:
    'The judge scores a task from 0 to 10 and is rewarded for predicting whether the task taught something. A task that is never solved earns nothing.',
  omits: 'scores of answers; the written answer decides',
  coevolution: { proposer: 'mae', originals: [{}], one: true },
  training: questions,
};

/** Tasks are written from the solver's results so far, by a frozen agent; half of the practice is in the originals. */
export const envGen: Recipe = {
  ...written,
  name: 'envgen',
  method: 'EnvGen: environments written from what the learner cannot do yet',
  source: 'arXiv 2403.12014',
  differs:
    'Before every update, an agent sees the results of the latest 64 tasks and writes settings of the environment (coevolution.by=llm:…; "frontier" needs no model). Half of the practice is on the original tasks.',
  omits: 'success by skill in words; the rates of the latest tasks replace it',
  coevolution: { proposer: 'paso-doble', by: 'frontier', originals: longOrders, practice: 0.5, checks: ['winnable'] },
};

/** Generations: each starts over, is shown the last one's skills, and is taught what it can nearly do. */
export const xland: Recipe = {
  ...usual,
  name: 'xland',
  method: 'XLand: generations over a universe of tasks',
  source: 'arXiv 2107.12808',
  differs:
    'Every fifty updates, a new generation starts from the initial weights and imitates successes of the last one (half of the loss). Tasks with a success rate near one half are played most. Progress is reported in percentiles over tasks, normalized by the best on each.',
  omits:
    'populations of learners: co-players are scripts, any agent, or the past selves of a league (training.opponents=league); tasks vary the parameters of any environment, and are chosen by learnability instead of a comparison with a control policy',
  baseline: meanOnly,
  loss: { kind: 'policy-gradient', aggregation: 'token-mean', imitation: { from: 0.5, to: 0.5, updates: 1 } },
  curriculum: { kind: 'teacher', teacher: 'learnability', parameters: { dials: [1, 12] } },
  rounds: { updates: 50, least: 1, restart: true },
  training: { ...locks, games: 6400 },
};

/** An experimenter reads the curve, keeps a skill once it is learned, and chooses the next. */
export const gameOn: Recipe = {
  ...usual,
  name: 'game-on',
  method: 'Game On: an experimenter leads the training',
  source: 'arXiv 2409.03402',
  differs:
    'After every five updates, the experimenter sees the returns of the current skill and decides: continue, keep, or roll back. Then it chooses the next skill from earlier results. It is any agent (experiment.by=llm:…); "rule" needs no model. Weights carry over from skill to skill.',
  omits: 'robots and pictures; skills are tasks of one environment: named beforehand (experiment.skills), or proposed (experiment.propose)',
  baseline: meanOnly,
  loss: { kind: 'policy-gradient', aggregation: 'token-mean' },
  experiment: { by: 'rule', look: 5, skills: { two: { dials: 2 }, four: { dials: 4 }, six: { dials: 6 }, eight: { dials: 8 } } },
  training: { ...locks, games: 9600, rate: { from: 0.2, to: 0.2 } },
};

const ideaTask = (split: string) => ({ split, legal: true, window: 1 });
const heldOutIdeas = { name: 'held-out ideas', updates: 60, tasks: [ideaTask('held-out')] } as const;

/** Text adventures from written ideas, played first: knowledge of a house helps in held-out errands there. */
export const starling: Recipe = {
  ...usual,
  name: 'starling',
  method: 'Pre-training on text adventures out of written ideas',
  source: 'STARLING (arXiv 2406.05872)',
  differs:
    'A table that sees its latest message and the legal commands, on nine ideas for one house and then on three that were held out; starling-fresh is the same without the nine. Every game is proved to be winnable by search.',
  omits: 'a language model as the player, and Inform 7: ideas are sentences in a fixed form, or written by a model',
  assignment: { kind: 'return-to-go', discount: 1 },
  baseline: { kind: 'running', key: ['environment', 'seat'], decay: 0.95 },
  // Constant, so that a stage differs from a run without earlier stages only by what was learned.
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

/** The control: the same held-out games, without any before them. */
export const starlingFresh: Recipe = {
  ...starling,
  name: 'starling-fresh',
  method: 'The control of starling, without pre-training',
  differs: 'As starling without its first stage.',
  phases: [heldOutIdeas],
  training: { ...starling.training, games: 60 * 64 },
};
