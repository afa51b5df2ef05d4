/** @file Recipes in which several seats or past policies learn from each other. */

import type { Recipe } from '../recipe.ts';
import { kuhn, usual } from './parts.ts';

/** Kuhn poker in a league: the learner itself, past selves that are still hard, and fixed scripts. */
export const kuhnLeague: Recipe = {
  ...usual,
  name: 'kuhn-league',
  method: 'RAE with a refreshed reference, in a league',
  source: 'SPIRAL (arXiv 2506.24119), league training (Vinyals et al. 2019)',
  differs: 'As kuhn-rae by rollout, meeting past selves by rating and scripted anchors besides itself.',
  baseline: { kind: 'running', key: ['environment', 'seat'], decay: 0.95 },
  loss: { kind: 'policy-gradient', aggregation: 'sequence-mean-token-sum', kl: { weight: 0.5, estimate: 'exact', refresh: 50 } },
  rollout: { kind: 'iid' },
  training: { ...kuhn, opponents: 'league', rate: { from: 0.1, to: 0.005 }, games: 64_000 },
};

/** One policy on every seat, a running baseline for each. */
export const spiral: Recipe = {
  ...usual,
  name: 'spiral',
  method: 'SPIRAL',
  source: 'arXiv 2506.24119',
  differs: 'A running baseline for each seat, read before it is updated, which the paper’s text has the other way round; two epochs.',
  omits: 'Several games at once, and a large model.',
  baseline: { kind: 'running', key: ['environment', 'seat'], decay: 0.95 },
  loss: { kind: 'clipped', clip: [0.2, 0.2], epochs: 2, aggregation: 'constant', length: 1 },
  rollout: { kind: 'iid' },
};

/** Returns from each turn on, centered over the same seat of the same environment. */
export const marshal: Recipe = {
  ...usual,
  name: 'marshal',
  method: 'MARSHAL (MARS)',
  source: 'arXiv 2510.15414',
  differs: 'Means over samples, where the released code takes them over distinct values; no whitening of the whole batch afterwards.',
  assignment: { kind: 'return-to-go', discount: 1 },
  baseline: { kind: 'group', key: ['environment', 'seat'], center: 'mean', scale: 'none' },
  loss: { kind: 'clipped', clip: [0.2, 0.2], aggregation: 'token-mean', dual: 3, kl: { weight: 0.2, estimate: 'k3', refresh: null } },
  rollout: { kind: 'iid' },
};

/** Help is rewarded by the person's gain over their result alone. */
export const rlhg: Recipe = {
  ...usual,
  name: 'rlhg',
  method: 'RLHG (human gain)',
  source: 'arXiv 2401.16444',
  differs: 'The gain is measured against episodes without help, instead of a learned value.',
  omits: 'A person: the partner is an agent, and what it reaches alone is what it is paid with another agent in the learner’s place.',
  assignment: { kind: 'human-gain', by: 'partner-gain:alld' },
  baseline: { kind: 'running', key: ['environment', 'seat'], decay: 0.95 },
  loss: { kind: 'clipped', clip: [0.2, 0.2], aggregation: 'token-mean' },
  rollout: { kind: 'iid' },
  training: { ...kuhn, environment: 'dilemma', seats: { second: 'tit-for-tat' }, games: 12_800 },
};

/** Attacker and defender are one policy that plays both seats of a red team. */
export const selfRedTeam: Recipe = {
  ...usual,
  name: 'self-red-team',
  method: 'Self-RedTeam',
  source: 'arXiv 2506.07468',
  differs:
    'The environment labels what a guard model labels in the paper and pays its general sum; whitened over a batch and seat, without the step of imitation and without hidden thoughts.',
  baseline: { kind: 'group', key: ['seat'], center: 'mean', scale: 'std' },
  loss: { kind: 'policy-gradient', aggregation: 'constant', kl: { weight: 0.01, estimate: 'exact', refresh: null } },
  rollout: { kind: 'iid' },
  training: {
    environment: 'jailbreak',
    task: { listed: true, turns: 1 },
    // Both seats have scripts of the same names, which would otherwise play one of them.
    seats: { asker: 'learner', keeper: 'learner' },
    optimiser: 'adam',
    rate: { from: 0.05, to: 0.01 },
    games: 12_800,
    batch: 128,
  },
};
