/** @file Selects the current scores of an episode: a store also keeps those of earlier judges and rubrics. */

import type { Score } from '@ludus-agents/kernel/internal/core/index';

/** The newest score of each name, seat and turn. Where a judge has judged again, what only an earlier version of it has scored is left out. */
export function currentScores(scores: readonly Score[]): readonly Score[] {
  const judges = new Map<string, string>();
  const newest = new Map<string, Score>();
  for (const score of scores) {
    const judge = judgeOf(score);
    if (judge !== undefined) judges.set(rubricOf(score), judge);
    const key = JSON.stringify([score.name, score.seat ?? null, score.turn ?? null]);
    newest.delete(key);
    newest.set(key, score);
  }
  const isCurrent = (score: Score) => judgeOf(score) === undefined || judges.get(rubricOf(score)) === judgeOf(score);
  const current = [...newest.values()].filter(isCurrent);
  // Lists that many episodes share stay shared.
  return current.length === scores.length ? scores : current;
}

function judgeOf({ provenance }: Score): string | undefined {
  return provenance?.['judgeHash'];
}

/** "judge/RUBRIC" of "judge/RUBRIC/AXIS". */
function rubricOf({ name }: Score): string {
  return name.split('/', 2).join('/');
}
