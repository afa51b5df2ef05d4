/**
 * @file Simulates spreading over a network in simultaneous steps: a person who has it at the start of a step tells each neighbor with a
 * probability, and may then lose it.
 *
 * Every random number depends only on its key, step, and edge. So two simulations that differ in one thing draw the same numbers everywhere
 * else, only active spreaders cost time, and a hundred thousand people fit into one array.
 */

import type { PeopleGraph } from './graph.ts';

export const spreadModels = ['si', 'sir', 'threshold', 'rumour'] as const;
export type SpreadModel = (typeof spreadModels)[number];

/** A person's state: has not heard it, has it, has recovered, or has the correction. */
export const states = { unaware: 0, active: 1, recovered: 2, corrected: 3 } as const;

export interface SpreadRules {
  readonly model: SpreadModel;
  /** The probability that a person who has it tells one neighbor in one step. */
  readonly beta: number;
  /** The probability that a person who had it at the start of a step loses it at the end. */
  readonly gamma: number;
  /** With thresholds: the share of neighbors that must have it. */
  readonly threshold: number;
  /** The key of all random numbers. */
  readonly key: number;
}

/** A person who adopted it, and the person who passed it on; −1 if there is none. */
export interface SpreadChange {
  readonly person: number;
  readonly state: number;
  readonly by: number;
}

/** Returns a random number in [0, 1) for a place. Mixing is strong enough that neighboring places are independent. */
export function throwAt(key: number, step: number, place: number): number {
  let x = (key ^ Math.imul(step + 1, 0x9e3779b1) ^ Math.imul(place + 1, 0x85ebca77)) | 0;
  x = Math.imul(x ^ (x >>> 16), 0x7feb352d);
  x = Math.imul(x ^ (x >>> 15), 0x846ca68b);
  x ^= x >>> 16;
  x = Math.imul(x ^ Math.imul(step + 0x51, 0xc2b2ae3d), 0x2c1b3c6d);
  x = Math.imul(x ^ (x >>> 12), 0x297a2d39);
  return ((x ^ (x >>> 15)) >>> 0) / 2 ** 32;
}

/**
 * Returns the changes of one step. `spreaders` are the people with something to tell; those in `silent` do not tell it this time. For
 * rumors, the correction takes precedence: a person who hears both in one step is corrected.
 */
export function spreadChanges(
  graph: PeopleGraph,
  status: ArrayLike<number>,
  {
    spreaders,
    step,
    rules,
    silent,
  }: { readonly spreaders: readonly number[]; readonly step: number; readonly rules: SpreadRules; readonly silent?: ReadonlySet<number> },
): readonly SpreadChange[] {
  if (rules.model === 'threshold') return thresholdChanges(graph, status, spreaders, rules);
  const message = new Map<number, SpreadChange>();
  for (const from of spreaders) {
    if (silent?.has(from) === true) continue;
    const senderStatus = status[from];
    for (let at = graph.offsets[from]; at < graph.offsets[from + 1]; at++) {
      const person = graph.targets[at];
      const before = status[person];
      const isNew = senderStatus === states.corrected ? before !== states.corrected : before === states.unaware;
      if (!isNew || throwAt(rules.key, step, at) >= rules.beta) continue;
      const already = message.get(person);
      if (already === undefined || (senderStatus === states.corrected && already.state !== senderStatus))
        message.set(person, { person, state: senderStatus, by: from });
    }
  }
  const changes = [...message.values()];
  if (rules.model === 'sir')
    for (const person of spreaders)
      if (throwAt(rules.key ^ 0x5bd1e995, step, person) < rules.gamma) changes.push({ person, state: states.recovered, by: -1 });
  return changes;
}

/** Returns the people of whose neighbors a sufficient share has it. */
function thresholdChanges(
  graph: PeopleGraph,
  status: ArrayLike<number>,
  spreaders: readonly number[],
  { threshold }: SpreadRules,
): readonly SpreadChange[] {
  const near = new Map<number, { count: number; by: number }>();
  for (const from of spreaders)
    for (let at = graph.offsets[from]; at < graph.offsets[from + 1]; at++) {
      const person = graph.targets[at];
      if (status[person] !== states.unaware) continue;
      const match = near.get(person) ?? { count: 0, by: from };
      match.count++;
      near.set(person, match);
    }
  return [...near].flatMap(([person, { count, by }]) => {
    const degree = graph.offsets[person + 1] - graph.offsets[person];
    return count >= threshold * degree - 1e-12 ? [{ person, state: states.active, by }] : [];
  });
}

export interface Simulated {
  /** The number of people who ever had it, before the first step and after each step. */
  readonly curve: readonly number[];
  readonly status: Uint8Array;
  readonly steps: number;
}

export interface Correction {
  readonly step: number;
  readonly at: readonly number[];
}

/** Simulates spreading by rule to its end, or for a number of steps. */
export function simulateSpread(
  graph: PeopleGraph,
  rules: SpreadRules,
  { from, steps, correction }: { readonly from: readonly number[]; readonly steps: number; readonly correction?: Correction },
): Simulated {
  const status = new Uint8Array(graph.offsets.length - 1);
  let spreaders: number[] = [];
  let reached = 0;
  const become = ({ person, state }: SpreadChange) => {
    const before = status[person];
    if (before === states.unaware && state === states.active) reached++;
    if (state !== states.recovered && (before === states.unaware || before === states.recovered)) spreaders.push(person);
    status[person] = state;
  };
  for (const person of from) become({ person, state: states.active, by: -1 });
  const curve = [reached];
  let step = 0;
  for (; step < steps && (spreaders.length > 0 || (correction !== undefined && step <= correction.step)); step++) {
    if (correction?.step === step) for (const person of correction.at) become({ person, state: states.corrected, by: -1 });
    const changes = spreadChanges(graph, status, { spreaders, step, rules });
    for (const change of changes) become(change);
    if (rules.model === 'sir') spreaders = spreaders.filter((person) => status[person] === states.active);
    curve.push(reached);
    // Without changes, nothing more can happen.
    if (rules.model === 'threshold' && changes.length === 0) break;
  }
  return { curve, status, steps: step };
}
