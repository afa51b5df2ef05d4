/** @file Which episodes are learned from and how much they count, against numbers worked out by hand. */

import { rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { horizon, isNoise, learnability, learnable, levelWeights, unsolvedTasks } from '../curricula/task-choice.ts';
import { branchChance, freshShare, sharedAdvantage } from './branching.ts';
import { inBand, rise, SelfImitation, SuccessBuffer } from './replay.ts';
import { isMixedGroup, overlong, resampleOnCorrect, rescale, uselessGroupChance, widest } from './selection.ts';
import { tokenWeights } from './token-weights.ts';

const near = (arrayLike: ArrayLike<number>, wanted: readonly number[], digits = 4) => {
  expect(arrayLike.length).toBe(wanted.length);
  wanted.forEach((value, i) => {
    expect(arrayLike[i]).toBeCloseTo(value, digits);
  });
};

describe('importance weight', () => {
  it('is capped, only removes mass, and is 1 without a difference', () => {
    near(tokenWeights([Math.log(0.12), Math.log(0.12)], [Math.log(0.03), Math.log(0.15)]), [2, 0.8]);
    const [mu, pi] = [
      [0.7, 0.3],
      [0.4, 0.6],
    ] as const;
    const weights = tokenWeights(pi.map(Math.log), mu.map(Math.log), 1.5);
    expect(mu[1] * weights[1]!).toBeCloseTo(0.45, 10);
    expect([...tokenWeights([-1.234, -0.1], [-1.234, -0.1])]).toEqual([1, 1]);
  });
});

describe('episode selection', () => {
  it('keeps mixed and wide groups, and penalizes overlong answers', () => {
    expect(isMixedGroup([1, 0])).toBe(true);
    expect(isMixedGroup([1, 1])).toBe(false);
    near(
      [0.05, 0.2, 0.5, 0.9].map((chance) => uselessGroupChance(chance, 8)),
      [0.663, 0.168, 0.0078, 0.43],
      2,
    );
    near(
      [16000, 16384, 18432, 20480, 21000].map((length) => overlong(length, 20480, 4096)),
      [0, 0, -0.5, -1, -1],
    );
    expect(
      widest(
        [
          [1, 1],
          [0, 1],
          [0.4, 0.6],
          [0, 0.8],
        ],
        0.5,
      ),
    ).toEqual([1, 3]);
    expect(rescale(5, 2)).toBe(2.5);
  });

  it('resamples correct attempts', () => {
    const attempts = (goods: number) => Array.from({ length: 32 }, (_, i) => ({ good: i < goods, penalty: (32 - i) / 32 }));
    const count = (goods: number) => {
      const retained = resampleOnCorrect(attempts(goods), 16);
      return [retained.filter((i) => i < goods).length, retained.filter((i) => i >= goods).length];
    };
    expect(count(20)).toEqual([10, 6]);
    expect(count(31)).toEqual([15, 1]);
    expect(resampleOnCorrect(attempts(32), 16)).toEqual([]);
    expect(resampleOnCorrect(attempts(20), 16).filter((i) => i < 20)).toEqual([10, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
  });

  it('branches by uncertainty', () => {
    expect(branchChance({ chance: 0.5, slope: 0.2 }, 0.3)).toBeCloseTo(0.56, 10);
    expect(branchChance({ chance: 0.5, slope: 0.2 }, -0.5)).toBeCloseTo(0.4, 10);
    near(
      [0, 1, 2, 3].map((row) => branchChance({ chance: 0.5, slope: 0.2, fatigue: 0.2 }, 0.3, row)),
      [0.56, 0.448, 0.336, 0.224],
    );
    near([freshShare(16, 0.8, 1.2), freshShare(16, 1.2, 0.8)], [6.42, 9.58], 2);
    expect(sharedAdvantage([1, 0])).toBe(0.5);
  });

  it('replays past successes', () => {
    const buffer = new SuccessBuffer<string>(2);
    for (const episode of ['a', 'b', 'c']) buffer.add('task', episode);
    expect(buffer.of('task')).toEqual(['b', 'c']);
    expect(buffer.inject('task', [0, 0, 0], rng(1))).not.toBeNull();
    expect(buffer.inject('task', [0, 1, 0], rng(1))).toBeNull();
    expect(buffer.inject('other', [0, 0, 0], rng(1))).toBeNull();
    const memory = new SelfImitation<{ reward: number; update: number }>(10, 5);
    memory.add(
      [
        { reward: 0.5, update: 1 },
        { reward: 0.3, update: 1 },
        { reward: 0.05, update: 1 },
      ],
      0.1,
    );
    for (const mean of [0.2, 0.4, 0.6]) memory.add([], mean);
    memory.add([{ reward: 0.9, update: 9 }], 0.8);
    near(
      memory.recalled(2).map(({ advantage }) => advantage),
      [0.1, 0.5],
    );
    expect(memory.recalled(9).map(({ episode }) => episode.reward)).toEqual([0.9]);
    expect(rise(50, 200)).toBeCloseTo(0.1464, 4);
    expect([0.5, 0.6, 0.95, 0.97].map((chance) => inBand(chance))).toEqual([false, true, true, false]);
  });

  it('follows the curricula', () => {
    expect([1, 100, 101, 200, 201, 999].map((update) => horizon(update, [10, 20, 30], 100))).toEqual([10, 10, 20, 20, 30, 30]);
    expect(learnability(0.5)).toBe(0.25);
    const records = [
      { plays: 1000, wins: 1000, last: 0 },
      { plays: 1000, wins: 500, last: 0 },
    ];
    const dice = rng(1);
    expect(Array.from({ length: 200 }, () => learnable(records, dice)).filter((pick) => pick === 1).length).toBeGreaterThan(190);
    expect(unsolvedTasks(records)).toEqual([1]);
    const levels = [0.9, 0.1, 0.5, null, 0.3].map((surprise, i) => ({ surprise, last: 4 - [0, 4, 1, 4, 2][i]! }));
    near(levelWeights(levels, { update: 4, beta: 1, stale: 0 }), [0.48, 0.12, 0.24, 0, 0.16]);
    near(levelWeights(levels, { update: 4 }), [0.89911, 0.05714, 0.01516, 0, 0.02859], 4);
    const noise = Array.from({ length: 60 }, (_, i) => i % 2);
    expect(isNoise(noise)).toBe(true);
    expect(isNoise(noise.map((_, i) => i / 60))).toBe(false);
  });
});
