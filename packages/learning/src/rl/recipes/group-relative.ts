/** @file Recipes that compare episodes of one prompt with each other: GRPO and its relatives. */

import type { Recipe } from '../recipe.ts';
import { kuhn, ladderPool, meanOnly, usual, zScore } from './parts.ts';

/** Episodes of one prompt are compared with each other: no critic, a mean and a deviation. */
export const grpo: Recipe = {
  ...usual,
  name: 'grpo',
  method: 'GRPO',
  source: 'DeepSeekMath (arXiv 2402.03300)',
  differs: 'The first of its family. Biased wherever a prompt hides something from the policy, such as a deal.',
  omits: 'Large models; several gradient steps over one batch are minibatches of one epoch.',
  baseline: zScore,
  loss: {
    kind: 'clipped',
    clip: [0.2, 0.2],
    minibatches: 4,
    aggregation: 'sequence-mean-token-mean',
    kl: { weight: 0.001, estimate: 'k3', refresh: null },
  },
};

/** GRPO without its two biases: no deviation, and a constant instead of each answer’s length. */
export const drGrpo: Recipe = {
  ...usual,
  name: 'dr-grpo',
  method: 'Dr. GRPO',
  source: 'Understanding R1-Zero-like training (arXiv 2503.20783)',
  differs: 'GRPO without dividing by the deviation or the length; one epoch in one step, as released.',
  baseline: meanOnly,
  loss: { kind: 'clipped', clip: [0.2, 0.2], aggregation: 'constant', length: 1 },
};

/** Clip higher than lower, count tokens alike, leave out groups that teach nothing. */
export const dapo: Recipe = {
  ...usual,
  name: 'dapo',
  method: 'DAPO',
  source: 'arXiv 2503.14476',
  differs:
    'GRPO with a higher upper clip, token means, mixed groups only and no reference; eight steps per update, one prompt each; the paper makes sixteen.',
  omits: 'Sampling on until a batch is full of mixed groups; the cost of overlong answers.',
  baseline: zScore,
  loss: { kind: 'clipped', clip: [0.2, 0.28], minibatches: 8, aggregation: 'token-mean' },
  rollout: { kind: 'group', size: 16 },
  curriculum: { kind: 'mixed' },
  // Groups of sixteen poker hands never have equal results; groups of sixteen tries at a lock often do.
  training: { ...kuhn, environment: 'lock', task: { dials: 2 }, games: 12_800 },
};

/** Tokens sampled by an older policy are weighted by their current likelihood, up to a cap. */
export const dart: Recipe = {
  ...usual,
  name: 'dart',
  method: 'DART (rollouts by success, truncated importance sampling)',
  source: 'arXiv 2509.23866',
  differs:
    'DAPO’s update under importance weights capped at 2; a task of the pool that succeeds in more than six of ten episodes gets fewer, down to two, with at most twice the turns of its longest success. A task whose whole group fails gets its earlier success.',
  omits: 'Training on high-entropy steps alone; the scheduling of workers is the loop’s.',
  baseline: zScore,
  loss: { kind: 'clipped', clip: [0.2, 0.28], aggregation: 'token-mean' },
  rollout: { kind: 'adaptive', size: 8, least: 2, above: 0.6, longer: 2 },
  replay: { kind: 'inject', keep: 4 },
  curriculum: { kind: 'learnable' },
  importance: 2,
  training: { ...ladderPool, ahead: 1 },
};

/** Advantages are normalized separately for every agent of a team. */
export const drMas: Recipe = {
  ...usual,
  name: 'dr-mas',
  method: 'Dr. MAS',
  source: 'arXiv 2602.08847',
  differs: 'GRPO within prompt and seat, every turn of an agent being a sample.',
  omits: 'A separate model for each agent.',
  assignment: { kind: 'return-to-go', discount: 1 },
  baseline: zScore,
  loss: { kind: 'clipped', clip: [0.2, 0.2], aggregation: 'sequence-mean-token-mean' },
};

/** Assigns the outcome of the whole system to every call of its planner. */
export const flowGrpo: Recipe = {
  ...usual,
  name: 'flow-grpo',
  method: 'Flow-GRPO (AgentFlow)',
  source: 'arXiv 2510.05592',
  differs: 'GRPO with a higher upper clip; groups are of episodes, where the released code pools turns.',
  omits: 'Nothing of the flow with training.team and training.member; without them the learner’s seat is the planner.',
  baseline: zScore,
  loss: {
    kind: 'clipped',
    clip: [0.2, 0.3],
    minibatches: 4,
    aggregation: 'sequence-mean-token-mean',
    kl: { weight: 0.001, estimate: 'k3', refresh: null },
  },
};

/** Only the groups whose outcomes vary most. */
export const starpoS: Recipe = {
  ...usual,
  name: 'starpo-s',
  method: 'StarPO-S',
  source: 'RAGEN (arXiv 2504.20073)',
  differs: 'GRPO with a higher upper clip, on the quarter of groups with the largest deviation, without a reference.',
  omits: 'The critic of its PPO variant.',
  baseline: zScore,
  loss: { kind: 'clipped', clip: [0.2, 0.28], aggregation: 'token-mean' },
  rollout: { kind: 'group', size: 16 },
  curriculum: { kind: 'spread', share: 0.25 },
};

/** Entropy is kept in a band around its own past. */
export const epo: Recipe = {
  ...usual,
  name: 'epo',
  method: 'EPO',
  source: 'arXiv 2509.22576',
  differs: 'A hinge that has a gradient, where the released penalty has none.',
  baseline: zScore,
  loss: {
    kind: 'clipped',
    clip: [0.2, 0.2],
    aggregation: 'sequence-mean-token-mean',
    entropy: { from: 0.001, to: 0.001 },
    band: { low: 0.8, high: 1.2, weight: 0.1 },
  },
  // In poker, the entropy stays within the band.
  training: { ...kuhn, environment: 'lock', task: { dials: 2 }, rate: { from: 0.2, to: 0.1 }, games: 6400, batch: 64 },
};

/** Own successes are imitated, with a weight that grows during training. */
export const spear: Recipe = {
  ...usual,
  name: 'spear',
  method: 'SPEAR',
  source: 'arXiv 2509.22601',
  differs: 'Dr. GRPO on the groups that differ most, and self-imitation of returns above the median.',
  omits: 'The falling reward for tool calls, and clipping by covariance.',
  baseline: meanOnly,
  loss: { kind: 'clipped', clip: [0.2, 0.28], aggregation: 'constant', length: 1, dual: 10 },
  replay: { kind: 'imitate', room: 2048, age: 5, rise: 200 },
  curriculum: { kind: 'spread', share: 0.75 },
};

/** If a whole group fails, a past success replaces one episode. */
export const arpoGui: Recipe = {
  ...usual,
  name: 'arpo-gui',
  method: 'ARPO (GUI replay)',
  source: 'github.com/dvlab-research/ARPO',
  differs:
    'GRPO with a buffer of eight successes a task, on the tasks of a pool of 64 that were won at least once, and not always, in a first pass of sixteen tries in which nothing is learned.',
  omits: 'Screens.',
  baseline: zScore,
  loss: { kind: 'clipped', clip: [0.2, 0.3], aggregation: 'sequence-mean-token-mean' },
  replay: { kind: 'inject', keep: 8 },
  curriculum: { kind: 'first-pass', tasks: 64, tries: 16, above: 0, below: 1 },
  training: ladderPool,
};

/** Solved tasks are retired, and failures are replaced by the latest success. */
export const rapo: Recipe = {
  ...usual,
  name: 'rapo',
  method: 'RAPO (Fathom)',
  source: 'arXiv 2509.24107',
  differs:
    'GRPO with one success a task, tasks pruned at nine in ten, and advantages scaled up by the share of groups that teach nothing; two steps per update.',
  omits: 'Labels of single searches as new or redundant.',
  baseline: zScore,
  loss: { kind: 'clipped', clip: [0.2, 0.2], minibatches: 2, aggregation: 'sequence-mean-token-mean' },
  rollout: { kind: 'group', size: 5 },
  replay: { kind: 'inject', keep: 1, rescale: true },
  curriculum: { kind: 'unsolved', share: 0.9 },
  training: ladderPool,
};

/** Imitation gives way to reinforcement along a cosine. */
export const chord: Recipe = {
  ...usual,
  name: 'chord',
  method: 'CHORD (DataMind)',
  source: 'github.com/zjunlp/DataMind',
  differs: 'DAPO’s selection and a share of imitation from .9 to .05.',
  omits: 'Weights of single tokens in imitation.',
  baseline: zScore,
  loss: { kind: 'clipped', clip: [0.2, 0.2], aggregation: 'sequence-mean-token-mean', imitation: { from: 0.9, to: 0.05, updates: 350 } },
  curriculum: { kind: 'mixed' },
};

/** Plays twice as many episodes as it keeps: successes by cleanliness, failures in order. */
export const grpoRoc: Recipe = {
  ...usual,
  name: 'grpo-roc',
  method: 'GRPO-RoC (rStar2-Agent)',
  source: 'arXiv 2508.20722',
  differs: 'GRPO with a higher upper clip on the resampled half.',
  baseline: zScore,
  loss: { kind: 'clipped', clip: [0.2, 0.28], aggregation: 'token-mean' },
  rollout: { kind: 'resample', size: 32, keep: 16 },
  curriculum: { kind: 'mixed' },
};

/** Short episodes first, longer ones by stages. */
export const scalingInter: Recipe = {
  ...usual,
  name: 'scaling-inter',
  method: 'ScalingInter-RL',
  source: 'AgentGym-RL (arXiv 2509.08755)',
  differs: 'GRPO under a cap on turns that grows every hundred updates.',
  omits: 'Its many environments.',
  baseline: zScore,
  loss: {
    kind: 'clipped',
    clip: [0.2, 0.2],
    aggregation: 'sequence-mean-token-mean',
    kl: { weight: 0.001, estimate: 'k3', refresh: null },
  },
  rollout: { kind: 'group', size: 4 },
  curriculum: { kind: 'horizon', turns: [10, 20, 30], every: 100 },
  // Poker hands end long before ten turns; games on a slippery lake do not.
  training: { ...kuhn, environment: 'frozen-lake', games: 38_400 },
};

/** A simulated user in the loop, whose messages are input and not trained on. */
export const muaRl: Recipe = {
  ...usual,
  name: 'mua-rl',
  method: 'MUA-RL',
  source: 'arXiv 2508.18669',
  differs:
    'GRPO on the clerk of service-desk, whose customer is a script: its words are in no row. A small language model imitates the gold calls of one scenario first; the paper has a large one, a language model as the user, and many scenarios.',
  omits: 'A language model as the user, many scenarios, a large model.',
  baseline: zScore,
  loss: {
    kind: 'clipped',
    clip: [0.2, 0.2],
    aggregation: 'sequence-mean-token-mean',
    kl: { weight: 0.02, estimate: 'exact', refresh: null },
    norm: 1,
  },
  training: {
    environment: 'service-desk',
    task: {
      kind: 'information',
      number: 0,
      forgetful: 0,
      terse: 0,
      chatter: 0,
      insist: 0,
      customers: 2,
      orders: 1,
      messages: 16,
      errors: 4,
    },
    optimiser: 'adam',
    squares: 0.99,
    rate: { from: 2e-4, to: 5e-5 },
    ramp: 3,
    games: 768,
    batch: 64,
    learner: 'transformer',
    sizes: { width: 32, layers: 1, heads: 4, context: 160, answer: 40, vocabulary: 1024 },
    warmUp: { script: 'gold', games: 48, steps: 130, rate: 3e-3, rows: 24 },
  },
};
