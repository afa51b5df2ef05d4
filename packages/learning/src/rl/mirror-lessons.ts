/**
 * @file Magnetic mirror descent on a whole game tree (Sokota et al., arXiv 2206.05825), for tables and for language models.
 *
 * Each update reads the learner's probabilities at every decision, plays games on the tree by them, and computes the mirror step: the best
 * compromise between the estimated values, the current policy, and a reference that follows the policy slowly. A table is set to the
 * result. A language model is trained towards it by cross-entropy: its own probabilities produced the games, so this is self-play, not
 * imitation.
 */

import type { FlatGame } from '@ludus-agents/environments/internal/game';
import { Fault, type JsonObject, type Learner, rng, type Seed, type TokenRow } from '@ludus-agents/kernel/internal/core/index';
import { AveragePolicy } from './average-policy.ts';
import { settingAt } from './channels.ts';
import { ActCounter } from './counters.ts';
import type { LessonFigures, LessonMoment, Lessons } from './lessons.ts';
import { canStep } from './merged-rows.ts';
import type { Recipe } from './recipe.ts';
import { between } from './schedule.ts';
import { type ChoiceValues, type StrategyTable, TreeSampler } from './tree-sampler.ts';

/** A table over the decisions of a game tree. */
export interface TableLearner extends Learner {
  strategy(): StrategyTable;
  /** Replaces the policy at one decision. */
  place(set: number, logits: ArrayLike<number>): void;
}

/** A language model with the texts of every decision of a tree. */
export interface TextTable {
  /**
   * The probability of each legal choice at every decision, renormalized; and the total probability of the legal choices, decision by
   * decision.
   */
  read(): Promise<{ readonly strategy: StrategyTable; readonly legal: readonly number[] }>;
  /** The choice at a decision as a row whose answer tokens have this weight. */
  row(set: number, choice: number, weight: number): TokenRow;
}

export interface MirrorParts {
  readonly game: FlatGame;
  readonly learner: Learner;
  readonly seed: Seed;
  /** Of a language model. */
  readonly texts?: TextTable;
}

/** The minimum probability, which keeps logarithms finite. */
const least = 1e-9;

export class MirrorLessons implements Lessons {
  /** The average over the updates that the recipe selects. */
  readonly average: AveragePolicy;
  readonly #recipe: Recipe;
  readonly #parts: MirrorParts;
  readonly #sampler: TreeSampler;
  readonly #updates: number;
  readonly #acts = new ActCounter();
  /** Log-probabilities of the reference, by choice; null before the first update. */
  #reference: Float64Array | null = null;

  constructor(recipe: Recipe, parts: MirrorParts, updates: number) {
    const { rollout, baseline } = recipe;
    if (rollout.kind !== 'explore' || (baseline.kind !== 'positions' && baseline.kind !== 'none'))
      throw new Fault('input', `${recipe.name}: the loss "mirror" needs the rollout "explore" and the baseline "positions" or "none".`);
    if (parts.texts === undefined && !isTable(parts.learner))
      throw new Fault('input', `${recipe.name}: the loss "mirror" trains a table or a language model, not ${parts.learner.id}.`);
    this.#recipe = recipe;
    this.#parts = parts;
    this.#updates = updates;
    this.#sampler = new TreeSampler(parts.game, {
      explore: rollout.share,
      decay: baseline.kind === 'positions' ? baseline.decay : null,
    });
    this.average = new AveragePolicy(parts.game);
  }

  async learn(moment: LessonMoment): Promise<LessonFigures> {
    const { update, done } = moment;
    const { learner, seed, texts } = this.#parts;
    const { strategy, legal } = texts === undefined ? { strategy: (learner as TableLearner).strategy(), legal: null } : await texts.read();
    const averaged = this.#averageOf(strategy, done);
    const values = this.#sampler.play(strategy, this.#recipe.training.batch, rng(seed, 'update', update));
    const { targets, kl, entropy } = this.#target(strategy, values, done);
    let loss = 0;
    if (averaged !== null) this.#aim(targets, values.visits, averaged);
    if (texts === undefined) this.#place(targets, values, update);
    else loss = await this.#train(texts, targets, values, moment);
    const invalid = legal === null ? 0 : 1 - meanBy(legal, values.visits);
    this.#acts.add(
      'mirror steps',
      values.visits.reduce((count, visits) => count + Number(visits > 0), 0),
    );
    const acts = this.#acts.counts;
    return { returned: values.returned, spread: values.spread, won: null, entropy, kl, clipped: null, invalid, tokens: 0, loss, acts };
  }

  async write(): Promise<JsonObject> {
    return {
      positions: this.#sampler.write(),
      reference: this.#reference === null ? null : [...this.#reference],
      average: this.average.write(),
      acts: this.#acts.write(),
    };
  }

  read(from: JsonObject): void {
    this.#sampler.read(from['positions'] as JsonObject);
    this.#reference = from['reference'] === null ? null : Float64Array.from(from['reference'] as readonly number[]);
    this.average.read(from['average'] as JsonObject);
    this.#acts.read((from['acts'] ?? {}) as JsonObject);
  }

  /** Computes the mirror step of every visited decision and the divergence of policy and reference; the reference follows. */
  #target(strategy: StrategyTable, { visits, values }: ChoiceValues, done: number) {
    const { loss } = this.#recipe;
    const size = settingAt(loss.step ?? 0.1, done);
    const pull = size * settingAt(loss.kl?.weight ?? 0, done);
    const follow = loss.kl?.follow === undefined ? 0 : between(loss.kl.follow, done);
    const { offsets } = this.#sampler;
    const logs = Float64Array.from({ length: values.length });
    for (let set = 0; set < strategy.length; set++)
      for (let i = offsets[set]; i < offsets[set + 1]; i++) logs[i] = Math.log(Math.max(least, strategy[set][i - offsets[set]]));
    this.#reference ??= logs.slice();
    const reference = this.#reference;
    const targets = new Float64Array(values.length);
    let [kl, entropy, count] = [0, 0, 0];
    for (let set = 0; set < strategy.length; set++) {
      if (visits[set] === 0) continue;
      const [from, to] = [offsets[set], offsets[set + 1]];
      for (let i = from; i < to; i++) targets[i] = (logs[i] + pull * reference[i] + size * values[i]) / (1 + pull);
      normalize(targets, from, to);
      for (let i = from; i < to; i++) {
        const chance = Math.exp(logs[i]);
        kl += chance * (logs[i] - reference[i]);
        entropy -= chance * logs[i];
        reference[i] = reference[i] + follow * (logs[i] - reference[i]);
      }
      count++;
    }
    return { targets, kl: kl / Math.max(1, count), entropy: entropy / Math.max(1, count) };
  }

  /**
   * Adds the policy to the average during the recipe's averaging period; afterwards returns the average as the target for training a
   * language model.
   */
  #averageOf(strategy: StrategyTable, done: number): StrategyTable | null {
    const { average = 0, distill = 0 } = this.#recipe.training;
    if (average > 0 && done >= 1 - distill - average && (done < 1 - distill || distill === 0)) {
      this.average.add(strategy);
      this.#acts.add('policies averaged', 1);
    }
    return distill > 0 && done >= 1 - distill ? this.average.strategy() : null;
  }

  /** Sets the average as the target of every decision. */
  #aim(targets: Float64Array, visits: Float64Array, averaged: StrategyTable): void {
    const { offsets } = this.#sampler;
    for (const [set, chances] of averaged.entries()) {
      visits[set] = Math.max(1, visits[set]);
      for (let i = 0; i < chances.length; i++) targets[offsets[set] + i] = Math.log(Math.max(least, chances[i]));
    }
  }

  #place(targets: Float64Array, { visits }: ChoiceValues, update: number): void {
    const learner = this.#parts.learner as TableLearner;
    const { offsets } = this.#sampler;
    for (let set = 0; set < visits.length; set++) if (visits[set] > 0) learner.place(set, targets.subarray(offsets[set], offsets[set + 1]));
    if (update + 1 < this.#updates || (this.#recipe.training.average ?? 0) === 0) return;
    for (const [set, chances] of this.average.strategy().entries())
      learner.place(
        set,
        Float64Array.from(chances, (chance) => Math.log(Math.max(least, chance))),
      );
  }

  /**
   * Cross-entropy to the targets, in several steps: every visited decision has equal weight, so that rare ones are learned too. Missing one
   * target is harmless, but errors of many updates add up.
   */
  async #train(texts: TextTable, targets: Float64Array, { visits }: ChoiceValues, { update, step }: LessonMoment): Promise<number> {
    const { seed } = this.#parts;
    const { epochs = 1, minibatches = 1 } = this.#recipe.loss;
    const visited = [...visits.keys()].filter((set) => visits[set] > 0);
    const size = Math.ceil(visited.length / minibatches);
    let loss = 0;
    for (let epoch = 0; epoch < epochs; epoch++) {
      const order = minibatches === 1 ? visited : rng(seed, 'minibatches', update, epoch).shuffle(visited);
      for (let from = 0; from < order.length; from += size)
        loss = await this.#step(this.#rows(texts, targets, order.slice(from, from + size)), step);
    }
    return loss;
  }

  #rows(texts: TextTable, targets: Float64Array, sets: readonly number[]): readonly TokenRow[] {
    const { offsets } = this.#sampler;
    return sets.flatMap((set) =>
      Array.from(targets.subarray(offsets[set], offsets[set + 1]), (log, choice) => texts.row(set, choice, Math.exp(log) / sets.length)),
    );
  }

  async #step(rows: readonly TokenRow[], step: LessonMoment['step']): Promise<number> {
    const { learner } = this.#parts;
    if (canStep(learner)) return (await learner.step(rows, 'cross_entropy', step))['loss'] ?? 0;
    const { loss = 0 } = await learner.forwardBackward(rows, 'cross_entropy');
    await learner.optimStep(step);
    return loss;
  }
}

function isTable(learner: Learner): learner is TableLearner {
  return 'strategy' in learner && 'place' in learner;
}

/** Turns logits into log-probabilities. */
function normalize(logits: Float64Array, from: number, to: number): void {
  let most = Number.NEGATIVE_INFINITY;
  for (let i = from; i < to; i++) most = Math.max(most, logits[i]);
  let sum = 0;
  for (let i = from; i < to; i++) sum += Math.exp(logits[i] - most);
  const level = most + Math.log(sum);
  for (let i = from; i < to; i++) logits[i] = logits[i] - level;
}

function meanBy(values: readonly number[], weights: Float64Array): number {
  let [sum, total] = [0, 0];
  for (let i = 0; i < values.length; i++) {
    sum += values[i] * weights[i];
    total += weights[i];
  }
  return total === 0 ? 0 : sum / total;
}
