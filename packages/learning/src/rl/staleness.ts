/** @file How old the weights were that sampled what an update learns from, token by token. */

import type { EpisodeSample } from './samples.ts';

export interface Staleness {
  /** Tokens from weights older than those that learn from them. */
  readonly tokens: number;
  /** Updates that the oldest token is behind, and the mean over all tokens. */
  readonly most: number;
  readonly mean: number;
}

/** `version`: of the weights that began the batch, for turns that name none. */
export function stalenessOf(episodes: readonly EpisodeSample[], update: number, version: number): Staleness {
  let [tokens, most, sum, all] = [0, 0, 0, 0];
  for (const { turns } of episodes)
    for (const { written, version: sampledBy = version } of turns) {
      const age = update - sampledBy;
      all += written.length;
      sum += age * written.length;
      if (age > 0) tokens += written.length;
      most = Math.max(most, age);
    }
  return { tokens, most, mean: all === 0 ? 0 : sum / all };
}
