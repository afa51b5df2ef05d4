/**
 * @file A reward model that learns next to the policy (UI-Genie, arXiv 2505.21496; the outcome model of WebRL, arXiv 2411.02337). A rule labels
 * episodes; after every few updates the model is learned again from them, with negatives by corruption and continuation and with those that it took
 * for good itself. Held-out labels make its trust card. While the card is a C the rule pays everything, since nobody should learn from a judge that
 * cannot be trusted; else the model pays, and the rule labels a share of the episodes only.
 */

import { momentsOf } from '@ludus-agents/evaluation/internal/scoring/reward-model/features';
import type { RewardCard } from '@ludus-agents/evaluation/internal/scoring/reward-model/reward-card';
import {
  chanceOfGood,
  chancesByStep,
  type RewardExample,
  type RewardModelFile,
  type RewardWeights,
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
  /** What the rule says of an episode: any score, or what was paid. */
  readonly rule: (played: PlayedEpisode) => Promise<boolean>;
  readonly name: string;
  readonly environment: string;
  readonly seat: Seat;
  readonly seed: Seed;
  readonly say: (sentence: string) => void;
  /** Receives the model each time that it was learned again. */
  readonly keep?: (file: RewardModelFile) => void;
}

type Labelled = RewardExample & { readonly held: boolean };

/** Labelled episodes of each sort that are remembered: the newest. */
const most = 400;
/** The share of them that only the card sees. */
const heldOut = 1 / 3;

export class RewardGuide implements LessonGuide {
  readonly name = 'reward model';
  readonly #parts: RewardParts;
  #labelled: readonly Labelled[] = [];
  #file: RewardModelFile | null = null;
  /** Of the model as it is; made again from its file. */
  #weights: RewardWeights | null = null;
  /** Of the model of single steps, where the settings ask for one. */
  #steps: RewardWeights | null = null;
  /** Episodes that the rule has labeled so far. */
  #spent = 0;
  /** Good by the model and not by the rule, since it was last learned. */
  #fooled = 0;

  constructor(parts: RewardParts) {
    this.#parts = parts;
  }

  /** What is known of the model; null before there was enough to learn from. */
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
        // What fooled the model is shown to it twice: its own errors are the hardest negatives.
        const row: Labelled = { moments, good: label, held: dice.next() < heldOut };
        news.push(row, ...(rated && !label && !row.held ? [row] : []));
      }
      const isGood = usesModel ? rated : label === true;
      good += isGood ? 1 : 0;
      // What neither the model nor the rule has judged teaches nothing.
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
    // Both sorts, on both sides.
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

/** An episode that is paid at its end alone, by someone else than the environment. What it was fined stays. */
function payOutcome(sample: EpisodeSample, outcome: number): EpisodeSample {
  const fined = sample.turns.reduce((sum, { penalty }) => sum + penalty, 0);
  const turns = sample.turns.map((turn, i) => ({ ...turn, reward: i === sample.turns.length - 1 ? outcome : 0 }));
  return { ...sample, turns, returned: outcome - fined };
}

/** Pays every turn for how much likelier it makes a good end, besides the outcome. */
function paySteps(sample: EpisodeSample, chances: readonly number[], weight: number): EpisodeSample {
  const turns = sample.turns.map((turn, t) => ({ ...turn, reward: turn.reward + weight * (chances[t + 1] - chances[t]) }));
  return { ...sample, turns };
}

/** Without episodes that were left alone of their group, and so have nothing to be compared with. */
function withCompany(rest: readonly PlayedEpisode[], all: readonly EpisodeSample[]): readonly PlayedEpisode[] {
  if (rest.length === all.length) return rest;
  const keyOf = ({ prompt, seat }: EpisodeSample) => `${prompt}/${seat}`;
  const before = Object.groupBy(all, keyOf);
  const after = Object.groupBy(rest, ({ sample }) => keyOf(sample));
  return rest.filter(({ sample }) => (after[keyOf(sample)]?.length ?? 0) > 1 || before[keyOf(sample)]?.length === 1);
}
