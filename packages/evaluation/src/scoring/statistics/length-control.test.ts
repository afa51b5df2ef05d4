/** @file Length-controlled win rates: against statsmodels, the published example, and a planted judge that loves length. */

import { rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { lengthControlled } from './length-control.ts';
import { logistic, sigmoid } from './logistic.ts';
import { mean, variance } from './mean.ts';
import { reference } from './reference.cases.ts';

const { length: lengths, other, win } = reference.verdicts;
const verdicts = lengths.map((length, i) => ({ length, otherLength: other[i]!, win: win[i]! }));

describe('a length-controlled win rate', () => {
  it('matches the logistic regression of statsmodels', () => {
    const result = lengthControlled(verdicts);
    const [intercept, weight] = reference.logit.coefficients as readonly [number, number];
    expect(result.controlled).toBeCloseTo(sigmoid(intercept), 8);
    expect([result.strength, result.lengthWeight]).toEqual([expect.closeTo(intercept, 8), expect.closeTo(weight, 8)]);
    expect(result.lengthError).toBeCloseTo(Math.sqrt(reference.logit.covariance[1]![1]!), 8);
    const gaps = verdicts.map((verdict) => verdict.length - verdict.otherLength);
    const scale = Math.sqrt(variance(gaps));
    const fit = logistic(
      gaps.map((gap) => [1, Math.tanh(gap / scale)]),
      win,
    );
    expect(fit.logLikelihood).toBeCloseTo(reference.logit.logLikelihood, 10);
    fit.covariance.flat().forEach((value, i) => {
      expect(value).toBeCloseTo(reference.logit.covariance.flat()[i]!, 8);
    });
  });

  it('reproduces the published example: raw .60, length weight 1.56, .480 at equal length', () => {
    // Gaps whose mean makes the raw rate .60 under these coefficients; outcomes are the chances themselves, so that the fit is exact.
    const strength = Math.log(0.48 / 0.52);
    const chances = (shift: number) => {
      const gaps = Array.from({ length: 200 }, (_, i) => i - 99.5 + shift);
      const scale = Math.sqrt(variance(gaps));
      return gaps.map((gap) => ({ length: 300 + gap, otherLength: 300, win: sigmoid(strength + 1.56 * Math.tanh(gap / scale)) }));
    };
    let [low, high] = [0, 200];
    for (let i = 0; i < 60; i++) {
      const middle = (low + high) / 2;
      if (mean(chances(middle).map((item) => item.win)) < 0.6) low = middle;
      else high = middle;
    }
    const result = lengthControlled(chances(low));
    expect(result.raw).toBeCloseTo(0.6, 6);
    expect(result.lengthWeight).toBeCloseTo(1.56, 6);
    expect(result.controlled).toBeCloseTo(0.48, 6);
  });

  it('corrects a planted preference for longer answers to one half, over many seeds', () => {
    const results = Array.from({ length: 60 }, (_, seed) => {
      const dice = rng(seed, 'judge');
      // Equal answers; one side is usually longer, and the judge decides by length alone.
      const judged = Array.from({ length: 200 }, () => {
        const [length, otherLength] = [260 + dice.int(200), 200 + dice.int(200)];
        return { length, otherLength, win: dice.next() < sigmoid((length - otherLength) / 60) ? 1 : 0 };
      });
      return lengthControlled(judged);
    });
    expect(mean(results.map(({ raw }) => raw))).toBeGreaterThan(0.65);
    expect(mean(results.map(({ lengthWeight }) => lengthWeight))).toBeGreaterThan(1.5);
    expect(Math.abs(mean(results.map(({ controlled }) => controlled)) - 0.5)).toBeLessThan(0.03);
    const covered = results.filter(({ interval: [from, to] }) => from <= 0.5 && to >= 0.5).length;
    expect(covered / results.length).toBeGreaterThan(0.85);
  });

  it('changes nothing for a judge that ignores length', () => {
    const dice = rng(4, 'fair');
    const judged = Array.from({ length: 400 }, () => ({
      length: 200 + dice.int(300),
      otherLength: 200 + dice.int(100),
      win: dice.next() < 0.7 ? 1 : 0,
    }));
    const { raw, controlled, lengthWeight, lengthError } = lengthControlled(judged);
    expect(Math.abs(controlled - raw)).toBeLessThan(0.05);
    expect(Math.abs(lengthWeight)).toBeLessThan(3 * lengthError);
  });

  it('shrinks the weight if length separates wins from losses, and rejects undetermined cases', () => {
    const separated = Array.from({ length: 40 }, (_, i) => ({ length: 100 + i * 5, otherLength: 202, win: 100 + i * 5 > 202 ? 1 : 0 }));
    expect(lengthControlled(separated)).toMatchObject({ pull: 0.2, lengthWeight: expect.any(Number) });
    expect(Math.abs(lengthControlled(separated).controlled - 0.5)).toBeLessThan(0.1);
    expect(() => lengthControlled(separated, { pull: 0 })).toThrow('no finite answer');
    expect(() => lengthControlled(separated.map((item) => ({ ...item, win: 1 })))).toThrow('both wins and losses');
    expect(() => lengthControlled(separated.map((item) => ({ ...item, length: 10, otherLength: 5 })))).toThrow('all are equal');
    expect(() => lengthControlled(separated.slice(0, 2))).toThrow('three tasks');
  });
});
