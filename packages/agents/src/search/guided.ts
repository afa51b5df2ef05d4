/**
 * @file Search by agents: one proposes moves, another judges where they lead, with a number and with words. Select a position, let the base
 * propose one move there, try it, judge what came, carry the value up. Which of these goes how is data (`settings.ts`): SWE-Search, R-MCTS
 * and WebPilot are three rows of one table. WebDreamer needs no positions: `imagined.ts`.
 *
 * Positions are those of the one who looks ahead; what other seats do in between is left to chance, as in the other strategies.
 */

import type { Agent, ModelCall, Position, Rng, Seen, Simulator, Turn } from '@ludus-agents/kernel/internal/core/index';
import { betterOf, type Judgement, judgeOf, type Mates } from './judge.ts';
import { ucb1 } from './mcts.ts';
import { advance, moverIn, playOut, type TriedMove } from './positions.ts';
import type { SearchSettings } from './settings.ts';

interface Node {
  readonly position: Position;
  readonly move: string;
  readonly path: readonly Seen[];
  readonly children: Node[];
  visits: number;
  total: number;
  best: number;
  words: string;
  /** What it was judged to be by itself. */
  own: number;
  /** Moves that were tried here, kept or not. */
  readonly tried: string[];
  /** Every move that the base proposed here again is one that need not be asked for. */
  closed: boolean;
}

export interface GuidedSearch {
  readonly moves: readonly TriedMove[];
  readonly move: string;
  readonly calls: readonly ModelCall[];
  /** How the position itself was judged, from 0 to 1; null without a judge. */
  readonly now: number | null;
}

export interface GuidedOptions {
  readonly simulator: Simulator;
  readonly turn: Turn;
  readonly settings: SearchSettings;
  readonly base: Agent | undefined;
  readonly judge: Agent | undefined;
  /** What the base is told before it proposes: reflections, the sub-task. */
  readonly notes: readonly string[];
  readonly signal: AbortSignal;
}

const chancePlays = 4;
/** Moves that a nested search tries at a position for the one that is kept. */
const nestedTries = 3;

export async function guidedSearch(options: GuidedOptions): Promise<GuidedSearch> {
  const { simulator, turn, settings, base, judge, notes, signal } = options;
  const { rng } = turn;
  const calls: ModelCall[] = [];
  const mates: Mates = { turn, notes, calls, simulator, signal };
  const range = { low: 0, high: 0 };
  const knownEntries = new Map<string, Node>();
  const root = newNode(simulator.sample(rng), '', []);
  const now = judge === undefined || !settings.reflections ? null : (await judgeOf(judge, [], settings.judgements, mates)).value;
  for (let i = 0; i < settings.simulations; i++) {
    const path = selectPath(root, settings);
    const leaf = path.at(-1) as Node;
    if (settings.structure === 'chain' && leaf.children.length > 0) break;
    const child = await bestChild(leaf);
    if (child === null) {
      leaf.closed = true;
      if (leaf === root) break;
      continue;
    }
    leaf.children.push(child);
    const steps = [...path.slice(1), child].map(({ own }) => own);
    const value = settings.supervision === 'process' ? steps.reduce((sum, value) => sum + value, 0) / steps.length : child.own;
    for (const node of [...path, child]) {
      node.visits++;
      node.total += value;
      node.best = Math.max(node.best, value);
    }
  }
  const moves = keptMoves(root, settings, 4);
  const ranked = [...moves].sort((a, b) => b.value - a.value || b.visits - a.visits);
  const [first, second] = ranked;
  if (first === undefined) return { moves: [], move: rng.pick(turn.ask.choices ?? ['']), calls, now };
  const isDebated = judge !== undefined && second !== undefined && settings.debate > 0;
  const move = isDebated ? await betterOf(judge, [first, second], settings.debate, mates) : first.move;
  return { moves, move, calls, now };

  /** One move more from here with what it is worth; in a nested search the best of several. */
  async function bestChild(leaf: Node): Promise<Node | null> {
    let best: Node | null = null;
    for (let i = 0; i < (settings.structure === 'nested' ? nestedTries : 1); i++) {
      const child = await expand(leaf, { ...options, mates });
      if (child === null) break;
      leaf.tried.push(child.move);
      // An equal position is judged once; the move that leads to it is one of its own.
      const same = settings.structure === 'graph' ? knownEntries.get(child.position.key()) : undefined;
      const judged = same === undefined ? await worthOf(child, { ...options, mates }, range) : { value: same.own, words: same.words };
      [child.own, child.words] = [judged.value, judged.words];
      if (same === undefined) knownEntries.set(child.position.key(), child);
      if (best === null || child.own > best.own) best = child;
    }
    return best;
  }

  function newNode(position: Position, move: string, path: readonly Seen[]): Node {
    return {
      position,
      move,
      path,
      children: [],
      visits: 0,
      total: 0,
      best: Number.NEGATIVE_INFINITY,
      words: '',
      own: 0,
      tried: [],
      closed: false,
    };
  }

  /** One move more from here, or null where there is none that was not tried. */
  async function expand(node: Node, { mates: inputMates }: GuidedOptions & { readonly mates: Mates }): Promise<Node | null> {
    const mover = moverIn(node.position, simulator.seat);
    const left = (mover?.choices ?? []).filter((choice) => !node.tried.includes(choice));
    if (mover === undefined || left.length === 0) return null;
    const move = base === undefined ? rng.pick(left) : await proposedMove(node, left, inputMates);
    if (move === null) return null;
    const before = node.position.told(simulator.seat).length;
    const position = toOwnTurn(advance(node.position, mover.seat, move, rng), simulator.seat, rng);
    const observations = position.told(simulator.seat).slice(before);
    const path: readonly Seen[] = [
      ...node.path,
      { kind: 'action', action: { text: move } },
      ...observations.map((text): Seen => ({ kind: 'message', to: [simulator.seat], text })),
    ];
    return newNode(position, move, path);
  }

  /** What the base would do here; null where it names nothing that was not tried. */
  async function proposedMove(node: Node, left: readonly string[], mates: Mates): Promise<string | null> {
    const tried = node.children.map(
      (item) => `Tried here: ${item.move}, worth ${item.best.toFixed(2)}${item.words === '' ? '' : `: ${item.words}`}`,
    );
    const observedNotes = [...mates.notes, ...(settings.hindsight ? tried : [])];
    const observations: readonly Seen[] = [
      ...turn.view.seen,
      ...node.path,
      ...observedNotes.map((text): Seen => ({ kind: 'message', to: [turn.view.seat], text })),
    ];
    const requestedTurn: Turn = {
      view: { seat: turn.view.seat, seen: observations },
      ask: { ...turn.ask, choices: moverIn(node.position, simulator.seat)?.choices ?? [] },
      rng,
    };
    const reply = await (base as Agent).act(requestedTurn, signal, simulator);
    calls.push(...(reply.calls ?? []));
    const text = reply.action.text.trim().toLowerCase();
    return left.find((choice) => choice.toLowerCase() === text) ?? null;
  }

  async function worthOf(
    node: Node,
    { mates: inputMates }: GuidedOptions & { readonly mates: Mates },
    observation: { low: number; high: number },
  ): Promise<Judgement> {
    const over = node.position.asks.length === 0;
    const share = judge === undefined || over ? 0 : settings.trust;
    const judged =
      share === 0 || judge === undefined ? { value: 0, words: '' } : await judgeOf(judge, node.path, settings.judgements, inputMates);
    let sum = 0;
    const plays = over ? 1 : chancePlays;
    for (let i = 0; i < plays && share < 1; i++) {
      const payment = playOut(node.position, simulator.seat, settings.depth, rng)[simulator.seat] ?? 0;
      sum += payment / plays;
      observation.low = Math.min(observation.low, payment);
      observation.high = Math.max(observation.high, payment);
    }
    // Both parts are on one scale, from 0 to 1, so that a judge and continuations can be mixed.
    const chance = observation.high > observation.low ? (sum - observation.low) / (observation.high - observation.low) : 0.5;
    return { value: share * judged.value + (1 - share) * chance, words: judged.words };
  }
}

/** Down to a position that may have another move, by the rule of selection. */
function selectPath(root: Node, { width: most, structure, depth, selection, exploration, backup }: SearchSettings): readonly Node[] {
  const path = [root];
  const width = structure === 'chain' ? 1 : most;
  for (let node = root; path.length <= depth; ) {
    const isFull = node.closed || node.children.length >= width;
    if (!isFull || node.children.length === 0) break;
    const scoreOf = (child: Node) => {
      const value = backup === 'max' ? child.best : child.total / child.visits;
      if (selection === 'ucb1') return ucb1(value, { n: child.visits, all: node.visits, exploration });
      return puct(value, { n: child.visits, all: node.visits, prior: 1 / node.children.length, exploration });
    };
    const open = node.children.filter(({ position }) => position.asks.length > 0);
    if (open.length === 0) break;
    node = open.reduce((best, item) => (scoreOf(item) > scoreOf(best) ? item : best));
    path.push(node);
  }
  return path;
}

export function puct(
  value: number,
  { n, all, prior, exploration }: { readonly n: number; readonly all: number; readonly prior: number; readonly exploration: number },
): number {
  return value + (exploration * prior * Math.sqrt(all)) / (1 + n);
}

/** On to a position in which the seat is asked again: what others do in between is left to chance. */
function toOwnTurn(from: Position, seat: string, rng: Rng): Position {
  let position = from;
  for (let i = 0; i < 1000 && position.asks.length > 0 && !position.asks.some((ask) => ask.seat === seat); i++) {
    const mover = moverIn(position, seat);
    if (mover === undefined) break;
    const { choices = [] } = mover;
    position = advance(position, mover.seat, choices.length === 0 ? '' : rng.pick(choices), rng);
  }
  return position;
}

function keptMoves(node: Node, settings: SearchSettings, depth: number): readonly TriedMove[] {
  return node.children.map((child) => {
    const next = depth === 1 ? [] : keptMoves(child, settings, depth - 1);
    return {
      ...{ move: child.move, visits: child.visits, value: settings.backup === 'max' ? child.best : child.total / child.visits },
      ...(child.words === '' ? {} : { words: child.words }),
      ...(next.length === 0 ? {} : { next }),
    };
  });
}
