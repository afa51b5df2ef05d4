/**
 * @file A planner and a shared cache over best-first search (BFS-Prover-V2, arXiv 2509.06493). The judge, or else the base, writes sub-goals:
 * texts that the seat will be told on the way. Each is searched from where the one before was reached; the last search ends with a
 * reward. A sub-goal that is not reached goes back to the planner. A found path is followed without another search.
 *
 * The cache keeps the moves from a situation to a sub-goal. Plans, turns, and with `lasting` episodes share it. Cached moves are tried on
 * the rules before they count, and cost no proposals.
 */

import {
  type Agent,
  isObject,
  type Json,
  lastSeen,
  type Position,
  type Seen,
  type Simulator,
} from '@ludus-agents/kernel/internal/core/index';
import { itemsIn, legalMove } from './answers.ts';
import { answerTo, countAct, type Mates } from './judge.ts';
import { advance, moverIn } from './positions.ts';
import { situationOf } from './reflections.ts';
import type { SearchSettings } from './settings.ts';
import { type Extension, growTree, type TreeNode } from './tree.ts';

/** The moves from a situation to the first one in which the goal was told. */
export type Proof = { readonly from: string; readonly goal: string; readonly moves: readonly string[] };

/** The cache, and the rest of a found path: each move with the situation before it. */
export type ProverMemory = {
  readonly proofs: readonly Proof[];
  readonly route: readonly { readonly from: string; readonly move: string }[];
};

export interface ProverOptions {
  readonly simulator: Simulator;
  readonly settings: SearchSettings;
  readonly base: Agent | undefined;
  /** The agent that writes sub-goals, if there are any. */
  readonly planner: Agent | undefined;
  readonly before: ProverMemory;
  readonly mates: Mates;
}

interface Place {
  readonly position: Position;
  readonly path: readonly Seen[];
  readonly route: ProverMemory['route'];
  /** The latest message to the seat. */
  readonly text: string;
}

const mostPlans = 3;
const mostGoals = 5;
const mostProofs = 200;
/** The goal of the last search: the end of the episode, with a reward. */
const theEnd = '';

export async function prove(options: ProverOptions): Promise<{ readonly move: string; readonly memory: ProverMemory }> {
  const { simulator, settings, base, planner, before, mates } = options;
  const { turn, acted, signal } = mates;
  const { rng } = turn;
  const { seat } = simulator;
  const [next, ...later] = before.route;
  const now = situationOf(turn);
  if (next !== undefined && next.from === now && (turn.ask.choices ?? []).includes(next.move)) {
    countAct(acted, 'followed');
    return { move: next.move, memory: { ...before, route: later } };
  }
  let { proofs } = before;
  let budget = settings.simulations;
  const root: Place = { position: simulator.sample(rng), path: [], route: [], text: now };
  let farthest = root;
  let failed = '';
  for (let plans = 0; planner !== undefined && budget > 0 && plans < (settings.refine ? mostPlans : 1); plans++) {
    const goals = await subgoals(planner, failed);
    if (goals.length === 0) break;
    const end = await reachAll([...goals, theEnd]);
    if (end !== null) return endWith(end);
  }
  const end = await reach(root, theEnd, budget);
  if (end !== null) return endWith(end);
  const [step] = farthest.route;
  return { move: step?.move ?? rng.pick(turn.ask.choices ?? ['']), memory: { proofs, route: farthest.route.slice(1) } };

  function endWith({ route }: Place) {
    countAct(acted, 'proved');
    return { move: route[0]?.move ?? '', memory: { proofs, route: route.slice(1) } };
  }

  async function subgoals(agent: Agent, missed: string): Promise<readonly string[]> {
    const reachedGoals = proofs.filter(({ from }) => from === now).map(({ goal }) => goal);
    const lines = [
      ...(missed === '' ? [] : [`Not reached: ${missed}.`]),
      ...(reachedGoals.length === 0 ? [] : [`Reached before: ${reachedGoals.join('; ')}.`]),
      `Which results on the way lead to the goal, each as you will be told it? Up to ${mostGoals} lines "Sub-goal: …".`,
    ];
    const goals = itemsIn(await answerTo(agent, [], lines.join(' '), mates), 'sub-?goal').slice(0, mostGoals);
    countAct(acted, goals.length === 0 ? 'unreadablePlans' : missed === '' ? 'planned' : 'replanned');
    return goals;
  }

  /** Reaches the goals in turn; null if one is not reached. */
  async function reachAll(goals: readonly string[]): Promise<Place | null> {
    let place = root;
    for (const [i, goal] of goals.entries()) {
      const there = isReached(place, goal) ? place : fromCache(place, goal);
      const end: Place | null = there ?? (await reach(place, goal, Math.ceil(budget / (goals.length - i + 1))));
      if (end === null) {
        failed = goal === theEnd ? 'the end' : goal;
        return null;
      }
      if (goal !== theEnd) countAct(acted, 'reached');
      place = end;
      if (place.route.length > farthest.route.length) farthest = place;
    }
    return place;
  }

  /** The place after the cached moves to a goal, if they still lead there. */
  function fromCache(from: Place, goal: string): Place | null {
    const proof = settings.cache ? proofs.find((item) => item.from === from.text && item.goal === goal) : undefined;
    if (proof === undefined) return null;
    let place: Place | null = from;
    for (const move of proof.moves) place = place === null ? null : after(place, move);
    if (place !== null && isReached(place, goal)) {
      countAct(acted, 'cached');
      return place;
    }
    proofs = proofs.filter((item) => item !== proof);
    return null;
  }

  /** Searches for a goal with at most this many proposals. */
  async function reach(from: Place, goal: string, simulations: number): Promise<Place | null> {
    let end: Place | null = null;
    let tries = Math.min(budget, simulations);
    const visited = new Set([from.position.key()]);
    const chances = new Map<TreeNode<Place>, Readonly<Record<string, number>>>();
    const extend = async (node: TreeNode<Place>): Promise<Extension<Place> | null> => {
      const choices = moverIn(node.state.position, seat)?.choices ?? [];
      const untried = choices.filter((choice) => !node.tried.includes(choice));
      if (end !== null || tries <= 0 || untried.length === 0) return null;
      const likely = chances.get(node) ?? (await chancesAt(node.state, choices));
      chances.set(node, likely);
      const step = untried.reduce((best, move) => ((likely[move] ?? 0) > (likely[best] ?? 0) ? move : best));
      const state = after(node.state, step);
      [tries, budget] = [tries - 1, budget - 1];
      countAct(acted, 'expanded');
      const key = state?.position.key() ?? '';
      if (state === null || visited.has(key)) {
        // Another way to a position that was reached before is not searched again.
        node.tried.push(step);
        return extend(node);
      }
      visited.add(key);
      if (isReached(state, goal)) end = state;
      return { step, state, chance: likely[step] ?? 0 };
    };
    await growTree<Place>(
      from,
      { ...settings, simulations: tries, selection: 'best-first', structure: 'tree' },
      {
        extend,
        judge: ({ state }) => Promise.resolve({ value: isReached(state, goal) ? 1 : 0, words: '' }),
        isOver: ({ position }) => position.asks.length === 0,
        keyOf: ({ position }) => position.key(),
      },
    );
    const place = end as Place | null;
    if (place === null) return null;
    const moves = place.route.slice(from.route.length).map(({ move }) => move);
    proofs = [...proofs.filter((item) => item.from !== from.text || item.goal !== goal), { from: from.text, goal, moves }].slice(
      -mostProofs,
    );
    return place;
  }

  /** The base's chances of the moves; without a base all are alike. */
  async function chancesAt({ position, path }: Place, choices: readonly string[]): Promise<Readonly<Record<string, number>>> {
    if (base === undefined) return Object.fromEntries(rng.shuffle(choices).map((choice, i) => [choice, 1 / (i + 2)]));
    const items = [...turn.view.seen, ...path];
    const { window } = turn.ask;
    const view = { seat: turn.view.seat, seen: window === undefined ? items : lastSeen(items, window) };
    const reply = await base.act({ view, ask: { ...turn.ask, ...moverIn(position, seat), seat: turn.ask.seat }, rng }, signal, simulator);
    mates.calls.push(...(reply.calls ?? []));
    const move = legalMove(reply.action.text.trim(), choices);
    return reply.chances ?? (move === undefined ? {} : { [move]: 1 });
  }

  function after({ position, path, route, text }: Place, move: string): Place | null {
    const mover = moverIn(position, seat);
    if (mover === undefined || !(mover.choices ?? []).includes(move)) return null;
    const next = advance(position, mover.seat, move, rng);
    const messages = next.told(seat).slice(position.told(seat).length);
    const observations = messages.map((message): Seen => ({ kind: 'message', to: [seat], text: message }));
    return {
      position: next,
      path: [...path, { kind: 'action', action: { text: move } }, ...observations],
      route: [...route, { from: text, move }],
      text: messages.at(-1) ?? text,
    };
  }

  function isReached({ position, text }: Place, goal: string): boolean {
    if (goal === theEnd) return position.asks.length === 0 && (position.returns[seat] ?? 0) > 0;
    return wordsOf(text).includes(wordsOf(goal));
  }
}

/** A text as words between spaces, so that one text contains another only at whole words. */
function wordsOf(text: string): string {
  return ` ${(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')} `;
}

/** Reads the cache and the path of a mind of any origin; of an earlier episode, only the cache. */
export function readProver(input: Json | undefined, isEarlier = false): ProverMemory {
  const list = (name: string): readonly Json[] => (isObject(input) && Array.isArray(input[name]) ? input[name] : []);
  return {
    proofs: list('proofs').filter(isObject) as Proof[],
    route: isEarlier ? [] : (list('route').filter(isObject) as ProverMemory['route'] & Json[]),
  };
}
