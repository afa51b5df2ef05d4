import { rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { chanceOfMore, interquartileMean, stratifiedBootstrap } from './aggregate.ts';

describe('an interquartile mean', () => {
  it('ignores the outer quarters', () => {
    expect(interquartileMean([100, 1, 2, 3, 4, 5, 6, -50])).toBe(3.5);
    expect(interquartileMean([1, 2, 60])).toBe(21);
    expect(interquartileMean([7])).toBe(7);
  });
});

describe('a probability of improvement', () => {
  it('counts pairs, with ties as halves', () => {
    expect(chanceOfMore([1, 2, 3], [1, 2, 3])).toBe(0.5);
    expect(chanceOfMore([3, 4], [1, 2])).toBe(1);
    expect(chanceOfMore([1, 3], [2])).toBe(0.5);
  });
});

describe('a stratified bootstrap', () => {
  it('has nominal coverage', () => {
    let held = 0;
    const trials = 300;
    for (let trial = 0; trial < trials; trial++) {
      const dice = rng(trial, 'trial');
      const group = (shift: number) => Array.from({ length: 12 }, () => shift + dice.next() + dice.next() + dice.next());
      const { interval } = stratifiedBootstrap([group(0), group(0.5)], ([a = [], b = []]) => interquartileMean(b) - interquartileMean(a), {
        seed: trial,
        draws: 300,
      });
      if (interval[0] <= 0.5 && 0.5 <= interval[1]) held++;
    }
    // Twelve values a group make the percentile interval a little too narrow.
    expect(held / trials).toBeGreaterThan(0.88);
    expect(held / trials).toBeLessThan(0.98);
  });

  it('resamples within each group', () => {
    const { value, interval } = stratifiedBootstrap(
      [
        [1, 1],
        [5, 5, 5],
      ],
      ([a = [], b = []]) => b[0]! - a[0]!,
      { seed: 1 },
    );
    expect([value, ...interval]).toEqual([4, 4, 4]);
  });
});
