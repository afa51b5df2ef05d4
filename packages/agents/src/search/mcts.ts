/**
 * @file Monte Carlo tree search (UCT) over sequences of moves. Each simulation starts from a new sample with its own random numbers, so
 * chance and hidden information are averaged over. Every seat is assumed to maximize its own reward. Values are scaled from 0 to 1 by the
 * range seen so far, which is the scale of the exploration constant. The answer is the most tried move, never the one with the best
 * exploration score.
 */

import type { Position, Rng, Seat, Simulator } from '@ludus-agents/kernel/internal/core/index';
import { advance, moverIn, playOut, type TriedMove } from './positions.ts';

interface Node {
  visits: number;
  /** The seat that moves from here. */
  mover: Seat;
  readonly totals: Map<Seat, number>;
  readonly children: Map<string, Node>;
}

export interface MctsOptions {
  readonly simulations: number;
  readonly depth: number;
  readonly exploration: number;
}

export function mcts(
  simulator: Pick<Simulator, 'seat' | 'sample'>,
  { simulations, depth, exploration }: MctsOptions,
  rng: Rng,
): readonly TriedMove[] {
  const root = newNode();
  const range = new Map<Seat, { low: number; high: number }>();
  for (let i = 0; i < simulations; i++) {
    const path = [root];
    let position: Position = simulator.sample(rng);
    for (let step = 0; step < depth; step++) {
      const mover = moverIn(position, simulator.seat);
      const { choices = [], seat = '' } = mover ?? {};
      if (choices.length === 0) break;
      const node = path.at(-1) as Node;
      node.mover = seat;
      const untried = choices.filter((choice) => !node.children.has(choice));
      const move = untried.length > 0 ? rng.pick(untried) : selectMove(node, choices, { seat, exploration, range: range.get(seat) });
      const child = node.children.get(move) ?? newNode();
      node.children.set(move, child);
      path.push(child);
      position = advance(position, seat, move, rng);
      if (untried.length > 0) break;
    }
    const returns = playOut(position, simulator.seat, depth - path.length + 1, rng);
    for (const [seat, value] of Object.entries(returns)) {
      const observation = range.get(seat);
      range.set(seat, { low: Math.min(observation?.low ?? value, value), high: Math.max(observation?.high ?? value, value) });
    }
    for (const node of path) {
      node.visits++;
      for (const [seat, value] of Object.entries(returns)) node.totals.set(seat, (node.totals.get(seat) ?? 0) + value);
    }
  }
  return keptMoves(root, simulator.seat, keptDepth, { left: mostKept });
}

/** The stored part of a tree: all moves of the root, and below them those tried more than once, down to this depth. */
const keptDepth = 4;
const keptWidth = 4;
const mostKept = 120;

function keptMoves(node: Node, seat: Seat, depth: number, room: { left: number }): readonly TriedMove[] {
  const isRoot = depth === keptDepth;
  const all = [...node.children];
  const retained = isRoot
    ? all
    : all
        .filter(([, { visits }]) => visits > 1)
        .sort(([, a], [, b]) => b.visits - a.visits)
        .slice(0, Math.min(keptWidth, Math.max(0, room.left)));
  room.left -= retained.length;
  return retained.map(([move, child]) => {
    const next = depth === 1 ? [] : keptMoves(child, seat, depth - 1, room);
    return {
      ...{ move, visits: child.visits, value: meanOf(child, seat) },
      ...(node.mover === seat ? {} : { by: node.mover }),
      ...(next.length === 0 ? {} : { next }),
    };
  });
}

function newNode(): Node {
  return { mover: '', visits: 0, totals: new Map(), children: new Map() };
}

function meanOf({ visits, totals }: Node, seat: Seat): number {
  return (totals.get(seat) ?? 0) / Math.max(1, visits);
}

interface Selection {
  readonly seat: Seat;
  readonly exploration: number;
  readonly range: { readonly low: number; readonly high: number } | undefined;
}

/** UCB1: the mean, scaled to [0, 1], plus a bonus for rarely tried moves. */
function selectMove(node: Node, choices: readonly string[], { seat, exploration, range }: Selection): string {
  const { low = 0, high = 0 } = range ?? {};
  let best = { move: choices[0]!, score: Number.NEGATIVE_INFINITY };
  for (const move of choices) {
    const child = node.children.get(move) as Node;
    const value = high > low ? (meanOf(child, seat) - low) / (high - low) : 0.5;
    const score = ucb1(value, { n: child.visits, all: node.visits, exploration });
    if (score > best.score) best = { move, score };
  }
  return best.move;
}

export function ucb1(
  value: number,
  { n, all, exploration }: { readonly n: number; readonly all: number; readonly exploration: number },
): number {
  return value + exploration * Math.sqrt(Math.log(all) / n);
}
