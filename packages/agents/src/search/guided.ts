/**
 * @file Search by agents over moves: one agent proposes a move, the move is tried, and another agent judges the resulting position with a
 * number and a comment. The tree is in `tree.ts`; each variant is data (`settings.ts`). SWE-Search, R-MCTS, WebPilot, and BFS-Prover are
 * rows of one table, each with its parts (`judge.ts`, `reflections.ts`, `subtasks.ts`). WebDreamer needs no positions: `imagined.ts`.
 *
 * Positions are those of the searching seat; the moves of other seats in between are random, as in the other strategies.
 */

import type { Agent, ModelCall, Position, Rng, Seen, Simulator, Turn } from '@ludus-agents/kernel/internal/core/index';
import { legalMove } from './answers.ts';
import { countAct, judgeOf, type Mates, winnerOf } from './judge.ts';
import { advance, moverIn, playOut, type TriedMove } from './positions.ts';
import type { SearchSettings } from './settings.ts';
import { type Extension, growTree, type Judgement, type TreeNode, triedSteps } from './tree.ts';

/** A position, with the seat's actions and observations on the way to it. */
interface Place {
  readonly position: Position;
  readonly path: readonly Seen[];
}

export interface GuidedSearch {
  readonly moves: readonly TriedMove[];
  readonly move: string;
  readonly calls: readonly ModelCall[];
}

export interface GuidedOptions {
  readonly simulator: Simulator;
  readonly settings: SearchSettings;
  readonly base: Agent | undefined;
  readonly judge: Agent | undefined;
  /** The current sub-task of the search. */
  readonly aim: string | undefined;
  readonly mates: Mates;
}

const chancePlays = 4;

export async function guidedSearch({ simulator, settings, base, judge, aim, mates }: GuidedOptions): Promise<GuidedSearch> {
  const { turn, calls, acted, signal } = mates;
  const { rng } = turn;
  const { seat } = simulator;
  const isBestFirst = settings.selection === 'best-first';
  const range = { low: 0, high: 0 };
  const answers = new Map<TreeNode<Place>, Readonly<Record<string, number>>>();
  const root = await growTree<Place>({ position: simulator.sample(rng), path: [] }, settings, {
    extend,
    judge: ({ state }) => worthOf(state),
    isOver: ({ position }) => position.asks.length === 0,
    keyOf: ({ position }) => position.key(),
  });
  const moves = triedSteps(root, settings);
  const ranked = [...moves].sort((a, b) => b.value - a.value || b.visits - a.visits);
  const [first, second] = ranked;
  if (first === undefined) return { moves: [], move: rng.pick(turn.ask.choices ?? ['']), calls };
  const isDebated = judge !== undefined && second !== undefined && settings.debate > 0;
  return { moves, move: isDebated ? await winnerOf(judge, ranked, settings.debate, mates) : first.move, calls };

  /** Tries one more move from here; null if none is left. */
  async function extend(node: TreeNode<Place>): Promise<Extension<Place> | null> {
    const { position, path } = node.state;
    const mover = moverIn(position, seat);
    const left = (mover?.choices ?? []).filter((choice) => !node.tried.includes(choice));
    if (mover === undefined || left.length === 0) return null;
    const proposal = base === undefined ? { step: rng.pick(left) } : await proposedMove(node, left, base);
    if (proposal === null) return null;
    const before = position.told(seat).length;
    const next = toOwnTurn(advance(position, mover.seat, proposal.step, rng), seat, rng);
    const messages = next.told(seat).slice(before);
    const state: Place = {
      position: next,
      path: [
        ...path,
        { kind: 'action', action: { text: proposal.step } },
        ...messages.map((text): Seen => ({ kind: 'message', to: [seat], text })),
      ],
    };
    return { ...proposal, state };
  }

  /** The base's move here; null if it names no untried move. Under best-first selection its likeliest moves are taken in turn. */
  async function proposedMove(node: TreeNode<Place>, left: readonly string[], agent: Agent) {
    const chances = answers.get(node);
    if (chances !== undefined) return likeliest(chances, left);
    const tried = node.children.map(
      ({ step, best, words }) => `Tried here: ${step}, worth ${best.toFixed(2)}${words === '' ? '' : `: ${words}`}`,
    );
    const notes = [...mates.notes, ...(settings.hindsight ? tried : [])];
    if (settings.hindsight && tried.length > 0) countAct(acted, 'hindsight');
    const observations: readonly Seen[] = [
      ...turn.view.seen,
      ...node.state.path,
      ...notes.map((text): Seen => ({ kind: 'message', to: [turn.view.seat], text })),
    ];
    const requestedTurn: Turn = {
      view: { seat: turn.view.seat, seen: observations },
      ask: { ...turn.ask, choices: moverIn(node.state.position, seat)?.choices ?? [] },
      rng,
    };
    const reply = await agent.act(requestedTurn, signal, simulator);
    calls.push(...(reply.calls ?? []));
    countAct(acted, 'proposed');
    if (isBestFirst && reply.chances !== undefined) {
      answers.set(node, reply.chances);
      return likeliest(reply.chances, left);
    }
    const move = legalMove(reply.action.text.trim(), requestedTurn.ask.choices ?? []);
    if (move === undefined) countAct(acted, 'unreadableMoves');
    // Something must be tried here, so an unreadable first proposal is replaced by a random move.
    const step = move ?? (node.tried.length === 0 ? rng.pick(left) : undefined);
    return step === undefined || !left.includes(step) ? null : { step, chance: reply.chances?.[step] };
  }

  async function worthOf({ position, path }: Place): Promise<Judgement> {
    const isOver = position.asks.length === 0;
    const share = judge === undefined || isOver ? 0 : settings.trust;
    const options = { times: settings.judgements, by: settings.judging, aim };
    const judged = share === 0 || judge === undefined ? { value: 0, words: '' } : await judgeOf(judge, path, options, mates);
    // Best-first search follows the base's probabilities: without a judge, only the rewards so far count.
    const plays = isOver || isBestFirst ? 1 : chancePlays;
    let sum = 0;
    for (let i = 0; i < plays && share < 1; i++) {
      const payment = playOut(position, seat, isBestFirst ? 0 : settings.depth, rng)[seat] ?? 0;
      sum += payment / plays;
      range.low = Math.min(range.low, payment);
      range.high = Math.max(range.high, payment);
    }
    // Both parts are on one scale, from 0 to 1, so that a judge and continuations can be mixed. As long as no reward differed, an end
    // counts as 0, and any other position as unknown.
    const unknown = isOver ? 0 : 0.5;
    const chance = range.high > range.low ? (sum - range.low) / (range.high - range.low) : unknown;
    return { value: share * judged.value + (1 - share) * chance, words: judged.words };
  }
}

function likeliest(chances: Readonly<Record<string, number>>, left: readonly string[]): { step: string; chance: number } {
  const step = left.reduce((best, move) => ((chances[move] ?? 0) > (chances[best] ?? 0) ? move : best));
  return { step, chance: chances[step] ?? 0 };
}

/** Advances to the seat's next ask; the moves of others are random. */
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
