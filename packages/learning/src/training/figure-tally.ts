/** @file Figures of a training, gathered between two moments at which they are asked for. */

import type { Learner } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import type { Metrics } from '../rl/training-loop.ts';
import type { UpdateFigures } from './training-run.ts';

/** Figures since the last time they were asked for. */
export class FigureTally {
  varied = false;
  readonly #learner: Learner;
  #last: Metrics | null = null;
  #tokens = 0;
  #invalid: readonly number[] = [];
  #guidance: Readonly<Record<string, number>>[] = [];
  readonly #paid: Readonly<Record<string, number>>[] = [];
  #range: readonly [number, number] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];

  constructor(learner: Learner) {
    this.#learner = learner;
  }

  heard(metrics: Metrics): void {
    this.#last = metrics;
    this.#tokens += metrics.tokens;
    this.#paid.push({ environment: metrics.returned, ...metrics.channels });
    this.#invalid = [...this.#invalid, metrics.invalid];
    if (metrics.guidance !== undefined) this.#guidance.push(metrics.guidance);
    const [low, high] = [Math.min(this.#range[0], metrics.returned), Math.max(this.#range[1], metrics.returned)];
    this.#range = [low, high];
    this.varied ||= metrics.spread > 0 || high > low;
  }

  /** What an episode was paid by the environment and by each channel, on average over the last updates. */
  channels(updates: number): Readonly<Record<string, number>> {
    return meansOf(this.#paid.slice(-updates));
  }

  figures(): Omit<UpdateFigures, 'exploitability' | 'legal'> {
    // A learner that counts what it samples counts what was not learned from, too.
    const { sampled = this.#tokens } = this.#learner as { readonly sampled?: number };
    const invalid = this.#invalid.reduce((sum, one) => sum + one, 0) / Math.max(1, this.#invalid.length);
    const mechanism = meansOf(this.#guidance);
    [this.#invalid, this.#guidance] = [[], []];
    const counted = Object.keys(mechanism).length === 0 ? {} : { mechanism };
    if (this.#last === null)
      return { update: 0, games: 0, returned: null, invalid, entropy: null, kl: null, clipped: null, won: null, tokens: sampled };
    const { update, games, returned, entropy, kl, clipped, won } = this.#last;
    return { update, games, returned, invalid, entropy, kl, clipped, won, tokens: sampled, ...counted };
  }
}

function meansOf(records: readonly Readonly<Record<string, number>>[]): Readonly<Record<string, number>> {
  const names = new Set(records.flatMap((record) => Object.keys(record)));
  return Object.fromEntries([...names].map((name) => [name, meanOrZero(records.map((record) => record[name] ?? 0))]));
}
