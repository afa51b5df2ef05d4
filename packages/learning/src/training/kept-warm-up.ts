/** @file Imitation of kept episodes before the first game, for recipes whose loss has no imitation: any recipe can start this way. */

import { type Learner, type Rng, rng, type Seed, type TokenRow } from '@ludus-agents/kernel/internal/core/index';
import { type KeptEpisode, keptRows } from '../rl/kept-lessons.ts';
import { comparesKept } from '../rl/kept-pairs.ts';
import { imitation } from '../rl/losses/imitation.ts';
import type { Recipe } from '../rl/recipe.ts';
import { between } from '../rl/schedule.ts';

/** The default number of imitation steps, and of rows in each. */
const usual = { steps: 100, rows: 256 };

/** Whether a recipe uses its kept episodes before the first game, because its loss does not use them later. */
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

/** Imitates kept episodes; steps, rate and rows are those of `training.warmUp`, if set. */
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
