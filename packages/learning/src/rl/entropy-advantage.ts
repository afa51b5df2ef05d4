/**
 * @file Advantages weighted by entropy (AEPO, 2510.14545): a token of which the policy was less certain than usual is multiplied by 1 +
 * a·z, where z is its surprise in standard deviations above the batch mean. The expected surprise is the entropy.
 */

import type { EpisodeSample, TurnAdvantage } from './samples.ts';

export function entropyAware(
  episodes: readonly EpisodeSample[],
  advantages: readonly ArrayLike<TurnAdvantage>[],
  weight: number,
): readonly ArrayLike<TurnAdvantage>[] {
  const surprises = episodes.flatMap(({ turns }) => turns.flatMap(({ logprobs }) => logprobs.map((logprob) => -logprob)));
  const mean = surprises.reduce((sum, value) => sum + value, 0) / Math.max(1, surprises.length);
  const deviation = Math.sqrt(surprises.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, surprises.length));
  if (deviation === 0) return advantages;
  return advantages.map((list, i) =>
    Array.from(list, (advantage, t) =>
      episodes[i].turns[t].logprobs.map((logprob, at) => {
        const plain = typeof advantage === 'number' ? advantage : advantage[at];
        // Never below 0: the weight must not reverse the sign of a certain token's advantage.
        return plain * Math.max(0, 1 + (weight * (-logprob - mean)) / deviation);
      }),
    ),
  );
}
