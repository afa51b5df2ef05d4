/**
 * @file Progress over many tasks (XLand, arXiv 2107.12808): a policy's return on each task is divided by the highest return there, and low
 * percentiles over tasks are reported instead of a mean, so that neither a task with large rewards nor easy tasks dominate.
 */

/** The 10th to the 50th percentile of normalized scores, and the share of tasks that paid more than nothing. */
export type TaskProgress = {
  readonly percentiles: readonly number[];
  readonly participation: number;
};

const shares = [0.1, 0.2, 0.3, 0.4, 0.5];

/** `most`: the highest return on each task; a task without any positive return counts 0. */
export function taskProgress(scores: readonly number[], most: readonly number[]): TaskProgress {
  const normalised = scores.map((score, i) => (most[i] > 0 ? score / most[i] : 0)).toSorted((a, b) => a - b);
  const at = (share: number) => {
    const place = share * (normalised.length - 1);
    const below = normalised[Math.floor(place)] ?? 0;
    return below + (place - Math.floor(place)) * ((normalised[Math.ceil(place)] ?? below) - below);
  };
  return { percentiles: shares.map(at), participation: scores.filter((score) => score > 0).length / Math.max(1, scores.length) };
}

/** Progress means that no percentile has fallen and at least one has risen. */
export function isProgress(before: TaskProgress, after: TaskProgress): boolean {
  const gaps = [...after.percentiles, after.participation].map((value, i) => value - [...before.percentiles, before.participation][i]);
  return gaps.every((gap) => gap >= -1e-12) && gaps.some((gap) => gap > 1e-12);
}
