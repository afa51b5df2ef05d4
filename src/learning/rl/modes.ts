/** @file AMPO's adaptive modes (2505.02156): besides the group's z-score, an advantage for the mode of thought that was chosen. */

import { deviation, membersOf } from './baselines/group.ts';

export interface ModeSample {
  readonly mode: number;
  readonly reward: number;
  readonly length: number;
}

/** What each sample gets for its mode: nothing unless all modes were tried twice; by length where all do equally well. */
export function modeAdvantages(samples: readonly ModeSample[], modes: number, tolerance = 1e-9): readonly number[] {
  const groups = membersOf(samples.map(({ mode }) => mode));
  if (groups.length < modes || groups.some((group) => group.length < 2)) return samples.map(() => 0);
  const mean = (group: readonly number[], of: 'reward' | 'length') =>
    group.reduce((sum, i) => sum + (samples[i] as ModeSample)[of], 0) / group.length;
  const rewards = groups.map((group) => mean(group, 'reward'));
  const equal = Math.max(...rewards) - Math.min(...rewards) <= tolerance;
  const worth = equal ? standardised(groups.map((group) => mean(group, 'length'))).map((z) => Math.tanh(-z)) : standardised(rewards);
  const out = samples.map(() => 0);
  groups.forEach((group, g) => {
    for (const i of group) out[i] = worth[g] as number;
  });
  return out;
}

function standardised(values: readonly number[]): readonly number[] {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const spread = deviation(values);
  return values.map((value) => (spread === 0 ? 0 : (value - mean) / spread));
}
