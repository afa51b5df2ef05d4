/** @file Networks of people, stored as concatenated lists of neighbors. */

import { Fault, type Rng } from '@ludus-agents/kernel/internal/core/index';

export interface PeopleGraph {
  /** The start of each person's neighbors in `targets`, plus one final entry. */
  readonly offsets: ArrayLike<number>;
  readonly targets: ArrayLike<number>;
}

export const graphNames = ['path', 'star', 'cycle', 'complete', 'small-world', 'random', 'preferential'] as const;
export type GraphName = (typeof graphNames)[number];

/** Creates a network of a kind. `degree` is the mean number of neighbors, if the kind does not determine it. */
export function makeGraph(name: GraphName, people: number, degree: number, rng: Rng): PeopleGraph {
  return graphOf(people, edgesOf(name, people, degree, rng));
}

/** Creates a network from edges between people, numbered from 0. Each edge works in both directions and counts once. */
export function graphOf(people: number, edges: readonly (readonly [number, number])[]): PeopleGraph {
  const counts = new Int32Array(people + 1);
  for (const [a, b] of edges) {
    if (!(Number.isInteger(a) && Number.isInteger(b) && a >= 0 && b >= 0 && a < people && b < people && a !== b))
      throw new Fault('input', `An edge must join two people from 0 to ${people - 1}, but got ${JSON.stringify([a, b])}.`);
    counts[a + 1] = counts[a + 1] + 1;
    counts[b + 1] = counts[b + 1] + 1;
  }
  for (let i = 0; i < people; i++) counts[i + 1] = counts[i + 1] + counts[i];
  const next = counts.slice();
  const targets = new Int32Array(2 * edges.length);
  for (const [a, b] of edges) {
    targets[next[a]] = b;
    targets[next[b]] = a;
    next[a] = next[a] + 1;
    next[b] = next[b] + 1;
  }
  return { offsets: counts, targets };
}

function edgesOf(name: GraphName, people: number, degree: number, rng: Rng): readonly (readonly [number, number])[] {
  const all = Array.from({ length: people }, (_, i) => i);
  if (name === 'path') return all.slice(1).map((i) => [i - 1, i]);
  if (name === 'star') return all.slice(1).map((i) => [0, i]);
  if (name === 'cycle') return people < 3 ? edgesOf('path', people, degree, rng) : all.map((i) => [i, (i + 1) % people]);
  if (name === 'complete') return all.flatMap((i) => all.slice(i + 1).map((j) => [i, j] as const));
  const edges = new Map<number, readonly [number, number]>();
  const join = (a: number, b: number) => {
    const key = Math.min(a, b) * people + Math.max(a, b);
    if (a === b || edges.has(key)) return false;
    edges.set(key, [a, b]);
    return true;
  };
  const half = Math.max(1, Math.min(Math.round(degree / 2), Math.floor((people - 1) / 2)));
  if (name === 'small-world') {
    // Watts and Strogatz: neighbors on a ring, with one edge in ten rewired at random.
    for (const i of all)
      for (let step = 1; step <= half; step++) if (rng.next() >= 0.1 || !join(i, rng.int(people))) join(i, (i + step) % people);
  } else if (name === 'random') {
    const wanted = Math.min(Math.round((people * degree) / 2), (people * (people - 1)) / 2);
    while (edges.size < wanted) join(rng.int(people), rng.int(people));
  } else {
    // Barabási and Albert: new people connect to well-connected ones.
    const ends: number[] = [0];
    for (const i of all.slice(1))
      for (let tries = 0, madeCount = 0; madeCount < Math.min(half, i) && tries < 50 * half; tries++) {
        const other = rng.pick(ends);
        if (other === i || !join(i, other)) continue;
        madeCount++;
        ends.push(i, other);
      }
  }
  return [...edges.values()];
}
