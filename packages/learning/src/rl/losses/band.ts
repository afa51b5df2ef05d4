/** @file EPO's entropy smoothing (2509.22576): a hinge loss with a gradient pulls entropy back into a band around its past mean. */

import type { JsonObject } from '@ludus-agents/kernel/internal/core/index';

export interface Band {
  readonly low: number;
  readonly high: number;
}

/** The distance of entropy from the band, and its slope: −1 below, 0 within, 1 above. */
export function outside(entropy: number, past: number, { low, high }: Band): { readonly value: number; readonly slope: number } {
  if (entropy > high * past) return { value: entropy - high * past, slope: 1 };
  if (entropy < low * past) return { value: low * past - entropy, slope: -1 };
  return { value: 0, slope: 0 };
}

/** The mean of all entropies seen so far. */
export class PastEntropy {
  #sum = 0;
  #count = 0;
  #last = 0;

  get mean(): number {
    return this.#count === 0 ? 0 : this.#sum / this.#count;
  }

  /** The latest entropy. */
  get last(): number {
    return this.#last;
  }

  add(entropy: number): void {
    this.#sum += entropy;
    this.#count++;
    this.#last = entropy;
  }

  write(): JsonObject {
    return { sum: this.#sum, count: this.#count, last: this.#last };
  }

  read(from: JsonObject): void {
    this.#sum = from['sum'] as number;
    this.#count = from['count'] as number;
    this.#last = from['last'] as number;
  }
}
