/** @file Collects the figures of a training between two reports. */

import type { Learner } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import type { Counts } from '../rl/counters.ts';
import type { Metrics } from '../rl/training-loop.ts';
import type { UpdateFigures } from './training-run.ts';

/** Figures since the last report. */
export class FigureTally {
  /** Whether any reward, of the environment or of a judge, has differed between games or updates. */
  varied = false;
  readonly #learner: Learner;
  #last: Metrics | null = null;
  #tokens = 0;
  #invalid: readonly number[] = [];
  #guidance: Readonly<Record<string, number>>[] = [];
  readonly #paid: Readonly<Record<string, number>>[] = [];

  constructor(learner: Learner) {
    this.#learner = learner;
  }

  /** How often the mechanism acted so far; null if nothing is counted. */
  get acts(): Counts | null {
    return this.#last?.acts ?? null;
  }

  heard(metrics: Metrics): void {
    this.#last = metrics;
    this.#tokens += metrics.tokens;
    const rewards: Readonly<Record<string, number>> = { environment: metrics.returned, ...metrics.channels };
    const [first = rewards] = this.#paid;
    this.#paid.push(rewards);
    this.#invalid = [...this.#invalid, metrics.invalid];
    if (metrics.guidance !== undefined) this.#guidance.push(metrics.guidance);
    // Where only a judge pays, all games have the same return.
    this.varied ||= metrics.spread > 0 || Object.entries(rewards).some(([name, mean]) => Math.abs(mean - (first[name] ?? 0)) > 1e-9);
  }

  /** How often each part of the recipe acted since the run began, without those that never did. */
  acted(): Counts {
    return Object.fromEntries(Object.entries(this.acts ?? {}).filter(([, count]) => count !== 0));
  }

  /** The mean reward of an episode from the environment and from each channel, over the last updates. */
  channels(updates: number): Readonly<Record<string, number>> {
    return meansOf(this.#paid.slice(-updates));
  }

  figures(): Omit<UpdateFigures, 'exploitability' | 'legal'> {
    // A learner that counts its samples includes those not trained on.
    const { sampled = this.#tokens } = this.#learner as { readonly sampled?: number };
    const invalid = this.#invalid.reduce((sum, value) => sum + value, 0) / Math.max(1, this.#invalid.length);
    const mechanism = meansOf(this.#guidance);
    [this.#invalid, this.#guidance] = [[], []];
    const counted = Object.keys(mechanism).length === 0 ? {} : { mechanism };
    if (this.#last === null)
      return { update: 0, games: 0, returned: null, invalid, entropy: null, kl: null, clipped: null, won: null, tokens: sampled };
    const { update, games, returned, entropy, kl, clipped, won, acts, stale, staleness } = this.#last;
    return {
      update,
      games,
      returned,
      invalid,
      entropy,
      kl,
      clipped,
      won,
      tokens: sampled,
      ...counted,
      ...(acts !== undefined && { acts }),
      ...(stale !== undefined && stale > 0 && { stale, staleness }),
    };
  }
}

function meansOf(records: readonly Readonly<Record<string, number>>[]): Readonly<Record<string, number>> {
  const names = new Set(records.flatMap((record) => Object.keys(record)));
  return Object.fromEntries([...names].map((name) => [name, meanOrZero(records.map((record) => record[name] ?? 0))]));
}
