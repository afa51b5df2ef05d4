/**
 * @file A reward model trained alongside the policy (UI-Genie, arXiv 2505.21496; the outcome model of WebRL, arXiv 2411.02337). A rule
 * labels episodes; after every few updates the model is trained again on them, with negatives by corruption and continuation and with its
 * own false positives. Held-out labels determine its trust card. While the card's grade is C, the rule pays everything; otherwise the model
 * pays, and the rule only labels a share of the episodes.
 */

import { momentsOf } from '@ludus-agents/evaluation/internal/scoring/reward-model/features';
import type { RewardCard } from '@ludus-agents/evaluation/internal/scoring/reward-model/reward-card';
import type { RewardExample, RewardModelFile, RewardWeights } from '@ludus-agents/evaluation/internal/scoring/reward-model/reward-model';
import {
  chanceOfGood,
  chancesByStep,
  sparse,
  trainedReward,
  trainSteps,
  weightsIn,
} from '@ludus-agents/evaluation/internal/scoring/reward-model/reward-model';
import { type JsonObject, rng, type Seat, type Seed } from '@ludus-agents/kernel/internal/core/index';
import { settingAt } from '../rl/channels.ts';
import type { GuidedLessons, LessonGuide, PlayedBatch } from '../rl/lesson-guide.ts';
import type { RewardModelSettings } from '../rl/recipe.ts';
import type { PlayedEpisode } from '../rl/rollouts.ts';
import type { EpisodeSample } from '../rl/samples.ts';

export interface RewardParts {
  readonly settings: RewardModelSettings;
  /** The rule's verdict on an episode: by any score, or by its return. */
  readonly rule: (played: PlayedEpisode) => Promise<boolean>;
  readonly name: string;
  readonly environment: string;
  readonly seat: Seat;
  readonly seed: Seed;
  readonly say: (sentence: string) => void;
  /** Receives the model after each training. */
  readonly keep?: (file: RewardModelFile) => void;
}

type Labelled = RewardExample & { readonly held: boolean };

/** The maximum number of remembered labeled episodes of each class: the newest. */
const most = 400;
/** The share of them reserved for the trust card. */
const heldOut = 1 / 3;

export class RewardGuide implements LessonGuide {
  readonly name = 'reward model';
  readonly #parts: RewardParts;
  #labelled: readonly Labelled[] = [];
  #file: RewardModelFile | null = null;
  /** The current model's weights; rebuilt from its file. */
  #weights: RewardWeights | null = null;
  /** The weights of the step model, if the settings ask for one. */
  #steps: RewardWeights | null = null;
  /** The number of episodes labeled by the rule so far. */
  #spent = 0;
  /** False positives since the model was last trained. */
  #fooled = 0;

  constructor(parts: RewardParts) {
    this.#parts = parts;
  }

  /** The model's trust card; null before there was enough training data. */
  get card(): RewardCard | null {
    return this.#file?.card ?? null;
  }

  async lessons({ update, done, played, episodes }: PlayedBatch): Promise<GuidedLessons> {
    const { settings, seat, seed, rule } = this.#parts;
    if (update > 0 && update % settings.updates === 0) this.#learn(update);
    const trusted = this.#weights !== null && this.#file !== null && this.#file.card.grade !== 'C';
    const { budget = Number.POSITIVE_INFINITY } = settings;
    const usesModel = trusted && settings.pays !== 'rule';
    const share = trusted || settings.budget !== undefined ? settingAt(settings.labels, done) : 1;
    const out: PlayedEpisode[] = [];
    let [labelled, good, agreed, steps] = [0, 0, 0, 0];
    const news: Labelled[] = [];
    for (const [i, playedEpisode] of played.entries()) {
      const dice = rng(seed, 'labels', update, i);
      const moments = momentsOf(playedEpisode.log, seat);
      const rated = trusted && this.#weights !== null && chanceOfGood(this.#weights, moments) >= 0.5;
      const isChecked = dice.next() < share && this.#spent < budget;
      const label = isChecked ? await rule(playedEpisode) : null;
      if (label !== null) {
        labelled++;
        this.#spent++;
        agreed += label === rated ? 1 : 0;
        if (rated && !label) this.#fooled++;
        // The model's false positives are added twice: they are the hardest negatives.
        const row: Labelled = { moments, good: label, held: dice.next() < heldOut };
        news.push(row, ...(rated && !label && !row.held ? [row] : []));
      }
      const isGood = usesModel ? rated : label === true;
      good += isGood ? 1 : 0;
      // Episodes without a verdict of the model or the rule are not trained on.
      if (!usesModel && label === null) continue;
      const paidSample = payOutcome(episodes[i], isGood ? 1 : 0);
      const chances = usesModel && this.#steps !== null ? chancesByStep(this.#steps, moments) : [];
      const isByStep = chances.length === paidSample.turns.length + 1;
      steps += isByStep ? paidSample.turns.length : 0;
      out.push({ ...playedEpisode, sample: isByStep ? paySteps(paidSample, chances, settings.steps ?? 0) : paidSample });
    }
    this.#remember(news);
    const figures = { labelled, rated: good, trusted: usesModel ? 1 : 0, ...(trusted && { agreed }) };
    const judged = withCompany(out, episodes);
    return {
      episodes: judged.map(({ sample }) => sample),
      played: judged,
      figures: settings.steps === undefined ? figures : { ...figures, 'steps paid': steps },
    };
  }

  write(): JsonObject {
    return { labelled: this.#labelled, file: this.#file, fooled: this.#fooled, spent: this.#spent };
  }

  read(from: JsonObject): void {
    this.#labelled = from['labelled'] as readonly Labelled[];
    this.#file = from['file'] as RewardModelFile | null;
    this.#use();
    this.#fooled = from['fooled'] as number;
    this.#spent = (from['spent'] as number | undefined) ?? 0;
  }

  #use(): void {
    const { weights = null, steps = null } = this.#file ?? {};
    this.#weights = weights === null ? null : weightsIn(weights);
    this.#steps = steps === null ? null : weightsIn(steps);
  }

  #remember(news: readonly Labelled[]): void {
    const all = [...this.#labelled, ...news];
    const spare = { good: Math.max(0, all.filter(({ good }) => good).length - most), bad: 0 };
    spare.bad = Math.max(0, all.filter(({ good }) => !good).length - most);
    this.#labelled = all.filter(({ good }) => spare[good ? 'good' : 'bad']-- <= 0);
  }

  #learn(update: number): void {
    const { name, environment, seat, seed, settings, say, keep } = this.#parts;
    const labelleds = this.#labelled.filter((labelled) => labelled.held);
    const visibleLabelleds = this.#labelled.filter((labelled) => !labelled.held);
    // Training and held-out data must both contain good and bad episodes.
    if (![labelleds, visibleLabelleds].every((side) => side.some(({ good }) => good) && side.some(({ good }) => !good))) return;
    const modelSeed = rng(seed, 'reward model', update).int(2 ** 32);
    const { weights, card } = trainedReward({
      shown: visibleLabelleds,
      held: labelleds,
      seed: modelSeed,
      corrupt: settings.negatives !== 'plain',
    });
    const steps = settings.steps === undefined ? {} : { steps: sparse(trainSteps(visibleLabelleds, modelSeed)) };
    this.#file = { kind: 'ludus-reward-model', name, environment, seat, rule: settings.rule, weights, ...steps, card };
    this.#use();
    const fooled = this.#fooled === 0 ? '' : ` It had taken ${this.#fooled} bad episodes for good, and has learned from them.`;
    this.#fooled = 0;
    say(`Reward model after update ${update}, ${card.grade}: ${card.reasons.join(' ')}${fooled}`);
    keep?.(this.#file);
  }
}

/** The episode with only the given outcome as its reward, at the end. Penalties are unchanged. */
function payOutcome(sample: EpisodeSample, outcome: number): EpisodeSample {
  const fined = sample.turns.reduce((sum, { penalty }) => sum + penalty, 0);
  const turns = sample.turns.map((turn, i) => ({ ...turn, reward: i === sample.turns.length - 1 ? outcome : 0 }));
  return { ...sample, turns, returned: outcome - fined };
}

/** Rewards every turn by the increase in the predicted chance of success, besides the outcome. */
function paySteps(sample: EpisodeSample, chances: readonly number[], weight: number): EpisodeSample {
  const turns = sample.turns.map((turn, t) => ({ ...turn, reward: turn.reward + weight * (chances[t + 1] - chances[t]) }));
  return { ...sample, turns };
}

/** Drops episodes that are alone in their group, and so cannot be compared. */
function withCompany(rest: readonly PlayedEpisode[], all: readonly EpisodeSample[]): readonly PlayedEpisode[] {
  if (rest.length === all.length) return rest;
  const keyOf = ({ prompt, seat }: EpisodeSample) => `${prompt}/${seat}`;
  const before = Object.groupBy(all, keyOf);
  const after = Object.groupBy(rest, ({ sample }) => keyOf(sample));
  return rest.filter(({ sample }) => (after[keyOf(sample)]?.length ?? 0) > 1 || before[keyOf(sample)]?.length === 1);
}
