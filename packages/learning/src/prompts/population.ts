/**
 * @file A population of arms: chosen by softmax of their recent rewards, and pruned when the weakest is significantly weaker.
 *
 * The instruction bandit of INSPO. Rewards are discounted, because an instruction's value drifts with other changes; the temperature must
 * be small relative to the spread of rewards, or the choice stays uniform.
 */

import type { JsonObject, Rng } from '@ludus-agents/kernel/internal/core/index';

type Arm = {
  readonly id: string;
  /** The discounted mean of its rewards; the number and the sums of all its rewards, for the interval. */
  weight: number;
  count: number;
  sum: number;
  squares: number;
};

export interface PopulationSettings {
  readonly temperature: number;
  /** The weight of the latest reward in the discounted mean. */
  readonly rate: number;
}

export class CandidatePool {
  readonly #settings: PopulationSettings;
  #arms: Arm[] = [];
  /** Cached probabilities; cleared when anything changes. */
  #chances: readonly number[] | null = null;

  constructor(settings: PopulationSettings) {
    this.#settings = settings;
  }

  get ids(): readonly string[] {
    return this.#arms.map(({ id }) => id);
  }

  /** Adds an arm with the mean weight of the others, or a given one, so that it is neither favored nor starved. */
  add(id: string, weight = this.#mean()): void {
    if (this.#arms.some((arm) => arm.id === id)) return;
    this.#arms.push({ id, weight, count: 0, sum: 0, squares: 0 });
    this.#chances = null;
  }

  drop(id: string): void {
    this.#arms = this.#arms.filter((arm) => arm.id !== id);
    this.#chances = null;
  }

  /** The probability of choosing each arm. */
  chances(): readonly number[] {
    this.#chances ??= this.#softmax();
    return this.#chances;
  }

  #softmax(): readonly number[] {
    const most = Math.max(...this.#arms.map(({ weight }) => weight));
    const powers = this.#arms.map(({ weight }) => Math.exp((weight - most) / this.#settings.temperature));
    const total = powers.reduce((sum, power) => sum + power, 0);
    return powers.map((power) => power / total);
  }

  choose(dice: Rng): string {
    return this.#arms[dice.weighted(this.chances())].id;
  }

  /** Credits the rewards of a round to their arm: their mean updates its weight once. */
  earn(id: string, rewards: readonly number[]): void {
    const arm = this.#arms.find((arm) => arm.id === id);
    if (arm === undefined || rewards.length === 0) return;
    this.#chances = null;
    const sum = rewards.reduce((total, reward) => total + reward, 0);
    arm.weight += this.#settings.rate * (sum / rewards.length - arm.weight);
    arm.count += rewards.length;
    arm.sum += sum;
    for (const reward of rewards) arm.squares += reward * reward;
  }

  /** Arms from the best to the worst by discounted mean. */
  ranked(): readonly string[] {
    return [...this.#arms].sort((a, b) => b.weight - a.weight).map(({ id }) => id);
  }

  weightOf(id: string): number {
    return this.#arms.find((arm) => arm.id === id)?.weight ?? 0;
  }

  /** Successive halving: removes the worse half, but leaves at least two. */
  halve(): readonly string[] {
    const gone = this.ranked().slice(Math.max(2, Math.ceil(this.#arms.length / 2)));
    for (const id of gone) this.drop(id);
    return gone;
  }

  /** Removes arms whose interval is entirely below the best arm's; `errors` standard errors each way. */
  prune(errors: number): readonly string[] {
    const bounds = this.#arms.map((arm) => ({ id: arm.id, ...intervalOf(arm, errors) }));
    const floor = Math.max(...bounds.map(({ low }) => low));
    const gone = bounds.filter(({ high }) => high < floor).map(({ id }) => id);
    for (const id of gone) this.drop(id);
    return gone;
  }

  write(): JsonObject {
    return { arms: this.#arms };
  }

  read(from: JsonObject): void {
    this.#arms = (from['arms'] as readonly Arm[]).map((arm) => ({ ...arm }));
    this.#chances = null;
  }

  #mean(): number {
    return this.#arms.length === 0 ? 0 : this.#arms.reduce((sum, { weight }) => sum + weight, 0) / this.#arms.length;
  }
}

function intervalOf({ count, sum, squares }: Arm, errors: number): { readonly low: number; readonly high: number } {
  if (count < 2) return { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };
  const mean = sum / count;
  const spread = Math.sqrt(Math.max(0, squares / count - mean * mean) / (count - 1));
  return { low: mean - errors * spread, high: mean + errors * spread };
}
