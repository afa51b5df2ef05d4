import { readFileSync } from 'node:fs';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { bradleyTerry } from './bradley-terry.ts';
import { elo, eloIntervals } from './elo.ts';
import { rankBootstrap } from './rank-bootstrap.ts';
import type { RatedGame } from './rated-game.ts';
import { separation } from './separation.ts';

const vectors = JSON.parse(readFileSync(new URL('../test-vectors.json', import.meta.url), 'utf8'));

/** Bouts from "A>B" → how often. */
function won(counts: Readonly<Record<string, number>>, score = 1): RatedGame[] {
  return Object.entries(counts).flatMap(([pair, n]) => {
    const [first, second] = pair.split('>') as [string, string];
    return Array.from({ length: n }, () => ({ first, second, score }));
  });
}

function season(seed: number, strengths: Readonly<Record<string, number>>, games: number): RatedGame[] {
  const dice = rng(seed, 'season');
  const names = Object.keys(strengths);
  return names.flatMap((first, i) =>
    names.slice(i + 1).flatMap((second) =>
      Array.from({ length: games }, () => {
        const chance = 1 / (1 + Math.exp(strengths[second]! - strengths[first]!));
        return { first, second, score: dice.next() < chance ? 1 : 0 };
      }),
    ),
  );
}

describe('Bradley–Terry', () => {
  it('matches the golden vector', () => {
    const fit = bradleyTerry(won(vectors.bradley_terry.input.wins));
    const wanted = vectors.bradley_terry.expected;
    expect(fit.ratings.map((rated) => rated.name)).toEqual(['A', 'B', 'C']);
    fit.ratings.forEach(({ strength, rating, games }, i) => {
      expect(strength).toBeCloseTo(wanted.theta_natural_sum0[i], 6);
      expect(rating).toBeCloseTo(wanted.elo_scale_anchor_mean1000[i], 4);
      expect(games).toBe(20);
    });
    expect(fit.prior).toBe(0);
  });

  /** Wins, losses and ties of the first against the second. */
  const table = { AB: [7, 3, 2], AC: [8, 2, 1], BC: [6, 4, 3], CD: [9, 5, 0], AD: [6, 1, 4] } as const;
  const games = Object.entries(table).flatMap(([pair, counts]) => {
    const [first, second] = [...pair] as [string, string];
    return [1, 0, 0.5].flatMap((score, k) => Array.from({ length: counts[k]! }, () => ({ first, second, score })));
  });

  it('matches a binomial regression in statsmodels, including errors, with ties as halves', () => {
    // sm.GLM([[wins + ties/2, losses + ties/2]…], rows with +1 and −1, D = −A − B − C, family=sm.families.Binomial()).fit(): params, bse
    const strengths = { A: 0.7298545060800967, B: 0.07112404058448259, C: -0.2100058630709243, D: -0.5909726835936551 };
    const errors = { A: 0.2901808222495188, B: 0.32805972477521306, C: 0.254307608478244 };
    for (const { name, strength, error } of bradleyTerry(games).ratings) {
      expect(strength).toBeCloseTo(strengths[name as 'A'], 8);
      if (name !== 'D') expect(error).toBeCloseTo(errors[name as 'A'], 6);
    }
  });

  it('matches a general optimizer for Davidson ties', () => {
    // scipy.optimize.minimize of the negative log likelihood, BFGS and then Nelder–Mead
    const strengths = { A: 0.8955270516786807, B: 0.08769034600971937, C: -0.2575957715211784, D: -0.7256216261672217 };
    const fit = bradleyTerry(games, { ties: 'davidson' });
    for (const { name, strength } of fit.ratings) expect(strength).toBeCloseTo(strengths[name as 'A'], 5);
    expect(fit.tie).toBeCloseTo(0.4350007348739796, 5);
    expect(bradleyTerry(won({ 'A>B': 2, 'B>A': 1 }), { ties: 'davidson' }).tie).toBeNull();
  });

  it('keeps an undefeated agent finite with a weak prior, which it reports', () => {
    const fit = bradleyTerry(won({ 'A>B': 9, 'B>C': 5, 'C>B': 3 }));
    expect(fit.prior).toBe(1);
    expect(fit.ratings[0]?.name).toBe('A');
    expect(fit.ratings[0]?.strength).toBeLessThan(4);
    expect(() => bradleyTerry(won({ 'A>B': 9 }), { prior: 0 })).toThrow('The ratings are not finite, for example because one');
  });

  const tied = (pairs: Readonly<Record<string, number>>) => won(pairs, 0.5);

  it('keeps an undefeated agent with ties finite, and a season of only ties', () => {
    const never = bradleyTerry([...won({ 'A>B': 30 }), ...tied({ 'A>B': 10 })], { ties: 'davidson' });
    expect(never.prior).toBe(1);
    expect(never.ratings.map(({ name }) => name)).toEqual(['A', 'B']);
    // scipy.optimize.minimize of the same likelihood: 30 wins, 10 ties, and a game of each, half won and half lost, against strength 0.
    expect((never.ratings[0]?.strength ?? 0) - (never.ratings[1]?.strength ?? 0)).toBeCloseTo(3.8676367926707536, 5);
    expect(never.tie).toBeCloseTo(2.1022944524355367, 5);

    const level = bradleyTerry(tied({ 'A>B': 10, 'B>C': 10 }), { ties: 'davidson' });
    for (const { strength, error } of level.ratings) {
      expect(strength).toBeCloseTo(0, 9);
      expect(error).toBeGreaterThan(0.2);
    }
    // By hand: 20 of 23 games were ties between equals, and ν / (2 + ν) = 20 / 23.
    expect(level.tie).toBeCloseTo(40 / 3, 6);
    expect(() => bradleyTerry(tied({ 'A>B': 10 }), { ties: 'davidson', prior: 0 })).toThrow(
      'The ratings are not finite, for example because one',
    );
  });

  it('needs no prior if a cycle of wins and ties determines the strengths', () => {
    const ratedGames = [...won({ 'A>B': 5, 'B>C': 4, 'C>B': 2 }), ...tied({ 'A>B': 5, 'B>C': 3 })];
    expect(bradleyTerry(ratedGames, { ties: 'davidson' }).prior).toBe(0);
    const loose = [...won({ 'A>B': 5, 'B>C': 4 }), ...tied({ 'A>B': 5, 'B>C': 3 })];
    expect(bradleyTerry(loose, { ties: 'davidson' }).prior).toBe(1);
  });

  it('rates groups of equals of which one has won everything', () => {
    const wins = ['D>A', 'B>A', 'D>C', 'D>E', 'B>C', 'B>E'];
    const ties = ['A>C', 'A>E', 'B>D', 'C>E'];
    const twice = (pairs: readonly string[]) => Object.fromEntries(pairs.map((pair) => [pair, 2]));
    const { ratings, prior } = bradleyTerry([...won(twice(wins)), ...won(twice(ties), 0.5)], { ties: 'davidson' });
    expect(prior).toBe(1);
    const strength = Object.fromEntries(ratings.map((rated) => [rated.name, rated.strength]));
    for (const weak of ['A', 'C', 'E']) expect(strength[weak]).toBeCloseTo(strength.A!, 9);
    expect(strength.B).toBeCloseTo(strength.D!, 9);
    expect(strength.B! - strength.A!).toBeGreaterThan(3);
    expect(ratings.every(({ error }) => error > 0 && error < 10)).toBe(true);
  });

  it('never fails on a connected set of games, with any ties', () => {
    for (let seed = 0; seed < 200; seed++) {
      const dice = rng(seed, 'any-season');
      const games = ['AB', 'BC', 'CD', 'AD'].flatMap((pair) =>
        Array.from({ length: 1 + Math.floor(3 * dice.next()) }, () => ({
          first: pair[0]!,
          second: pair[1]!,
          score: Math.floor(3 * dice.next()) / 2,
        })),
      );
      for (const { strength, error } of bradleyTerry(games, { ties: 'davidson' }).ratings) {
        expect(Math.abs(strength)).toBeLessThan(30);
        expect(error > 0 && error < 1000, `seed ${seed}: ${error}`).toBe(true);
      }
      if (seed < 5) rankBootstrap(games, { seed, draws: 40, ties: 'davidson' });
    }
  });

  it('does not depend on the order of games or seats', () => {
    const games = won(vectors.bradley_terry.input.wins);
    const turned = rng(1).shuffle(games.map(({ first, second, score }) => ({ first: second, second: first, score: 1 - score })));
    bradleyTerry(turned).ratings.forEach(({ strength }, i) => {
      expect(strength).toBeCloseTo(bradleyTerry(games).ratings[i]?.strength as number, 9);
    });
  });

  it('rejects unconnected groups, self-play, and impossible scores with an explanation', () => {
    expect(() => bradleyTerry(won({ 'A>B': 1, 'C>D': 1 }))).toThrow("C, D never played against A's group");
    expect(() => bradleyTerry([])).toThrow('two agents, but there are none. Play some first.');
    expect(() => bradleyTerry([{ first: 'A', second: 'A', score: 1 }])).toThrow('played itself. Leave self-play out of ratings.');
    expect(() => bradleyTerry([{ first: 'A', second: 'B', score: 2 }])).toThrow('game must be from 0 (lost) to 1 (won),');
  });
});

describe('the order of a ranking', () => {
  it('is undecided between equals, except for a 5% error rate', () => {
    const runs = 400;
    let wrong = 0;
    for (let run = 0; run < runs; run++) {
      if (separation(bradleyTerry(season(run, { A: 0, B: 0, C: 0 }, 40))).open.length < 3) wrong++;
    }
    expect(wrong / runs).toBeLessThanOrEqual(0.07);
  });

  it('is decided between unequals after the estimated number of games', () => {
    const strengths = { A: 0.8, B: 0, C: -0.8 };
    // A pilot of four games a pair that went exactly as the strengths promise, so that the plan is for the true gaps.
    const pilot = season(1, strengths, 4).map((game) => {
      const gap = strengths[game.first as 'A'] - strengths[game.second as 'A'];
      return { ...game, score: 1 / (1 + Math.exp(-gap)) };
    });
    const early = separation(bradleyTerry(pilot));
    expect(early.decided).toBe(false);
    expect(early.words).toBe('The order is not decided after 12 matches: cannot yet separate A and B; B and C; A and C.');
    const games = Math.ceil((12 + (early.needed as number)) / 3);
    const runs = 500;
    let apart = 0;
    for (let run = 0; run < runs; run++)
      apart += separation(bradleyTerry(season(run, strengths, games))).gaps.filter((gap) => gap.decided).length;
    expect(apart / (2 * runs)).toBeGreaterThan(0.78);
    expect(apart / (2 * runs)).toBeLessThan(0.92);
    expect(separation(bradleyTerry(season(5, strengths, 300))).words).toBe('The order A > B > C is decided after 900 matches.');
  });

  it('has no estimate if two agents are exactly level', () => {
    expect(separation(bradleyTerry(won({ 'A>B': 5, 'B>A': 5 }))).needed).toBeNull();
  });

  it('has a bootstrap probability for each place', () => {
    const ranked = rankBootstrap(season(2, { A: 1.5, B: 0, C: 0 }, 30), { seed: 1, draws: 300 });
    expect(ranked[0]?.name).toBe('A');
    expect(ranked[0]?.places[0]).toBeGreaterThan(0.98);
    for (const { places } of ranked) expect(places.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 10);
    expect(rankBootstrap(season(2, { A: 1, B: 0 }, 9), { seed: 1, draws: 50 })).toEqual(
      rankBootstrap(season(2, { A: 1, B: 0 }, 9), { seed: 1, draws: 50 }),
    );
  });
});

describe('Elo', () => {
  it('matches the golden vector, which depends on the order', () => {
    const { K, scores_for_A } = vectors.elo_order_dependence.input;
    scores_for_A.forEach((scores: number[], i: number) => {
      const ratings = elo(
        scores.map((score) => ({ first: 'A', second: 'B', score })),
        { k: K },
      );
      expect(ratings.get('A')).toBeCloseTo(vectors.elo_order_dependence.expected[i].A, 6);
      expect(ratings.get('B')).toBeCloseTo(vectors.elo_order_dependence.expected[i].B, 6);
    });
  });

  it('has intervals that contain the rating and narrow with a smaller k', () => {
    const games = season(1, { A: 0.5, B: 0, C: -0.5 }, 50);
    const width = (k: number) => {
      const [low, high] = eloIntervals(games, { seed: 1, k }).get('A') as readonly [number, number];
      return high - low;
    };
    expect(width(8)).toBeLessThan(width(32));
    expect(eloIntervals(games, { seed: 1 })).toEqual(eloIntervals(games, { seed: 1 }));
    expect(() => elo(games, { k: 0 })).toThrow('above 0');
  });
});
