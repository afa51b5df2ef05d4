/** @file Imitation of kept episodes before the first game, for recipes that neither imitate nor mix imitation in: any recipe can begin so. */

import { type Learner, type Rng, rng, type Seed, type TokenRow } from '@ludus-agents/kernel/internal/core/index';
import { type KeptEpisode, keptRows } from '../rl/kept-lessons.ts';
import { comparesKept } from '../rl/kept-pairs.ts';
import { imitation } from '../rl/losses/imitation.ts';
import type { Recipe } from '../rl/recipe.ts';
import { between } from '../rl/schedule.ts';

/** Steps of imitation unless set, and rows of each. */
const usual = { steps: 100, rows: 256 };

/** Whether the kept episodes of a recipe are what it begins with: nothing in its loss would learn from them later. */
export function beginsWithKept({ kept, rounds, guidance, loss }: Recipe): boolean {
  return (
    kept !== undefined &&
    !comparesKept({ loss }) &&
    rounds === undefined &&
    guidance === undefined &&
    loss.kind !== 'imitation' &&
    loss.imitation === undefined
  );
}

/** Imitates what was kept; steps, rate and rows are those of `training.warmUp`, where it is set. */
export async function imitateKept(
  { kept, training }: Recipe,
  learner: Learner,
  { episodes, seed, say }: { readonly episodes: readonly KeptEpisode[]; readonly seed: Seed; readonly say: (sentence: string) => void },
): Promise<void> {
  if (kept === undefined) return;
  const { rows, turns, left } = keptRows(learner, episodes, kept.weigh);
  const without = Object.entries(left).map(([why, count]) => `, ${count} left out (${why})`);
  const { steps = usual.steps, rate = training.rate.from, rows: most = kept.rows ?? usual.rows } = training.warmUp ?? {};
  say(`${turns} turns of ${episodes.length} stored episodes from ${kept.from} are imitated for ${steps} steps first${without.join('')}.`);
  for (let step = 0; step < steps; step++) {
    await learner.forwardBackward(imitation(drawRows(rows, most, rng(seed, 'kept', step))), 'cross_entropy');
    await learner.optimStep({ rate: between({ from: rate, to: rate / 10 }, step / steps), clip: 1 });
  }
  await learner.refer();
}

function drawRows(rows: readonly TokenRow[], most: number, dice: Rng): readonly TokenRow[] {
  return rows.length <= most ? rows : Array.from({ length: most }, () => dice.pick(rows));
}
