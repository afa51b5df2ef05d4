/** @file Recipes that learn from what is kept: imitation with filters, offline values, rounds of own successes. */

import type { Recipe } from '../recipe.ts';
import { kuhn, usual } from './parts.ts';

/** Every turn of kept episodes, or of a script where none are named. */
export const imitate: Recipe = {
  ...usual,
  name: 'imitate',
  method: 'Imitation of kept episodes',
  source: 'Pomerleau (1991), Efficient training of artificial neural networks for autonomous navigation',
  differs:
    'Any run of the store or exported file is what is imitated (--from, --where, --mask); a script of the environment where none is named.',
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
    'Every turn of a team is one answer: what its members said, each between tags of its role, then the move. The run of the team is named with --from; the model plays "trace:ENVIRONMENT".',
  omits:
    'Reinforcement learning after the imitation; uses of tools, which "ludus data export --format team" writes with their results masked.',
  kept: { from: 'RUN', where: ['return>0'] },
  training: {
    ...kuhn,
    environment: 'trace:tic-tac-toe',
    learner: 'transformer',
    sizes: { width: 48, layers: 1, heads: 4, context: 256, answer: 96 },
    rate: { from: 5e-3, to: 5e-4 },
    games: 2400,
    batch: 40,
  },
};

/** The best tenth of what is kept, by return. */
export const filteredCloning: Recipe = {
  ...imitate,
  name: 'filtered-cloning',
  method: 'Filtered behaviour cloning',
  source: 'LMRL-Gym (arXiv 2311.18232)',
  differs: 'As imitate, of the best tenth of the kept episodes by return (kept.top); the run is named with --from.',
  kept: { from: 'RUN', top: 0.1 },
};

/** Kept turns weighed by what followed them. */
export const mcReturns: Recipe = {
  ...imitate,
  name: 'mc-returns',
  method: 'Monte-Carlo values of kept turns',
  source: 'LMRL-Gym (arXiv 2311.18232)',
  differs: 'As imitate, each turn weighed by exp(β(Q − V)), Q being the mean return from its state and answer on.',
  omits: 'Heads of values on the model itself: states and answers are known by their texts.',
  kept: { from: 'RUN', weigh: { kind: 'monte-carlo', discount: 0.99, beta: 16 } },
};

/** Kept turns weighed by what could have followed them. */
export const implicitQ: Recipe = {
  ...imitate,
  name: 'implicit-q',
  method: 'Implicit Q-learning of kept turns (ILQL)',
  source: 'arXiv 2206.11871, LMRL-Gym (arXiv 2311.18232)',
  differs: 'As mc-returns with Q and V put together from several episodes: V is an expectile over the answers that were given in a state.',
  omits: 'Two heads of Q and a term against unseen answers: in a table of what was kept there are none.',
  kept: { from: 'RUN', weigh: { kind: 'implicit', discount: 0.99, expectile: 0.7, beta: 16 } },
};

/** Clone, explore, keep what paid, begin anew from the start with all of it. */
export const agentEvol: Recipe = {
  ...imitate,
  name: 'agent-evol',
  method: 'AgentEvol',
  source: 'arXiv 2406.04151',
  differs:
    'Rounds of imitation: each begins with the weights of the start, and learns from the base data (--from) and from the successes of the round before.',
  omits: 'Many environments at once; the successes of the last round alone are added, so that no task counts twice.',
  rounds: { updates: 10, least: 0.99, restart: true },
};

/** Expert iteration without what is easy already. */
export const bfsProver: Recipe = {
  ...imitate,
  name: 'bfs-prover',
  method: 'BFS-Prover-V2 (expert iteration)',
  source: 'arXiv 2509.06493',
  differs:
    'As agent-evol without beginning anew; rows in the lowest and the highest tenth of the learner’s own perplexity are dropped: trivial, and noise.',
  omits: 'Lean, and provers that work in parallel; the planner whose workers share what is solved is the team protocol planner.',
  rounds: { updates: 10, least: 0.99, restart: false, band: [0.1, 0.9] },
};

/** The policy and a model of its outcomes, in turn: the model says which episodes the next round learns from. */
export const uiGenie: Recipe = {
  ...imitate,
  name: 'ui-genie',
  method: 'UI-Genie (agent and reward model, round by round)',
  source: 'arXiv 2505.21496',
  differs:
    'Rounds of imitation of own episodes that a reward model calls good. The model learns beside the policy: positives by the rule (rewardModel.rule), negatives by corruption and continuation, what it took for good itself twice; its trust card is in the report, and while it is a C the rule decides alone.',
  omits:
    'A large multimodal model of rewards and search by beams: the model is one of words and pairs of words. Rewards of single steps: spc.',
  rounds: { updates: 5, least: 1, restart: false },
  rewardModel: { rule: 'return>=1', labels: 0.1, updates: 5 },
  training: { ...kuhn, environment: 'lock', task: { dials: 3 }, rate: { from: 0.1, to: 0.05 }, games: 3200, batch: 64 },
};
