/**
 * @file Role-conditioned advantage estimation (SPIRAL, 2506.24119): a running mean of the return for each environment and seat.
 *
 * The baseline is read before it is updated, so that no return leaks into its own baseline; the paper's text has the opposite order.
 */

import type { JsonObject } from '@ludus-agents/kernel/internal/core/index';

export class RunningBaseline {
  readonly #decay: number;
  #means: number[] = [];
  /** The number of reads of means of earlier rewards. */
  reads = 0;

  constructor(decay = 0.95) {
    this.#decay = decay;
  }

  /** One advantage for each reward, in order; `keys` are small integers. */
  advantages(rewards: ArrayLike<number>, keys: ArrayLike<number>): Float64Array {
    const out = new Float64Array(rewards.length);
    for (let i = 0; i < rewards.length; i++) {
      const [key, reward] = [keys[i], rewards[i]];
      const mean = this.#means[key] ?? 0;
      if (key in this.#means) this.reads++;
      out[i] = reward - mean;
      this.#means[key] = this.#decay * mean + (1 - this.#decay) * reward;
    }
    return out;
  }

  mean(key: number): number {
    return this.#means[key] ?? 0;
  }

  write(): JsonObject {
    return { means: this.#means.map((mean) => mean ?? 0) };
  }

  read(from: JsonObject): void {
    this.#means = [...(from['means'] as readonly number[])];
  }
}
