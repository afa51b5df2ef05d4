import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import { describe, expect, it } from 'vitest';
import { acceptance, editKinds, errorOf, type GateRule, gateRules, inflation, judgePairs, minibatchAcceptance } from './gate.ts';

/** The chance that two equal candidates, whose scores are coins of this chance, pass on so many tasks: over all outcomes, not by dice. */
function idleAcceptance(tasks: number, chance: number, rule: GateRule): number {
  const apart = chance * (1 - chance);
  const logs = [0];
  for (let i = 1; i <= tasks; i++) logs.push(logs[i - 1]! + Math.log(i));
  let sum = 0;
  for (let better = 1; better <= tasks; better++)
    for (let worse = 0; worse < better && better + worse <= tasks; worse++) {
      const equal = tasks - better - worse;
      const [mean, squares] = [(better - worse) / tasks, better + worse];
      const error = Math.sqrt((squares - tasks * mean ** 2) / (tasks - 1) / tasks);
      if (mean - rule.errors * error <= 1e-12) continue;
      const ways = logs[tasks]! - logs[better]! - logs[worse]! - logs[equal]!;
      sum += Math.exp(ways + (better + worse) * Math.log(apart) + equal * Math.log(1 - 2 * apart));
    }
  return sum;
}

const pairs = (...differences: readonly number[]) =>
  differences.map((difference, task) => ({ task, before: 0.5, after: 0.5 + difference }));

describe('gate', () => {
  it('subtracts 1.15 standard errors from the paired mean', () => {
    // Differences .1 .2 .3: mean .2, error .1/√3 = .0577.
    expect(judgePairs(pairs(0.1, 0.2, 0.3))).toMatchObject({ accept: true, tasks: 3 });
    expect(judgePairs(pairs(0.1, 0.2, 0.3)).error).toBeCloseTo(0.1 / Math.sqrt(3), 12);
    // Differences −.1 0 .25: mean .05, error .1041.
    expect(judgePairs(pairs(-0.1, 0, 0.25))).toMatchObject({
      accept: false,
      words: 'rejected: +0.050 ± 0.104 over 3 tasks, which may be luck',
    });
    expect(judgePairs(pairs(-0.1, 0, 0.25), gateRules.strict).accept).toBe(true);
  });

  it('rejects ties unless they are allowed', () => {
    expect(judgePairs(pairs(0, 0, 0)).accept).toBe(false);
    expect(judgePairs(pairs(0, 0, 0), gateRules.strict).accept).toBe(false);
    expect(judgePairs(pairs(0, 0, 0), gateRules.ties).accept).toBe(true);
    expect(judgePairs(pairs(0.1, -0.1), gateRules.ties).accept).toBe(true);
  });

  it('protects the named tasks', () => {
    const gain = pairs(0.5, 0.5, 0.5, -0.1);
    expect(judgePairs(gain).accept).toBe(true);
    expect(judgePairs(gain, { errors: 1, protect: [3] })).toMatchObject({
      accept: false,
      words: expect.stringContaining('task 3 fell from 0.500 to 0.400'),
    });
    expect(judgePairs(gain, { errors: 1, protect: [3], drop: 0.1 }).accept).toBe(true);
    expect(judgePairs(gain, { errors: 1, protect: [0, 1, 2] }).accept).toBe(true);
  });

  it('rejects empty and single comparisons, and enforces the size limit', () => {
    expect(judgePairs([])).toMatchObject({ accept: false, words: 'rejected: no task could be compared' });
    expect(judgePairs(pairs(0.4)).accept).toBe(false);
    expect(judgePairs(pairs(0.3, 0.3), { errors: 1, size: 10 }, 11)).toMatchObject({
      accept: false,
      words: 'rejected: 11 characters are more than 10',
    });
    expect([meanOrZero([]), errorOf([])]).toEqual([0, 0]);
  });
});

describe('gate acceptance table', () => {
  const rows: readonly (readonly [string, number, number, Parameters<typeof judgePairs>[1], readonly number[]])[] = [
    ['mean', 12, 1, { errors: 0 }, [0.22, 0.41, 0.41, 0.63]],
    ['one error', 12, 1, { errors: 1 }, [0.05, 0.15, 0.14, 0.28]],
    ['mean', 12, 5, { errors: 0 }, [0.11, 0.48, 0.53, 0.88]],
    ['mean, no drop', 12, 5, { errors: 0, protect: 'all', drop: 0.4 }, [0.09, 0.38, 0.36, 0.75]],
    ['one error', 12, 5, { errors: 1 }, [0.02, 0.16, 0.19, 0.58]],
    ['one error', 24, 5, { errors: 1 }, [0, 0.16, 0.21, 0.77]],
    ['one error', 50, 5, { errors: 1 }, [0, 0.15, 0.2, 0.93]],
    ['cautious', 50, 5, { errors: 1.645 }, [0, 0.05, 0.06, 0.8]],
    ['mean, no drop', 50, 5, { errors: 0, protect: 'all', drop: 0.4 }, [0, 0.1, 0.05, 0.43]],
  ];

  it.each(rows)('matches for %s over %i tasks × %i', (_, tasks, repeats, rule, published) => {
    const matches = editKinds.map((edit) => acceptance({ tasks, repeats, rule: rule as { errors: number }, edit }, 3000, 7));
    for (const [i, value] of matches.entries()) expect(Math.abs(value - published[i]!)).toBeLessThan(0.04);
  });

  it('accepts a third of idle edits on three examples, and a seventh by the default rule', () => {
    expect(Math.abs(minibatchAcceptance(3, 0) - 0.344)).toBeLessThan(0.01);
    expect(Math.abs(minibatchAcceptance(3, -0.1) - 0.254)).toBeLessThan(0.01);
    expect(Math.abs(minibatchAcceptance(3, 0.1) - 0.441)).toBeLessThan(0.01);
    expect(Math.abs(minibatchAcceptance(3, 0, { ties: true }) - 0.656)).toBeLessThan(0.01);
    expect(acceptance({ tasks: 24, repeats: 1, rule: gateRules.ours, edit: 'null' }, 20_000, 3)).toBeLessThanOrEqual(0.15);
  });

  it('keeps exact idle acceptance below 15% for any number of tasks, unlike one standard error', () => {
    const chances = [0.02, 0.1, 0.3, 0.5];
    const worst = (rule: GateRule) =>
      Math.max(...Array.from({ length: 59 }, (_, i) => Math.max(...chances.map((chance) => idleAcceptance(i + 2, chance, rule)))));
    expect(worst(gateRules.ours)).toBeLessThan(0.15);
    expect(idleAcceptance(24, 0.5, gateRules.ours)).toBeCloseTo(0.1359, 4);
    expect(idleAcceptance(24, 0.5, { errors: 1 })).toBeCloseTo(0.1536, 4);
    expect(worst({ errors: 1 })).toBeGreaterThan(0.15);
  });

  it('distinguishes gates that accept everything or nothing', () => {
    expect(acceptance({ tasks: 12, repeats: 1, rule: { errors: -100 }, edit: 'harm' }, 200, 1)).toBeGreaterThan(0.97);
    expect(acceptance({ tasks: 12, repeats: 1, rule: { errors: 100 }, edit: 'help' }, 200, 1)).toBe(0);
  });

  it('overestimates the best of ten equal candidates, and fresh tasks correct it', () => {
    for (const [tasks, expected] of [
      [6, 0.3],
      [12, 0.22],
      [24, 0.16],
      [50, 0.11],
    ] as const) {
      const { select, fresh } = inflation(10, tasks);
      expect(Math.abs(select - expected)).toBeLessThan(0.01);
      expect(Math.abs(fresh)).toBeLessThan(0.01);
    }
  });
});
