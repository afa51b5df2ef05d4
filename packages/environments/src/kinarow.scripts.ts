/** @file Scripted players of k in a row: perfect play on small boards, and a search a few moves deep on any board. */

import { Fault, type Script, type View } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { bestMoves, type Game } from './solve/search.ts';

/** A board as the seats see it. `cells` has one character per cell, row by row from the top: X, O, or a dot. */
export interface Board {
  readonly columns: number;
  readonly rows: number;
  readonly k: number;
  readonly gravity: boolean;
  readonly cells: string;
}

/** Returns the search depth of `lookahead`: four moves, or fewer on boards with many moves. */
export function horizonOf({ columns, rows, gravity }: Omit<Board, 'k' | 'cells'>): number {
  const moves = gravity ? columns : columns * rows;
  let horizon = 4;
  while (moves ** horizon > 400_000) horizon--;
  return horizon;
}

/** Maximum number of cells for an exhaustive search within seconds. With gravity there are fewer moves. */
export const perfectUpTo = (gravity: boolean) => (gravity ? 20 : 12);

export function searchScripts<P>(game: Game<P>, positionOf: (board: Board) => P): Readonly<Record<'minimax' | 'lookahead', Script>> {
  const memories = new Map<string, Map<string, number>>();
  return {
    /** Plays a random move of those that keep the best result. The whole game is searched once and cached. */
    minimax({ view, rng }) {
      const board = boardIn(view);
      const { columns, rows, k, gravity } = board;
      const limit = perfectUpTo(gravity);
      if (columns * rows > limit)
        throw new Fault(
          'input',
          `The minimax script searches boards of up to ${limit} cells, but this one has ${columns * rows}. Use the script lookahead.`,
        );
      const key = `${columns} ${rows} ${k} ${gravity}`;
      const memory = memories.get(key) ?? new Map<string, number>();
      memories.set(key, memory);
      return { text: `[${rng.pick(bestMoves(game, positionOf(board), Infinity, memory))}]` };
    },
    /** Wins, or avoids losing, within its horizon. Beyond that, all moves are equal. */
    lookahead({ view, rng }) {
      const board = boardIn(view);
      return { text: `[${rng.pick(bestMoves(game, positionOf(board), horizonOf(board)))}]` };
    },
  };
}

const rulesText = linear(/^You are [XO] on a board of (\d+) columns and (\d+) rows\. X moves first\. (\d+) of your marks/);

/** Returns the board below the last move, or below the rules before the first move. */
function boardIn(view: View): Board {
  let [columns, rows, k, gravity] = [0, 0, 0, false];
  let cells = '';
  for (const item of view.seen) {
    if (item.kind !== 'message') continue;
    const rules = rulesText.exec(item.text);
    if (rules !== null) {
      [columns, rows, k] = rules.slice(1).map(Number) as [number, number, number];
      gravity = item.text.includes('your mark falls');
    }
    if (rules !== null || /^[XO] plays /.test(item.text)) cells = item.text.split('\n').slice(-rows).join('');
  }
  if (columns === 0) throw new Fault('input', 'This script must see its whole view. Play it without a window.');
  return { columns, rows, k, gravity, cells };
}
