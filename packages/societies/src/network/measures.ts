/** @file Measures of networks: how opinions and ties split into camps, and how something was passed on. */

/** Computes Newman's modularity of ties between camps, or 0 without ties. Each tie is given once. */
export function modularity(ties: readonly (readonly [number, number])[], campOf: (person: number) => number): number {
  if (ties.length === 0) return 0;
  const degrees = new Map<number, number>();
  let within = 0;
  for (const [a, b] of ties) {
    const [p, q] = [campOf(a), campOf(b)];
    degrees.set(p, (degrees.get(p) ?? 0) + 1);
    degrees.set(q, (degrees.get(q) ?? 0) + 1);
    if (p === q) within++;
  }
  const expected = [...degrees.values()].reduce((sum, degree) => sum + (degree / (2 * ties.length)) ** 2, 0);
  return within / ties.length - expected;
}

/** Returns (external − internal) / all ties: −1 if camps have no ties to each other, 1 if there are none within camps. */
export function externalInternal(ties: readonly (readonly [number, number])[], campOf: (person: number) => number): number {
  if (ties.length === 0) return 0;
  const across = ties.filter(([a, b]) => campOf(a) !== campOf(b)).length;
  return (2 * across - ties.length) / ties.length;
}

export interface OpinionFigures {
  readonly mean: number;
  readonly variance: number;
  /** Shares of people with an opinion beyond one half on either side. */
  readonly against: number;
  readonly for: number;
}

export function opinionFigures(opinions: readonly number[]): OpinionFigures {
  const mean = opinions.reduce((sum, value) => sum + value, 0) / opinions.length;
  const share = (is: (value: number) => boolean) => opinions.filter(is).length / opinions.length;
  return {
    mean,
    variance: opinions.reduce((sum, value) => sum + (value - mean) ** 2, 0) / opinions.length,
    against: share((value) => value < -0.5),
    for: share((value) => value > 0.5),
  };
}

export interface CascadeFigures {
  readonly scale: number;
  readonly depth: number;
  /** The maximum number of people at one depth. */
  readonly breadth: number;
  /** The mean distance between two people of the cascade (structural virality); 0 for a single person. */
  readonly virality: number;
}

/** Measures a cascade from pairs of who passed it on after whom; roots come after −1. Only a person's first entry counts. */
export function cascadeFigures(passed: readonly (readonly [number, number])[]): CascadeFigures {
  const depth = new Map<number, number>();
  const children = new Map<number, number[]>();
  const order: number[] = [];
  for (const [person, after] of passed) {
    if (depth.has(person)) continue;
    depth.set(person, after < 0 || !depth.has(after) ? 0 : depth.get(after)! + 1);
    order.push(person);
    if (after >= 0 && depth.has(after)) children.set(after, [...(children.get(after) ?? []), person]);
  }
  const scale = order.length;
  const levels = Map.groupBy(order, (person) => depth.get(person)!);
  // A tie above a subtree of s people is on s (n − s) of the paths between two people.
  const size = new Map<number, number>();
  for (const person of order.toReversed())
    size.set(person, 1 + (children.get(person) ?? []).reduce((sum, child) => sum + size.get(child)!, 0));
  const ways = order.reduce((sum, person) => (depth.get(person) === 0 ? sum : sum + size.get(person)! * (scale - size.get(person)!)), 0);
  return {
    scale,
    depth: Math.max(0, ...levels.keys()),
    breadth: Math.max(0, ...[...levels.values()].map((list) => list.length)),
    virality: scale < 2 ? 0 : (2 * ways) / (scale * (scale - 1)),
  };
}
