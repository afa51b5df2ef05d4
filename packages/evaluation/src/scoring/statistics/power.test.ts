import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { casesForBound, episodesForMeans, episodesForRates, powerAt, smallestDifference, tasksNeeded } from './power.ts';
import { reference } from './reference.cases.ts';

const { input, expected } = JSON.parse(readFileSync(new URL('../test-vectors.json', import.meta.url), 'utf8')).power_n;

describe('how many episodes', () => {
  it('meets the golden vector, unpaired and paired', () => {
    input.pairs.forEach(([rate, other]: [number, number], i: number) => {
      const need = (correlation: number) =>
        episodesForRates({ rate, difference: other - rate, correlation, alpha: input.alpha, power: input.power });
      expect(need(0)).toBe(expected.unpaired_per_arm[i]);
      expect(need(0.3)).toBe(expected['paired_rho_.3'][i]);
      expect(need(0.5)).toBe(expected['paired_rho_.5'][i]);
      expect(need(0.7)).toBe(expected['paired_rho_.7'][i]);
    });
  });

  it('meets the published table of tasks and repeats, but for its rounding', () => {
    const rows: readonly (readonly [difference: number, byRepeats: readonly number[]])[] = [
      [0.05, [1109, 649, 418, 303]],
      [0.1, [278, 163, 105, 76]],
      [0.2, [70, 41, 27, 19]],
    ];
    for (const [difference, tasks] of rows) {
      [1, 2, 4, 8].forEach((repeats, i) => {
        const count = tasksNeeded({ difference, between: 0.0997, within: 0.1467, correlation: 0.7, repeats });
        expect(Math.abs(count - tasks[i]!)).toBeLessThanOrEqual(1);
      });
    }
  });

  it('agrees with the power of statsmodels and with itself', () => {
    expect(powerAt({ difference: 0.1, error: Math.sqrt(0.5 / 400) })).toBeCloseTo(reference.power, 10);
    const n = episodesForMeans({ difference: 0.4, deviation: 2, correlation: 0.5 });
    const error = Math.sqrt(4 / n);
    expect(powerAt({ difference: 0.4, error })).toBeGreaterThanOrEqual(0.8);
    expect(powerAt({ difference: 0.4, error: Math.sqrt(4 / (n - 2)) })).toBeLessThan(0.8);
    expect(smallestDifference({ error })).toBeLessThanOrEqual(0.4);
    expect(powerAt({ difference: 0, error })).toBeCloseTo(0.05, 12);
  });

  it('knows how many planted cases prove a judge', () => {
    expect(casesForBound({ observed: 0.9, bound: 0.8 })).toBe(62);
    expect(casesForBound({ observed: 0.95, bound: 0.9 })).toBe(139);
    expect(() => casesForBound({ observed: 0.8, bound: 0.9 })).toThrow('exceed');
  });

  it('refuses what cannot be planned', () => {
    expect(() => episodesForRates({ difference: 0.6 })).toThrow('from 0 to 1');
    expect(() => episodesForMeans({ difference: 0, deviation: 1 })).toThrow('difference: expected a number other than 0, got');
    expect(() => episodesForMeans({ difference: 1, deviation: 1, correlation: 2 })).toThrow('−1 to 1');
    expect(() => powerAt({ difference: 1, error: 1, alpha: 5 })).toThrow('alpha');
  });
});
