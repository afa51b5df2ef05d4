/** @file Our own recipes for tables and small environments, each with an environment in which it proves a point. */

import type { Recipe } from '../recipe.ts';
import { kuhn, meanOnly, usual, zScore } from './parts.ts';

/** Self-play whose last policy converges: running baselines, and KL to a reference that is refreshed. */
export const kuhnTabular: Recipe = {
  ...usual,
  name: 'kuhn-tabular',
  method: 'RAE with a refreshed reference',
  source: 'SPIRAL (arXiv 2506.24119) and NashPG (arXiv 2510.18183)',
  differs:
    "SPIRAL without clipping, with NashPG's refreshed reference; deals are spread evenly over a batch and have running baselines of their own, which leaves the gradient unbiased and takes most of its noise away.",
  baseline: { kind: 'running', key: ['environment', 'prompt', 'seat'], decay: 0.95 },
  loss: { kind: 'policy-gradient', aggregation: 'constant', kl: { weight: 0.5, estimate: 'exact', refresh: 300 } },
  rollout: { kind: 'even' },
  training: { ...kuhn, games: 1_000_000 },
};

/** The textbook version: one running baseline per seat, randomly drawn deals. */
export const kuhnRae: Recipe = {
  ...kuhnTabular,
  name: 'kuhn-rae',
  differs: 'One running baseline for each seat, and deals drawn one by one: equal to kuhn-tabular on average, with more noise.',
  baseline: { kind: 'running', key: ['environment', 'seat'], decay: 0.95 },
  rollout: { kind: 'iid' },
};

/** Self-play without any regularization: the last policy cycles forever, the average of all of them converges. */
export const kuhnRaePlain: Recipe = {
  ...kuhnRae,
  name: 'kuhn-rae-plain',
  method: 'RAE alone',
  source: 'SPIRAL (arXiv 2506.24119)',
  differs: 'No reference and plain descent: a control whose last policy is bad.',
  loss: { kind: 'policy-gradient', aggregation: 'constant' },
  training: { ...kuhnRae.training, optimiser: 'sgd', rate: { from: 0.5, to: 0.5 } },
};

/** The negative control: GRPO's deviation within each deal re-weights chance outcomes, and self-play converges to the wrong policy. */
export const kuhnGrpoStd: Recipe = {
  ...kuhnTabular,
  name: 'kuhn-grpo-std',
  method: 'GRPO with a deviation for each deal',
  source: 'DeepSeekMath (arXiv 2402.03300)',
  differs:
    'As kuhn-rae, but centred and scaled within groups of eight games of one deal, which the players cannot see: it does not converge.',
  baseline: zScore,
  rollout: { kind: 'group', size: 8 },
};

/** The positive counterpart of the control: the mean of each deal alone does no harm. */
export const kuhnDrGrpo: Recipe = {
  ...kuhnGrpoStd,
  name: 'kuhn-dr-grpo',
  method: 'Dr. GRPO with a mean for each deal',
  source: 'Understanding R1-Zero-like training (arXiv 2503.20783)',
  differs: 'As kuhn-grpo-std without the division by the deviation: it converges.',
  baseline: meanOnly,
};

/** Leduc poker by mirror descent, for which policy gradients need hundreds of millions of games. */
export const leducTabular: Recipe = {
  ...usual,
  name: 'leduc-tabular',
  method: 'Magnetic mirror descent with a reference that follows',
  source: 'Magnetic mirror descent (arXiv 2206.05825), VR-MCCFR (arXiv 1809.03057)',
  differs:
    'Values of choices are sampled, with learned values of positions as control variates; one seat at a time explores; the run ends with the average policy of its last updates.',
  baseline: { kind: 'positions', decay: 0.99 },
  loss: {
    kind: 'mirror',
    aggregation: 'constant',
    step: { from: 0.1, to: 0.01 },
    kl: { weight: { from: 1, to: 0.1 }, estimate: 'exact', refresh: null, follow: { from: 0.001, to: 0.01 } },
  },
  rollout: { kind: 'explore', share: 0.3 },
  training: { ...kuhn, environment: 'leduc', games: 32_000_000, batch: 2048, average: 0.6 },
};

/** Tic-tac-toe by self-play from random openings: without them, rare positions are never learned. */
export const ticTacToeTabular: Recipe = {
  ...usual,
  name: 'tic-tac-toe-tabular',
  method: 'RAE with random openings',
  source: 'SPIRAL (arXiv 2506.24119), exploring starts (Sutton and Barto, 5.3)',
  differs: 'Nine games in ten open with up to eight random moves, and an entropy bonus falls to almost nothing; no reference is needed.',
  baseline: { kind: 'running', key: ['environment', 'seat'], decay: 0.95 },
  loss: { kind: 'policy-gradient', aggregation: 'constant', entropy: { from: 0.1, to: 0.001 } },
  rollout: { kind: 'iid' },
  curriculum: { kind: 'opening', share: 0.9, moves: 8 },
  training: { environment: 'tic-tac-toe', optimiser: 'sgd', rate: { from: 40, to: 40 }, games: 1_000_000, batch: 64 },
};

/** A team learns a signal beyond the rules: the smallest hanabi, to its optimum. */
export const hanabiTabular: Recipe = {
  ...usual,
  name: 'hanabi-tabular',
  method: 'RAE with falling entropy',
  source: 'SPIRAL (arXiv 2506.24119)',
  differs: 'The entropy bonus starts high: partners that settle early settle on a convention that is not the best.',
  baseline: { kind: 'running', key: ['environment', 'seat'], decay: 0.95 },
  loss: { kind: 'policy-gradient', aggregation: 'constant', entropy: { from: 3, to: 0.003 } },
  rollout: { kind: 'iid' },
  training: { environment: 'hanabi-tiny', optimiser: 'adam', rate: { from: 0.03, to: 0.03 }, games: 200_000, batch: 128 },
};

/** A warning: naive self-play is no method of cooperation. */
export const dilemmaTabular: Recipe = {
  ...usual,
  name: 'dilemma-tabular',
  method: 'RAE alone, in a dilemma',
  source: 'SPIRAL (arXiv 2506.24119)',
  differs: 'Only the environment differs: the repeated dilemma, where both end up defecting.',
  baseline: { kind: 'running', key: ['environment', 'seat'], decay: 0.95 },
  loss: { kind: 'policy-gradient', aggregation: 'constant' },
  rollout: { kind: 'iid' },
  training: {
    environment: 'dilemma',
    task: { rounds: 3 },
    optimiser: 'adam',
    rate: { from: 0.03, to: 0.03 },
    games: 100_000,
    batch: 128,
  },
};

/** A consultation learned to its optimum: when to examine, and when to name the diagnosis. */
export const clinicTabular: Recipe = {
  ...usual,
  name: 'clinic-tabular',
  method: 'RAE with falling entropy, by rollout',
  source: 'SPIRAL (arXiv 2506.24119)',
  differs: 'One seat and a hidden case instead of an opponent.',
  baseline: { kind: 'running', key: ['environment', 'seat'], decay: 0.95 },
  loss: { kind: 'policy-gradient', aggregation: 'sequence-mean-token-sum', entropy: { from: 0.1, to: 0.001 } },
  rollout: { kind: 'iid' },
  training: {
    environment: 'clinic',
    task: { table: 'mini' },
    optimiser: 'adam',
    rate: { from: 0.1, to: 0.03 },
    games: 19_200,
    batch: 64,
  },
};

/** Explanations on a budget, learned only from right and wrong answers: when is one worth its cost, given the remaining items? */
export const tutorTabular: Recipe = {
  ...clinicTabular,
  name: 'tutor-tabular',
  method: 'RAE with falling entropy, on a budget of explanations',
  differs: 'Items come one by one and only the latest is seen; the best decisions are known exactly.',
  training: {
    environment: 'tutor',
    task: { mode: 'budget', ahead: false, count: 4, budget: 2, window: 1 },
    optimiser: 'adam',
    rate: { from: 0.1, to: 0.02 },
    games: 60_000,
    batch: 128,
  },
};

/** Folders of content: a table that reads only its latest message, for environments that list their moves. */
export const contentTabular: Recipe = {
  ...clinicTabular,
  name: 'content-tabular',
  method: 'RAE with falling entropy, on your content',
  differs: 'For folders of content: --environment ./mine. It sees only the latest message and chooses among listed moves.',
  training: {
    environment: 'lesson',
    task: { window: 1 },
    optimiser: 'adam',
    rate: { from: 0.1, to: 0.02 },
    games: 30_000,
    batch: 128,
  },
};

/** A feed learned from clicks and departures: how to keep a user with hidden interests. */
export const recommenderTabular: Recipe = {
  ...clinicTabular,
  name: 'recommender-tabular',
  method: 'RAE with falling entropy, for retention',
  differs:
    'The user is hidden and only the two latest lists are seen; it trains on one part of the users, and the other part is kept for tests (split: "held-out").',
  training: {
    environment: 'recommender',
    task: { genres: 2, list: 1, lists: 12, threshold: 0.45, split: 'train', window: 1 },
    optimiser: 'adam',
    rate: { from: 0.1, to: 0.02 },
    games: 60_000,
    batch: 128,
  },
};

/** Discovers binary search: every turn is rewarded by its bits of information, and compared with other moves in the same state. */
export const twentyQuestionsTabular: Recipe = {
  ...usual,
  name: 'twenty-questions-tabular',
  method: 'Returns to go, compared by state',
  source: 'IGPO (arXiv 2510.14967), GiGPO (arXiv 2505.10978)',
  differs:
    'The environment rewards the information gained, and states are compared over the whole batch, because all episodes start alike.',
  assignment: { kind: 'return-to-go', discount: 1 },
  baseline: { kind: 'group', key: ['state'], center: 'mean', scale: 'none' },
  loss: { kind: 'policy-gradient', aggregation: 'sequence-mean-token-sum', entropy: { from: 0.02, to: 0.001 } },
  rollout: { kind: 'iid' },
  training: {
    environment: 'twenty-questions',
    task: { table: 'bits', turns: 6, wrong: 'ends', shaped: true },
    optimiser: 'adam',
    rate: { from: 0.3, to: 0.3 },
    games: 19_200,
    batch: 128,
  },
};

/** Discovers the question that best halves the cities, among 21 questions and some 90 guesses. */
export const guessMyCityTabular: Recipe = {
  ...twentyQuestionsTabular,
  name: 'guess-my-city-tabular',
  differs:
    'As twenty-questions-tabular, among cities and with two turns: 111 moves to choose from at first. It earns the bits of each answer, minus 1 per turn.',
  training: { ...twentyQuestionsTabular.training, environment: 'guess-my-city', task: { shaped: true, turns: 2 } },
};

/** Any fixed agent can be exploited: a learner measures by how much. */
export const bestResponse: Recipe = {
  ...usual,
  name: 'best-response',
  method: 'A best response to a fixed agent',
  source: 'FightLadder (arXiv 2406.02081): exploitability found by training against an agent',
  differs:
    'The opponent is frozen (--against), the learner faces it from every seat, and what it wins on fresh seeds is reported with an interval.',
  baseline: { kind: 'running', key: ['environment', 'seat'], decay: 0.95 },
  loss: { kind: 'policy-gradient', aggregation: 'sequence-mean-token-sum', entropy: { from: 0.05, to: 0.0005 } },
  rollout: { kind: 'iid' },
  training: { ...kuhn, opponents: 'random', rate: { from: 0.1, to: 0.03 }, games: 40_000 },
};

/** One walker alone: the table learns to cross the small lake on ice that does not slip. */
export const frozenLakeTabular: Recipe = {
  ...usual,
  name: 'frozen-lake-tabular',
  method: 'REINFORCE with a running baseline',
  source: 'Williams (1992), Simple statistical gradient-following algorithms',
  differs: 'A table over the positions of the usual lake of four by four without slipping, eight steps to make six; the best return is 1.',
  baseline: { kind: 'running', key: ['environment', 'seat'], decay: 0.95 },
  loss: { kind: 'policy-gradient', aggregation: 'constant' },
  rollout: { kind: 'iid' },
  training: { ...kuhn, environment: 'frozen-lake', task: { steady: 1, steps: 8 }, games: 60_000 },
};

/** Rules discovered by trying: the table learns which test distinguishes reactions, and what its result implies. */
export const rulesTabular: Recipe = {
  ...usual,
  name: 'rules-tabular',
  method: 'REINFORCE with a running baseline, by rollout',
  source: 'IDEA (arXiv 2408.10455): abduction, deduction and induction in rule learning',
  differs:
    'A table over attempts and results, with one attempt before the answer. Guessing is right one time in three or four; the best return is 1.',
  assignment: { kind: 'return-to-go', discount: 1 },
  baseline: { kind: 'running', key: ['environment', 'seat'], decay: 0.95 },
  loss: { kind: 'policy-gradient', aggregation: 'sequence-mean-token-sum', entropy: { from: 0.05, to: 0.001 } },
  rollout: { kind: 'iid' },
  training: { ...kuhn, environment: 'rules', task: { kind: 'reactor', rules: 3, steps: 2 }, rate: { from: 0.1, to: 0.1 }, games: 38_400 },
};

/** A wall built block by block: the table learns what a blueprint asks for. */
export const blocksTabular: Recipe = {
  ...usual,
  name: 'blocks-tabular',
  method: 'REINFORCE with a running baseline, by rollout',
  source: 'Williams (1992), Simple statistical gradient-following algorithms',
  differs: 'A table over blueprints and what was placed: walls of two by two, four placements and the end; the best return is 1.',
  assignment: { kind: 'return-to-go', discount: 1 },
  baseline: { kind: 'running', key: ['environment', 'seat'], decay: 0.95 },
  loss: { kind: 'policy-gradient', aggregation: 'sequence-mean-token-sum', entropy: { from: 0.05, to: 0.001 } },
  rollout: { kind: 'iid' },
  training: { ...kuhn, environment: 'blocks', task: { shape: 'wall', size: 2, moves: 4 }, rate: { from: 0.1, to: 0.1 }, games: 19_200 },
};

/** A seeker in unknown quests: it reads the kinds of available moves, and no names. */
export const questTabular: Recipe = {
  ...usual,
  name: 'quest-tabular',
  method: 'REINFORCE with a running baseline for what is read',
  source: 'Williams (1992), Simple statistical gradient-following algorithms',
  differs:
    'A table over the moves on offer and the last one made, without names of rooms and things: every episode is a new quest of three rooms, and what was learned in others holds. It doesn’t remember visited rooms.',
  view: { kind: 'moves' },
  assignment: { kind: 'return-to-go', discount: 1 },
  baseline: { kind: 'running', key: ['state'], decay: 0.95 },
  loss: { kind: 'policy-gradient', aggregation: 'sequence-mean-token-sum', entropy: { from: 0.05, to: 0.001 } },
  rollout: { kind: 'iid' },
  training: {
    ...kuhn,
    environment: 'quest-world',
    task: { rooms: 3, loops: 0, doors: 0, containers: 0, depth: 0, traders: 0, clutter: 0, goal: 'carry' },
    rate: { from: 0.1, to: 0.02 },
    games: 12_800,
    batch: 64,
  },
};

/** Unknown tasks: the table learns which available move to make from where its words were mentioned. */
export const offersTabular: Recipe = {
  ...questTabular,
  name: 'offers-tabular',
  differs:
    'A table over the moves on offer, each by its verb, its signs and where the words in it were said: every episode has new facts and questions, and what was learned in others holds. It learns where answers are, and does not calculate.',
  view: { kind: 'offers' },
  training: {
    ...questTabular.training,
    environment: 'memory',
    task: { tokens: 400, questions: 1 },
    rate: { from: 0.2, to: 0.05 },
    games: 6400,
  },
};

/** A browser alone: the table learns to do small tasks on small sites, from clicks alone. */
export const sitesTabular: Recipe = {
  ...usual,
  name: 'sites-tabular',
  method: 'REINFORCE with a running baseline for each task',
  source: 'Williams (1992), Simple statistical gradient-following algorithms',
  differs:
    'A table over observations in four small data sets, with three actions for tasks that take two (starring a repository). The best return is 1. A table doesn’t generalize to other data sets.',
  baseline: { kind: 'running', key: ['environment', 'prompt', 'seat'], decay: 0.95 },
  loss: { kind: 'policy-gradient', aggregation: 'constant', entropy: { from: 0.02, to: 0.0005 } },
  rollout: { kind: 'iid' },
  training: {
    ...kuhn,
    environment: 'sites',
    task: { template: 'repository-star', worlds: 4, size: 6, possible: 'possible', auto: true, steps: 3 },
    rate: { from: 0.2, to: 0.05 },
    games: 12_800,
    batch: 128,
  },
};
