/** @file Compares trainings by two rewards: finds those that no other one beats in both (AI-SearchPlanner, 2508.20368). */

/** The result of a training: its utility and its cost. */
export interface RewardPoint {
  readonly utility: number;
  readonly cost: number;
}

/** Whether each point is on the front: no other has equal utility for less, or more utility for the same cost. */
export function onFront(points: readonly RewardPoint[]): readonly boolean[] {
  return points.map(
    (point) =>
      !points.some(
        (other) => other.utility >= point.utility && other.cost <= point.cost && (other.utility > point.utility || other.cost < point.cost),
      ),
  );
}
