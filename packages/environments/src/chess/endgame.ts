/**
 * @file King and queen, or king and rook, against a bare king: the distance to mate of every position, computed backward from the mates.
 *
 * White has the piece. Positions are numbered by the squares of the white king, the piece, and the black king.
 */

export type EndgameName = 'kqk' | 'krk';

export interface EndgameTable {
  /** White's moves to mate with white to move; 0 if the position is not legal. */
  readonly white: Int8Array;
  /** The same with black to move, and 0 for mate; −1 if white does not win, −2 if the position is not legal. */
  readonly black: Int8Array;
  readonly mates: number;
  readonly stalemates: number;
}

export const endgameIndex = (whiteKing: number, piece: number, blackKing: number) => (whiteKing << 12) | (piece << 6) | blackKing;

const near = Array.from({ length: 64 }, (_, square) => {
  const matches: number[] = [];
  for (let dy = -1; dy <= 1; dy++)
    for (let dx = -1; dx <= 1; dx++) {
      const [x, y] = [(square & 7) + dx, (square >> 3) + dy];
      if ((dx !== 0 || dy !== 0) && x >= 0 && x < 8 && y >= 0 && y < 8) matches.push(y * 8 + x);
    }
  return matches;
});

const isNear = Array.from({ length: 64 }, (_, square) => new Uint8Array(64).map((_one, other) => (near[square]?.includes(other) ? 1 : 0)));

/** Returns the squares along each direction of a queen or a rook. */
function raysOf(name: EndgameName): readonly (readonly (readonly number[])[])[] {
  return Array.from({ length: 64 }, (_, square) => {
    const rays: number[][] = [];
    for (let dy = -1; dy <= 1; dy++)
      for (let dx = -1; dx <= 1; dx++) {
        if ((dx === 0 && dy === 0) || (name === 'krk' && dx !== 0 && dy !== 0)) continue;
        const ray: number[] = [];
        for (let [x, y] = [(square & 7) + dx, (square >> 3) + dy]; x >= 0 && x < 8 && y >= 0 && y < 8; x += dx, y += dy)
          ray.push(y * 8 + x);
        rays.push(ray);
      }
    return rays;
  });
}

const result = new Map<EndgameName, EndgameTable>();

export function endgameTable(name: EndgameName): EndgameTable {
  const before = result.get(name);
  if (before !== undefined) return before;
  const table = work(raysOf(name));
  result.set(name, table);
  return table;
}

function work(rays: readonly (readonly (readonly number[])[])[]): EndgameTable {
  const white = new Int8Array(1 << 18);
  const black = new Int8Array(1 << 18).fill(-2);
  const legalWhite = new Uint8Array(1 << 18);
  /** For black to move: the number of replies that are not yet known to lose. A reply that captures the piece never loses. */
  const open = new Uint8Array(1 << 18);
  let [mates, stalemates] = [0, 0];
  let front: number[] = [];
  for (let king = 0; king < 64; king++)
    for (let piece = 0; piece < 64; piece++) {
      // The black king is ignored, because the piece also attacks the squares behind it.
      const attacked = attackedSquares(rays[piece], king);
      const guarded = isNear[king];
      for (let other = 0; other < 64; other++) {
        if (king === piece || king === other || piece === other || guarded[other] === 1) continue;
        const index = endgameIndex(king, piece, other);
        const check = attacked[other] === 1;
        if (!check) legalWhite[index] = 1;
        black[index] = -1;
        let replies = 0;
        for (const to of near[other]) {
          if (to === king || guarded[to] === 1) continue;
          if (to === piece) replies += 100;
          else if (attacked[to] === 0) replies++;
        }
        open[index] = replies;
        if (replies > 0) continue;
        if (check) {
          mates++;
          black[index] = 0;
          front.push(index);
        } else stalemates++;
      }
    }
  for (let moves = 1; front.length > 0; moves++) {
    const won: number[] = [];
    for (const index of front)
      for (const before of beforeWhite(index, rays)) {
        if (legalWhite[before] === 0 || white[before] !== 0) continue;
        white[before] = moves;
        won.push(before);
      }
    front = [];
    for (const index of won) {
      const [king, piece, other] = [index >> 12, (index >> 6) & 63, index & 63];
      for (const from of near[other]) {
        const before = endgameIndex(king, piece, from);
        if (from === king || from === piece || black[before] !== -1) continue;
        const left = open[before] - 1;
        open[before] = left;
        if (left === 0) {
          black[before] = moves;
          front.push(before);
        }
      }
    }
  }
  return { white, black, mates, stalemates };
}

/** Returns the squares that the piece attacks, blocked by its own king. */
function attackedSquares(rays: readonly (readonly number[])[], king: number): Uint8Array {
  const attacked = new Uint8Array(64);
  for (const ray of rays)
    for (const square of ray) {
      attacked[square] = 1;
      if (square === king) break;
    }
  return attacked;
}

/** Returns the positions from which white reaches this one by a move of its king or its piece. */
function beforeWhite(index: number, rays: readonly (readonly (readonly number[])[])[]): readonly number[] {
  const matches: number[] = [];
  const [king, piece, other] = [index >> 12, (index >> 6) & 63, index & 63];
  for (const from of near[king]) if (from !== piece && from !== other) matches.push(endgameIndex(from, piece, other));
  for (const ray of rays[piece])
    for (const from of ray) {
      if (from === king || from === other) break;
      matches.push(endgameIndex(king, from, other));
    }
  return matches;
}
