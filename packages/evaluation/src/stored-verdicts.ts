/** @file Verdicts of judges that an episode has already: each belongs to one version of a judge, its rubric and its model. */

import type { Score } from '@ludus-agents/kernel/internal/core/index';
import type { Judge } from './scoring/judges/index.ts';

/** By what version of a judge an episode has its last verdict; undefined where it has none. */
export function judgeHashIn(scores: readonly Score[], { name: of }: Judge): string | undefined {
  return scores.findLast(({ name }) => name === of)?.provenance?.['judgeHash'];
}

/** The newest verdicts of exactly this judge, also where those of another version are newer; null where it has to be asked. */
export function storedVerdicts(scores: readonly Score[], judge: Judge, reuse: boolean): readonly Score[] | null {
  if (judge.unpinned !== undefined && !reuse) return null;
  const verdicts = scores.filter(({ provenance }) => provenance?.['judgeHash'] === judge.hash);
  if (verdicts.length === 0 || verdicts.some(({ status }) => status !== 'ok')) return null;
  const newest = new Map(verdicts.map((score) => [JSON.stringify([score.name, score.seat ?? null, score.turn ?? null]), score]));
  return [...newest.values()];
}
