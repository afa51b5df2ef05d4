/** @file Squares and pieces by name, and moves on an empty board: distances for sliding pieces, and lists for knights and kings. */

export const pieces = ' PNBRQK';

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
const rays = steps([...straight, ...diagonal], true);
/** The offset that a step adds to a square: four straight directions, then four diagonal ones. */
export const directions = Int8Array.from([...straight, ...diagonal], ([dx, dy]) => dx + 8 * dy);
/** The number of squares in a direction, indexed by square and direction. */
export const reach = Uint8Array.from(rays.flat(), (ray) => ray.length);
/** The direction from one square to another, or −1 if they are not on a line. Indexed by both squares. */
export const lines = new Int8Array(64 * 64).fill(-1);
for (const [from, around] of rays.entries())
  for (const [direction, ray] of around.entries()) for (const to of ray) lines[(from << 6) | to] = direction;
export const knightLeaps = steps(leaps, false).map((rays) => rays.flat());
export const kingSteps = steps([...straight, ...diagonal], false).map((rays) => rays.flat());

/**
 * The pieces (bits 1 to 6) that could move from the second square to the first on an empty board; pawns by either color's captures. Indexed
 * by both squares.
 */
export const touching = new Uint8Array(64 * 64);
for (let to = 0; to < 64; to++) {
  for (const [direction, ray] of rays[to].entries())
    for (const from of ray) touching[(to << 6) | from] |= direction < 4 ? 0b110000 : 0b101000;
  for (const from of knightLeaps[to]) touching[(to << 6) | from] |= 0b100;
  for (const from of kingSteps[to]) touching[(to << 6) | from] |= from >> 3 !== to >> 3 && (from & 7) !== (to & 7) ? 0b1000010 : 0b1000000;
}

export function letterOf(piece: number): string {
  const letter = pieces[Math.abs(piece)];
  return piece > 0 ? letter : letter.toLowerCase();
}

export function nameOfSquare(square: number): string {
  return `${'abcdefgh'[square & 7]}${8 - (square >> 3)}`;
}

export function squareOf(name: string): number {
  return 'abcdefgh'.indexOf(name[0]) + 8 * (8 - Number(name[1]));
}
