/** @file Recipes that learn from kept episodes: imitation with filters, offline values, rounds of own successes. */

import type { Recipe } from '../recipe.ts';
import { kuhn, usual } from './parts.ts';

/** Every turn of kept episodes, or of a script if none are named. */
export const imitate: Recipe = {
  ...usual,
  name: 'imitate',
  method: 'Imitation of kept episodes',
  source: 'Pomerleau (1991), Efficient training of artificial neural networks for autonomous navigation',
  differs: 'Imitates any stored run or exported file (--from, --where, --mask), or by default a script of the environment.',
  baseline: { kind: 'none' },
  loss: { kind: 'imitation', aggregation: 'token-mean' },
  rollout: { kind: 'iid' },
  training: { ...kuhn, rate: { from: 0.1, to: 0.05 }, games: 4000, batch: 40 },
};

/** A team's episodes, learned by one model that then plays the whole team. */
export const chainOfAgents: Recipe = {
  ...imitate,
  name: 'chain-of-agents',
  method: 'Imitation of a whole team by one model',
  source: 'Chain-of-Agents (arXiv 2508.13167)',
  differs:
    'Every turn of a team is one answer: its members’ messages, each between tags of the role, then the move. The run of the team is named with --from; the model plays "trace:ENVIRONMENT".',
  omits:
    'Reinforcement learning after the imitation; uses of tools, which "ludus data export --format team" writes with their results masked.',
  kept: { from: 'RUN', where: ['return>0'] },
  training: {
    ...kuhn,
    environment: 'trace:tic-tac-toe',
    learner: 'transformer',
    sizes: { width: 64, layers: 2, heads: 4, context: 256, answer: 96 },
    rate: { from: 3e-3, to: 3e-4 },
    games: 4000,
    batch: 40,
  },
};

/** The best tenth of the kept episodes, by return. */
export const filteredCloning: Recipe = {
  ...imitate,
  name: 'filtered-cloning',
  method: 'Filtered behavior cloning',
  source: 'LMRL-Gym (arXiv 2311.18232)',
  differs: 'As imitate, with the best tenth of the stored episodes by return (kept.top); name the run with --from.',
  kept: { from: 'RUN', top: 0.1 },
};

/** Episodes that go wrong, notice it at the learner's own first error, and recover. */
export const agentR: Recipe = {
  ...imitate,
  name: 'agent-r',
  method: 'Agent-R (revising its errors)',
  source: 'arXiv 2501.11425',
  differs:
    'Imitation of the learner’s successes and of revisions: in a failed episode, its own continuations (guidance.tries from each turn) show the first error, and one that recovers follows it. The error is read but not learned.',
  omits:
    'Judging its steps in words, and going back in the environment: the way back starts after the error, so nothing is revised where errors are final.',
  guidance: { kind: 'revise', teachers: [], share: 1, tries: 4 },
  training: {
    ...kuhn,
    environment: 'stairs',
    task: { floors: 4, doors: 3, trap: 0, exit: 0, turns: 6 },
    rate: { from: 0.3, to: 0.1 },
    games: 2560,
    batch: 64,
  },
};

/** Kept turns weighted by their observed return. */
export const mcReturns: Recipe = {
  ...imitate,
  name: 'mc-returns',
  method: 'Monte-Carlo values of kept turns',
  source: 'LMRL-Gym (arXiv 2311.18232)',
  differs: 'As imitate, each turn weighted by exp(β(Q − V)), where Q is the mean return from its state and answer on.',
  omits: 'Value heads on the model: states and answers are identified by their texts.',
  kept: { from: 'RUN', weigh: { kind: 'monte-carlo', discount: 0.99, beta: 16 } },
};

/** Kept turns weighted by an estimate of the achievable return. */
export const implicitQ: Recipe = {
  ...imitate,
  name: 'implicit-q',
  method: 'Implicit Q-learning of kept turns (ILQL)',
  source: 'arXiv 2206.11871, LMRL-Gym (arXiv 2311.18232)',
  differs: 'As mc-returns, with Q and V combined from several episodes: V is an expectile over the answers in a state.',
  omits: 'Two Q heads and a term against unseen answers: a table of stored episodes has none.',
  kept: { from: 'RUN', weigh: { kind: 'implicit', discount: 0.99, expectile: 0.7, beta: 16 } },
};

/** Clones, explores, keeps successes, and starts over from the initial weights with all of them. */
export const agentEvol: Recipe = {
  ...imitate,
  name: 'agent-evol',
  method: 'AgentEvol',
  source: 'arXiv 2406.04151',
  differs:
    'Rounds of imitation: each starts from the initial weights, and learns from the base data (--from) and the successes of the previous round.',
  omits: 'Many environments at once; the successes of the last round alone are added, so that no task counts twice.',
  rounds: { updates: 10, least: 0.99, restart: true },
};

/** Expert iteration without rows that are already easy. */
export const bfsProver: Recipe = {
  ...imitate,
  name: 'bfs-prover',
  method: 'BFS-Prover-V2 (expert iteration)',
  source: 'arXiv 2509.06493',
  differs:
    'As agent-evol without restarts. Rows in the lowest and highest tenth of the learner’s perplexity are dropped as trivial or noise.',
  omits: 'Lean, and provers that work in parallel; the planner whose workers share what is solved is the team protocol planner.',
  rounds: { updates: 10, least: 0.99, restart: false, band: [0.1, 0.9] },
};

/** Alternates the policy and a model of its outcomes: the model selects the episodes of the next round. */
export const uiGenie: Recipe = {
  ...imitate,
  name: 'ui-genie',
  method: 'UI-Genie (agent and reward model, round by round)',
  source: 'arXiv 2505.21496',
  differs:
    'Rounds of imitation of the learner’s episodes that a reward model accepts. The model is trained alongside the policy: positives by the rule (rewardModel.rule), negatives by corruption and continuation, its own false positives twice; its trust card is in the report, and while it is a C the rule decides alone.',
  omits:
    'A large multimodal model of rewards and search by beams: the model is one of words and pairs of words. Rewards of single steps: spc.',
  rounds: { updates: 5, least: 1, restart: false },
  rewardModel: { rule: 'return>=1', labels: 0.1, updates: 5 },
  training: { ...kuhn, environment: 'lock', task: { dials: 3 }, rate: { from: 0.1, to: 0.05 }, games: 3200, batch: 64 },
};
