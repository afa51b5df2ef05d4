import { type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { amount } from '../../../../../test/fixtures/amount.ts';
import { bradleyTerry } from '../ratings/bradley-terry.ts';
import { rankBootstrap } from '../ratings/rank-bootstrap.ts';
import type { RatedGame } from '../ratings/rated-game.ts';
import { bootstrap, pooledMean } from './bootstrap.ts';
import { compare } from './compare.ts';
import { pearson } from './correlation.ts';
import { clusteredMean, type Interval, mean, meanOf } from './mean.ts';
import { pairedDifference } from './paired.ts';
import { clopperPearson, wilson } from './rates.ts';

const runs = amount(600, 2000);

/** How often an interval made from fresh dice holds the truth. */
function coverage(make: (dice: Rng) => { readonly interval: Interval; readonly truth: number }): number {
  let held = 0;
  for (let run = 0; run < runs; run++) {
    const { interval, truth } = make(rng(run, 'coverage'));
    if (interval[0] <= truth && truth <= interval[1]) held++;
  }
  return held / runs;
}

function expectHonest(share: number): void {
  expect(share).toBeGreaterThanOrEqual(0.93);
  expect(share).toBeLessThanOrEqual(0.97);
}

function bell(dice: Rng): number {
  return Math.sqrt(-2 * Math.log(1 - dice.next())) * Math.cos(2 * Math.PI * dice.next());
}

/** Clusters of four values that share a part of their luck. */
function clusters(dice: Rng, n: number): number[][] {
  return Array.from({ length: n }, () => {
    const shared = bell(dice);
    return Array.from({ length: 4 }, () => shared + bell(dice));
  });
}

describe('a 95% interval covers the truth 93 to 97 times in 100', () => {
  it('for Wilson over rates and sizes, and at least as often for Clopper–Pearson', () => {
    const rate = (dice: Rng) => {
      const n = 20 + dice.int(200);
      const truth = 0.05 + 0.9 * dice.next();
      let k = 0;
      for (let i = 0; i < n; i++) if (dice.next() < truth) k++;
      return { k, n, truth };
    };
    expectHonest(
      coverage((dice) => {
        const { k, n, truth } = rate(dice);
        return { interval: wilson(k, n), truth };
      }),
    );
    const exact = coverage((dice) => {
      const { k, n, truth } = rate(dice);
      return { interval: clopperPearson(k, n), truth };
    });
    expect(exact).toBeGreaterThanOrEqual(0.945);
  });

  it('for the bootstrap, percentile and BCa', () => {
    for (const method of ['percentile', 'bca'] as const)
      expectHonest(
        coverage((dice) => {
          const values = Array.from({ length: 60 }, () => dice.next() + dice.next());
          return { interval: bootstrap(values, mean, { seed: dice.int(1e9), draws: 200, method }).interval, truth: 1 };
        }),
      );
  });

  it('for the bootstrap over clusters', () => {
    expectHonest(
      coverage((dice) => {
        const units = clusters(dice, 60);
        return { interval: bootstrap(units, pooledMean, { seed: dice.int(1e9), draws: 200, method: 'percentile' }).interval, truth: 0 };
      }),
    );
  });

  it('for a clustered mean, unlike the plain mean of the same values', () => {
    const draw = (dice: Rng) => clusters(dice, 20).flatMap((group, c) => group.map((value) => ({ value, cluster: String(c) })));
    expectHonest(coverage((dice) => ({ interval: clusteredMean(draw(dice)).interval, truth: 0 })));
    const plain = coverage((dice) => ({ interval: meanOf(draw(dice).map((item) => item.value)).interval, truth: 0 }));
    expect(plain).toBeLessThan(0.85);
  });

  it('for a paired difference of means and of rates', () => {
    expectHonest(
      coverage((dice) => {
        const pairs = Array.from({ length: 15 }, () => {
          const shared = 2 * bell(dice);
          return { a: shared + bell(dice) + 0.3, b: shared + bell(dice) };
        });
        return { interval: pairedDifference(pairs).interval, truth: 0.3 };
      }),
    );
    expectHonest(
      coverage((dice) => {
        const side = (name: string, rate: number) => ({
          name,
          results: Array.from({ length: 60 }, (_, seed) => ({ task: 't', seed, value: dice.next() < rate ? 1 : 0 })),
        });
        return { interval: compare(side('A', 0.7), side('B', 0.6)).interval, truth: 0.1 };
      }),
    );
  });

  it("for Pearson's correlation", () => {
    expectHonest(
      coverage((dice) => {
        const x = Array.from({ length: 30 }, () => bell(dice));
        const y = x.map((value) => 0.6 * value + 0.8 * bell(dice));
        return { interval: pearson(x, y).interval, truth: 0.6 };
      }),
    );
  });

  const strengths = { A: 0.7, B: 0.2, C: -0.2, D: -0.7 } as const;
  const names = Object.keys(strengths) as (keyof typeof strengths)[];
  const season = (dice: Rng, games: number): RatedGame[] =>
    names.flatMap((first, i) =>
      names.slice(i + 1).flatMap((second) =>
        Array.from({ length: games }, () => {
          const chance = 1 / (1 + Math.exp(strengths[second] - strengths[first]));
          return { first, second, score: dice.next() < chance ? 1 : 0 };
        }),
      ),
    );

  it('for Bradley–Terry, for every agent', () => {
    const current = { A: 0, B: 0, C: 0, D: 0 };
    for (let run = 0; run < runs; run++) {
      for (const { name, strength, error } of bradleyTerry(season(rng(run, 'season'), 25)).ratings)
        if (Math.abs(strength - strengths[name as 'A']) <= 1.959964 * error) current[name as 'A']++;
    }
    for (const name of names) expectHonest(current[name] / runs);
  });

  it('for the Bradley–Terry bootstrap, which matches the curvature and is wider with clustered tasks', () => {
    const width = (ranked: readonly { readonly interval: Interval }[]) => mean(ranked.map(({ interval }) => interval[1] - interval[0]));
    const games = season(rng(1, 'season'), 60);
    const plain = width(bradleyTerry(games).ratings);
    expect(Math.abs(width(rankBootstrap(games, { seed: 1, draws: 500 })) / plain - 1)).toBeLessThan(0.12);
    const copied = games.flatMap((game, i) => Array.from({ length: 4 }, () => ({ ...game, task: `t${i}` })));
    expect(width(bradleyTerry(copied).ratings)).toBeCloseTo(plain / 2, 6);
    expect(Math.abs(width(rankBootstrap(copied, { seed: 1, draws: 500 })) / plain - 1)).toBeLessThan(0.12);
  });
});

describe('the bootstrap over clusters', () => {
  it('has the clustered error within 5% on 200 clusters', () => {
    const units = clusters(rng(9, 'error'), 200);
    const analytic = clusteredMean(units.flatMap((group, c) => group.map((value) => ({ value, cluster: String(c) })))).error;
    expect(Math.abs(bootstrap(units, pooledMean, { seed: 2 }).error / analytic - 1)).toBeLessThan(0.05);
  });
});
