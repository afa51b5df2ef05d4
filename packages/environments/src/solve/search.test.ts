import { describe, expect, it } from 'vitest';
import { bestMoves, type Game, worthOf } from './search.ts';

/** Take one to three; the player who takes the last one wins. The seat to move loses exactly if a multiple of four is left. */
const nim: Game<number> = {
  moves: (left) => [1, 2, 3].filter((take) => take <= left),
  after: (left, take) => left - take,
  end: (left) => (left === 0 ? -1 : null),
  key: String,
  most: 1,
};

describe('game search', () => {
  it('finds the winner of nim for every heap', () => {
    const memory = new Map<string, number>();
    for (let left = 1; left <= 60; left++) expect(worthOf(nim, left, Infinity, memory), `${left}`).toBe(left % 4 === 0 ? -1 : 1);
  });

  it('finds the only winning move, or all moves if all lose', () => {
    for (let left = 4; left <= 40; left++) expect(bestMoves(nim, left, Infinity)).toEqual(left % 4 === 0 ? [1, 2, 3] : [left % 4]);
  });

  it('sees no further than its horizon', () => {
    expect(worthOf(nim, 3, 1)).toBe(1);
    expect(worthOf(nim, 6, 2)).toBe(0);
    expect(worthOf(nim, 6, 3)).toBe(1);
    expect(bestMoves(nim, 9, 2)).toEqual([1, 2, 3]);
  });
});
