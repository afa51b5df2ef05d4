/**
 * @file Central critics that are bought only where they pay (MANSA, 2302.05910): a state has its own baseline, which a seat can see, and
 * a central one, which knows what is hidden from the seat. The central one is used where it takes more of the noise away than it costs. Whether
 * it does is read from both critics, or learned by a switch for each state, which is paid for the noise that is left and for the price: then the
 * central critic learns only where it was bought.
 */

import { type JsonObject, rng } from '@ludus-agents/kernel/internal/core/index';

type Choice = 'own' | 'central';
type Known = {
  own: number;
  central: Record<string, number>;
  noise: { own: number; central: number };
  count: number;
  /** Of a learned switch: how often each critic was tried, and the distance that it left between returns and values. */
  tried?: Record<Choice, number>;
  left?: Record<Choice, number>;
};

export interface BoughtSettings {
  /** The price of a use, in units of return. */
  readonly cost: number;
  readonly decay: number;
  readonly switch?: 'rule' | 'learned';
  /** The share of returns that may be compared by the central critic, at most. */
  readonly budget?: number;
}

/** Returns of a state that are looked at before anything is bought. */
const fewest = 16;
/** How often a learned switch tries the critic that looks worse. */
const explored = 0.05;

export class BoughtBaseline {
  readonly #settings: BoughtSettings;
  #states: Record<string, Known> = {};
  #bought = 0;
  #asked = 0;

  constructor(settings: BoughtSettings) {
    this.#settings = settings;
  }

  /** The advantage of a return at a state, `hidden` being what only the central critic knows; both baselines are read before they learn. */
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

  /** The advantage by the critic that the switch of the state chooses; only that critic is used, and the switch learns what it left. */
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
    // Deviations, not squares: the price is in units of return, and rewards of 0 and 1 can pay it.
    return Math.sqrt(existing.noise.own) - Math.sqrt(existing.noise.central) > this.#settings.cost;
  }

  /** How many returns were compared by the central critic, and how many at all. */
  get used(): readonly [bought: number, asked: number] {
    return [this.#bought, this.#asked];
  }

  /** The share of returns that the central critic was asked for. */
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
