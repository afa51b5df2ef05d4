/** @file Critics: a table of values learned from returns, and ArCHer's targets for critics of whole utterances (2402.19446). */

import type { JsonObject } from '@ludus-agents/kernel/internal/core/index';

/** The value of a state, or of any key, as a moving mean of its returns. */
export class ValueTable {
  readonly #rate: number;
  #values = new Map<string, number>();
  /** The number of reads of previously learned values. */
  reads = 0;

  constructor(rate = 0.1) {
    this.#rate = rate;
  }

  value(key: string): number {
    const value = this.#values.get(key);
    if (value !== undefined) this.reads++;
    return value ?? 0;
  }

  learn(key: string, returned: number): void {
    const before = this.#values.get(key) ?? 0;
    this.#values.set(key, before + this.#rate * (returned - before));
  }

  write(): JsonObject {
    return Object.fromEntries(this.#values);
  }

  read(from: JsonObject): void {
    this.#values = new Map(Object.entries(from) as [string, number][]);
  }
}

/** The target of Q(o, u): the reward plus the target critic's value of the next observation. */
export function archerTarget({ reward, next, over, discount }: { reward: number; next: number; over: boolean; discount: number }): number {
  return reward + (over ? 0 : discount * next);
}

/** The advantage of a fresh utterance at an old observation, by the lower estimate of each pair of critics. */
export function archerAdvantage(worths: readonly [number, number], values: readonly [number, number]): number {
  return Math.min(...worths) - Math.min(...values);
}

/** A slow update of a target critic. */
export function softUpdate(target: number, current: number, share = 0.1): number {
  return target + share * (current - target);
}
