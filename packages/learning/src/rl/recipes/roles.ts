/** @file Recipes whose learner is more than one policy for all seats. */

import type { Recipe } from '../recipe.ts';
import { kuhn, usual } from './parts.ts';

/** One learner for each role, and one critic along the chain of their turns. */
export const marft: Recipe = {
  ...usual,
  name: 'marft',
  method: 'MARFT (one learner for each role)',
  source: 'arXiv 2504.16129',
  differs:
    'PPO with a learner for each seat and one critic over the chain of all their turns, in the order they act: the value that follows a turn is that of whoever acts next. roles.alternate trains one role at a time and freezes the others.',
  omits:
    'Adapters in every layer, except on a server, where every role is an adapter of one base model. In this process, a role is a whole table or network, or, with --set training.learner=transformer and --set roles.shared=true, a head on a frozen trunk that imitation trained. Rewards come at the end of a game.',
  assignment: { kind: 'critic', discount: 0.99 },
  roles: { kind: 'own' },
  baseline: { kind: 'value', level: 'turn', discount: 0.99, trace: 0.95, joint: true },
  loss: { kind: 'clipped', clip: [0.2, 0.2], aggregation: 'sequence-mean-token-mean', entropy: { from: 0.05, to: 0.001 } },
  rollout: { kind: 'iid' },
  training: { ...kuhn, environment: 'hanabi-tiny', games: 40_000, rate: { from: 0.03, to: 0.003 } },
};

/** The type of the opponent, one of a few, from a seat's own observations. */
export const clam: Recipe = {
  ...usual,
  name: 'clam',
  method: 'CLAM (opponents embedded by contrast)',
  source: 'arXiv 2401.00132',
  differs:
    'A running baseline, and a policy that sees only which of a few kinds its opponent resembles. An encoder of its observations learns by InfoNCE on two parts of one episode, without reward.',
  omits:
    'Attention and a policy that reads the embedding itself: the encoder is linear in what was observed, and the policy reads the nearest kind.',
  roles: { kind: 'opponents', codes: 8, reads: 0 },
  assignment: { kind: 'return-to-go', discount: 1 },
  baseline: { kind: 'running', key: ['state', 'turn'], decay: 0.9 },
  loss: { kind: 'policy-gradient', aggregation: 'sequence-mean-token-sum', entropy: { from: 0.1, to: 0.003 } },
  rollout: { kind: 'iid' },
  training: {
    ...kuhn,
    environment: 'dilemma',
    task: { game: 'pennies', rounds: 8 },
    opponents: 'allc,alld',
    games: 6400,
    batch: 32,
    rate: { from: 0.1, to: 0.01 },
  },
};

/** Public goods games in which giving pays with up to three seats, and not with more. */
const goods = (players: number) => ({ game: 'goods', rounds: 1, endowment: 4, multiplier: 3.5, players });

/** A set of latent strategies for one family of games with different numbers of seats. */
export const mra: Recipe = {
  ...usual,
  name: 'mra',
  method: 'MRA (a set of policies for varying numbers of seats)',
  source: 'arXiv 2108.12988',
  differs:
    'The observation does not reveal the number of seats; a latent strategy does. Each task has its own, and one seat in five plays a random one. At the end, each latent strategy is tested with other numbers of seats.',
  omits:
    'The bound on mutual information, and a gradient step on the latent strategy at the test: strategies differ because each task has its own.',
  roles: { kind: 'set', size: 2, reads: 0, held: [goods(3), goods(5)] },
  baseline: { kind: 'running', key: ['prompt', 'state'], decay: 0.9 },
  loss: { kind: 'policy-gradient', aggregation: 'sequence-mean-token-sum', entropy: { from: 0.3, to: 0.003 } },
  rollout: { kind: 'iid' },
  training: {
    ...kuhn,
    environment: 'dilemma',
    tasks: [goods(2), goods(6)],
    games: 6400,
    batch: 16,
    rate: { from: 0.05, to: 0.01 },
  },
};

/** Frozen skills under a controller that learns within a match. */
export const skillController: Recipe = {
  ...usual,
  name: 'skill-controller',
  method: 'Robot table tennis (skills under a controller)',
  source: 'arXiv 2408.03906',
  differs:
    'A gradient bandit over fixed agents: it starts from their results against known opponents, and learns after every episode against a new one. A match is a run, so its curve is the curve of adaptation.',
  omits: 'Robots; the skills are any agents, and one is chosen for a whole episode.',
  roles: { kind: 'skills', skills: ['allc', 'alld', 'tit-for-tat'], known: ['tit-for-tat', 'alld', 'grim'], weight: 1 },
  baseline: { kind: 'running', key: ['environment', 'seat'], decay: 0.8 },
  loss: { kind: 'policy-gradient', aggregation: 'sequence-mean-token-sum' },
  rollout: { kind: 'iid' },
  training: {
    ...kuhn,
    environment: 'dilemma',
    task: { rounds: 10 },
    seats: { first: 'learner', second: 'allc' },
    optimiser: 'sgd',
    games: 100,
    batch: 1,
    rate: { from: 0.02, to: 0.02 },
  },
};

/** The levels of decisions of team-volleyball, and how long each is trained alone. */
const volleyballStages = { skills: 300, strategy: 200, both: 100 };

/** Motions below a strategy: first each level alone, then both together, against a population of past selves. */
export const hcsp: Recipe = {
  ...usual,
  name: 'hcsp',
  method: 'HCSP (hierarchical co-self-play of strategies and motions)',
  source: 'arXiv 2505.04317',
  differs:
    'One learner for strategies and one for motions, in three stages: motions from drills, strategies by self-play over frozen motions, then both. A league of past selves, which hold both levels, plays the other team.',
  omits:
    'Flight of drones and continuous control: a motion is one of 35 hits, and the court is seen from the side. Both levels are tables. Skills are given by their targets.',
  roles: { kind: 'levels', levels: ['motion', 'strategy'], alone: [volleyballStages.skills, volleyballStages.strategy] },
  assignment: { kind: 'return-to-go', discount: 0.9 },
  baseline: { kind: 'running', key: ['state'], decay: 0.9 },
  loss: { kind: 'policy-gradient', aggregation: 'sequence-mean-token-sum', entropy: { from: 0.03, to: 0.003 } },
  rollout: { kind: 'iid' },
  phases: [
    { name: 'skills', updates: volleyballStages.skills, tasks: [{ drill: true }] },
    { name: 'strategy', updates: volleyballStages.strategy, tasks: [{}] },
    { name: 'both', updates: volleyballStages.both, tasks: [{}] },
  ],
  training: {
    ...kuhn,
    environment: 'team-volleyball',
    opponents: 'league',
    games: 64 * (volleyballStages.skills + volleyballStages.strategy + volleyballStages.both),
    batch: 64,
    rate: { from: 0.1, to: 0.02 },
  },
};
