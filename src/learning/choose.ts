/** @file Which episodes of a batch are learned from, as the recipe has it: whole groups that teach, or the tidier half of each. */

import type { EpisodeSample } from './batch.ts';
import type { Recipe } from './recipe.ts';
import { membersOf } from './weights/group.ts';
import { mixed, resampleOnCorrect, widest } from './weights/selection.ts';

export function chosen(episodes: readonly EpisodeSample[], { rollout, curriculum }: Recipe): readonly EpisodeSample[] {
  const groups = membersOf(episodes.map(({ prompt }) => prompt)).map((members) => members.map((i) => episodes[i] as EpisodeSample));
  if (rollout.kind === 'resample')
    return groups.flatMap((group) => {
      const attempts = group.map(({ returned, invalid, turns }) => ({ good: returned > 0, penalty: invalid / Math.max(1, turns.length) }));
      return resampleOnCorrect(attempts, rollout.keep).map((i) => group[i] as EpisodeSample);
    });
  const rewards = groups.map((group) => group.map(({ returned }) => returned));
  if (curriculum.kind === 'mixed') return groups.filter((_, i) => mixed(rewards[i] as readonly number[])).flat();
  if (curriculum.kind === 'spread') return widest(rewards, curriculum.share).flatMap((i) => groups[i] as readonly EpisodeSample[]);
  return episodes;
}
