/**
 * @file Lessons on a whole game tree: millions of episodes of a small environment without logs, rows or a promise per turn. The update is
 * the same as from logs: the same slots, the same gradient.
 */

import type { FlatGame, Plays } from '@ludus-agents/environments/internal/game';
import { Fault, type JsonObject, type Learner, type Rng, rng, type Seed } from '@ludus-agents/kernel/internal/core/index';
import { AveragePolicy } from './average-policy.ts';
import { groupAdvantages } from './baselines/group.ts';
import { RunningBaseline } from './baselines/running.ts';
import { settingAt } from './channels.ts';
import type { LessonFigures, LessonMoment, Lessons } from './lessons.ts';
import type { Baseline, GroupField, Recipe } from './recipe.ts';
import { beyondTree } from './recipe-support.ts';
import { between } from './schedule.ts';
import type { StrategyTable } from './tree-sampler.ts';

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
}

/** Above this number of information sets, averaging costs more than play. */
const averagedSets = 1000;

export class TreeLessons implements Lessons {
  /** The average of all policies so far; null if it would cost more than play. */
  readonly average: AveragePolicy | null;
  readonly #recipe: Recipe;
  readonly #parts: TreeParts;
  readonly #running: RunningBaseline;

  constructor(recipe: Recipe, parts: TreeParts) {
    const wrong = beyondTree(recipe);
    if (wrong !== null)
      throw new Fault('input', `The recipe ${recipe.name} ${wrong}, which training on a game tree does not support. Train it by rollout.`, {
        code: 'E_UNSUPPORTED',
      });
    this.#recipe = recipe;
    this.#parts = parts;
    this.average = parts.game.choices.length <= averagedSets ? new AveragePolicy(parts.game) : null;
    this.#running = new RunningBaseline(recipe.baseline.kind === 'running' ? recipe.baseline.decay : 1);
  }

  /** Random numbers depend on the number of the update, so that a resumed run repeats them. */
  async learn({ update, done, step }: LessonMoment): Promise<LessonFigures> {
    const { learner, seed, game } = this.#parts;
    const { training, loss, rollout, curriculum } = this.#recipe;
    const plays = learner.play({
      games: training.batch,
      dice: rng(seed, 'update', update),
      ...(rollout.kind === 'group' ? { group: rollout.size } : {}),
      even: rollout.kind === 'even',
      ...(curriculum.kind === 'opening' ? { opening: curriculum } : {}),
    });
    learner.reinforce(plays, this.#advantages(plays), {
      scale: 1 / training.batch,
      kl: settingAt(loss.kl?.weight ?? 0, done),
      entropy: loss.entropy === undefined ? 0 : between(loss.entropy, done),
    });
    await learner.optimStep(step);
    this.average?.add(learner.strategy());
    const { returned, spread } = returnFigures(plays, game.seats.length);
    // A table chooses among listed moves, so it breaks no rule.
    return { returned, spread, won: null, entropy: null, kl: null, clipped: null, invalid: 0, tokens: 0, loss: 0 };
  }

  async write(): Promise<JsonObject> {
    return { baseline: this.#running.write(), average: this.average?.write() ?? null };
  }

  read(from: JsonObject): void {
    this.#running.read(from['baseline'] as JsonObject);
    if (from['average'] !== null) this.average?.read(from['average'] as JsonObject);
  }

  #advantages({ deal, returns }: Plays): ArrayLike<number> {
    const { baseline, rollout } = this.#recipe;
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
  for (let i = 0; i < out.length; i++) out[i] = (byPrompt ? prompts[Math.floor(i / seats)] : 0) * seats + (bySeat ? i % seats : 0);
  return out;
}

/** The mean return of the first seat, and the largest range of one seat's returns. */
function returnFigures({ games, returns }: Plays, seats: number): { readonly returned: number; readonly spread: number } {
  let [first, spread] = [0, 0];
  for (let seat = 0; seat < seats; seat++) {
    let [sum, low, high] = [0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let i = seat; i < returns.length; i += seats) {
      const value = returns[i];
      sum += value;
      if (value < low) low = value;
      if (value > high) high = value;
    }
    if (seat === 0) first = sum / games;
    spread = Math.max(spread, high - low);
  }
  return { returned: first, spread };
}
