import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { episodesForMeans, episodesForRates } from './power.ts';

const { input, expected } = JSON.parse(readFileSync(new URL('../test-vectors.json', import.meta.url), 'utf8')).power_n;

describe('the number of episodes', () => {
  it('matches the golden vector, unpaired and paired', () => {
    input.pairs.forEach(([rate, other]: [number, number], i: number) => {
      const need = (correlation: number) =>
        episodesForRates({ rate, difference: other - rate, correlation, alpha: input.alpha, power: input.power });
      expect(need(0)).toBe(expected.unpaired_per_arm[i]);
      expect(need(0.3)).toBe(expected['paired_rho_.3'][i]);
      expect(need(0.5)).toBe(expected['paired_rho_.5'][i]);
      expect(need(0.7)).toBe(expected['paired_rho_.7'][i]);
    });
  });

  it('rejects invalid plans', () => {
    expect(() => episodesForRates({ difference: 0.6 })).toThrow('from 0 to 1');
    expect(() => episodesForMeans({ difference: 0, deviation: 1 })).toThrow('difference: expected a number other than 0, got');
    expect(() => episodesForMeans({ difference: 1, deviation: 1, correlation: 2 })).toThrow('−1 to 1');
    expect(() => episodesForRates({ difference: 0.1, alpha: 5 })).toThrow('alpha');
  });
});
