/**
 * @file Central critics that are used only where they are worth their price (MANSA, 2302.05910): a state has its own baseline, from what a
 * seat can see, and a central one, which includes information hidden from the seat. The central one is used if it reduces noise by more
 * than its cost. That is decided from both critics, or learned by a switch for each state, which minimizes the remaining noise plus the
 * price; the central critic then learns only where it was used.
 */

import { type JsonObject, rng } from '@ludus-agents/kernel/internal/core/index';

type Choice = 'own' | 'central';
type Known = {
  own: number;
  central: Record<string, number>;
  noise: { own: number; central: number };
  count: number;
  /** For a learned switch: how often each critic was tried, and the remaining distance of returns to values. */
  tried?: Record<Choice, number>;
  left?: Record<Choice, number>;
};

export interface BoughtSettings {
  /** The price of a use, in units of return. */
  readonly cost: number;
  readonly decay: number;
  readonly switch?: 'rule' | 'learned';
  /** The maximum share of returns compared by the central critic. */
  readonly budget?: number;
}

/** Returns of a state to observe before the central critic is used. */
const fewest = 16;
/** The exploration rate of a learned switch: how often it tries the critic that looks worse. */
const explored = 0.05;

export class BoughtBaseline {
  readonly #settings: BoughtSettings;
  #states: Record<string, Known> = {};
  #bought = 0;
  #asked = 0;

  constructor(settings: BoughtSettings) {
    this.#settings = settings;
  }

  /**
   * The advantage of a return at a state; `hidden` is the information of the central critic only. Both baselines are read before they are
   * updated.
   */
  advantage(state: string, hidden: string, returned: number): number {
    const existing = this.#states[state] ?? { own: 0, central: {}, noise: { own: 0, central: 0 }, count: 0 };
    this.#states[state] = existing;
    if (this.#settings.switch === 'learned') return this.#switched(state, hidden, returned);
    const { decay } = this.#settings;
    const gaps = { own: returned - existing.own, central: returned - (existing.central[hidden] ?? 0) };
    const buys = this.buys(state) && this.#affords;
    this.#asked++;
    if (buys) this.#bought++;
    existing.count++;
    const pace = Math.max(1 - decay, 1 / existing.count);
    existing.own += pace * gaps.own;
    existing.central[hidden] = (existing.central[hidden] ?? 0) + (1 - decay) * gaps.central;
    for (const which of ['own', 'central'] as const) existing.noise[which] += pace * (gaps[which] ** 2 - existing.noise[which]);
    return buys ? gaps.central : gaps.own;
  }

  /**
   * The advantage by the critic that the state's switch chooses; only that critic is used and updated, and the switch learns its remaining
   * error.
   */
  #switched(state: string, hidden: string, returned: number): number {
    const { cost, decay } = this.#settings;
    const existing = this.#states[state]!;
    const tried = existing.tried ?? { own: 0, central: 0 };
    const left = existing.left ?? { own: 0, central: 0 };
    const dice = rng(0, 'switch', state, existing.count);
    const rarer = tried.own <= tried.central ? 'own' : 'central';
    const better = left.central + cost < left.own ? 'central' : 'own';
    const wanted = Math.min(tried.own, tried.central) < fewest ? rarer : dice.next() < explored ? dice.pick(['own', 'central']) : better;
    const choice: Choice = wanted === 'central' && !this.#affords ? 'own' : (wanted as Choice);
    this.#asked++;
    existing.count++;
    const pace = Math.max(1 - decay, 1 / existing.count);
    let gap = returned - existing.own;
    existing.own += pace * gap;
    if (choice === 'central') {
      this.#bought++;
      gap = returned - (existing.central[hidden] ?? 0);
      existing.central[hidden] = (existing.central[hidden] ?? 0) + (1 - decay) * gap;
    }
    tried[choice]++;
    left[choice] += Math.max(1 - decay, 1 / tried[choice]) * (Math.abs(gap) - left[choice]);
    Object.assign(existing, { tried, left });
    return gap;
  }

  /** Whether the budget allows another use of the central critic. */
  get #affords(): boolean {
    const { budget = 1 } = this.#settings;
    return this.#bought + 1 <= budget * (this.#asked + 1);
  }

  /** Whether the central critic is worth its price at a state. */
  buys(state: string): boolean {
    const existing = this.#states[state];
    if (this.#settings.switch === 'learned') {
      const { left, tried = { own: 0, central: 0 } } = existing ?? {};
      return left !== undefined && Math.min(tried.own, tried.central) >= fewest && left.central + this.#settings.cost < left.own;
    }
    if (existing === undefined || existing.count < fewest) return false;
    // Standard deviations, not variances: the price is in units of return.
    return Math.sqrt(existing.noise.own) - Math.sqrt(existing.noise.central) > this.#settings.cost;
  }

  /** The number of returns compared by the central critic, and the number of all returns. */
  get used(): readonly [bought: number, asked: number] {
    return [this.#bought, this.#asked];
  }

  /** The share of returns for which the central critic was used. */
  get share(): number {
    return this.#asked === 0 ? 0 : this.#bought / this.#asked;
  }

  write(): JsonObject {
    return { states: this.#states, bought: this.#bought, asked: this.#asked };
  }

  read(from: JsonObject): void {
    this.#states = structuredClone(from['states']) as Record<string, Known>;
    [this.#bought, this.#asked] = [from['bought'] as number, from['asked'] as number];
  }
}
