/**
 * @file A chess position and its legal moves.
 *
 * Squares count from 0 at a8 to 63 at h1, in FEN order. Pieces are 1 to 6 (pawn, knight, bishop, rook, queen, king), negative for black. A
 * move is one number: from-square, to-square, promotion piece, and flags for en passant captures, castling, and double steps.
 */

import { readFen } from './fen.ts';
import { directions, kingSteps, knightLeaps, lines, reach, touching } from './squares.ts';
import { keyText, positionText } from './text.ts';

export type Move = number;

export const fromOf = (move: Move) => move & 63;
export const toOf = (move: Move) => (move >> 6) & 63;
export const promotionOf = (move: Move) => (move >> 12) & 7;
const markOf = (move: Move) => move >> 15;
const [inPassing, castling, double] = [1, 2, 3];

const [pawn, knight, bishop, rook, queen, king] = [1, 2, 3, 4, 5, 6];

/** Pseudo-legal moves of the current position. Even 63 queens could not have more. */
const likely = new Int32Array(63 * 27);

function addPawnMove(move: Move, promotes: boolean, count: number): number {
  if (!promotes) {
    likely[count] = move;
    return count + 1;
  }
  for (let i = 0; i < 4; i++) likely[count + i] = move | ((queen - i) << 12);
  return count + 4;
}

/** Pinned pieces of the current position, each by its direction from the king; −1 for other squares. */
const pins = new Int8Array(64).fill(-1);
/** Squares of the pinned pieces, and their number. */
const pinned = new Uint8Array(8);
let pinnedCount = 0;
/** Squares of the opponent's pieces in the current position, and their number. */
const foes = new Uint8Array(64);
let foeCount = 0;
/** 1 for squares where a piece other than the king can end the current check. */
const stops = new Uint8Array(64);

/** Castling rights (K 1, Q 2, k 4, q 8) that are lost when a piece leaves or is captured on a square. */
const rightsLost = new Uint8Array(64);
for (const [square, lost] of [[60, 3], [63, 1], [56, 2], [4, 12], [7, 4], [0, 8]] as const) rightsLost[square] = lost; // biome-ignore format: a table

export class ChessPosition {
  readonly board = new Int8Array(64);
  /** 1 for white, −1 for black. */
  side = 1;
  rights = 0;
  /** The square behind a pawn that just made a double step, or −1. */
  passing = -1;
  /** Half-moves since the last pawn move or capture. */
  quiet = 0;
  number = 1;
  /** The squares of the kings, white's first. */
  readonly kings = [0, 0];
  readonly #undo: number[] = [];

  static from(fen: string): ChessPosition {
    const position = new ChessPosition();
    readFen(fen, position);
    return position;
  }

  /** Returns the position as FEN. The en passant square is included only if a pawn can capture there. */
  fen(): string {
    return positionText(this).fen;
  }

  /** Returns a key that is equal for positions that the repetition rule treats as equal. */
  key(): string {
    return keyText(this);
  }

  /** Returns the en passant square if an enemy pawn can capture there, otherwise −1. */
  takenInPassing(): number {
    if (this.passing < 0) return -1;
    const row = this.passing + 8 * this.side;
    const file = row & 7;
    const ownPawn = pawn * this.side;
    return (file > 0 && this.board[row - 1] === ownPawn) || (file < 7 && this.board[row + 1] === ownPawn) ? this.passing : -1;
  }

  /** Returns whether a piece of the color `by` attacks a square. */
  isAttacked(square: number, by: number): boolean {
    const { board } = this;
    const file = square & 7;
    const pawns = square + 8 * by;
    if (pawns >= 0 && pawns < 64) {
      if (file > 0 && board[pawns - 1] === pawn * by) return true;
      if (file < 7 && board[pawns + 1] === pawn * by) return true;
    }
    const leaps = knightLeaps[square];
    for (let i = 0; i < leaps.length; i++) if (board[leaps[i]] === knight * by) return true;
    const other = this.kings[by === 1 ? 0 : 1];
    const aside = (other & 7) - file;
    const ahead = (other >> 3) - (square >> 3);
    if (aside >= -1 && aside <= 1 && ahead >= -1 && ahead <= 1 && other !== square) return true;
    for (let direction = 0; direction < 8; direction++) {
      const step = directions[direction];
      let at = square;
      for (let left = reach[square * 8 + direction]; left > 0; left--) {
        at += step;
        const piece = board[at];
        if (piece === 0) continue;
        if (piece === queen * by || piece === (direction < 4 ? rook : bishop) * by) return true;
        break;
      }
    }
    return false;
  }

  inCheck(): boolean {
    return this.isAttacked(this.kings[this.side === 1 ? 0 : 1], -this.side);
  }

  /**
   * Returns every legal move, in the order of the squares. `checked` says whether the side to move is in check, if known. `old` is an
   * unused list to reuse for the result.
   */
  moves(checked = this.inCheck(), old?: Move[]): Move[] {
    const home = this.kings[this.side === 1 ? 0 : 1];
    const checks = this.#lookFromKing(home, checked);
    const likelyMoves = this.#findLikely(checked);
    const isFree = !checked && pinnedCount === 0;
    let count = 0;
    for (let i = 0; i < likelyMoves; i++) {
      const move = likely[i];
      const from = move & 63;
      if (from === home) {
        if (!this.#isSafeFor(home, (move >> 6) & 63)) continue;
      } else if (markOf(move) === inPassing) {
        if (!this.#leavesSafe(move)) continue;
      } else if (!isFree) {
        const to = (move >> 6) & 63;
        // A pinned piece must keep covering the king on its line, and can never end another check.
        if (pins[from] >= 0 && (checked || lines[(home << 6) | to] !== pins[from])) continue;
        if (checked && (checks > 1 || stops[to] === 0)) continue;
      }
      likely[count++] = move;
    }
    const legal = old ?? new Array<Move>(count);
    legal.length = count;
    for (let i = 0; i < count; i++) legal[i] = likely[i];
    return legal;
  }

  /** Returns whether the king may move to a square. Squares behind the king count as attacked too. */
  #isSafeFor(home: number, to: number): boolean {
    const { board, side } = this;
    for (let i = 0; i < foeCount; i++) {
      const at = foes[i];
      const piece = -board[at] * side;
      if (((touching[(to << 6) | at] >> piece) & 1) === 0) continue;
      if (piece === pawn) {
        if ((to >> 3) - (at >> 3) === side) return false;
        continue;
      }
      if (piece === knight || piece === king) return false;
      const step = directions[lines[(to << 6) | at]];
      let between = to + step;
      while (between !== at && (board[between] === 0 || between === home)) between += step;
      if (between === at) return false;
    }
    return true;
  }

  /** Returns whether an en passant capture, which removes two pieces from a row, leaves the king safe. */
  #leavesSafe(move: Move): boolean {
    this.make(move);
    const safe = !this.isAttacked(this.kings[this.side === 1 ? 1 : 0], this.side);
    this.undo();
    return safe;
  }

  /**
   * Marks in `pins` the pieces pinned to their king, and in `stops` the squares where a check can be blocked or captured. Returns the
   * number of checking pieces.
   */
  #lookFromKing(home: number, checked: boolean): number {
    const { board, side } = this;
    for (let i = 0; i < pinnedCount; i++) pins[pinned[i]] = -1;
    pinnedCount = 0;
    let checks = checked ? this.#markLeapers(home) : 0;
    for (let direction = 0; direction < 8; direction++) {
      const step = directions[direction];
      let [cover, at] = [-1, home];
      for (let left = reach[home * 8 + direction]; left > 0; left--) {
        at += step;
        const piece = board[at] * side;
        if (piece === 0) continue;
        if (piece > 0) {
          if (cover >= 0) break;
          cover = at;
          continue;
        }
        if (piece !== -queen && piece !== (direction < 4 ? -rook : -bishop)) break;
        if (cover >= 0) {
          pins[cover] = direction;
          pinned[pinnedCount++] = cover;
        } else {
          checks++;
          for (let square = at; square !== home; square -= step) stops[square] = 1;
        }
        break;
      }
    }
    return checks;
  }

  /** Marks in `stops` the knights and pawns that give check. Returns their number. */
  #markLeapers(home: number): number {
    const { board, side } = this;
    stops.fill(0);
    let checks = 0;
    const leaps = knightLeaps[home];
    for (let i = 0; i < leaps.length; i++) {
      if (board[leaps[i]] !== -knight * side) continue;
      stops[leaps[i]] = 1;
      checks++;
    }
    const ahead = home - 8 * side;
    for (let at = ahead - 1; at <= ahead + 1; at += 2) {
      if (Math.abs((at & 7) - (home & 7)) !== 1 || board[at] !== -pawn * side) continue;
      stops[at] = 1;
      checks++;
    }
    return checks;
  }

  /** Writes the pseudo-legal moves into `likely` and the squares of the opponent's pieces into `foes`. Returns the number of moves. */
  #findLikely(checked: boolean): number {
    const { board, side } = this;
    let count = 0;
    foeCount = 0;
    for (let from = 0; from < 64; from++) {
      const piece = board[from] * side;
      if (piece < 0) foes[foeCount++] = from;
      if (piece <= 0) continue;
      if (piece === pawn) count = this.#pawnMoves(from, count);
      else if (piece === knight || piece === king) {
        const targets = (piece === knight ? knightLeaps : kingSteps)[from];
        for (let i = 0; i < targets.length; i++) if (board[targets[i]] * side <= 0) likely[count++] = from | (targets[i] << 6);
        if (piece === king && !checked) count = this.#castles(from, count);
      } else {
        const last = piece === rook ? 4 : 8;
        for (let direction = piece === bishop ? 4 : 0; direction < last; direction++) {
          const step = directions[direction];
          let to = from;
          for (let left = reach[from * 8 + direction]; left > 0; left--) {
            to += step;
            const other = board[to] * side;
            if (other > 0) break;
            likely[count++] = from | (to << 6);
            if (other < 0) break;
          }
        }
      }
    }
    return count;
  }

  #pawnMoves(from: number, before: number): number {
    const { board, side } = this;
    let count = before;
    const ahead = from - 8 * side;
    const promotes = ahead >> 3 === (side === 1 ? 0 : 7);
    if (board[ahead] === 0) {
      count = addPawnMove(from | (ahead << 6), promotes, count);
      const further = ahead - 8 * side;
      if (from >> 3 === (side === 1 ? 6 : 1) && board[further] === 0) likely[count++] = from | (further << 6) | (double << 15);
    }
    for (let to = ahead - 1; to <= ahead + 1; to += 2) {
      if (Math.abs((to & 7) - (from & 7)) !== 1) continue;
      if (board[to] * side < 0) count = addPawnMove(from | (to << 6), promotes, count);
      else if (to === this.passing) likely[count++] = from | (to << 6) | (inPassing << 15);
    }
    return count;
  }

  #castles(from: number, before: number): number {
    const { board, side } = this;
    const rights = (this.rights >> (side === 1 ? 0 : 2)) & 3;
    let count = before;
    if (rights === 0) return count;
    if (rights & 1 && board[from + 1] === 0 && board[from + 2] === 0 && !this.isAttacked(from + 1, -side))
      likely[count++] = from | ((from + 2) << 6) | (castling << 15);
    const isClear = board[from - 1] === 0 && board[from - 2] === 0 && board[from - 3] === 0;
    if (rights & 2 && isClear && !this.isAttacked(from - 1, -side)) likely[count++] = from | ((from - 2) << 6) | (castling << 15);
    return count;
  }

  /** Makes a move that can be reverted with `undo`. */
  make(move: Move): void {
    this.#undo.push(move, this.#takenBy(move), this.rights, this.passing, this.quiet);
    this.play(move);
  }

  #takenBy(move: Move): number {
    return markOf(move) === inPassing ? -pawn * this.side : this.board[toOf(move)];
  }

  /** Makes a move permanently. */
  play(move: Move): void {
    const { board, side } = this;
    const [from, to, mark] = [fromOf(move), toOf(move), markOf(move)];
    const piece = board[from];
    const takenCount = this.#takenBy(move);
    board[from] = 0;
    board[to] = promotionOf(move) > 0 ? promotionOf(move) * side : piece;
    if (mark === inPassing) board[to + 8 * side] = 0;
    if (mark === castling) this.#moveRook(to, false);
    if (piece * side === king) this.kings[side === 1 ? 0 : 1] = to;
    this.rights &= ~(rightsLost[from] | rightsLost[to]);
    this.passing = mark === double ? (from + to) >> 1 : -1;
    this.quiet = takenCount !== 0 || piece * side === pawn ? 0 : this.quiet + 1;
    if (side === -1) this.number++;
    this.side = -side;
  }

  undo(): void {
    const undo = this.#undo;
    this.quiet = undo.pop() as number;
    this.passing = undo.pop() as number;
    this.rights = undo.pop() as number;
    const takenCount = undo.pop() as number;
    const move = undo.pop() as number;
    const { board } = this;
    this.side = -this.side;
    const { side } = this;
    if (side === -1) this.number--;
    const [from, to, mark] = [fromOf(move), toOf(move), markOf(move)];
    const piece = promotionOf(move) > 0 ? pawn * side : board[to];
    board[from] = piece;
    board[to] = mark === inPassing ? 0 : takenCount;
    if (mark === inPassing) board[to + 8 * side] = takenCount;
    if (mark === castling) this.#moveRook(to, true);
    if (piece * side === king) this.kings[side === 1 ? 0 : 1] = from;
  }

  #moveRook(to: number, back: boolean): void {
    const [corner, beside] = (to & 7) === 6 ? [to + 1, to - 1] : [to - 2, to + 1];
    const [from, at] = back ? [beside, corner] : [corner, beside];
    this.board[at] = this.board[from];
    this.board[from] = 0;
  }

  /** Returns whether a move is a capture. */
  takes(move: Move): boolean {
    return this.board[toOf(move)] !== 0 || markOf(move) === inPassing;
  }

  isCastling(move: Move): boolean {
    return markOf(move) === castling;
  }

  isInPassing(move: Move): boolean {
    return markOf(move) === inPassing;
  }

  /**
   * Returns whether neither side can mate by any sequence of moves: bare kings, one minor piece, or only bishops on squares of one color.
   */
  isDead(): boolean {
    let [minors, knights, shades] = [0, 0, 0];
    for (let square = 0; square < 64; square++) {
      const piece = Math.abs(this.board[square]);
      if (piece === 0 || piece === king) continue;
      if (piece !== knight && piece !== bishop) return false;
      minors++;
      if (piece === knight) knights++;
      else shades |= 1 + (((square & 7) + (square >> 3)) & 1);
    }
    return minors <= 1 || (knights === 0 && shades !== 3);
  }
}

/** Returns the number of move sequences with `depth` half-moves. */
export function perft(position: ChessPosition, depth: number): number {
  const moves = position.moves();
  if (depth <= 1) return depth === 0 ? 1 : moves.length;
  let count = 0;
  for (const move of moves) {
    position.make(move);
    count += perft(position, depth - 1);
    position.undo();
  }
  return count;
}
