/**
 * @file Attribution against the truth: random games of eight parts with pairwise interactions, whose Shapley shares are known in closed form.
 * Options: method ("shapley" or "leave-one-out"), seed. Gives the mean absolute error of the shares.
 */

import { shapleyShares } from '@ludus-agents/evaluation/internal/shapley';
import { type Json, rng } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';

const parts = 8;

export default async function run({ method = 'shapley', seed = 1 }: ProgramOptions): Promise<Json> {
  const random = rng(Number(seed), 'game');
  const single = Array.from({ length: parts }, () => random.next());
  const pairs = single.map((_, i) => single.map((_, j) => (j > i && random.next() < 0.4 ? 2 * random.next() - 1 : 0)));
  const worth = (set: readonly number[]) =>
    set.reduce((sum, i) => sum + single[i] + set.reduce((inner, j) => inner + (j > i ? pairs[i][j] : 0), 0), 0);
  const truth = single.map((value, i) => value + single.reduce((sum, _, j) => sum + (pairs[i][j] + pairs[j][i]) / 2, 0));
  const everything = single.map((_, i) => i);
  const shares =
    method === 'shapley'
      ? await shapleyShares(parts, async (set) => worth(set), rng(Number(seed), 'orders'))
      : everything.map((i) => worth(everything) - worth(everything.filter((j) => j !== i)));
  return { error: shares.reduce((sum, share, i) => sum + Math.abs(share - truth[i]), 0) / parts };
}
