/** @file Selects the episodes of a batch to train on, by the recipe: whole groups that differ, or the cleaner half of each. */

import { membersOf } from './baselines/group.ts';
import type { Recipe } from './recipe.ts';
import type { EpisodeSample } from './samples.ts';
import { isMixedGroup, resampleOnCorrect, widest } from './selection.ts';

export function selectEpisodes(episodes: readonly EpisodeSample[], { rollout, curriculum }: Recipe): readonly EpisodeSample[] {
  const groups = membersOf(episodes.map(({ prompt }) => prompt)).map((members) => members.map((i) => episodes[i]));
  if (rollout.kind === 'resample')
    return groups.flatMap((group) => {
      const attempts = group.map(({ returned, invalid, turns }) => ({ good: returned > 0, penalty: invalid / Math.max(1, turns.length) }));
      return resampleOnCorrect(attempts, rollout.keep).map((i) => group[i]);
    });
  const rewards = groups.map((group) => group.map(({ returned }) => returned));
  if (curriculum.kind === 'mixed') return groups.filter((_, i) => isMixedGroup(rewards[i])).flat();
  if (curriculum.kind === 'spread') return widest(rewards, curriculum.share).flatMap((i) => groups[i]);
  return episodes;
}
