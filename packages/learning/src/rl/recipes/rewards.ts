/** @file Recipes about rewards: labels of calls, the learner's own chance of the answer, length, stages. */

import type { Recipe } from '../recipe.ts';
import { rapo } from './group-relative.ts';
import { kuhn, usual } from './parts.ts';
import { igpo } from './turn-level.ts';

/** RAPO with rewards by the labels of single calls, as in its paper. */
export const fathom: Recipe = {
  ...rapo,
  name: 'fathom',
  method: 'Fathom (labels of calls)',
  differs: 'As rapo, with a separate channel that labels calls as new or redundant: a repeated or uninformative call costs.',
  omits: 'A language model that labels calls by what they are for: labels come from what was asked and answered.',
  assignment: { kind: 'return-to-go', discount: 1 },
  rewards: { calls: { weight: 0.02, by: 'call-labels' } },
  training: { ...kuhn, environment: 'twenty-questions', task: { table: 'bits', turns: 6, wrong: 'ends' }, games: 20_480 },
};

/** Information gain, by the learner's own probability of the answer that proved right. */
export const igpoOwn: Recipe = {
  ...igpo,
  name: 'igpo-own',
  method: 'IGPO by the learner’s own chance',
  differs:
    'As igpo, without the environment’s answer: a turn earns the gain in the learner’s probability of the rewarded answer, or of one from a file (own-chance:FILE).',
  omits: 'The answer if no episode contains it: without a file, such episodes have no gain.',
  assignment: { kind: 'return-to-go', discount: 1 },
  rewards: { gain: { weight: 1, by: 'own-chance' } },
  training: { ...kuhn, environment: 'twenty-questions', task: { table: 'bits', turns: 6, wrong: 'ends' }, games: 20_480 },
};

/** Longer thinking has its own reward, with its own schedule. */
export const rlsp: Recipe = {
  ...usual,
  name: 'rlsp',
  method: 'RLSP (a reward for search)',
  source: 'arXiv 2502.06773',
  differs:
    'PPO with a separate channel for length (minus a weight divided by the tokens) that fades to almost nothing. Without fading, length alone would beat a short right answer.',
  omits: 'A judge of effort, and a large model; on a table an answer is one token.',
  rewards: { effort: { weight: { from: 0.5, to: 0.005 }, by: 'shortness' } },
  baseline: { kind: 'running', key: ['environment', 'seat'], decay: 0.95 },
  loss: { kind: 'clipped', clip: [0.2, 0.2], aggregation: 'token-mean', kl: { weight: 0.01, estimate: 'k1', refresh: null } },
  rollout: { kind: 'iid' },
};

/** The form first, then single steps, then whole tasks, each with a stop rule. */
export const mobileR1: Recipe = {
  ...usual,
  name: 'mobile-r1',
  method: 'Mobile-R1 (three stages)',
  source: 'arXiv 2506.20332',
  differs:
    'Dr. GRPO in three stages with separate rewards and stop rules: the form alone, then single actions that match an expert’s (action:SCRIPT), then whole tasks by outcome.',
  omits: 'Screens and coordinates; imitation before the first stage is training.warmUp.',
  baseline: { kind: 'group', key: ['prompt', 'seat'], center: 'mean', scale: 'none' },
  loss: { kind: 'clipped', clip: [0.2, 0.2], aggregation: 'sequence-mean-token-mean' },
  training: { ...kuhn, environment: 'frozen-lake', task: { steady: 1, steps: 8 }, rate: { from: 0.1, to: 0.03 }, games: 6400, batch: 64 },
  phases: [
    {
      name: 'form',
      updates: 10,
      rewards: { environment: { weight: 0 }, penalty: { weight: 1 } },
      until: { figure: 'returned', least: -0.01, over: 5 },
    },
    {
      name: 'actions',
      updates: 40,
      rewards: { environment: { weight: 0 }, penalty: { weight: 1 }, action: { weight: 1, by: 'action:optimal' } },
      until: { figure: 'won', least: 0.9, over: 10 },
    },
    { name: 'tasks', updates: 50, rewards: { environment: { weight: 1 }, penalty: { weight: 1 } } },
  ],
};

/** The trace depends on the length of an episode, and the critic learns alone first. */
export const uiTars2: Recipe = {
  ...usual,
  name: 'ui-tars-2',
  method: 'UI-TARS-2 (length-aware traces)',
  source: 'arXiv 2509.02544, parts from VAPO (arXiv 2504.05118)',
  differs:
    'PPO whose policy has a trace by the length of each episode and whose critic has 1; the critic learns alone for twenty updates. After every forty updates, a generation, its good logs go to imitation and the rest to replay.',
  omits: 'Screens, and retraining from each generation’s data: training continues here; α refers to turns, not to thousands of tokens.',
  assignment: { kind: 'critic', discount: 1 },
  baseline: { kind: 'value', level: 'turn', discount: 1, trace: 0.95, alpha: 1, warm: 20 },
  loss: { kind: 'clipped', clip: [0.2, 0.28], minibatches: 2, aggregation: 'token-mean' },
  rollout: { kind: 'iid' },
  replay: { kind: 'route', updates: 40, least: 1, keep: 2, rows: 256, weight: 0.1 },
};

/** Central critics only in states where they reduce noise by more than their cost. */
export const mansa: Recipe = {
  ...usual,
  name: 'mansa',
  method: 'MANSA (central critics where they pay)',
  source: 'arXiv 2302.05910',
  differs:
    'A baseline of what a seat sees, and one that knows what is hidden from it. In each state, a switch learns which of the two to use: it is rewarded for a small distance between returns and values, and charged the price (baseline.cost, in units of return). baseline.budget limits the share of uses.',
  omits: 'A central policy: only the critic is central. baseline.switch=rule compares both critics in every state instead.',
  baseline: { kind: 'bought', cost: 0.2, decay: 0.95, switch: 'learned' },
  loss: { kind: 'policy-gradient', aggregation: 'sequence-mean-token-sum', entropy: { from: 0.05, to: 0.001 } },
  rollout: { kind: 'iid' },
};

/** A planner for a frozen searcher and a frozen writer, rewarded for their results and charged for its requests. */
export const aiSearchPlanner: Recipe = {
  ...usual,
  name: 'ai-search-planner',
  method: 'AI-SearchPlanner (utility and cost)',
  source: 'arXiv 2508.20368',
  differs:
    'PPO on the planner of a team in the library, whose other seats are fixed scripts; the words of its plans are a separate channel. It does not read the question and only chooses how much to ask for, so a table can learn it. `ludus train sweep ai-search-planner --front cost --try rewards.cost.weight=0,-0.02,-0.05,-0.2` trades one against the other.',
  omits: 'A language model as the searcher and the writer, and rewards for the process of a plan.',
  rewards: { cost: { weight: -0.02, by: 'words' } },
  roles: { kind: 'set', size: 1, reads: 0 },
  baseline: { kind: 'running', key: ['state'], decay: 0.95 },
  loss: { kind: 'clipped', clip: [0.2, 0.2], aggregation: 'sequence-mean-token-mean', entropy: { from: 0.05, to: 0.001 } },
  rollout: { kind: 'iid' },
  training: {
    ...kuhn,
    environment: 'library',
    task: { team: true, people: 4, vague: 0, noise: 0, contradictions: 0 },
    seats: { planner: 'learner' },
    games: 6400,
    batch: 64,
    rate: { from: 0.3, to: 0.05 },
  },
};
