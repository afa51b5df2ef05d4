/** @file The age of the weights that sampled the training data of an update, token by token. */

import type { EpisodeSample } from './samples.ts';

export interface Staleness {
  /** The number of tokens from older weights than those being trained. */
  readonly tokens: number;
  /** The age of the oldest token in updates, and the mean over all tokens. */
  readonly most: number;
  readonly mean: number;
}

/** `version`: the weights that started the batch, for turns without a version. */
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
