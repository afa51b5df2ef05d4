import { rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { bradleyTerry } from './bradley-terry.ts';
import { swissRound } from './pairing.ts';
import type { RatedGame } from './rated-game.ts';

const named = (n: number) => Array.from({ length: n }, (_, i) => `a${i}`);
const pairOf = (match: readonly [string, string]) => match.toSorted().join(' ');

describe('Swiss pairing', () => {
  /** Plays rounds in which the lower number wins mostly. */
  function tournament(n: number, rounds: number, seed: number) {
    const dice = rng(seed, 'swiss-test');
    const games: RatedGame[] = [];
    const paired: (readonly [string, string])[][] = [];
    for (let round = 0; round < rounds; round++) {
      const matches = swissRound(named(n), games, seed);
      paired.push(matches);
      for (const [first, second] of matches) {
        const stronger = Number(first.slice(1)) < Number(second.slice(1));
        games.push({ first, second, score: dice.next() < 0.9 === stronger ? 1 : 0 });
      }
    }
    return { games, paired };
  }

  it('pairs every agent once per round, without a rematch if possible', () => {
    for (let seed = 0; seed < 20; seed++) {
      for (const n of [4, 8, 16]) {
        const { paired } = tournament(n, n / 2, seed);
        for (const round of paired) expect(new Set(round.flat()).size).toBe(n);
        expect(new Set(paired.flat().map(pairOf)).size).toBe(paired.flat().length);
      }
    }
  });

  it('continues with evenly spread rematches once all have met', () => {
    const { paired } = tournament(4, 9, 1);
    const counts = Map.groupBy(paired.flat(), pairOf);
    expect([...counts.values()].map((list) => list.length)).toEqual([3, 3, 3, 3, 3, 3]);
  });

  it('rotates byes and the first seat', () => {
    const { games } = tournament(7, 14, 3);
    for (const name of named(7)) {
      const ratedGames = games.filter((game) => game.first === name || game.second === name);
      expect(ratedGames).toHaveLength(12);
      expect(Math.abs(ratedGames.filter((game) => game.first === name).length - 6)).toBeLessThanOrEqual(2);
    }
  });

  it('pairs near equals after a few rounds', () => {
    const gap = (round: readonly (readonly [string, string])[]) =>
      round.reduce((sum, [a, b]) => sum + Math.abs(Number(a.slice(1)) - Number(b.slice(1))), 0) / round.length;
    let early = 0;
    let late = 0;
    for (let seed = 0; seed < 20; seed++) {
      const { paired } = tournament(16, 6, seed);
      early += gap(paired[0] as [string, string][]);
      late += gap(paired[5] as [string, string][]);
    }
    expect(late).toBeLessThan(0.8 * early);
  });

  it('is deterministic per seed, and its games can be rated', () => {
    const { games } = tournament(8, 12, 4);
    expect(tournament(8, 12, 4).games).toEqual(games);
    const order = bradleyTerry(games).ratings.map((rated) => Number(rated.name.slice(1)));
    expect(order[0]).toBeLessThan(3);
    expect(order.at(-1)).toBeGreaterThan(4);
  });
});
