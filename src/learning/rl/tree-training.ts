/**
 * @file Self-play on a whole game tree: millions of episodes of a small environment, and after each update all exact figures.
 *
 * The update is the one that the training loop makes from logs (the same slots, the same gradient), without logs, rows or promises a turn.
 */

import { Fault, type FlatGame, type JsonObject, type Learner, type Plays, type Rng, rng, type Seed } from '../../core/index.ts';
import { AveragePolicy } from './average-policy.ts';
import { groupAdvantages } from './baselines/group.ts';
import { RunningBaseline } from './baselines/running.ts';
import type { Baseline, GroupField, Recipe } from './recipe.ts';
import { beyondTree } from './recipe-support.ts';
import { between } from './schedule.ts';

/** How every seat plays: for each information set the probability of each choice. */
export type StrategyTable = readonly ArrayLike<number>[];

/** A learner that can play a tree it was made for. */
export interface TreeLearner extends Learner {
  play(options: {
    readonly games: number;
    readonly dice: Rng;
    readonly group?: number;
    readonly even?: boolean;
    readonly opening?: { readonly share: number; readonly moves: number };
  }): Plays;
  reinforce(
    plays: Plays,
    advantages: ArrayLike<number>,
    loss: { readonly scale: number; readonly kl?: number; readonly entropy?: number },
  ): void;
  strategy(): StrategyTable;
}

export interface TreeParts {
  readonly game: FlatGame;
  readonly learner: TreeLearner;
  readonly seed: Seed;
  /** How far a strategy is from an equilibrium, by the solver. */
  readonly exploitability?: (strategy: StrategyTable) => number;
}

export interface TreeProgress {
  readonly update: number;
  readonly games: number;
  /** Mean return of each seat in the last update. */
  readonly returns: readonly number[];
  readonly exploitability: number | null;
}

/** Everything the next update depends on. */
export type TreeCheckpoint = {
  readonly recipe: string;
  readonly seed: Seed;
  readonly update: number;
  readonly learner: string;
  readonly baseline: JsonObject;
  readonly average: JsonObject;
};

export class TreeTraining {
  readonly recipe: Recipe;
  readonly updates: number;
  readonly average: AveragePolicy;
  readonly #parts: TreeParts;
  readonly #running: RunningBaseline;
  /** Over thousands of sets an average costs more than the play. */
  readonly averaged: boolean;
  #update = 0;
  #returns: readonly number[] = [];

  constructor(recipe: Recipe, parts: TreeParts) {
    this.recipe = recipe;
    this.#parts = parts;
    this.updates = Math.ceil(recipe.training.games / recipe.training.batch);
    this.average = new AveragePolicy(parts.game);
    this.averaged = parts.game.choices.length <= 1000;
    this.#running = new RunningBaseline(recipe.baseline.kind === 'running' ? recipe.baseline.decay : 1);
    const wrong = beyondTree(recipe);
    if (wrong !== null)
      throw new Fault('input', `The recipe ${recipe.name} ${wrong}, which play on a game tree has no room for; train it by rollout.`);
  }

  get update(): number {
    return this.#update;
  }

  /** Trains on until so many updates have been made, all of them by default. */
  async run(updates: number = this.updates): Promise<TreeProgress> {
    while (this.#update < Math.min(updates, this.updates)) await this.#step();
    return this.progress();
  }

  progress(): TreeProgress {
    const { exploitability, learner } = this.#parts;
    return {
      update: this.#update,
      games: this.#update * this.recipe.training.batch,
      returns: this.#returns,
      exploitability: exploitability === undefined ? null : exploitability(learner.strategy()),
    };
  }

  async save(): Promise<TreeCheckpoint> {
    return {
      recipe: this.recipe.name,
      seed: this.#parts.seed,
      update: this.#update,
      learner: await this.#parts.learner.save(),
      baseline: this.#running.write(),
      average: this.average.write(),
    };
  }

  async load(checkpoint: TreeCheckpoint): Promise<void> {
    this.#update = checkpoint.update;
    await this.#parts.learner.load(checkpoint.learner);
    this.#running.read(checkpoint.baseline);
    this.average.read(checkpoint.average);
  }

  /** One update. Its dice are named by its number, so that a run taken up again rolls what it would have rolled. */
  async #step(): Promise<void> {
    const { learner, seed } = this.#parts;
    const { training, loss, rollout, curriculum } = this.recipe;
    const plays = learner.play({
      games: training.batch,
      dice: rng(seed, 'update', this.#update),
      ...(rollout.kind === 'group' ? { group: rollout.size } : {}),
      even: rollout.kind === 'even',
      ...(curriculum.kind === 'opening' ? { opening: curriculum } : {}),
    });
    const done = this.#update / Math.max(1, this.updates - 1);
    learner.reinforce(plays, this.#advantages(plays), {
      scale: 1 / training.batch,
      kl: loss.kl?.weight ?? 0,
      entropy: loss.entropy === undefined ? 0 : between(loss.entropy, done),
    });
    await learner.optimStep({ rate: between(training.rate, done) });
    this.#update++;
    const refresh = loss.kl?.refresh ?? null;
    if (refresh !== null && this.#update % refresh === 0) await learner.refer();
    if (this.averaged) this.average.add(learner.strategy());
    this.#returns = meansOf(plays, this.#parts.game.seats.length);
  }

  #advantages({ deal, returns }: Plays): ArrayLike<number> {
    const { baseline, rollout } = this.recipe;
    if (baseline.kind === 'none') return returns;
    const { key } = baseline as Extract<Baseline, { key: unknown }>;
    const prompts = rollout.kind === 'group' ? deal.map((_, game) => Math.floor(game / rollout.size)) : deal;
    const groups = groupsOf(key, prompts, this.#parts.game.seats.length);
    return baseline.kind === 'running'
      ? this.#running.advantages(returns, groups)
      : groupAdvantages(returns, groups, baseline as Extract<Baseline, { kind: 'group' }>);
  }
}

/** The group of each episode's seat. The prompt of an episode on a tree is its chance outcome, or the group of episodes that share one. */
function groupsOf(key: readonly GroupField[], prompts: Int32Array, seats: number): Int32Array {
  const out = new Int32Array(prompts.length * seats);
  const [byPrompt, bySeat] = [key.includes('prompt'), key.includes('seat')];
  for (let i = 0; i < out.length; i++)
    out[i] = (byPrompt ? (prompts[Math.floor(i / seats)] as number) : 0) * seats + (bySeat ? i % seats : 0);
  return out;
}

function meansOf({ games, returns }: Plays, seats: number): readonly number[] {
  const sums = new Array<number>(seats).fill(0);
  for (let i = 0; i < returns.length; i++) sums[i % seats] = (sums[i % seats] as number) + (returns[i] as number);
  return sums.map((sum) => sum / games);
}
