/**
 * @file The Pareto front over tasks: which candidates are best at some task, which of them are not needed, and how often each is chosen.
 *
 * As in GEPA. A candidate is on the front of a task if none does better there. One that shares every front with candidates that stay is
 * removed, the weakest first; the rest are chosen in proportion to the fronts they are on. Under noise this keeps what a greedy choice
 * loses; without noise it is no better, and often worse.
 */

import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';

/** What each candidate scored on each task; null where it has no score. */
export type Scores = ReadonlyMap<string, readonly (number | null)[]>;

/** For every task, the candidates that none beats there. */
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

/** How many fronts each candidate is on once those that are not needed are removed. */
export function frontWeights(scores: Scores): ReadonlyMap<string, number> {
  const fronts = frontsOf(scores).filter((front) => front.size > 0);
  const staying = new Set(fronts.flatMap((front) => [...front]));
  const means = new Map([...staying].map((id) => [id, meanScore(scores, id)]));
  const weakest = [...staying].sort((a, b) => means.get(a)! - means.get(b)!);
  // How many of each front stay. A candidate is not needed where another stays on each of its fronts. A removal may make another candidate
  // needed, and never the other way round: so one that was needed once still is, and one scan from the weakest on is enough.
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

/** The candidate with the best mean; of equals, the first. */
export function bestMean(scores: Scores): string {
  let best: string | null = null;
  for (const id of scores.keys()) if (best === null || meanScore(scores, id) > meanScore(scores, best)) best = id;
  return best as string;
}
