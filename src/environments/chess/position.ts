/**
 * @file A chess position and its legal moves.
 *
 * Squares count from 0 at a8 to 63 at h1, as a FEN is read. Pieces are 1 to 6 (pawn, knight, bishop, rook, queen, king), negative for black.
 * A move is one number: from, to, the piece that a pawn becomes, and a mark for captures in passing, castling and double steps.
 */

import { Fault } from '../../core/index.ts';

export type Move = number;

export const fromOf = (move: Move) => move & 63;
export const toOf = (move: Move) => (move >> 6) & 63;
export const promotionOf = (move: Move) => (move >> 12) & 7;
const markOf = (move: Move) => move >> 15;
const [inPassing, castling, double] = [1, 2, 3];

const pieces = ' PNBRQK';
const [pawn, knight, bishop, rook, queen, king] = [1, 2, 3, 4, 5, 6];

const steps = (pairs: readonly (readonly [number, number])[], far: boolean) =>
  Array.from({ length: 64 }, (_, square) =>
    pairs.map(([dx, dy]) => {
      const ray: number[] = [];
      let [x, y] = [(square & 7) + dx, (square >> 3) + dy];
      while (x >= 0 && x < 8 && y >= 0 && y < 8) {
        ray.push(y * 8 + x);
        if (!far) break;
        x += dx;
        y += dy;
      }
      return ray;
    }),
  );
const straight = [[1, 0], [-1, 0], [0, 1], [0, -1]] as const; // biome-ignore format: a table
const diagonal = [[1, 1], [1, -1], [-1, 1], [-1, -1]] as const; // biome-ignore format: a table
const leaps = [[1, 2], [2, 1], [-1, 2], [-2, 1], [1, -2], [2, -1], [-1, -2], [-2, -1]] as const; // biome-ignore format: a table
const rookRays = steps(straight, true);
const bishopRays = steps(diagonal, true);
const queenRays = steps([...straight, ...diagonal], true);
const knightLeaps = steps(leaps, false).map((rays) => rays.flat());
const kingSteps = steps([...straight, ...diagonal], false).map((rays) => rays.flat());

/** Whether a queen could go from one square to the other on an empty board: who stands so to his king may be pinned. */
const isAligned = new Uint8Array(64 * 64);
for (const [square, rays] of queenRays.entries()) for (const other of rays.flat()) isAligned[square * 64 + other] = 1;

/** What is lost of the rights to castle (K 1, Q 2, k 4, q 8) when a square is left or taken. */
const rightsLost = new Uint8Array(64);
for (const [square, lost] of [[60, 3], [63, 1], [56, 2], [4, 12], [7, 4], [0, 8]] as const) rightsLost[square] = lost; // biome-ignore format: a table

/** Codes of the letters of pieces from the black king, −6, to the white one; a dot where there is none. */
const letterCodes = Array.from({ length: 13 }, (_, i) => (i === king ? '.' : letterOf(i - king)).charCodeAt(0));
const [zero, slash, newline] = [0x30, 0x2f, 0x0a];

export class ChessPosition {
  readonly board = new Int8Array(64);
  /** 1 for white, −1 for black. */
  side = 1;
  rights = 0;
  /** The square behind a pawn that has just gone two steps, or −1. */
  passing = -1;
  /** Half-moves since a pawn moved or a piece was taken. */
  quiet = 0;
  number = 1;
  readonly #kings = [0, 0];
  readonly #undo: number[] = [];

  static from(fen: string): ChessPosition {
    const position = new ChessPosition();
    position.#read(fen);
    return position;
  }

  #read(fen: string): void {
    const wrong = (what: string) => new Fault('input', `A chess position (FEN) must ${what}, but came as "${fen}".`);
    const [rows = '', side = '', rights = '', passing = '-', quiet = '0', number = '1', ...more] = fen.trim().split(/\s+/);
    let square = 0;
    for (const row of rows.split('/')) {
      const begin = square;
      for (const mark of row) {
        const piece = pieces.indexOf(mark.toUpperCase());
        if (mark >= '1' && mark <= '8') square += Number(mark);
        else if (piece > 0 && square < 64) this.board[square++] = mark === mark.toUpperCase() ? piece : -piece;
        else throw wrong('have rows of the letters PNBRQK pnbrqk and of numbers of empty squares');
      }
      if (square !== begin + 8) throw wrong('have eight rows of eight squares');
    }
    if (square !== 64 || more.length > 0) throw wrong('have eight rows of eight squares and at most six fields');
    if (side !== 'w' && side !== 'b') throw wrong('say w or b for the side to move');
    if (!/^(?:-|K?Q?k?q?)$/.test(rights) || rights === '') throw wrong('have rights to castle such as KQkq or -');
    if (!/^(?:-|[a-h][36])$/.test(passing)) throw wrong('have - or a square of the third or sixth row for captures in passing');
    if (!/^\d{1,3}$/.test(quiet) || !/^\d{1,4}$/.test(number)) throw wrong('end with two whole numbers');
    this.side = side === 'w' ? 1 : -1;
    const held: readonly (readonly [string, number, number, number])[] = [
      ['K', 60, 63, 1],
      ['Q', 60, 56, 2],
      ['k', 4, 7, 4],
      ['q', 4, 0, 8],
    ];
    for (const [letter, home, corner, bit] of held) {
      const colour = bit < 4 ? 1 : -1;
      // A right without its king and rook at home is none.
      if (rights.includes(letter) && this.board[home] === king * colour && this.board[corner] === rook * colour) this.rights |= bit;
    }
    this.quiet = Number(quiet);
    this.number = Math.max(1, Number(number));
    for (const colour of [1, -1]) {
      const at = this.board.indexOf(king * colour);
      if (at < 0 || this.board.lastIndexOf(king * colour) !== at) throw wrong('have one king of each colour');
      this.#kings[colour === 1 ? 0 : 1] = at;
    }
    for (let i = 0; i < 8; i++)
      for (const at of [i, 56 + i]) if (Math.abs(this.board[at]!) === pawn) throw wrong('have no pawn on the first or last row');
    if (this.isAttacked(this.#kings[this.side === 1 ? 1 : 0]!, this.side)) throw wrong('not let the side to move take the king');
    if (passing !== '-') {
      const at = squareOf(passing);
      const behind = at + 8 * this.side;
      if (this.board[behind] === -pawn * this.side && this.board[at] === 0 && at >> 3 === (this.side === 1 ? 2 : 5)) this.passing = at;
    }
  }

  /** The position as FEN; a capture in passing is named only where a pawn stands ready for it. */
  fen(): string {
    return `${this.key()} ${this.quiet} ${this.number}`;
  }

  /** What makes two positions the same for the rule of repetition. */
  key(): string {
    const rows: number[] = [];
    for (let row = 0; row < 8; row++) {
      let empty = 0;
      for (let square = row * 8; square < row * 8 + 8; square++) {
        const piece = this.board[square]!;
        if (piece === 0) empty++;
        else {
          if (empty > 0) rows.push(zero + empty);
          empty = 0;
          rows.push(letterCodes[piece + king]!);
        }
      }
      if (empty > 0) rows.push(zero + empty);
      if (row < 7) rows.push(slash);
    }
    let rights = '';
    for (let i = 0; i < 4; i++) if ((this.rights >> i) & 1) rights += 'KQkq'[i];
    // A text in one piece: one that is put together letter by letter keeps every letter in memory as long as the log.
    const board = String.fromCharCode(...rows);
    return `${board} ${this.side === 1 ? 'w' : 'b'} ${rights || '-'} ${this.#canPass() ? nameOfSquare(this.passing) : '-'}`;
  }

  /** Eight rows of letters and dots. */
  rows(): string {
    const codes: number[] = [];
    for (let square = 0; square < 64; square++) {
      codes.push(letterCodes[this.board[square]! + king]!);
      if ((square & 7) === 7) codes.push(newline);
    }
    return String.fromCharCode(...codes);
  }

  #canPass(): boolean {
    if (this.passing < 0) return false;
    const row = this.passing + 8 * this.side;
    const file = row & 7;
    const own = pawn * this.side;
    return (file > 0 && this.board[row - 1] === own) || (file < 7 && this.board[row + 1] === own);
  }

  /** Whether a piece of the colour `by` attacks a square. */
  isAttacked(square: number, by: number): boolean {
    const { board } = this;
    const file = square & 7;
    const pawns = square + 8 * by;
    if (pawns >= 0 && pawns < 64) {
      if (file > 0 && board[pawns - 1] === pawn * by) return true;
      if (file < 7 && board[pawns + 1] === pawn * by) return true;
    }
    for (const from of knightLeaps[square]!) if (board[from] === knight * by) return true;
    for (const from of kingSteps[square]!) if (board[from] === king * by) return true;
    return this.#seen(rookRays[square]!, rook * by, queen * by) || this.#seen(bishopRays[square]!, bishop * by, queen * by);
  }

  #seen(rays: readonly (readonly number[])[], one: number, other: number): boolean {
    for (const ray of rays)
      for (const from of ray) {
        const piece = this.board[from]!;
        if (piece === 0) continue;
        if (piece === one || piece === other) return true;
        break;
      }
    return false;
  }

  inCheck(): boolean {
    return this.isAttacked(this.#kings[this.side === 1 ? 0 : 1]!, -this.side);
  }

  /** Every legal move, in the order of the squares. */
  moves(): Move[] {
    const legal: Move[] = [];
    const home = this.#kings[this.side === 1 ? 0 : 1]!;
    const checked = this.inCheck();
    for (const move of this.#likely()) {
      const from = fromOf(move);
      // Nothing opens towards a king that is not in check when a piece moves that stands on no line with it.
      if (!checked && from !== home && isAligned[home * 64 + from] === 0 && markOf(move) !== inPassing) {
        legal.push(move);
        continue;
      }
      this.make(move);
      if (!this.isAttacked(this.#kings[this.side === 1 ? 1 : 0]!, this.side)) legal.push(move);
      this.undo();
    }
    return legal;
  }

  #likely(): Move[] {
    const { board, side } = this;
    const found: Move[] = [];
    for (let from = 0; from < 64; from++) {
      const piece = board[from]! * side;
      if (piece <= 0) continue;
      if (piece === pawn) this.#pawnMoves(from, found);
      else if (piece === knight || piece === king) {
        for (const to of (piece === knight ? knightLeaps : kingSteps)[from]!) if (board[to]! * side <= 0) found.push(from | (to << 6));
        if (piece === king) this.#castles(from, found);
      } else {
        const rays = (piece === rook ? rookRays : piece === bishop ? bishopRays : queenRays)[from]!;
        for (const ray of rays)
          for (const to of ray) {
            const other = board[to]! * side;
            if (other <= 0) found.push(from | (to << 6));
            if (other !== 0) break;
          }
      }
    }
    return found;
  }

  #pawnMoves(from: number, found: Move[]): void {
    const { board, side } = this;
    const ahead = from - 8 * side;
    const add = (to: number) => {
      if (to >> 3 === (side === 1 ? 0 : 7)) for (const piece of [queen, rook, bishop, knight]) found.push(from | (to << 6) | (piece << 12));
      else found.push(from | (to << 6));
    };
    if (board[ahead] === 0) {
      add(ahead);
      const further = ahead - 8 * side;
      if (from >> 3 === (side === 1 ? 6 : 1) && board[further] === 0) found.push(from | (further << 6) | (double << 15));
    }
    for (const aside of [-1, 1]) {
      const to = ahead + aside;
      if (Math.abs((to & 7) - (from & 7)) !== 1) continue;
      if (board[to]! * side < 0) add(to);
      else if (to === this.passing) found.push(from | (to << 6) | (inPassing << 15));
    }
  }

  #castles(from: number, found: Move[]): void {
    const { board, side } = this;
    const shift = side === 1 ? 0 : 2;
    if (((this.rights >> shift) & 3) === 0 || this.isAttacked(from, -side)) return;
    if ((this.rights >> shift) & 1 && board[from + 1] === 0 && board[from + 2] === 0 && !this.isAttacked(from + 1, -side))
      found.push(from | ((from + 2) << 6) | (castling << 15));
    if (
      (this.rights >> shift) & 2 &&
      board[from - 1] === 0 &&
      board[from - 2] === 0 &&
      board[from - 3] === 0 &&
      !this.isAttacked(from - 1, -side)
    )
      found.push(from | ((from - 2) << 6) | (castling << 15));
  }

  make(move: Move): void {
    const { board, side } = this;
    const [from, to, mark] = [fromOf(move), toOf(move), markOf(move)];
    const piece = board[from]!;
    const taken = mark === inPassing ? -pawn * side : board[to]!;
    this.#undo.push(move, taken, this.rights, this.passing, this.quiet);
    board[from] = 0;
    board[to] = promotionOf(move) > 0 ? promotionOf(move) * side : piece;
    if (mark === inPassing) board[to + 8 * side] = 0;
    if (mark === castling) this.#moveRook(to, false);
    if (piece * side === king) this.#kings[side === 1 ? 0 : 1] = to;
    this.rights &= ~(rightsLost[from]! | rightsLost[to]!);
    this.passing = mark === double ? (from + to) >> 1 : -1;
    this.quiet = taken !== 0 || piece * side === pawn ? 0 : this.quiet + 1;
    if (side === -1) this.number++;
    this.side = -side;
  }

  undo(): void {
    const undo = this.#undo;
    this.quiet = undo.pop() as number;
    this.passing = undo.pop() as number;
    this.rights = undo.pop() as number;
    const taken = undo.pop() as number;
    const move = undo.pop() as number;
    const { board } = this;
    this.side = -this.side;
    const { side } = this;
    if (side === -1) this.number--;
    const [from, to, mark] = [fromOf(move), toOf(move), markOf(move)];
    const piece = promotionOf(move) > 0 ? pawn * side : board[to]!;
    board[from] = piece;
    board[to] = mark === inPassing ? 0 : taken;
    if (mark === inPassing) board[to + 8 * side] = taken;
    if (mark === castling) this.#moveRook(to, true);
    if (piece * side === king) this.#kings[side === 1 ? 0 : 1] = from;
  }

  #moveRook(to: number, back: boolean): void {
    const [corner, beside] = (to & 7) === 6 ? [to + 1, to - 1] : [to - 2, to + 1];
    const [from, at] = back ? [beside, corner] : [corner, beside];
    this.board[at] = this.board[from]!;
    this.board[from] = 0;
  }

  /** Whether a move takes something. */
  takes(move: Move): boolean {
    return this.board[toOf(move)] !== 0 || markOf(move) === inPassing;
  }

  isCastling(move: Move): boolean {
    return markOf(move) === castling;
  }

  isInPassing(move: Move): boolean {
    return markOf(move) === inPassing;
  }

  /** Neither side could mate by any play: bare kings, one minor piece, or bishops of one colour of squares alone. */
  isDead(): boolean {
    let [minors, knights] = [0, 0];
    const shades = new Set<number>();
    for (let square = 0; square < 64; square++) {
      const piece = Math.abs(this.board[square]!);
      if (piece === 0 || piece === king) continue;
      if (piece !== knight && piece !== bishop) return false;
      minors++;
      if (piece === knight) knights++;
      else shades.add(((square & 7) + (square >> 3)) & 1);
    }
    return minors <= 1 || (knights === 0 && shades.size === 1);
  }
}

export function letterOf(piece: number): string {
  const letter = pieces[Math.abs(piece)]!;
  return piece > 0 ? letter : letter.toLowerCase();
}

export function nameOfSquare(square: number): string {
  return `${'abcdefgh'[square & 7]}${8 - (square >> 3)}`;
}

export function squareOf(name: string): number {
  return 'abcdefgh'.indexOf(name[0]!) + 8 * (8 - Number(name[1]));
}

/** How many ways a position can go on for so many half-moves. */
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
