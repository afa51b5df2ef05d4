/**
 * @file Controlled rounding (Cox 1987): rounds expected counts to integers, so that each cell, each margin, and the total is its
 * expectation rounded up or down.
 *
 * Nested margins form a chain. With at most two chains a rounding always exists, and the one nearest to the expectations is computed as a
 * minimum-cost flow. With more chains it may not exist: people are then exchanged until all counts fit, or the remaining deviation is
 * reported.
 */

import { type Rng, rng, type Seed } from '@ludus-agents/kernel/internal/core/index';

/** The group of a margin that each cell belongs to; −1 if the cell belongs to none. */
export interface Grouping {
  readonly of: Int32Array;
  /** The expected count of each group. */
  readonly expected: Float64Array;
}

export interface Rounded {
  readonly counts: Int32Array;
  /** A group that deviates from its expectation by one or more, if any. */
  readonly off: { readonly grouping: number; readonly group: number; readonly count: number } | null;
}

/** The most cells for which a minimum-cost flow is computed quickly. */
const mostFlowCells = 3000;

export function roundTable(expected: Float64Array, groupings: readonly Grouping[], n: number, seed: Seed): Rounded {
  const chains = expected.length > mostFlowCells ? null : twoChains(groupings);
  const counts = chains === null ? null : byFlow(expected, chains, n);
  return counts === null ? byExchange(expected, groupings, n, rng(seed, 'rounding')) : { counts, off: null };
}

/** An expectation that is an integer up to the error of raking counts as an integer. */
function snapToWhole(value: number, n: number): number {
  const whole = Math.round(value);
  return Math.abs(value - whole) < Math.min(0.01, Math.max(1e-9, 1e-8 * n)) ? whole : value;
}

/** The groupings as two chains, each grouping a refinement of the previous one; null if two do not suffice. */
function twoChains(groupings: readonly Grouping[]): readonly [Grouping[], Grouping[]] | null {
  const chains: [Grouping[], Grouping[]] = [[], []];
  const bySize = [...groupings].sort((a, b) => a.expected.length - b.expected.length);
  for (const grouping of bySize) {
    const chain =
      chains.find((chain) => chain.length > 0 && refines(grouping, chain.at(-1) as Grouping)) ?? chains.find((chain) => chain.length === 0);
    if (chain === undefined) return null;
    chain.push(grouping);
  }
  return chains;
}

function refines(fine: Grouping, coarse: Grouping): boolean {
  const parent = new Int32Array(fine.expected.length).fill(-1);
  return fine.of.every((group, cell) => {
    if (group < 0) return true;
    const above = coarse.of[cell] as number;
    if (parent[group] === -1) parent[group] = above;
    return parent[group] === above;
  });
}

/** One unit may flow along an arc with a fractional expectation, at the cost of rounding up instead of down. */
interface Arc {
  readonly to: number;
  readonly cost: number;
  room: number;
  readonly back: number;
}

class Network {
  readonly arcs: Arc[][] = [];
  /** The surplus (above 0) or deficit of each node after every arc is rounded down. */
  readonly excess: number[] = [];

  node(): number {
    this.excess.push(0);
    return this.arcs.push([]) - 1;
  }

  /** Adds an arc rounded down; returns a function for its final flow. */
  connect(from: number, to: number, expected: number, weight: number): () => number {
    const base = Math.floor(expected);
    const rest = expected - base;
    this.excess[to] = this.excess[to] + base;
    this.excess[from] = this.excess[from] - base;
    if (rest === 0) return () => base;
    const arc = this.#arc(from, to, weight * (1 - 2 * rest), 1);
    return () => base + 1 - arc.room;
  }

  #arc(from: number, to: number, cost: number, room: number): Arc {
    const ahead = this.arcs[from];
    const behind = this.arcs[to];
    const arc: Arc = { to, cost, room, back: behind.length };
    behind.push({ to: from, cost: -cost, room: 0, back: ahead.length });
    ahead.push(arc);
    return arc;
  }

  /** Moves surplus to deficits at minimum cost; returns false if no path is left. */
  settle(): boolean {
    const [first, last] = [this.node(), this.node()];
    let units = 0;
    this.excess.forEach((by, node) => {
      if (by > 0) this.#arc(first, node, 0, by);
      if (by < 0) this.#arc(node, last, 0, -by);
      units += Math.max(0, by);
    });
    for (let unit = 0; unit < units; unit++) if (!this.#push(first, last)) return false;
    return true;
  }

  /** Sends one unit along the cheapest path, by the label-correcting method, which allows negative costs. */
  #push(first: number, last: number): boolean {
    const cost = new Float64Array(this.arcs.length).fill(Infinity);
    const via: (readonly [node: number, arc: number] | undefined)[] = new Array(this.arcs.length);
    const waiting = [first];
    const isWaiting = new Uint8Array(this.arcs.length);
    cost[first] = 0;
    for (let at = 0; at < waiting.length; at++) {
      const node = waiting[at];
      isWaiting[node] = 0;
      this.arcs[node].forEach((arc, i) => {
        const next = cost[node] + arc.cost;
        if (arc.room <= 0 || next >= cost[arc.to] - 1e-12) return;
        cost[arc.to] = next;
        via[arc.to] = [node, i];
        if (isWaiting[arc.to] === 1) return;
        isWaiting[arc.to] = 1;
        waiting.push(arc.to);
      });
    }
    if (cost[last] === Infinity) return false;
    for (let node = last; node !== first; ) {
      const [from, i] = via[node]!;
      const arc = this.arcs[from][i];
      arc.room--;
      this.arcs[arc.to][arc.back].room++;
      node = from;
    }
    return true;
  }
}

/**
 * The network runs from a source over the groups of one chain, from coarse to fine, along the cells, and over the groups of the other chain
 * to a sink.
 */
function byFlow(expected: Float64Array, [rows, columns]: readonly [Grouping[], Grouping[]], n: number): Int32Array | null {
  const network = new Network();
  const [source, sink] = [network.node(), network.node()];
  // Margins weigh more than cells, so that they are rounded to the nearest integer if possible.
  const weight = 4 * expected.length;
  const place = (chain: readonly Grouping[], root: number, outwards: boolean): ((cell: number) => number) => {
    let above: (cell: number) => number = () => root;
    for (const { of, expected: wanted } of chain) {
      const nodes = Array.from(wanted, () => network.node());
      const upper = above;
      const linked = new Set<number>();
      of.forEach((group, cell) => {
        if (group < 0 || linked.has(group)) return;
        linked.add(group);
        const [from, to] = outwards ? [upper(cell), nodes[group]] : [nodes[group], upper(cell)];
        network.connect(from, to, snapToWhole(wanted[group], n), weight);
      });
      above = (cell) => nodes[of[cell] as number];
    }
    return above;
  };
  const from = place(rows, source, true);
  const to = place(columns, sink, false);
  const flows = Array.from(expected, (value, cell) => {
    if (value === 0 || [...rows, ...columns].some(({ of }) => (of[cell] as number) < 0)) return () => 0;
    return network.connect(from(cell), to(cell), snapToWhole(value, n), 1);
  });
  // All n people flow from the source to the sink.
  network.excess[source] = network.excess[source] + n;
  network.excess[sink] = network.excess[sink] - n;
  return network.settle() ? Int32Array.from(flows, (flow) => flow()) : null;
}

/** Starts from a systematic sample, which rounds every cell up or down, and exchanges people until every group is rounded too. */
function byExchange(expected: Float64Array, groupings: readonly Grouping[], n: number, dice: Rng): Rounded {
  const choice = systematic(expected, n, dice);
  const bounds = groupings.map((grouping) => grouping.expected.map((value) => Math.floor(snapToWhole(value, n))));
  const above = groupings.map((grouping) => grouping.expected.map((value) => Math.ceil(snapToWhole(value, n))));
  const counts = groupings.map(({ of, expected: wanted }) => {
    const match = new Int32Array(wanted.length);
    for (const cell of choice) match[of[cell] as number] = match[of[cell] as number] + 1;
    return match;
  });
  const miss = (g: number, group: number, shift: number) => {
    const count = counts[g][group] + shift;
    return Math.max(0, bounds[g][group] - count, count - above[g][group]);
  };
  const offGroups = () =>
    groupings.flatMap(({ expected: wanted }, g) =>
      Array.from(wanted, (_, group) => [g, group] as const).filter(([, group]) => miss(g, group, 0) > 0),
    );
  const running = new Float64Array(expected.length);
  expected.forEach((value, cell) => {
    running[cell] = (cell === 0 ? 0 : running[cell - 1]) + value;
  });
  let off = offGroups();
  for (let tries = 5000 + 400 * n; off.length > 0 && tries > 0; tries--) {
    const i = dice.int(choice.length);
    const [old, next] = [choice[i], drawIndex(running, dice)];
    if (old === next) continue;
    let gain = 0;
    groupings.forEach(({ of }, g) => {
      const [a, b] = [of[old] as number, of[next] as number];
      if (a !== b) gain += miss(g, a, 0) + miss(g, b, 0) - miss(g, a, -1) - miss(g, b, 1);
    });
    if (gain < 0) continue;
    groupings.forEach(({ of }, g) => {
      const count = counts[g];
      count[of[old] as number] = count[of[old] as number] - 1;
      count[of[next] as number] = count[of[next] as number] + 1;
    });
    choice[i] = next;
    if (gain > 0) off = offGroups();
  }
  const out = new Int32Array(expected.length);
  for (const cell of choice) out[cell] = out[cell] + 1;
  const [first] = off;
  if (first === undefined) return { counts: out, off: null };
  const [grouping, group] = first;
  return { counts: out, off: { grouping, group, count: counts[grouping][group] } };
}

function systematic(expected: Float64Array, n: number, dice: Rng): number[] {
  const total = expected.reduce((sum, value) => sum + value, 0);
  const start = dice.next();
  const choice: number[] = [];
  let passed = 0;
  expected.forEach((value, cell) => {
    passed += (value / total) * n;
    while (choice.length < n && start + choice.length < passed) choice.push(cell);
  });
  while (choice.length < n) choice.push(expected.findLastIndex((value) => value > 0));
  return choice;
}

function drawIndex(running: Float64Array, dice: Rng): number {
  const aim = dice.next() * (running.at(-1) as number);
  let low = 0;
  let high = running.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (running[middle] > aim) high = middle;
    else low = middle + 1;
  }
  return low;
}
