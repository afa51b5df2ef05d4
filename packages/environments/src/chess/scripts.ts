/** @file Chess players: a small search, and perfect play in the two endgames with tables. */

import { Fault, type Script, type View } from '@ludus-agents/kernel/internal/core/index';
import { type EndgameName, endgameIndex, endgameTable } from './endgame.ts';
import { uciOf } from './notation.ts';
import { ChessPosition, type Move } from './position.ts';
import { bestMoves } from './search.ts';

/** Returns the position in the last message, whose last line contains the FEN. */
function positionIn(view: View): ChessPosition {
  const last = view.seen.findLast((item) => item.kind === 'message' && item.text.includes('/'));
  if (last?.kind !== 'message') throw new Fault('input', 'This script must see its whole view. Play it without a window.');
  return ChessPosition.from(last.text.slice(last.text.lastIndexOf('\n') + 1));
}

/** Searches two half-moves deep, and then all captures. */
const alphaBeta: Script = ({ view, rng }) => ({ text: `[${uciOf(rng.pick(bestMoves(positionIn(view), 2)))}]` });

/** Mates as fast as possible, or delays mate as long as possible. */
const tablebase: Script = ({ view }) => {
  const position = positionIn(view);
  const endgame = endgameOf(position);
  if (endgame === null)
    throw new Fault(
      'input',
      'The tablebase script plays king and queen, or king and rook, against a king. Use alpha-beta for other positions.',
    );
  const worths = position.moves().map((move) => [move, distanceAfter(position, move, endgame)] as const);
  const best = worths.reduce((a, b) => ((position.side === endgame.strong ? b[1] < a[1] : b[1] > a[1]) ? b : a));
  return { text: `[${uciOf(best[0])}]` };
};

interface Endgame {
  readonly name: EndgameName;
  /** The side that has the piece. */
  readonly strong: number;
}

function endgameOf({ board }: ChessPosition): Endgame | null {
  const others = board.filter((piece) => piece !== 0 && Math.abs(piece) !== 6);
  const piece = others[0];
  if (others.length !== 1 || piece === undefined || (Math.abs(piece) !== 5 && Math.abs(piece) !== 4)) return null;
  return { name: Math.abs(piece) === 5 ? 'kqk' : 'krk', strong: Math.sign(piece) };
}

/** Returns the table's number of moves to mate, or Infinity if the win is gone. */
function distanceOf(position: ChessPosition, { name, strong }: Endgame): number {
  // If black has the piece, the board is flipped so that it is white's.
  const at = (piece: number) => position.board.indexOf(piece * strong) ^ (strong === 1 ? 0 : 56);
  const piece = position.board.indexOf((name === 'kqk' ? 5 : 4) * strong);
  if (piece < 0) return Number.POSITIVE_INFINITY;
  const index = endgameIndex(at(6), at(name === 'kqk' ? 5 : 4), at(-6));
  const table = endgameTable(name);
  const distance = (position.side === strong ? table.white : table.black)[index];
  return distance < 0 ? Number.POSITIVE_INFINITY : distance;
}

function distanceAfter(position: ChessPosition, move: Move, endgame: Endgame): number {
  position.make(move);
  const distance = distanceOf(position, endgame);
  position.undo();
  return distance;
}

export const scripts: Readonly<Record<string, Script>> = { 'alpha-beta': alphaBeta, tablebase };
