/** @file Recipes that learn from which of two episodes is better: DPO, KTO and their relatives. */

import type { Recipe } from '../recipe.ts';
import { kuhn, usual } from './parts.ts';

/** A language model in this process learns from which of its own episodes went better. */
export const lmDpo: Recipe = {
  ...usual,
  name: 'lm-dpo',
  method: 'Multi-turn DPO of a language model in this process, on pairs from play',
  source: 'arXiv 2409.02392',
  differs: 'Games of one deal against a random player are compared, and the reference is the policy that imitates random play.',
  baseline: { kind: 'none' },
  loss: { kind: 'preference', aggregation: 'sequence-mean-token-sum', beta: 0.3 },
  rollout: { kind: 'group', size: 4 },
  training: {
    ...kuhn,
    learner: 'transformer',
    opponents: 'random',
    rate: { from: 5e-4, to: 2e-4 },
    games: 38_400,
    batch: 256,
    warmUp: { games: 600, steps: 200, rate: 3e-3 },
  },
};

/** A language model in this process learns from which of its own episodes went better. */
export const lmKto: Recipe = {
  ...usual,
  name: 'lm-kto',
  method: 'Multi-turn KTO of a language model in this process, on good and bad games',
  source: 'arXiv 2409.02392',
  differs: 'Games of one deal against a random player are compared, and the reference is the policy that imitates random play.',
  baseline: { kind: 'none' },
  loss: { kind: 'desirability', aggregation: 'sequence-mean-token-sum', beta: 0.3 },
  rollout: { kind: 'group', size: 8 },
  training: {
    ...kuhn,
    learner: 'transformer',
    opponents: 'random',
    rate: { from: 5e-4, to: 2e-4 },
    games: 38_400,
    batch: 256,
    warmUp: { games: 600, steps: 200, rate: 3e-3 },
  },
};

/** Pairs of episodes, compared over the policy’s own tokens of all turns. */
export const mDpo: Recipe = {
  ...usual,
  name: 'm-dpo',
  method: 'Multi-turn DPO',
  source: 'arXiv 2409.02392',
  differs: 'DPO on sums over turns; the environment’s messages don’t count.',
  omits: 'Iterations with a refreshed reference.',
  baseline: { kind: 'none' },
  loss: { kind: 'preference', aggregation: 'sequence-mean-token-sum', beta: 0.1 },
  rollout: { kind: 'group', size: 2 },
};

/** Single episodes, good or bad, against a common level. */
export const mKto: Recipe = {
  ...usual,
  name: 'm-kto',
  method: 'Multi-turn KTO',
  source: 'arXiv 2409.02392',
  differs: 'As m-dpo without pairs.',
  baseline: { kind: 'none' },
  loss: { kind: 'desirability', aggregation: 'sequence-mean-token-sum', beta: 0.1 },
};

/** Log-ratios are trained towards the probability of winning against oneself. */
export const sppo: Recipe = {
  ...usual,
  name: 'sppo',
  method: 'SPPO',
  source: 'arXiv 2405.00675',
  differs:
    'A squared loss on the best and the worst of five, and a reference that is refreshed every ten updates; without that it is one step.',
  omits: 'The normaliser of the exact step, which the paper sets to a constant.',
  assignment: { kind: 'win-rate' },
  baseline: { kind: 'none' },
  loss: {
    kind: 'squared',
    aggregation: 'sequence-mean-token-sum',
    beta: 0.001,
    kl: { weight: 0, estimate: 'exact', refresh: 10 },
  },
  rollout: { kind: 'group', size: 5 },
};

/** The reward is the share of one’s own other answers that are beaten. */
export const spo: Recipe = {
  ...usual,
  name: 'spo',
  method: 'SPO',
  source: 'arXiv 2401.04056',
  differs: 'Mirror descent on win rates (assignment.by names a preference function); the guarantee is for the average of all policies.',
  assignment: { kind: 'win-rate' },
  baseline: { kind: 'group', key: ['prompt', 'seat'], center: 'mean', scale: 'none' },
  loss: { kind: 'policy-gradient', aggregation: 'sequence-mean-token-sum' },
  training: { ...kuhn, optimiser: 'mirror', rate: { from: 0.1, to: 0.1 } },
};

/** Of two replies, the one more faithful to the persona is preferred. */
export const apcDpo: Recipe = {
  ...usual,
  name: 'apc-dpo',
  method: 'APC-DPO',
  source: 'arXiv 2405.07726',
  differs:
    'DPO on pairs of own replies that APC tells apart: whether a reply says what the persona’s statements ask for, and contradicts none. The character is training.personas.SEAT; a language model plays chat.',
  omits: 'A large model of entailment: the scorer is the small one of its name.',
  assignment: { kind: 'checklist', by: 'apc' },
  baseline: { kind: 'none' },
  loss: { kind: 'preference', aggregation: 'sequence-mean-token-sum', beta: 0.1 },
  rollout: { kind: 'group', size: 2 },
  training: {
    ...kuhn,
    environment: 'character-quiz',
    task: {
      questions: [
        {
          ask: 'Are you an honest man?',
          answers: [
            { text: 'I am known in the garrison as an honest man.', worth: 1 },
            { text: 'I am not known in the garrison as an honest man.', worth: 0 },
          ],
        },
        {
          ask: 'Do you drink with everyone?',
          answers: [
            { text: 'I drink with everyone and I am never drunk.', worth: 1 },
            { text: 'I never drink with anyone.', worth: 0 },
          ],
        },
      ],
    },
    personas: { character: 'villain' },
    games: 1280,
  },
};
