/** @file Two rewards against each other: which of several trainings no other one beats in both (AI-SearchPlanner, 2508.20368). */

/** What a training came to: what is wanted, and what it costs. */
export interface RewardPoint {
  readonly utility: number;
  readonly cost: number;
}

/** Whether each point is on the front: no other has as much for less, or more for as much. */
export function onFront(points: readonly RewardPoint[]): readonly boolean[] {
  return points.map(
    (point) =>
      !points.some(
        (other) => other.utility >= point.utility && other.cost <= point.cost && (other.utility > point.utility || other.cost < point.cost),
      ),
  );
}
