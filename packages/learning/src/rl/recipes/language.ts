/** @file Recipes of language models in self-play through text: one environment, or several at once. */

import type { Recipe, Training } from '../recipe.ts';
import { grpo, muaRl } from './group-relative.ts';
import { usual } from './parts.ts';
import { leducTabular } from './tabular.ts';

/** Kuhn poker for a small language model: the settings shared by one environment and several. */
const alone: Training = {
  environment: 'kuhn-poker',
  optimiser: 'adam',
  squares: 0.99,
  rate: { from: 3e-3, to: 3e-4 },
  ramp: 100,
  games: 420_000,
  batch: 168,
  learner: 'transformer',
  sizes: { width: 32, layers: 1, heads: 4, context: 128, vocabulary: 1024 },
  warmUp: { games: 600, steps: 200, rate: 3e-3 },
};

/** On a server, as measured with 1.1 B parameters (docs/reference/gpu.md). */
const served = {
  'training.games': 819_200,
  'training.batch': 1024,
  'training.rate.from': 1e-4,
  'training.rate.to': 4e-6,
  'training.ramp': 10,
  'training.warmUp.steps': 60,
  'training.warmUp.rate': 2e-4,
  'loss.kl.follow.from': 0.01,
  'loss.kl.follow.to': 0.03,
};

/**
 * Its settings were chosen on seeds 1 to 17, 101, 206, 404, 8008 and 9301 to 9310 (docs/decisions/0019-one-graph-reads-all-texts.md); the
 * benchmark measures the result on other seeds.
 */
export const kuhnLm: Recipe = {
  ...usual,
  name: 'kuhn-lm',
  method: 'A language model in self-play through text: SPIRAL with a reference that follows slowly (EMAgnet)',
  source: 'SPIRAL (arXiv 2506.24119)',
  differs:
    'Imitation of random legal play first; deals are spread evenly and returns compared from the same position, hidden cards included; the reference moves part of the way at each update; the run ends with the mean of its weights over the last updates.',
  baseline: { kind: 'running', key: ['environment', 'position', 'opponents'], decay: 0.98 },
  loss: {
    kind: 'policy-gradient',
    aggregation: 'games',
    kl: { weight: { from: 0.7, to: 0.35 }, estimate: 'exact', refresh: null, follow: { from: 0.0024, to: 0.024 } },
    norm: 1,
  },
  rollout: { kind: 'even' },
  onServer: { ...served, 'loss.kl.weight.from': 1, 'loss.kl.weight.to': 0.5, 'training.average': 0.2 },
  training: { ...alone, average: 0.25 },
};

/** Leduc poker for a language model: its own probabilities at all 936 decisions, games on the tree, mirror steps learned by cross-entropy. */
export const leducLm: Recipe = {
  ...leducTabular,
  name: 'leduc-lm',
  method: 'A language model in self-play by magnetic mirror descent',
  differs:
    'As leduc-tabular, with the probabilities of a language model that reads the text of each decision; mirror steps are learned by cross-entropy, and the run ends with the mean of its weights over the last updates.',
  loss: {
    ...leducTabular.loss,
    step: { from: 0.2, to: 0.1 },
    kl: { weight: { from: 1, to: 0.1 }, estimate: 'exact', refresh: null, follow: { from: 0.003, to: 0.03 } },
    epochs: 6,
    minibatches: 8,
    norm: 1,
  },
  onServer: {
    'training.rate.from': 3e-4,
    'training.rate.to': 3e-5,
    'loss.epochs': 2,
    'loss.minibatches': 4,
    'training.warmUp.steps': 40,
    'training.warmUp.rate': 2e-4,
  },
  training: {
    ...alone,
    environment: 'leduc',
    games: 6_000_000,
    batch: 20_000,
    rate: { from: 2e-3, to: 2e-4 },
    sizes: { width: 64, layers: 1, heads: 4, context: 64, vocabulary: 1024 },
    warmUp: { games: 2000, steps: 300, rate: 3e-3, rows: 256 },
    average: 0.5,
    distill: 0.15,
  },
};

/** One model with one trunk in four environments at once; it is measured against fixed players. */
export const manyLm: Recipe = {
  ...kuhnLm,
  name: 'many-lm',
  method: 'One language model in four worlds at once: poker, tic-tac-toe, a dilemma, a bargain; against itself, and now and then an anchor',
  differs: 'As kuhn-lm in four environments. A move is credited with later rewards, and an illegal one with its penalty.',
  assignment: { kind: 'return-to-go', discount: 1, penalties: 'own' },
  rewards: { penalty: { weight: 3 } },
  baseline: { kind: 'running', key: ['environment', 'deal', 'seat', 'turn', 'opponents'], decay: 0.98 },
  loss: {
    kind: 'policy-gradient',
    aggregation: 'games',
    kl: { weight: { from: 0.4, to: 0.15 }, estimate: 'exact', refresh: null, follow: { from: 0.003, to: 0.01 } },
    norm: 1,
  },
  onServer: served,
  training: {
    ...alone,
    environments: [
      { environment: 'kuhn-poker', task: {}, scale: 1 },
      { environment: 'tic-tac-toe', task: {}, scale: 3, anchor: { script: 'minimax', share: 0.5 } },
      { environment: 'dilemma', task: { rounds: 3 }, scale: 0.2 },
      { environment: 'bargain', task: { mode: 'haggle', top: 10, turns: 4 }, scale: 0.3 },
    ],
    sizes: { width: 64, layers: 1, heads: 8, context: 128, vocabulary: 1280 },
    warmUp: { games: 24_000, steps: 2200, rate: 3e-3, rows: 128, slips: 0.05 },
    games: 128_000,
    batch: 256,
    rate: { from: 2e-3, to: 3e-4 },
    ramp: 60,
  },
};

/** The defender of a secret, against scripted visitors: one session with a small card, for a small model. */
export const privacyGuardLm: Recipe = {
  ...muaRl,
  name: 'privacy-guard-lm',
  method: 'GRPO of a small language model that keeps a secret',
  source: 'DeepSeekMath (arXiv 2402.03300)',
  differs: 'As mua-rl with the defender of privacy-guard, which imitates the perfect one for sixty steps.',
  omits: 'Many sessions: it is one.',
  training: {
    ...muaRl.training,
    environment: 'privacy-guard',
    task: { number: 3, benign: 0.5, secret: 'attribute', turns: 3, facts: 2, questions: 1, digits: 1 },
    seats: { defender: 'learner' },
    rate: { from: 1e-3, to: 5e-5 },
    games: 1280,
    sizes: { ...muaRl.training.sizes, context: 256 },
    warmUp: { script: 'perfect', games: 48, steps: 60, rate: 3e-3, rows: 24 },
  },
};

/** The clerk of service-desk, taught by a teacher with errors: reinforcement finds which of its two habits is rewarded. */
export const serviceDeskLm: Recipe = {
  ...muaRl,
  name: 'service-desk-lm',
  method: 'REINFORCE of a small language model at a service desk, after a teacher that errs',
  source: 'Williams (1992), Simple statistical gradient-following algorithms',
  differs:
    'As mua-rl without clips and groups; it imitates a script of gold calls that refuses in its place at three turns in twenty, so that about half of its episodes pass at first, and penalties for broken calls count a tenth.',
  omits: 'Many scenarios: it is one.',
  rewards: { environment: { weight: 1 }, penalty: { weight: 0.1 } },
  baseline: { kind: 'group', key: ['seat'], center: 'mean', scale: 'std' },
  loss: { kind: 'policy-gradient', aggregation: 'sequence-mean-token-sum', norm: 1 },
  rollout: { kind: 'iid' },
  training: {
    ...muaRl.training,
    rate: { from: 1e-3, to: 3e-4 },
    ramp: 5,
    games: 2560,
    warmUp: { script: 'gold', errs: { script: 'always-refuse', share: 0.15 }, games: 48, steps: 300, rate: 3e-3, rows: 24 },
  },
};

/** A browser: a language model imitates a solver that often gives up, then learns from success alone. */
export const webAgentR1: Recipe = {
  ...grpo,
  name: 'web-agent-r1',
  method: 'WebAgent-R1 (imitation, then multi-turn GRPO on sites)',
  source: 'arXiv 2505.16421',
  differs:
    'GRPO over whole episodes that are paid 1 or 0, played independently of each other, after imitation of a solver that gives up at half of its turns. For your pages: --environment ./mine.',
  omits:
    'Thoughts before an action (view.thoughts), and contexts that leave out earlier pages: everything must fit (training.sizes.context).',
  training: {
    environment: 'sites',
    task: { template: 'repository-star', worlds: 4, size: 6, possible: 'possible', auto: true, steps: 3 },
    optimiser: 'adam',
    learner: 'transformer',
    overlap: true,
    rate: { from: 1e-3, to: 3e-4 },
    games: 640,
    batch: 32,
    sizes: { width: 64, layers: 2, heads: 4, context: 512, answer: 24 },
    warmUp: { script: 'solver', errs: { script: 'idle', share: 0.5 }, games: 96, steps: 150, rate: 3e-3, rows: 32 },
  },
};
