/**
 * @file Texts as a tree of tokens, and such trees laid out in rows for a graph.
 *
 * A shared prefix of texts is one branch and is read once, both in training and play. A row of a graph has a few branches with their
 * ancestors; every token sees itself and its own ancestors. Sizes are rounded up to a few values, so that few graphs are compiled.
 */

import { Fault, type Reply, type Sampling } from '@ludus-agents/kernel/internal/core/index';
import type { Sizes } from './network.ts';

/** A text by its last token, with the model's results once it was read. */
export interface TextNode {
  readonly token: number;
  readonly parent: TextNode | null;
  /** The number of tokens before it. */
  readonly depth: number;
  readonly next: Map<number, TextNode>;
  /** The log-probabilities of the next token; null until requested. */
  logprobs: Float32Array | null;
  /** Cumulative probabilities. */
  upTo: Float64Array | null;
  /** The index of its keys and values in the tree's memory; null until it was read. */
  memory: number | null;
  /** The answer that ends here, once it was sampled. */
  answer: GivenAnswer | null;
}

/** A policy's answer to a prompt: the same object whenever the same tokens are drawn. */
export interface GivenAnswer {
  readonly prompt: TextNode;
  readonly sampling: Sampling;
  readonly reply: Reply;
}

/** The empty text. */
export function rootNode(): TextNode {
  return { token: -1, parent: null, depth: -1, next: new Map(), logprobs: null, upTo: null, memory: null, answer: null };
}

export function after(node: TextNode, token: number): TextNode {
  let next = node.next.get(token);
  if (next === undefined) {
    next = { token, parent: node, depth: node.depth + 1, next: new Map(), logprobs: null, upTo: null, memory: null, answer: null };
    node.next.set(token, next);
  }
  return next;
}

/** One row: tokens to read, each after its parent, and earlier tokens that they attend to. */
interface Row {
  readonly fresh: Map<TextNode, number>;
  readonly past: Map<TextNode, number>;
}

export interface Layout {
  readonly rows: number;
  readonly length: number;
  readonly past: number;
  /** [rows, length, past + length]: zero where a token may attend, and a large negative number elsewhere. */
  readonly sees: Float32Array;
  readonly packed: readonly Row[];
  /** The position of each token in the flattened rows. */
  readonly placeOf: ReadonlyMap<TextNode, number>;
}

const hidden = -1e9;
/** Branches share a row up to at least this many tokens. */
const usualRoom = 64;
/** Rows are made longer if that reduces the cost to at most this share. */
const worthwhile = 0.8;
/** During reading, rows are only used for attention and all as wide as the widest, so fewer branches share one. */
const readingRoom = 8;
/** The number of comparisons that take about as long as the minimum run of a graph. */
const runCost = 8192;

/**
 * Lays out `wanted` in rows of a few standard sizes. Long rows have room for more branches of one stem, which is then read fewer times, but
 * every token is compared with all others of its row.
 */
export function layOut(wanted: readonly TextNode[], { context, width }: Pick<Sizes, 'context' | 'width'>): Layout {
  const inRoom = (room: number) => {
    const packed = pack(wanted, context, room);
    const [rows, length] = [powerOfTwo(packed.length), roundLength(longest(packed))];
    // Measured: a token's own products cost as much as its comparison with four times the width of others.
    return { packed, rows, length, cost: rows * length * (4 * width + length) };
  };
  let best = inRoom(usualRoom);
  // In rows of any length, every token is read at least once.
  const tokens = new Set(best.packed.flatMap(({ fresh }) => [...fresh.keys()])).size;
  while (best.packed.length > 1 && tokens * (4 * width + 2 * best.length) <= worthwhile * best.cost) {
    const longer = inRoom(2 * best.length);
    if (longer.cost > worthwhile * best.cost) break;
    best = longer;
  }
  return layoutOf(best.packed, best.rows, best.length);
}

/**
 * Lays out `wanted` in rows of exact sizes; earlier tokens are attended to, not read again. All rows of a layout are as large as its
 * largest, so rows of very different sizes are split into several layouts.
 */
export function layOutUnread(wanted: readonly TextNode[], context: number): readonly Layout[] {
  return bySize(pack(wanted, context, readingRoom)).map((packed) => layoutOf(packed, packed.length, longest(packed)));
}

/** The number of comparisons in a row. */
function areaOf(length: number, past: number): number {
  return length * (past + length);
}

/** Sorts rows into layouts, the largest first: a new layout starts where padding would cost more than a separate run. */
function bySize(rows: readonly Row[]): readonly (readonly Row[])[] {
  const ordered = rows
    .map((row) => ({ row, length: row.fresh.size, past: row.past.size, area: areaOf(row.fresh.size, row.past.size) }))
    .sort((a, b) => b.area - a.area);
  const groups: Row[][] = [];
  let [length, past, used] = [0, 0, 0];
  for (const item of ordered) {
    const group = groups.at(-1);
    const [wide, deep] = [Math.max(length, item.length), Math.max(past, item.past)];
    const spare = group === undefined ? 0 : (group.length + 1) * areaOf(wide, deep) - used - item.area;
    if (group === undefined || spare > Math.max(runCost, (used + item.area) / 2)) {
      groups.push([item.row]);
      [length, past, used] = [item.length, item.past, item.area];
    } else {
      group.push(item.row);
      [length, past, used] = [wide, deep, used + item.area];
    }
  }
  return groups;
}

function longest(packed: readonly Row[]): number {
  return packed.reduce((most, { fresh }) => Math.max(most, fresh.size), 1);
}

function layoutOf(packed: readonly Row[], rows: number, length: number): Layout {
  const past = packed.reduce((most, row) => Math.max(most, row.past.size), 0);
  const width = past + length;
  const sees = new Float32Array(rows * length * width).fill(hidden);
  const placeOf = new Map<TextNode, number>();
  packed.forEach(({ fresh, past: recalled }, r) => {
    for (const [node, column] of fresh) {
      const place = r * length + column;
      const rowStart = place * width;
      const above = fresh.get(node.parent as TextNode);
      // A child sees everything that its parent sees.
      if (above !== undefined) sees.copyWithin(rowStart, (r * length + above) * width, (r * length + above + 1) * width);
      else
        for (let textNode = node.parent; textNode !== null && textNode.depth >= 0; textNode = textNode.parent)
          sees[rowStart + (recalled.get(textNode) as number)] = 0;
      sees[rowStart + past + column] = 0;
      if (!placeOf.has(node)) placeOf.set(node, place);
    }
  });
  return { rows, length, past, sees, packed, placeOf };
}

/** Positions of nodes in the flattened rows, padded with other positions to a power of two, without duplicates. */
export function placesOf(nodes: readonly TextNode[], { placeOf, rows, length }: Layout): BigInt64Array {
  const count = Math.min(powerOfTwo(nodes.length), rows * length);
  const places = new BigInt64Array(count);
  const used = new Uint8Array(rows * length);
  nodes.forEach((node, i) => {
    const place = placeOf.get(node) as number;
    places[i] = BigInt(place);
    used[place] = 1;
  });
  for (let i = nodes.length, free = 0; i < count; i++) {
    while (used[free] === 1) free++;
    places[i] = BigInt(free++);
  }
  return places;
}

export function powerOfTwo(least: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(1, least)));
}

function roundLength(length: number): number {
  return length <= 64 ? powerOfTwo(length) : Math.ceil(length / 32) * 32;
}

/** Packs branches in tree order, so that neighbors share their prefix; a full row is followed by another. */
function pack(wanted: readonly TextNode[], context: number, least: number): readonly Row[] {
  const wantedNodes = new Set(wanted);
  const isFresh = (node: TextNode) => node.depth >= 0 && (node.memory === null || wantedNodes.has(node));
  const leaves = leavesOf(wanted, isFresh);
  let [room, recall] = [least, least];
  for (const leaf of leaves) {
    if (leaf.depth >= context)
      throw new Fault(
        'input',
        `A text of ${leaf.depth + 1} tokens exceeds the context of ${context} tokens. Shorten it, or use a larger model.`,
        { code: 'E_TOO_LARGE' },
      );
    const read = freshAbove(leaf, isFresh, null).length;
    room = Math.max(room, read);
    recall = Math.max(recall, leaf.depth + 1 - read);
  }
  const rows: Row[] = [];
  let row: Row | null = null;
  for (const leaf of leaves) {
    let branch: readonly TextNode[] = freshAbove(leaf, isFresh, row);
    if (row === null || row.fresh.size + branch.length > room || row.past.size + pastAbove(branch, row).length > recall) {
      row = { fresh: new Map(), past: new Map() };
      rows.push(row);
      branch = freshAbove(leaf, isFresh, row);
    }
    for (const node of pastAbove(branch, row)) row.past.set(node, row.past.size);
    for (const node of branch) row.fresh.set(node, row.fresh.size);
  }
  return rows;
}

/** Fresh ancestors of a leaf that a row lacks, from the top down. */
function freshAbove(leaf: TextNode, isFresh: (node: TextNode) => boolean, row: Row | null): readonly TextNode[] {
  const out: TextNode[] = [];
  for (let node: TextNode | null = leaf; node !== null && isFresh(node) && !(row?.fresh.has(node) ?? false); node = node.parent)
    out.push(node);
  return out.reverse();
}

/** Earlier tokens that a branch attends to and the row lacks. */
function pastAbove([top]: readonly TextNode[], { fresh, past }: Row): readonly TextNode[] {
  const out: TextNode[] = [];
  if (top === undefined || fresh.has(top.parent as TextNode)) return out;
  for (let node = top.parent; node !== null && node.depth >= 0 && !past.has(node); node = node.parent) out.push(node);
  return out;
}

/** Nodes to read without children to read, in tree order. */
function leavesOf(wanted: readonly TextNode[], isFresh: (node: TextNode) => boolean): readonly TextNode[] {
  const below = new Map<TextNode | null, TextNode[]>();
  const knownEntries = new Set<TextNode>();
  for (const textNode of wanted) {
    for (let node = textNode; !knownEntries.has(node); node = node.parent as TextNode) {
      knownEntries.add(node);
      const above = node.parent !== null && isFresh(node.parent) ? node.parent : null;
      const siblings = below.get(above);
      if (siblings === undefined) below.set(above, [node]);
      else siblings.push(node);
      if (above === null) break;
    }
  }
  const leaves: TextNode[] = [];
  const open = [...(below.get(null) ?? [])].reverse();
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const children = below.get(node);
    if (children === undefined) leaves.push(node);
    else for (let i = children.length - 1; i >= 0; i--) open.push(children[i]);
  }
  return leaves;
}
