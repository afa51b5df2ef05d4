/**
 * @file A tree of tries, of moves or of reasoning steps: which node is extended next, the value of a try, and its backpropagation.
 *
 * The shape (`structure`), the choice of the next node (`selection`), the value that counts (`supervision`) and how it is carried up
 * (`backup`) are independent settings, so that each published search is one combination of them.
 */

import { ucb1 } from './mcts.ts';
import type { TriedMove } from './positions.ts';
import type { SearchSettings } from './settings.ts';

export interface Judgement {
  /** From 0 to 1. */
  readonly value: number;
  readonly words: string;
}

export interface TreeNode<T> {
  readonly state: T;
  /** The move or thought that leads here. */
  readonly step: string;
  readonly depth: number;
  /** The log probability that the base takes all steps up to here; null if it gives no probabilities. */
  readonly logChance: number | null;
  readonly children: TreeNode<T>[];
  /** Steps already tried here, whether or not they are in the tree. */
  readonly tried: string[];
  visits: number;
  total: number;
  best: number;
  words: string;
  /** The judged value of this node by itself. */
  value: number;
  /** The base has no new steps to try here. */
  closed: boolean;
}

export interface Extension<T> {
  readonly state: T;
  readonly step: string;
  /** The base's probability of this step, if it reports one. */
  readonly chance?: number | undefined;
}

export interface TreeRules<T> {
  /** Creates one more step; null if no untried step is left. */
  extend(node: TreeNode<T>): Promise<Extension<T> | null>;
  judge(node: TreeNode<T>): Promise<Judgement>;
  isOver(state: T): boolean;
  /** Equal states have equal keys. */
  keyOf(state: T): string;
  /** Chains: whether another one starts at the root after one has ended. */
  readonly restarts?: true;
}

/** The tries of a nested search at a node, of which the best is kept. */
const nestedTries = 3;
/** How much longer paths are favored under best-first selection: the exponent of their length (BFS-Prover). */
const lengthExponent = 0.5;

export async function growTree<T>(state: T, settings: SearchSettings, rules: TreeRules<T>): Promise<TreeNode<T>> {
  const { simulations, structure, supervision, depth } = settings;
  const root = nodeOf<T>({ state, step: '' }, null);
  const equalStates = new Map<string, TreeNode<T>>();
  for (let i = 0; i < simulations; i++) {
    const path = selectPath(root, settings, rules);
    const leaf = path.at(-1) as TreeNode<T>;
    const isSpent = leaf.closed || path.length > depth || rules.isOver(leaf.state);
    const child = isSpent ? null : await bestChild(leaf);
    if (child === null) {
      leaf.closed = true;
      if (root.children.length === 0) break;
      continue;
    }
    leaf.children.push(child);
    const steps = [...path.slice(1), child].map(({ value }) => value);
    const value = supervision === 'process' ? steps.reduce((sum, item) => sum + item, 0) / steps.length : child.value;
    for (const node of [...path, child]) {
      node.visits++;
      node.total += value;
      node.best = Math.max(node.best, value);
    }
  }
  return root;

  /** Tries one more step from here and judges it; in a nested search, the best of several. */
  async function bestChild(leaf: TreeNode<T>): Promise<TreeNode<T> | null> {
    let best: TreeNode<T> | null = null;
    for (let i = 0; i < (structure === 'nested' ? nestedTries : 1); i++) {
      const extension = await rules.extend(leaf);
      if (extension === null) break;
      const child = nodeOf(extension, leaf);
      leaf.tried.push(child.step);
      const key = rules.keyOf(child.state);
      const same = structure === 'graph' ? equalStates.get(key) : undefined;
      const { value, words } = same ?? (await rules.judge(child));
      [child.value, child.words] = [value, words];
      if (same === undefined) equalStates.set(key, child);
      if (best === null || child.value > best.value) best = child;
    }
    return best;
  }
}

function nodeOf<T>({ state, step, chance }: Extension<T>, parent: TreeNode<T> | null): TreeNode<T> {
  const before = parent === null ? 0 : parent.logChance;
  const logChance = before === null || (parent !== null && chance === undefined) ? null : before + Math.log(Math.max(chance ?? 1, 1e-9));
  return {
    ...{ state, step, depth: parent === null ? 0 : parent.depth + 1, logChance, children: [], tried: [] },
    ...{ visits: 0, total: 0, best: Number.NEGATIVE_INFINITY, words: '', value: 0, closed: false },
  };
}

/** The path from the root to the node that is extended next. */
function selectPath<T>(root: TreeNode<T>, settings: SearchSettings, rules: TreeRules<T>): readonly TreeNode<T>[] {
  const { structure, width, depth, selection } = settings;
  if (structure === 'chain') return chainPath(root, rules, depth);
  if (selection === 'best-first') return bestFirstPath(root, settings, rules);
  const path = [root];
  for (let node = root; path.length <= depth; ) {
    const isFull = node.closed || node.children.length >= width;
    if (!isFull || node.children.length === 0) break;
    const open = node.children.filter(({ state }) => !rules.isOver(state));
    if (open.length === 0) break;
    node = open.reduce((best, item) => (scoreOf(item, node, settings) > scoreOf(best, node, settings) ? item : best));
    path.push(node);
  }
  return path;
}

/** The newest chain down to its end; the root again if another chain may start. */
function chainPath<T>(root: TreeNode<T>, { isOver, restarts }: TreeRules<T>, depth: number): readonly TreeNode<T>[] {
  const path = [root];
  for (let node = root.children.at(-1); node !== undefined; node = node.children.at(-1)) path.push(node);
  const last = path.at(-1) as TreeNode<T>;
  const isEnd = last.closed || path.length > depth || isOver(last.state);
  return isEnd && restarts === true ? [root] : path;
}

/** Of all nodes that can be extended, the likeliest under the base, corrected for length; without probabilities, the one judged best. */
function bestFirstPath<T>(root: TreeNode<T>, { width, depth }: SearchSettings, { isOver }: TreeRules<T>): readonly TreeNode<T>[] {
  let best: { readonly path: readonly TreeNode<T>[]; readonly score: number } = { path: [root], score: Number.NEGATIVE_INFINITY };
  const visit = (path: readonly TreeNode<T>[]) => {
    const node = path.at(-1) as TreeNode<T>;
    const isOpen = !node.closed && node.children.length < width && path.length <= depth && !isOver(node.state);
    const score = node.logChance === null ? node.value : node.logChance / Math.max(1, node.depth) ** lengthExponent;
    if (isOpen && score > best.score) best = { path, score };
    for (const child of node.children) visit([...path, child]);
  };
  visit([root]);
  return best.path;
}

function scoreOf<T>(child: TreeNode<T>, node: TreeNode<T>, { selection, backup, exploration }: SearchSettings): number {
  const value = worthOf(child, backup);
  if (selection !== 'puct') return ucb1(value, { n: child.visits, all: node.visits, exploration });
  return puct(value, { n: child.visits, all: node.visits, prior: 1 / node.children.length, exploration });
}

export function puct(
  value: number,
  { n, all, prior, exploration }: { readonly n: number; readonly all: number; readonly prior: number; readonly exploration: number },
): number {
  return value + (exploration * prior * Math.sqrt(all)) / (1 + n);
}

function worthOf<T>({ best, total, visits }: TreeNode<T>, backup: SearchSettings['backup']): number {
  return backup === 'max' ? best : total / visits;
}

const shownDepth = 4;

/** The steps from a node with their results, a few levels deep. */
export function triedSteps<T>(node: TreeNode<T>, settings: SearchSettings, depth = shownDepth): readonly TriedMove[] {
  return node.children.map((child) => {
    const next = depth === 1 ? [] : triedSteps(child, settings, depth - 1);
    return {
      ...{ move: child.step, visits: child.visits, value: worthOf(child, settings.backup) },
      ...(child.words === '' ? {} : { words: child.words }),
      ...(next.length === 0 ? {} : { next }),
    };
  });
}

/** All descendants of a node. */
export function nodesOf<T>(node: TreeNode<T>): readonly TreeNode<T>[] {
  return node.children.flatMap((child) => [child, ...nodesOf(child)]);
}
