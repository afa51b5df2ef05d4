/**
 * @file A learned reward model: how likely an episode is one that the rule would call good. Positives come from the rule; negatives are failed
 * episodes, good ones that are cut off before their decisive step, and good ones that go on in circles (UI-Genie, arXiv 2505.21496). What the
 * first model takes for good among more of such negatives is mixed back in.
 *
 * Differs: a logistic model of words in place of a large one; another task's episode is no negative, since the model does not read the task.
 */

import { Fault, hash, type Rng, rng, type Score, type Scorer, type Seat, type Seed } from '@ludus-agents/kernel/internal/core/index';
import { free } from '../scorer.ts';
import { featuresOf, type Moment, momentsOf, slots, stepFeaturesOf } from './features.ts';
import { type RewardCard, rewardCard } from './reward-card.ts';

/** An episode of a seat, with its label by the rule. */
export type RewardExample = {
  readonly moments: readonly Moment[];
  readonly good: boolean;
};

/** The model as it is kept in a file. */
export type RewardModelFile = {
  readonly kind: 'ludus-reward-model';
  readonly name: string;
  readonly environment: string;
  readonly seat: Seat;
  /** The rule that it learned from, in words. */
  readonly rule: string;
  /** Weights by slot; slots without one count nothing. */
  readonly weights: Readonly<Record<string, number>>;
  /** The same of the model of single steps, where one was asked for. */
  readonly steps?: Readonly<Record<string, number>>;
  readonly card: RewardCard;
};

export type RewardWeights = Float64Array;

/** How likely an episode is good, from 0 to 1. */
export function chanceOfGood(weights: RewardWeights, moments: readonly Moment[]): number {
  return sigmoid(featuresOf(moments).reduce((sum, slot) => sum + weights[slot], 0));
}

/** How likely the episode ends well after each own act, from before the first one on. */
export function chancesByStep(weights: RewardWeights, moments: readonly Moment[]): readonly number[] {
  return prefixesOf(moments).map((prefix) => sigmoid(stepFeaturesOf(prefix).reduce((sum, slot) => sum + weights[slot], 0)));
}

/** Weights of the model of single steps: what an episode has come to after each own act is labeled by how it ends. */
export function trainSteps(examples: readonly RewardExample[], seed: Seed): RewardWeights {
  const rows = examples.flatMap(({ moments, good }) => prefixesOf(moments).map((prefix) => ({ moments: prefix, good })));
  return fitWeights(rows, { seed, epochs: 12, read: stepFeaturesOf });
}

/** The prefixes of an episode: before the first own action, and up to each. */
function prefixesOf(moments: readonly Moment[]): readonly (readonly Moment[])[] {
  return [[], ...moments.flatMap(({ act }, i) => (act === true ? [moments.slice(0, i + 1)] : []))];
}

/** The episode without its last own act and all that follows: what it was good for is gone. */
export function withoutDecisive(moments: readonly Moment[]): readonly Moment[] {
  const at = moments.findLastIndex(({ own }) => own);
  return moments.slice(0, Math.max(0, at));
}

/** Cut off at an own act, at random. */
function truncateMoments(moments: readonly Moment[], dice: Rng): readonly Moment[] {
  const acts = moments.flatMap(({ own }, i) => (own ? [i] : []));
  return moments.slice(0, acts.length === 0 ? 0 : dice.pick(acts));
}

/** Continues with earlier acts, like an agent that did not notice the end. */
function continueMoments(moments: readonly Moment[], dice: Rng): readonly Moment[] {
  const acts = moments.filter(({ own }) => own);
  if (acts.length === 0) return moments;
  return [...moments, ...Array.from({ length: 1 + dice.int(3) }, () => dice.pick(acts))];
}

export interface RewardTraining {
  readonly examples: readonly RewardExample[];
  readonly seed: Seed;
  readonly epochs?: number;
  /** Rounds of mining: after each, negatives that are taken for good are mixed in. */
  readonly rounds?: number;
  /** Whether good episodes that are cut off, or go on in circles, are negatives too; true unless set. */
  readonly corrupt?: boolean;
}

/** The weights, and the number of hard negatives mined per round. */
export function trainReward({ examples, seed, epochs = 12, rounds = 2, corrupt: isCorrupting = true }: RewardTraining): {
  readonly weights: RewardWeights;
  readonly mined: readonly number[];
} {
  const good = examples.filter((example) => example.good);
  if (good.length === 0 || good.length === examples.length)
    throw new Fault(
      'input',
      `A reward model needs good and bad episodes, but ${good.length} of ${examples.length} are good by this rule. Choose another rule, or play more episodes.`,
    );
  const corrupt = (round: number) => {
    const dice = rng(seed, 'corruption', round);
    return good.flatMap(({ moments }) =>
      [withoutDecisive(moments), truncateMoments(moments, dice), continueMoments(moments, dice)].map(
        (otherMoments): RewardExample => ({ moments: otherMoments, good: false }),
      ),
    );
  };
  let rows = isCorrupting ? [...examples, ...corrupt(0)] : examples;
  let weights = fitWeights(rows, { seed, epochs });
  const mined: number[] = [];
  if (!isCorrupting) return { weights, mined };
  for (let round = 1; round <= rounds; round++) {
    const hard = corrupt(round).filter(({ moments }) => chanceOfGood(weights, moments) > 0.5);
    mined.push(hard.length);
    if (hard.length === 0) break;
    rows = [...rows, ...hard];
    weights = fitWeights(rows, { seed, epochs });
  }
  return { weights, mined };
}

/** Logistic regression by AdaGrad; both classes count alike. */
function fitWeights(
  rows: readonly RewardExample[],
  { seed, epochs, read: features = featuresOf }: { readonly seed: Seed; readonly epochs: number; readonly read?: typeof featuresOf },
): RewardWeights {
  const weights = new Float64Array(slots);
  const squares = new Float64Array(slots).fill(1e-8);
  const read = rows.map(({ moments, good }) => ({ features: features(moments), good }));
  const positives = read.filter(({ good }) => good).length;
  const share = { good: read.length / (2 * positives), bad: read.length / (2 * Math.max(1, read.length - positives)) };
  for (let epoch = 0; epoch < epochs; epoch++)
    for (const { features, good } of rng(seed, 'epoch', epoch).shuffle(read)) {
      const error = ((good ? 1 : 0) - sigmoid(features.reduce((sum, slot) => sum + weights[slot], 0))) * (good ? share.good : share.bad);
      for (const slot of features) {
        const gradient = error - 1e-3 * weights[slot];
        squares[slot] += gradient * gradient;
        weights[slot] += (0.3 * gradient) / Math.sqrt(squares[slot]);
      }
    }
  return weights;
}

/** A model from one part of the labelled episodes, with the card that the other part gives it. */
export function trainedReward({
  shown,
  held,
  ...how
}: {
  readonly shown: readonly RewardExample[];
  readonly held: readonly RewardExample[];
} & Pick<RewardTraining, 'seed' | 'corrupt'>): Pick<RewardModelFile, 'weights' | 'card'> {
  const { weights, mined } = trainReward({ examples: shown, ...how });
  const rate = ({ moments }: Pick<RewardExample, 'moments'>) => chanceOfGood(weights, moments);
  const good = held.filter((rewardExample) => rewardExample.good);
  const bad = held.filter((rewardExample) => !rewardExample.good).map(rate);
  if (good.length === 0 || bad.length === 0)
    throw new Fault(
      'input',
      `${good.length} of ${held.length} held-out episodes are good by this rule, but the card needs both good and bad ones. Play more episodes, or choose another rule.`,
    );
  const twins = good.map(({ moments }) => rate({ moments: withoutDecisive(moments) }));
  return { weights: sparse(weights), card: rewardCard({ good: good.map(rate), bad, twins, mined }) };
}

/** The weights of a file. */
export function weightsIn(saved: RewardModelFile['weights']): RewardWeights {
  const weights = new Float64Array(slots);
  for (const [slot, weight] of Object.entries(saved)) weights[Number(slot)] = weight;
  return weights;
}

/** The model of a file as a scorer like any other. Its card goes with every score. */
export function rewardScorer(file: RewardModelFile): Scorer {
  const weights = weightsIn(file.weights);
  const name = `reward/${file.name}`;
  const identity = hash(file);
  const { grade, auc } = file.card;
  const provenance = { scorer: name, hash: identity, card: `${grade}, AUC ${auc.value.toFixed(3)}` };
  return {
    name,
    tier: 'small',
    identity,
    async score({ episodes, seat }) {
      return episodes.map(({ events }): Score => {
        const moments = momentsOf(events, file.seat);
        const common = { name, evidence: [], scale: [0, 1] as const, cost: free, provenance, seat: file.seat };
        if ((seat !== undefined && seat !== file.seat) || moments.length === 0) return { ...common, value: null, status: 'not-applicable' };
        return { ...common, value: chanceOfGood(weights, moments), status: 'ok' };
      });
    },
  };
}

/** Weights for a file, without zeros. */
export function sparse(weights: RewardWeights): Readonly<Record<string, number>> {
  return Object.fromEntries([...weights].flatMap((weight, slot) => (weight === 0 ? [] : [[String(slot), Number(weight.toFixed(6))]])));
}

function sigmoid(value: number): number {
  return 1 / (1 + Math.exp(-value));
}
