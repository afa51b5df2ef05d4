/**
 * @file The Pareto front over tasks: which candidates are best at some task, which of them are redundant, and how often each is chosen.
 *
 * As in GEPA. A candidate is on the front of a task if none does better there. One that shares every front with remaining candidates is
 * removed, the weakest first; the rest are chosen in proportion to the number of their fronts. Under noise this keeps candidates that a
 * greedy choice loses; without noise it is no better, and often worse.
 */

import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';

/** Each candidate's scores by task; null without a score. */
export type Scores = ReadonlyMap<string, readonly (number | null)[]>;

/** For every task, the candidates that no other beats. */
export function frontsOf(scores: Scores): readonly ReadonlySet<string>[] {
  const tasks = Math.max(0, ...[...scores.values()].map((row) => row.length));
  return Array.from({ length: tasks }, (_, task) => {
    let most = Number.NEGATIVE_INFINITY;
    let front = new Set<string>();
    for (const [id, row] of scores) {
      const score = row[task] ?? null;
      if (score === null || score < most) continue;
      if (score > most) front = new Set();
      most = score;
      front.add(id);
    }
    return front;
  });
}

/** The number of fronts of each candidate, after redundant ones are removed. */
export function frontWeights(scores: Scores): ReadonlyMap<string, number> {
  const fronts = frontsOf(scores).filter((front) => front.size > 0);
  const staying = new Set(fronts.flatMap((front) => [...front]));
  const means = new Map([...staying].map((id) => [id, meanScore(scores, id)]));
  const weakest = [...staying].sort((a, b) => means.get(a)! - means.get(b)!);
  // The remaining size of each front. A candidate is redundant if each of its fronts has another member. A removal can only make other
  // candidates necessary, never redundant, so one scan starting with the weakest is enough.
  const left = fronts.map((front) => front.size);
  for (const id of weakest) {
    if (fronts.some((front, i) => front.has(id) && left[i] === 1)) continue;
    staying.delete(id);
    for (const [i, front] of fronts.entries()) if (front.has(id)) left[i]--;
  }
  const weights = new Map<string, number>();
  for (const id of scores.keys()) if (staying.has(id)) weights.set(id, fronts.filter((front) => front.has(id)).length);
  return weights;
}

export function meanScore(scores: Scores, id: string): number {
  return meanOrZero((scores.get(id) ?? []).filter((score) => score !== null));
}

/** The candidate with the best mean; ties prefer the first. */
export function bestMean(scores: Scores): string {
  let best: string | null = null;
  for (const id of scores.keys()) if (best === null || meanScore(scores, id) > meanScore(scores, best)) best = id;
  return best as string;
}
