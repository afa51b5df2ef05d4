import { rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import * as d from './distributions.ts';
import { betaLower, gammaLower, gammaUpper, logGamma } from './gamma.ts';
import { reference } from './reference.cases.ts';

/** Equal to 1e-10 of the larger, or of 1e-14 where both are next to nothing. */
function close(count: number, wanted: number, digits = 1e-10): void {
  expect(Math.abs(count - wanted), `${count} should be ${wanted}`).toBeLessThanOrEqual(digits * Math.abs(wanted) + 1e-14);
}

describe('distribution functions compared with SciPy to ten digits', () => {
  const functions: Readonly<Record<string, (...numbers: number[]) => number>> = { ...d, logGamma };
  const names = [
    ...['normalCdf', 'normalQuantile', 'tCdf', 'tQuantile', 'chiSquareCdf', 'chiSquareTail', 'chiSquareQuantile'],
    ...['betaCdf', 'betaQuantile', 'binomialCdf', 'binomialPoint', 'logGamma'],
  ] as const;
  for (const name of names) {
    it(name, () => {
      for (const row of reference[name as 'normalCdf']!) close(functions[name]!(...row.slice(0, -1)), row.at(-1) as number);
    });
  }

  it('keep relative accuracy far out in the tails', () => {
    expect(d.normalCdf(-37) / 5.7255712225239266e-300).toBeCloseTo(1, 10);
    expect(d.chiSquareTail(500, 100) / 1.720121005369523e-54).toBeCloseTo(1, 10);
  });
});

describe('distribution functions compared with printed tables', () => {
  it('match the textbook t values', () => {
    for (const [p, df, t] of [
      [0.95, 1, 6.314],
      [0.975, 5, 2.571],
      [0.99, 10, 2.764],
      [0.995, 30, 2.75],
      [0.975, 120, 1.98],
    ] as const)
      expect(d.tQuantile(p, df)).toBeCloseTo(t, 3);
  });

  it('match the textbook chi-square values', () => {
    expect(d.chiSquareQuantile(0.95, 5)).toBeCloseTo(11.07, 2);
    expect(d.chiSquareQuantile(0.99, 1)).toBeCloseTo(6.635, 3);
    expect(d.chiSquareQuantile(0.05, 10)).toBeCloseTo(3.94, 3);
  });
});

describe('identities', () => {
  it('hold for quantiles as inverses of distribution functions', () => {
    const dice = rng(1, 'quantiles');
    for (let i = 0; i < 300; i++) {
      const p = 1e-4 + dice.next() * 0.9998;
      const df = 1 + dice.next() * 60;
      const a = 0.5 + dice.next() * 40;
      const b = 0.5 + dice.next() * 40;
      close(d.normalCdf(d.normalQuantile(p)), p);
      close(d.tCdf(d.tQuantile(p, df), df), p);
      close(d.chiSquareCdf(d.chiSquareQuantile(p, df), df), p);
      close(d.betaCdf(d.betaQuantile(p, a, b), a, b), p);
    }
  });

  it('hold for t: Cauchy at 1 degree of freedom, algebraic at 2, normal at infinity', () => {
    for (const x of [-30, -2, -0.3, 0.1, 1, 7]) {
      close(d.tCdf(x, 1), 0.5 + Math.atan(x) / Math.PI);
      close(d.tCdf(x, 2), 0.5 + x / (2 * Math.sqrt(2 + x * x)));
      expect(d.tCdf(x, Infinity)).toBe(d.normalCdf(x));
    }
  });

  it('hold for chi-square (2 degrees), beta (1, b), and the sum of two tails', () => {
    for (const x of [0.01, 0.4, 1, 5, 40]) {
      close(d.chiSquareTail(x, 2), Math.exp(-x / 2));
      close(gammaLower(3.3, x) + gammaUpper(3.3, x), 1);
      const share = x / (x + 1);
      close(betaLower(share, 1, 2.5), 1 - (1 - share) ** 2.5);
      close(betaLower(share, 3.5, 2) + betaLower(1 - share, 2, 3.5), 1);
    }
  });

  it('hold for binomial sums, even for a hundred thousand trials', () => {
    for (const [n, p] of [
      [9, 0.4],
      [1000, 0.03],
      [100_000, 0.5],
    ] as const) {
      let sum = 0;
      const top = Math.round(n * p) + 5;
      for (let k = 0; k <= top; k++) sum += d.binomialPoint(k, n, p);
      close(sum, d.binomialCdf(top, n, p));
    }
    expect(d.binomialCdf(-1, 5, 0.5)).toBe(0);
    expect(d.binomialCdf(5, 5, 0.5)).toBe(1);
    expect([d.binomialPoint(0, 5, 0), d.binomialPoint(1, 5, 0), d.binomialPoint(5, 5, 1)]).toEqual([1, 0, 1]);
  });

  it('hold for factorials and gamma', () => {
    let log = 0;
    for (let n = 1; n <= 170; n++) {
      log += Math.log(n);
      close(logGamma(n + 1), log, 1e-13);
    }
  });

  it('reject probabilities outside 0 to 1', () => {
    for (const p of [0, 1, -0.1, Number.NaN]) expect(() => d.normalQuantile(p)).toThrow('between 0 and 1');
  });
});
