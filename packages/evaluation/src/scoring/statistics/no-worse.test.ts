/** @file No worse than before: Tango's bounds against a table, and verdicts that are honest where too little was seen. */

import { describe, expect, it } from 'vitest';
import { noWorse, noWorseText, tangoBounds } from './no-worse.ts';

const tasks = (before: readonly number[], after: readonly number[]) =>
  before.map((value, i) => ({ task: String(i), before: [value], after: [after[i]!] }));

describe('tangoBounds', () => {
  it.each([
    [5, 3, 100, -0.0739, 0.0304],
    [12, 2, 100, -0.1671, -0.043],
    [0, 0, 20, -0.1192, 0.1192],
  ])('of %i lost and %i won in %i', (lost, won, n, low, high) => {
    const [from, to] = tangoBounds(lost, won, n);
    expect(from).toBeCloseTo(low, 4);
    expect(to).toBeCloseTo(high, 4);
  });

  it('is z²/(n + z²) where nothing differs', () => {
    const z2 = 1.6448536269514722 ** 2;
    for (const n of [5, 50, 500]) expect(tangoBounds(0, 0, n)[1]).toBeCloseTo(z2 / (n + z2), 6);
  });

  it('turns round when the two change places', () => {
    for (const [lost, won, n] of [
      [7, 2, 40],
      [0, 9, 30],
      [1, 1, 12],
    ] as const) {
      const [low, high] = tangoBounds(lost, won, n);
      const [other, another] = tangoBounds(won, lost, n);
      expect(other).toBeCloseTo(-high, 6);
      expect(another).toBeCloseTo(-low, 6);
    }
  });
});

describe('noWorse', () => {
  it('does not take twenty equal results for a proof', () => {
    const same = Array<number>(20).fill(1);
    const verdict = noWorse(tasks(same, same));
    expect(verdict).toMatchObject({ difference: 0, noWorse: false, worse: false, method: 'tango' });
    expect(noWorseText(verdict)).toContain('Not shown');
  });

  it('sees that 100 equal results rule out a loss of five points', () => {
    const same = Array<number>(100).fill(1);
    expect(noWorse(tasks(same, same))).toMatchObject({ noWorse: true, worse: false });
  });

  it('sees a loss', () => {
    const before = Array<number>(40).fill(1);
    const after = before.map((_, i) => (i < 15 ? 0 : 1));
    expect(noWorse(tasks(before, after))).toMatchObject({ noWorse: false, worse: true });
    expect(noWorse(tasks(after, before))).toMatchObject({ noWorse: true, worse: false });
  });

  it('says both where a loss is sure and within the margin', () => {
    const before = Array<number>(1000).fill(1);
    const after = before.map((_, i) => (i < 20 ? 0 : 1));
    const verdict = noWorse(tasks(before, after));
    expect(verdict).toMatchObject({ noWorse: true, worse: true });
    expect(noWorseText(verdict)).toContain('Worse, but by less');
  });

  it('compares the means of tasks where each was tried several times', () => {
    const results = Array.from({ length: 30 }, (_, i) => ({ task: String(i), before: [1, 1, i % 2], after: [1, 0, i % 3 === 0 ? 1 : 0] }));
    const { method, difference, bounds } = noWorse(results);
    expect(method).toBe('t');
    expect(difference).toBeCloseTo((10 - 15 - 30) / 90, 9);
    expect(bounds[0]).toBeLessThan(difference);
    expect(bounds[1]).toBeLessThan(0);
  });

  it('refuses where no task was played by both', () => {
    expect(() => noWorse([])).toThrow('no task was played by both');
  });
});
