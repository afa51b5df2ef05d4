/** @file Recipes that assign credit to single turns. */

import type { Baseline, Recipe } from '../recipe.ts';
import { kuhn, usual, zScore } from './parts.ts';

/** Critics of whole utterances, learned off policy; the actor follows them. */
export const archer: Recipe = {
  ...usual,
  name: 'archer',
  method: 'ArCHer',
  source: 'arXiv 2402.19446',
  differs:
    'Two pairs of critics with slow targets, learned from a replay of old policies’ utterances; the value of an observation is weighted by the current policy with importance sampling, instead of new utterances.',
  omits:
    'Separate critic networks: critics are tables of texts or, with --set training.learner=transformer and --set baseline.by=states, linear in the states of the playing network.',
  assignment: { kind: 'critic', discount: 0.95 },
  baseline: { kind: 'utterances', discount: 0.95, room: 1024, sweeps: 4 },
  loss: { kind: 'policy-gradient', aggregation: 'sequence-mean-token-sum' },
  rollout: { kind: 'iid' },
};

/** Episodes are compared by prompt, and turns by the state they were taken in. */
export const gigpo: Recipe = {
  ...usual,
  name: 'gigpo',
  method: 'GiGPO',
  source: 'arXiv 2505.10978',
  differs: 'GRPO’s mean and, added to it, that of visits to the same state.',
  baseline: {
    kind: 'group',
    key: ['prompt', 'seat'],
    center: 'mean',
    scale: 'none',
    plus: { key: ['prompt', 'state'], weight: 1, discount: 0.95 },
  },
  loss: { kind: 'clipped', clip: [0.2, 0.2], aggregation: 'sequence-mean-token-mean' },
};

/** Every turn is rewarded by how much likelier it makes the right answer. */
export const igpo: Recipe = {
  ...usual,
  name: 'igpo',
  method: 'IGPO',
  source: 'arXiv 2510.14967',
  differs:
    'The environment, which knows the answer, rewards the gain; the paper uses the policy’s probability. Normalized together with the outcome.',
  omits: 'The policy’s probability of the right answer (see igpo-own).',
  assignment: { kind: 'information-gain', discount: 1, by: 'world' },
  baseline: zScore,
  loss: {
    kind: 'clipped',
    clip: [0.2, 0.2],
    aggregation: 'sequence-mean-token-mean',
    kl: { weight: 0.001, estimate: 'k3', refresh: null },
  },
  rollout: { kind: 'group', size: 16 },
  training: { ...kuhn, environment: 'twenty-questions', task: { table: 'bits', turns: 6, wrong: 'ends', shaped: true }, games: 20_480 },
};

/** Episodes branch where the policy is uncertain. */
export const arpo: Recipe = {
  ...usual,
  name: 'arpo',
  method: 'ARPO (entropy branching)',
  source: 'arXiv 2507.19849',
  differs: 'GRPO over the leaves; branches are forks of the log.',
  omits: 'New starts in unused places of branches.',
  baseline: zScore,
  loss: { kind: 'clipped', clip: [0.2, 0.28], minibatches: 4, aggregation: 'sequence-mean-token-mean' },
  rollout: { kind: 'branch', size: 16, trunk: 8, chance: 0.5, slope: 0.2 },
};

/** Branches balanced against fresh starts, and a clip that keeps its gradient. */
export const aepo: Recipe = {
  ...usual,
  name: 'aepo',
  method: 'AEPO',
  source: 'arXiv 2510.14545',
  differs:
    'ARPO with the kept gradient. Four episodes probe the uncertainty of first and later turns and decide how many of the rest start over. Consecutive branches become less likely, and uncertain tokens count more.',
  omits: 'Entropies of whole distributions: a token’s surprise is taken, which is the entropy on average.',
  baseline: { ...zScore, entropy: 0.3 } as Baseline,
  loss: { kind: 'kept-gradient', clip: [0.2, 0.28], minibatches: 4, aggregation: 'token-mean' },
  rollout: { kind: 'branch', size: 16, trunk: 4, chance: 0.5, slope: 0.2, fatigue: 0.2, probe: true },
};

/** A checklist, credited to the turn that first meets each item. */
export const cm2: Recipe = {
  ...usual,
  name: 'cm2',
  method: 'CM2',
  source: 'github.com/namezhenzhang/CM2-RLCR-Tool-Agent',
  differs:
    'Each item of a checklist pays the turn that first meets it, next to nothing else; means by prompt and turn, under importance weights. Yours: assignment.by=./items.json, a scorer, a program, or judge=RUBRIC,MODEL.',
  omits: 'Items that a model writes for each task; tools that a model simulates are seats played by agents (training.seats).',
  assignment: {
    kind: 'checklist',
    by: 'checklist',
    reference: { checklist: ['counting', 'adding', 'carrying', 'multiplying'].map((topic) => ({ says: `ask ${topic}` })) },
  },
  baseline: { kind: 'group', key: ['prompt', 'turn'], center: 'mean', scale: 'none' },
  loss: { kind: 'clipped', clip: [0.2, 0.2], aggregation: 'constant', length: 1 },
  rollout: { kind: 'group', size: 32 },
  importance: 2,
  training: { ...kuhn, environment: 'tutor', seats: { tutor: 'learner' }, ahead: 1, games: 6400 },
};
