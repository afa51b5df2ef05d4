/**
 * @file Central critics that are bought only where they pay (MANSA, 2302.05910): a state has a baseline of its own, which a seat can see, and
 * a central one, which knows what is hidden from the seat. The central one is used where it takes more of the noise away than it costs.
 */

import type { JsonObject } from '@ludus-agents/kernel/internal/core/index';

type Known = { own: number; central: Record<string, number>; noise: { own: number; central: number }; count: number };

/** Returns of a state that are looked at before anything is bought. */
const fewest = 16;

export class BoughtBaseline {
  readonly #cost: number;
  readonly #decay: number;
  #states: Record<string, Known> = {};
  #bought = 0;
  #asked = 0;

  constructor({ cost, decay }: { readonly cost: number; readonly decay: number }) {
    this.#cost = cost;
    this.#decay = decay;
  }

  /** The advantage of a return at a state, `hidden` being what only the central critic knows; both baselines are read before they learn. */
  advantage(state: string, hidden: string, returned: number): number {
    const existing = this.#states[state] ?? { own: 0, central: {}, noise: { own: 0, central: 0 }, count: 0 };
    this.#states[state] = existing;
    const gaps = { own: returned - existing.own, central: returned - (existing.central[hidden] ?? 0) };
    const buys = this.buys(state);
    this.#asked++;
    if (buys) this.#bought++;
    existing.count++;
    const pace = Math.max(1 - this.#decay, 1 / existing.count);
    existing.own += pace * gaps.own;
    existing.central[hidden] = (existing.central[hidden] ?? 0) + (1 - this.#decay) * gaps.central;
    for (const which of ['own', 'central'] as const) existing.noise[which] += pace * (gaps[which] ** 2 - existing.noise[which]);
    return buys ? gaps.central : gaps.own;
  }

  /** Whether the central critic is worth its price at a state. */
  buys(state: string): boolean {
    const existing = this.#states[state];
    if (existing === undefined || existing.count < fewest) return false;
    // Deviations, not squares: the price is in units of return, and rewards of 0 and 1 can pay it.
    return Math.sqrt(existing.noise.own) - Math.sqrt(existing.noise.central) > this.#cost;
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
