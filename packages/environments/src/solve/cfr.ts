/**
 * @file CFR+: computes an approximate equilibrium of a two-seat zero-sum tree by self-play of regret minimizers.
 *
 * Counterfactual regret minimization (Zinkevich, Johanson, Bowling and Piccione 2007) in the "plus" form of Tammelin (2014): regrets never
 * fall below zero, and the seats update in turn. Later strategies have a higher weight in the average, by the square of their iteration
 * rather than linearly. The tree is converted to flat arrays first, because traversal takes all the time.
 */

import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { distance, type TreeStrategy } from './best-response.ts';
import type { InformationSet, Tree } from './tree.ts';

/** Returns the average strategy of all seats after `iterations`, or earlier if a periodic check finds NashConv at most `within`. */
export function cfr(tree: Tree, iterations: number, within = 0): TreeStrategy {
  if (!isZeroSum(tree))
    throw new Fault('input', 'CFR needs a two-seat zero-sum game, where the returns always add up to 0. This game is different.');
  const layout = layOut(tree);
  const learners = tree.seats.map((_, seat) => tree.sets.filter((set) => set.seat === seat));
  let next = 50;
  for (let iteration = 1; iteration <= iterations; iteration++) {
    for (let seat = 0; seat < 2; seat++) {
      const sets = learners[seat];
      walk(layout, seat);
      for (const set of sets) improve(layout, set);
      for (const set of sets) average(layout, set, iteration * iteration);
    }
    // A best response costs as much as several iterations, so checks become less frequent.
    if (within > 0 && iteration >= next) {
      next = Math.ceil(iteration * 1.25);
      if (distance(tree, averages(layout, tree)).nashConv <= within) break;
    }
  }
  return averages(layout, tree);
}

/** Returns whether the returns at every end of a two-seat tree sum to zero. */
export function isZeroSum(tree: Tree): boolean {
  if (tree.seats.length !== 2) return false;
  return tree.nodes.every((node) => node.kind !== 'terminal' || Math.abs(node.returns[0] + node.returns[1]) < 1e-9);
}

/**
 * A tree in flat arrays. Inner nodes come first, children before parents, followed by the ends. The children of inner node i are `kids`
 * from `first[i]` to `first[i + 1]`, and their weights start at `weights[base[i]]`.
 */
interface Layout {
  readonly first: Int32Array;
  readonly kids: Int32Array;
  readonly base: Int32Array;
  /** The seat that decides, or −1 for chance. */
  readonly owner: Int8Array;
  /** The current strategy, set after set, followed by the probabilities of all chance nodes. */
  readonly weights: Float64Array;
  /** Start of each information set's choices in `weights`, `regrets`, `worths`, and `sums`. */
  readonly bases: Int32Array;
  readonly regrets: Float64Array;
  readonly worths: Float64Array;
  readonly sums: Float64Array;
  /** The probability that a seat's own choices lead to each of its sets. */
  readonly own: Float64Array;
  readonly reach: Float64Array;
  /** Values for the first seat. Those of the ends never change. */
  readonly values: Float64Array;
  /** The first inner node of each inner node's subtree; the others follow it up to the node itself. */
  readonly low: Int32Array;
  /** During a traversal: the end of the subtree that starts here, if its reach probability is 0; otherwise −1. */
  readonly skips: Int32Array;
}

function layOut({ nodes, sets, terminals }: Tree): Layout {
  const bases = new Int32Array(sets.length);
  const weights: number[] = [];
  for (const { index, choices } of sets) {
    bases[index] = weights.length;
    for (const _ of choices) weights.push(1 / choices.length);
  }
  const choices = weights.length;
  const inner = nodes.length - terminals;
  const first = new Int32Array(inner + 1);
  const base = new Int32Array(inner);
  const owner = new Int8Array(inner).fill(-1);
  const values = new Float64Array(nodes.length);
  const places = new Int32Array(nodes.length);
  const low = new Int32Array(inner);
  const kids: number[] = [];
  let [inside, end] = [0, inner];
  for (const node of nodes) {
    const place = node.kind === 'terminal' ? end++ : inside++;
    places[node.index] = place;
    if (node.kind === 'terminal') {
      values[place] = node.returns[0];
      continue;
    }
    low[place] = place;
    for (const child of node.children) {
      const kid = places[child.index];
      kids.push(kid);
      if (kid < inner) low[place] = Math.min(low[place], low[kid]);
    }
    first[place + 1] = kids.length;
    if (node.kind === 'decision') owner[place] = node.set.seat;
    base[place] = node.kind === 'decision' ? bases[node.set.index] : weights.length;
    if (node.kind === 'chance') for (const chance of node.chances) weights.push(chance);
  }
  const zeros = (length: number) => new Float64Array(length);
  const learned = { regrets: zeros(choices), worths: zeros(choices), sums: zeros(choices), own: zeros(sets.length).fill(1) };
  const flat = { weights: Float64Array.from(weights), kids: Int32Array.from(kids), reach: zeros(nodes.length) };
  return { first, base, owner, bases, values, low, skips: new Int32Array(inner).fill(-1), ...flat, ...learned };
}

/**
 * Traverses down to compute the reach probability of each node from chance and the other seat, then up to compute its value and accumulate
 * the values of a seat's choices. Skips subtrees that they never play to: they contribute nothing, and soon make up most of the tree.
 */
function walk({ first, kids, base, owner, weights, worths, reach, values, low, skips }: Layout, seat: number): void {
  const sign = seat === 0 ? 1 : -1;
  reach[owner.length - 1] = 1;
  for (let node = owner.length - 1; node >= 0; node--) {
    const here = reach[node];
    if (here === 0) {
      skips[low[node]] = node;
      node = low[node];
      continue;
    }
    const end = first[node + 1];
    const shift = base[node] - first[node];
    const mine = owner[node] === seat;
    for (let at = first[node]; at < end; at++) reach[kids[at]] = mine ? here : here * weights[at + shift];
  }
  for (let node = 0; node < owner.length; node++) {
    const skip = skips[node];
    if (skip >= 0) {
      skips[node] = -1;
      values[skip] = 0;
      node = skip;
      continue;
    }
    const end = first[node + 1];
    const shift = base[node] - first[node];
    const counts = owner[node] === seat ? sign * reach[node] : 0;
    let value = 0;
    for (let at = first[node]; at < end; at++) {
      const worth = values[kids[at]];
      value += weights[at + shift] * worth;
      if (counts !== 0) worths[at + shift] = worths[at + shift] + counts * worth;
    }
    values[node] = value;
  }
}

/** Converts a set's accumulated values to regrets, and regrets to the next strategy. */
function improve({ bases, weights, worths, regrets }: Layout, { index, choices }: InformationSet): void {
  const start = bases[index];
  const end = start + choices.length;
  let value = 0;
  for (let at = start; at < end; at++) value += weights[at] * worths[at];
  let total = 0;
  for (let at = start; at < end; at++) {
    regrets[at] = Math.max(0, regrets[at] + worths[at] - value);
    total += regrets[at];
    worths[at] = 0;
  }
  for (let at = start; at < end; at++) weights[at] = total > 0 ? regrets[at] / total : 1 / choices.length;
}

/**
 * Adds the current strategy to the average, weighted by the probability that the seat itself plays to this set. A seat's sets come in
 * playing order.
 */
function average({ bases, weights, sums, own }: Layout, { index, choices, after }: InformationSet, weight: number): void {
  if (after !== null) own[index] = own[after.set.index] * weights[bases[after.set.index] + after.choice];
  const start = bases[index];
  for (let at = start; at < start + choices.length; at++) sums[at] = sums[at] + weight * own[index] * weights[at];
}

function averages({ bases, sums }: Layout, tree: Tree): TreeStrategy {
  return tree.sets.map(({ index, choices }) => {
    const base = bases[index];
    return normalise(sums.slice(base, base + choices.length));
  });
}

/** Normalizes weights to probabilities. A set that the seat never plays to gets a uniform strategy. */
function normalise(weights: Float64Array): Float64Array {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => (total > 0 ? weight / total : 1 / weights.length));
}
