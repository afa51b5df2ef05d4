/** @file Recipes for games about another environment: advice to a fixed player, discussions, chains of tasks. */

import type { Recipe } from '../recipe.ts';
import { kuhn, usual } from './parts.ts';

/** A small learner writes hints for a frozen player. */
export const rlAdapter: Recipe = {
  ...usual,
  name: 'rl-adapter',
  method: 'RLAdapter (a light adviser of a frozen player)',
  source: 'arXiv 2309.17176',
  differs:
    'The learner is the adviser of advice:ENVIRONMENT and earns the player’s reward. It sees what the player saw, and how many of its hints were followed. The player is any agent: --set training.seats.player=llm:….',
  omits: 'Hints in words, unless the learner writes; training statistics in the prompt: progress is the number of hints followed.',
  assignment: { kind: 'outcome' },
  baseline: { kind: 'running', key: ['environment', 'seat'], decay: 0.95 },
  loss: { kind: 'policy-gradient', aggregation: 'sequence-mean-token-sum', entropy: { from: 0.02, to: 0.001 } },
  rollout: { kind: 'iid' },
  training: {
    ...kuhn,
    environment: 'advice:lock',
    task: { dials: 3 },
    seats: { player: 'heeding' },
    rate: { from: 0.1, to: 0.02 },
    games: 6400,
    batch: 64,
  },
};

/** Answers, criticisms and scores are the only source of rewards. */
export const comas: Recipe = {
  ...usual,
  name: 'comas',
  method: 'CoMAS (rewards from discussion)',
  source: 'arXiv 2510.08529',
  differs:
    'All rewards come from the discussion of discussion:ENVIRONMENT: the answer earns its score, the criticism the rest to 1. Each seat has a separate learner; the scorer is any agent: --set training.seats.scorer=llm:…, or =learner.',
  omits:
    'Random speakers and several rounds: there is one answer, one criticism, and one score. A learning scorer earns no reward, so a table on its seat does not change.',
  assignment: { kind: 'outcome' },
  roles: { kind: 'own' },
  baseline: { kind: 'group', key: ['seat'], center: 'mean', scale: 'batch-std' },
  loss: { kind: 'clipped', clip: [0.2, 0.2], epochs: 2, aggregation: 'token-mean', kl: { weight: 0.001, estimate: 'k1', refresh: null } },
  rollout: { kind: 'iid' },
  training: {
    ...kuhn,
    environment: 'discussion:lock',
    task: { dials: 1, letters: 6 },
    seats: { scorer: 'knowing' },
    rate: { from: 0.1, to: 0.02 },
    games: 3200,
    batch: 64,
  },
};

/** Skills of one task are used in the next ones of its chain, and rewarded for it. */
export const sage: Recipe = {
  ...usual,
  name: 'sage',
  method: 'SAGE (skills across a chain of tasks)',
  source: 'arXiv 2512.17102',
  differs:
    'The learner plays chain:ENVIRONMENT: several tasks in one episode, with a library that is empty at first. What solved a task can be kept as a skill, and used in the next. A second channel (rewards.skills) rewards the turns that kept and used a skill that solved a later task.',
  omits: 'Skills as programs: a skill is the move that was made in each situation. Supervised data from a stronger model.',
  assignment: { kind: 'return-to-go', discount: 1 },
  view: { kind: 'latest' },
  rewards: { skills: { weight: 0.5, by: 'reused-skills' } },
  baseline: { kind: 'running', key: ['environment', 'seat', 'turn'], decay: 0.95 },
  loss: { kind: 'policy-gradient', aggregation: 'sequence-mean-token-sum', entropy: { from: 0.02, to: 0.001 } },
  rollout: { kind: 'iid' },
  training: {
    ...kuhn,
    environment: 'chain:lock',
    task: { chain: 4, dials: 2, family: [0, 1, 2, 3, 4, 5].map((combination) => ({ combination })) },
    rate: { from: 0.1, to: 0.02 },
    games: 3200,
    batch: 64,
  },
};
