/**
 * @file Finds the first chance outcome of each seed, so that a batch covers outcomes evenly, and episodes of one outcome can be compared.
 */

import { type AnyEnvironment, type Json, type Rng, rng, type Seed } from '@ludus-agents/kernel/internal/core/index';

/** Above this number, first outcomes are not distinguished: each would have too few episodes. */
const most = 64;

export class ChanceSeeds {
  readonly #environment: AnyEnvironment;
  readonly #task: Json;
  readonly #numbers = new Map<string, number>();
  readonly #recent = new Map<Seed, number>();
  readonly #shared = new Map<unknown, number>();

  constructor(environment: AnyEnvironment, task: Json = {}) {
    this.#environment = environment;
    this.#task = environment.task(task);
    for (let seed = 0; seed < 16 * most && this.#numbers.size <= most; seed++) this.of(rng(seed, 'deals').int(2 ** 32));
  }

  /** The number of distinct outcomes; 1 if they are not distinguished. */
  get count(): number {
    return this.#numbers.size > most ? 1 : this.#numbers.size;
  }

  /** The number of the outcome that a seed produces. */
  of(seed: Seed): number {
    const recentSeed = this.#recent.get(seed);
    if (recentSeed !== undefined) return recentSeed;
    const number = this.#numberOf(this.#environment.start(this.#task, rng(seed, 'start')).state);
    if (this.#recent.size >= 4096) this.#recent.clear();
    this.#recent.set(seed, number);
    return number;
  }

  #numberOf(state: unknown): number {
    const shared = this.#shared.get(state);
    if (shared !== undefined) return shared;
    // The same rules and task serialize equal states alike.
    const key = JSON.stringify(state);
    const number = this.#numbers.get(key) ?? this.#numbers.size;
    this.#numbers.set(key, number);
    // Rules that return a shared state object for each outcome have only a few of them, so their numbers are cached by object.
    if (this.#shared.size < most) this.#shared.set(state, number);
    return number;
  }

  /**
   * `count` seeds with an equal number of each deal, except for a random remainder. This leaves expectations unchanged only if all deals
   * are equally likely, and may be used only then.
   */
  even(count: number, dice: Rng): readonly Seed[] {
    const share = Math.ceil(count / this.count);
    const dealt = new Map<number, number>();
    const seeds: Seed[] = [];
    while (seeds.length < count) {
      const seed = dice.int(2 ** 32);
      const deal = this.count === 1 ? 0 : this.of(seed);
      const before = dealt.get(deal) ?? 0;
      if (before >= share && this.count > 1) continue;
      dealt.set(deal, before + 1);
      seeds.push(seed);
    }
    return seeds;
  }
}
