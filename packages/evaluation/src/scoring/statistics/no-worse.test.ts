/** @file No worse than before: the interval of a comparison, and verdicts that are honest where too little was seen. */

import { describe, expect, it } from 'vitest';
import { compare } from './compare.ts';
import { noWorse, noWorseText } from './no-worse.ts';

const tasks = (before: readonly number[], after: readonly number[]) =>
  before.map((value, i) => ({ task: String(i), before: { values: [value] }, after: { values: [after[i]!] } }));

describe('noWorse', () => {
  it('does not accept twenty equal results as proof', () => {
    const same = Array<number>(20).fill(1);
    const verdict = noWorse(tasks(same, same));
    expect(verdict).toMatchObject({ difference: 0, noWorse: false, worse: false });
    expect(noWorseText(verdict)).toContain('Not shown');
  });

  it('accepts that 100 equal results rule out a loss of five points', () => {
    const same = Array<number>(100).fill(1);
    expect(noWorse(tasks(same, same))).toMatchObject({ noWorse: true, worse: false });
  });

  it('detects a loss', () => {
    const before = Array<number>(40).fill(1);
    const after = before.map((_, i) => (i < 15 ? 0 : 1));
    expect(noWorse(tasks(before, after))).toMatchObject({ noWorse: false, worse: true });
    expect(noWorse(tasks(after, before))).toMatchObject({ noWorse: true, worse: false });
  });

  it('reports a certain loss within the margin as both', () => {
    const before = Array<number>(1000).fill(1);
    const after = before.map((_, i) => (i < 20 ? 0 : 1));
    const verdict = noWorse(tasks(before, after));
    expect(verdict).toMatchObject({ noWorse: true, worse: true });
    expect(noWorseText(verdict)).toContain('Worse, but by less');
  });

  it('matches a comparison of the same episodes, even with unequal numbers of tries', () => {
    // Differences of the means of the tasks: 1 − 0, 0.5 − 1, 0 − 0.25; their mean is 1/12.
    const results = [
      { task: 'a', before: { values: [0], seeds: [1] }, after: { values: [1], seeds: [1] } },
      { task: 'b', before: { values: [1, 1], seeds: [1, 2] }, after: { values: [0, 1], seeds: [1, 2] } },
      { task: 'c', before: { values: [0, 1, 0, 0], seeds: [1, 2, 3, 4] }, after: { values: [0, 0, 0, 0], seeds: [1, 2, 3, 4] } },
    ];
    const side = (name: 'before' | 'after') => ({
      name,
      results: results.flatMap(({ task, [name]: { values, seeds } }) => values.map((value, i) => ({ task, seed: seeds[i]!, value }))),
    });
    const compared = compare(side('after'), side('before'));
    expect(compared.difference).toBeCloseTo(1 / 12, 12);
    expect(noWorse(results)).toMatchObject({ difference: compared.difference, bounds: compared.interval, level: 0.95, tasks: 3 });
  });

  it('compares each seat with itself and counts a task once', () => {
    const seat = (place: string, before: number, after: number) => ({
      ...{ task: 'deal', place },
      ...{ before: { values: [before, before], seeds: [1, 2] }, after: { values: [after, after], seeds: [1, 2] } },
    });
    expect(noWorse([seat('first', 1, 1), seat('second', 0, 0)])).toMatchObject({ tasks: 1, difference: 0 });
  });

  it('shows nothing from a single try', () => {
    expect(noWorse(tasks([1], [0]))).toMatchObject({ difference: -1, bounds: [-1, 1], noWorse: false, worse: false });
  });

  it('rejects input without a shared task', () => {
    expect(() => noWorse([])).toThrow('no task was played by both');
  });
});
