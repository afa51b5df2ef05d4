/** @file Who brings lessons to the updates of a recipe besides its play: kept episodes, teachers, forks. */

import type { AnyEnvironment, Learner, Policy, Seed, Store } from '../core/index.ts';
import { KeptGuide } from '../learning/rl/kept-guide.ts';
import { keptRows } from '../learning/rl/kept-lessons.ts';
import type { LessonGuide } from '../learning/rl/lesson-guide.ts';
import type { Recipe } from '../learning/rl/recipe.ts';
import { keptEpisodes } from './kept-source.ts';
import type { Seating } from './seating.ts';

export interface GuidePlace {
  readonly environment: AnyEnvironment;
  readonly cwd: string;
  readonly learner: Learner;
  /** How the learner plays. */
  readonly policy: Policy;
  readonly seed: Seed;
  readonly seating: Seating;
  readonly store: Store | undefined;
  readonly say: (sentence: string) => void;
}

export async function guidesOf(recipe: Recipe, place: GuidePlace): Promise<readonly LessonGuide[]> {
  return [...(await keptGuides(recipe, place))];
}

async function keptGuides({ kept, rounds }: Recipe, { environment, cwd, learner, seed, seating, store, say }: GuidePlace) {
  if (kept === undefined && rounds === undefined) return [];
  const episodes = kept === undefined ? [] : await keptEpisodes(kept, { environment, seats: seating.mine, cwd, store });
  const { turns, left } = keptRows(learner, episodes, kept?.weigh);
  const without = Object.entries(left).map(([why, count]) => `, ${count} left out (${why})`);
  if (kept !== undefined) say(`${turns} turns of ${episodes.length} kept episodes of ${kept.from} are learned from${without.join('')}.`);
  return [new KeptGuide({ learner, seed, base: episodes, weigh: kept?.weigh, rows: kept?.rows, rounds })];
}
