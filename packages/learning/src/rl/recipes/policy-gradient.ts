/** @file Recipes of plain policy gradients and of critics: REINFORCE++, RLOO, PPO and their relatives. */

import type { Recipe } from '../recipe.ts';
import { usual } from './parts.ts';

/** Plain policy gradient, each episode against the mean of the others. */
export const rloo: Recipe = {
  ...usual,
  name: 'rloo',
  method: 'RLOO',
  source: 'Back to basics (arXiv 2402.14740)',
  differs:
    'No clipping; the baseline leaves the episode itself out. The published one has the divergence in the reward, here it is in the loss.',
  baseline: { kind: 'group', key: ['prompt', 'seat'], center: 'leave-one-out', scale: 'none' },
  loss: { kind: 'policy-gradient', aggregation: 'sequence-mean-token-sum', kl: { weight: 0.01, estimate: 'k1', refresh: null } },
};

/** One mean and one deviation for the whole batch instead of one for each prompt. */
export const reinforcePlusPlus: Recipe = {
  ...usual,
  name: 'reinforce-plus-plus',
  method: 'REINFORCE++',
  source: 'arXiv 2501.03262',
  differs: 'Normalised over the batch, not within prompts.',
  baseline: { kind: 'group', key: [], center: 'mean', scale: 'batch-std' },
  loss: { kind: 'clipped', clip: [0.2, 0.2], aggregation: 'token-mean', kl: { weight: 0.01, estimate: 'k1', refresh: null } },
  rollout: { kind: 'iid' },
};

/** The mean of the prompt, the deviation of the batch. */
export const reinforcePlusPlusBaseline: Recipe = {
  ...usual,
  name: 'reinforce-plus-plus-baseline',
  method: 'REINFORCE++-baseline',
  source: 'arXiv 2501.03262',
  differs: 'REINFORCE++, after subtracting each prompt’s mean.',
  baseline: { kind: 'group', key: ['prompt', 'seat'], center: 'mean', scale: 'batch-std' },
  loss: { kind: 'clipped', clip: [0.2, 0.2], aggregation: 'token-mean', kl: { weight: 0.01, estimate: 'k2', refresh: null } },
};

/** A critic of turns instead of a group. */
export const ppoTurns: Recipe = {
  ...usual,
  name: 'ppo-turns',
  method: 'PPO with a critic of turns',
  source: 'Proximal policy optimisation (arXiv 1707.06347), GAE (arXiv 1506.02438)',
  differs: 'The critic is a table of returns by turn; one advantage per turn; four epochs.',
  omits: 'A critic that is a network: it is a table of texts.',
  assignment: { kind: 'critic', discount: 1 },
  baseline: { kind: 'value', level: 'turn', discount: 1, trace: 0.95 },
  loss: {
    kind: 'clipped',
    clip: [0.2, 0.2],
    epochs: 4,
    aggregation: 'sequence-mean-token-mean',
    kl: { weight: 0.001, estimate: 'k3', refresh: null },
  },
  rollout: { kind: 'iid' },
};

/** A critic that judges every token. */
export const ppoTokens: Recipe = {
  ...usual,
  name: 'ppo-tokens',
  method: 'PPO with a critic of tokens',
  source: 'Proximal policy optimisation (arXiv 1707.06347), GAE (arXiv 1506.02438)',
  differs: 'As ppo-turns, token by token, for learners with such a critic.',
  omits: 'A critic that is a network: it is a table of texts.',
  assignment: { kind: 'critic', discount: 1 },
  baseline: { kind: 'value', level: 'token', discount: 1, trace: 0.95 },
  loss: { kind: 'clipped', clip: [0.2, 0.2], epochs: 4, aggregation: 'token-mean', kl: { weight: 0.001, estimate: 'k3', refresh: null } },
  rollout: { kind: 'iid' },
};

/** Estimates advantages over turns first, and then over the tokens of each turn by the turn's return. */
export const ragenTwoLevel: Recipe = {
  ...usual,
  name: 'ragen-two-level',
  method: 'RAGEN with two levels of GAE',
  source: 'RAGEN (arXiv 2504.20073)',
  differs: 'As ppo-tokens, after a first level over turns with its own discount.',
  omits: 'A critic that is a network: it is a table of texts.',
  assignment: { kind: 'critic', discount: 0.95 },
  baseline: { kind: 'value', level: 'two-level', discount: 1, trace: 1 },
  loss: { kind: 'clipped', clip: [0.2, 0.28], aggregation: 'token-mean' },
  rollout: { kind: 'iid' },
};

/** Leave-one-out advantages, and a clip that is symmetric by ratio. */
export const loop: Recipe = {
  ...usual,
  name: 'loop',
  method: 'LOOP',
  source: 'arXiv 2502.01600',
  differs: 'RLOO’s advantages, clipped to [1/1.1, 1.1], no reference, two epochs.',
  baseline: { kind: 'group', key: ['prompt', 'seat'], center: 'leave-one-out', scale: 'none' },
  loss: { kind: 'log-clipped', clip: [0.1, 0.1], epochs: 2, aggregation: 'sequence-mean-token-mean' },
  rollout: { kind: 'group', size: 6 },
};

/** Failures become the tasks of the next phase, a learned model decides success, and the update is kept near the last phase. */
export const webrl: Recipe = {
  ...usual,
  name: 'webrl',
  method: 'WebRL',
  source: 'arXiv 2411.02337',
  differs:
    'A squared distance of log-ratios from advantages, with the policy of the last phase as the reference, and replay of steps neither new nor old. Tasks of a phase are neighbors of those that failed in the previous one (the teacher "failures"). A reward model that is trained alongside the policy (rewardModel) decides outcomes.',
  omits: 'Tasks in free text and web pages: tasks vary the parameters of any environment; the outcome model reads words and is small.',
  assignment: { kind: 'critic', discount: 1 },
  baseline: { kind: 'value', level: 'turn', discount: 1, trace: 0.5 },
  // The reference is renewed with each phase; the loss itself constrains log-ratios to it, so no other penalty is needed.
  loss: { kind: 'squared', aggregation: 'sequence-mean-token-sum', beta: 1, kl: { weight: 0, estimate: 'k1', refresh: 10 } },
  replay: { kind: 'band', low: 0.5, high: 0.95 },
  curriculum: { kind: 'teacher', teacher: 'failures', parameters: { dials: [1, 12] } },
  rewardModel: { rule: 'return>=1', labels: 0.25, updates: 10 },
  training: { environment: 'lock', optimiser: 'adam', rate: { from: 0.1, to: 0.1 }, games: 6400, batch: 64, learner: 'table' },
};
