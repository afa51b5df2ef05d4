/** @file Figures of surveys against values computed elsewhere. */

import { rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { acquiescence, correlation, cronbachAlpha, retest, straightLining, twoShares } from './checks.ts';
import { deviation, distances, entropy, noiseFloor, totalVariation, wasserstein } from './distances.ts';
import { peopleNeeded, poolBiases, rectify } from './rectify.ts';
import { designMean, designShare, itemTables, kornGraubard } from './tables.ts';

const digits = (text: string) => [...text].map(Number);

describe('design-based shares', () => {
  const y = digits('1101001010');
  const w = [1, 2, 1, 1, 3, 1, 2, 1, 1, 2];
  it('have the error and intervals of the survey literature', () => {
    const share = designShare(y.map((value, i) => ({ value, weight: w[i]! })));
    expect(share.value).toBeCloseTo(0.466667, 6);
    expect(share.error).toBeCloseTo(0.180716, 5);
    expect(share.designEffect).toBeCloseTo(1.180952, 5);
    expect(share.interval[0]).toBeCloseTo(0.144789, 5);
    expect(share.interval[1]).toBeCloseTo(0.818914, 5);
    const effective = (share.value * (1 - share.value)) / share.error ** 2;
    expect(effective).toBeCloseTo(7.620968, 4);
    expect(kornGraubard(share.value, effective)[0]).toBeCloseTo(0.130179, 5);
    expect(kornGraubard(share.value, effective)[1]).toBeCloseTo(0.828214, 5);
  });

  it('support clusters and shares of 0 and 1', () => {
    const clustered = designMean(y.map((value, i) => ({ value, weight: w[i]!, cluster: String(Math.floor(i / 2)) })));
    expect(clustered.error).toBeCloseTo(0.191034, 5);
    const none = designShare(Array.from({ length: 20 }, () => ({ value: 0, weight: 1 })));
    expect(none.interval).toEqual([0, expect.closeTo(0.168433, 5)]);
    expect(() => designMean([])).toThrow(/at least one answer/);
  });

  it('have an interval even if all answers on a scale are equal', () => {
    const common = { name: '', attributes: {}, weight: 1, ballot: '', wave: '', item: 'like', kind: 'scale', status: 'answered' } as const;
    const rows = Array.from({ length: 20 }, (_, i) => ({
      ...{ ...common, person: String(i), codes: [4], answer: '4', place: 1, shown: [], episode: '' },
    }));
    const [table] = itemTables(rows, { labels: () => ['1', '2', '3', '4', '5'] });
    // As many as 16.8% may answer otherwise: all of them 1, or all of them 5.
    expect(table?.mean?.interval).toEqual([expect.closeTo(4 - 3 * 0.168433, 5), expect.closeTo(4 + 0.168433, 5)]);
  });

  it('have nominal coverage', () => {
    let covered = 0;
    for (let study = 0; study < 400; study++) {
      const dice = rng(study, 'coverage');
      const people = Array.from({ length: 80 }, () => ({ value: dice.next() < 0.3 ? 1 : 0, weight: 0.5 + dice.next() }));
      const [low, high] = designShare(people).interval;
      if (low <= 0.3 && 0.3 <= high) covered++;
    }
    expect(covered / 400).toBeGreaterThan(0.92);
    expect(covered / 400).toBeLessThan(0.98);
  });
});

describe('checks', () => {
  it('separate acquiescence from content', () => {
    const pairs = (positive: string, reversed: string) => [{ positive: digits(positive), reversed: digits(reversed) }];
    expect(acquiescence(pairs('544', '445'), 5)).toEqual({ bias: expect.closeTo(1.333333, 5), content: 0 });
    expect(acquiescence(pairs('544', '122'), 5)).toEqual({ bias: 0, content: expect.closeTo(1.333333, 4) });
  });

  it('detect order effects, test-retest agreement, straight-lining, and reliability', () => {
    expect(twoShares(62, 100, 45, 100).z).toBeCloseTo(2.4101, 4);
    const [first, second] = [digits('1234532441'), digits('1244533451')];
    const match = retest(first.map((code, i) => [code, second[i]!] as const));
    expect(match).toEqual({ same: 0.7, within: 1, icc: expect.closeTo(0.927224, 5) });
    expect(correlation(first, second)).toBeCloseTo(0.945055, 5);
    expect(straightLining(digits('33333333'))).toEqual({ run: 8, deviation: 0, mode: 1, step: 0 });
    expect(straightLining(digits('44443444'))).toMatchObject({
      run: 4,
      mode: 0.875,
      deviation: expect.closeTo(0.3536, 4),
      step: expect.closeTo(0.2857, 4),
    });
    expect(straightLining(digits('12121212'))).toMatchObject({ run: 1, mode: 0.5, step: 1 });
    expect(straightLining(digits('24153342'))).toMatchObject({ run: 2, mode: 0.25, step: 2 });
    expect(cronbachAlpha(['454', '223', '333', '545', '121'].map(digits))).toBeCloseTo(0.945087, 5);
  });
});

describe('distances', () => {
  const p = [0.1, 0.2, 0.4, 0.2, 0.1];
  const q = [0, 0.1, 0.7, 0.15, 0.05];
  it('match their definitions', () => {
    expect(totalVariation(p, q)).toBeCloseTo(0.3, 12);
    expect(wasserstein(p, q)).toBeCloseTo(0.45, 12);
    expect(distances(q, p)).toMatchObject({ wasserstein: expect.closeTo(0.1125, 10), deviationRatio: expect.closeTo(0.596867, 5) });
    expect(entropy(p)).toBeCloseTo(2.121928, 5);
    expect(entropy(q)).toBeCloseTo(1.319035, 5);
    expect(deviation([0, 0, 1, 0, 0])).toBe(0);
    const middle = [0, 0, 1, 0, 0];
    expect(distances(middle, p)).toMatchObject({ totalVariation: expect.closeTo(0.6, 10), wasserstein: expect.closeTo(0.2, 10) });
    expect(wasserstein([0.5, 0.5, 0, 0, 0], [0.5, 0, 0, 0, 0.5])).toBeCloseTo(1.5, 12);
  });

  it('are compared with chance for the sample size', () => {
    const sample = (seed: number, n: number) =>
      Array.from({ length: n }, (_, i) => ({ code: 1 + rng(seed, 'floor', i).int(5), weight: 1 }));
    const floor = noiseFloor(sample(1, 200), sample(2, 200), 5, { seed: 1 });
    expect(floor.totalVariation).toBeGreaterThan(0.1);
    expect(floor.totalVariation).toBeLessThan(0.16);
    expect(floor.p).toBeGreaterThan(0.05);
    const middle = Array.from({ length: 200 }, () => ({ code: 3, weight: 1 }));
    expect(noiseFloor(sample(1, 200), middle, 5, { seed: 1 }).p).toBeLessThan(0.01);
  });
});

describe('rectified estimates', () => {
  const times = <T>(n: number, item: T) => Array.from({ length: n }, () => item);
  const pairs = [
    ...times(38, { answer: 1, predicted: 1, weight: 1 }),
    ...times(4, { answer: 1, predicted: 0, weight: 1 }),
    ...times(17, { answer: 0, predicted: 1, weight: 1 }),
    ...times(41, { answer: 0, predicted: 0, weight: 1 }),
  ];
  const others = [...times(580, { predicted: 1, weight: 1 }), ...times(420, { predicted: 0, weight: 1 })];

  it('match the published code', () => {
    const matchingRectified = rectify(pairs, others);
    expect(matchingRectified.lambda).toBeCloseTo(0.554571, 5);
    expect(matchingRectified.rectified.value).toBeCloseTo(0.436637, 5);
    expect(matchingRectified.rectified.error).toBeCloseTo(0.040243, 5);
    expect(matchingRectified.rectified.interval[0]).toBeCloseTo(0.3578, 4);
    expect(matchingRectified.rectified.interval[1]).toBeCloseTo(0.5155, 4);
    expect(matchingRectified.people.error).toBeCloseTo(0.049356, 5);
    expect(matchingRectified.synthetic?.interval[0]).toBeCloseTo(0.58 - 0.0306, 3);
    expect(matchingRectified.gain).toBeCloseTo(1.504, 3);
    expect(matchingRectified.correlation).toBeCloseTo(0.60682, 5);
  });

  it('give no weight to uninformative predictions', () => {
    const constant = rectify(
      pairs.map((pair) => ({ ...pair, predicted: 1 })),
      others.map((item) => ({ ...item, predicted: 1 })),
    );
    expect(constant).toMatchObject({ lambda: 0, gain: 1 });
    const dice = rng(3, 'shuffled');
    const shuffled = dice.shuffle(pairs.map(({ predicted }) => predicted));
    expect(
      rectify(
        pairs.map((pair, i) => ({ ...pair, predicted: shuffled[i]! })),
        others,
      ).lambda,
    ).toBeLessThan(0.2);
    expect(() => rectify(pairs.slice(0, 1), others)).toThrow(/A rectified estimate needs answers of at least two/);
  });

  it('of rare shares stay within 0 and 1, keep their coverage, and have an interval at 0', () => {
    const observation = { bounded: 0, free: 0, outside: 0 };
    for (let study = 0; study < 300; study++) {
      const dice = rng(study, 'rare');
      const person = () => {
        const answer = dice.next() < 0.03 ? 1 : 0;
        return { answer, predicted: dice.next() < (answer === 1 ? 0.9 : 0.2) ? 1 : 0, weight: 1 };
      };
      const [subset, many] = [Array.from({ length: 40 }, person), Array.from({ length: 400 }, person)];
      const holds = ([low, high]: readonly [number, number]) => low <= 0.03 && 0.03 <= high;
      const [free, bounded] = [rectify(subset, many).rectified, rectify(subset, many, 0.95, [0, 1]).rectified];
      if (free.interval[0] < 0) observation.outside++;
      if (holds(free.interval)) observation.free++;
      if (holds(bounded.interval)) observation.bounded++;
      expect(bounded.value).toBeGreaterThanOrEqual(0);
      expect(bounded.interval[0]).toBeGreaterThanOrEqual(0);
      expect(bounded.interval[1]).toBeGreaterThan(bounded.interval[0]);
    }
    expect(observation.outside).toBeGreaterThan(150);
    expect(observation.bounded).toBeGreaterThanOrEqual(observation.free);
    const nobody = times(40, { answer: 0, predicted: 0, weight: 1 });
    expect(rectify(nobody, others, 0.95, [0, 1]).people.interval[1]).toBeCloseTo(1 - 0.025 ** (1 / 40), 6);
    expect(rectify(times(40, { answer: 7, predicted: 3, weight: 1 }), [], 0.95, [1, 7]).people.interval[1]).toBe(7);
  });

  it('cover the truth in 93 to 97 of 100 studies, unlike synthetic answers alone', () => {
    let [covered, alone] = [0, 0];
    for (let study = 0; study < 500; study++) {
      const dice = rng(study, 'ppi');
      const person = () => {
        const answer = dice.next() < 0.42 ? 1 : 0;
        return { answer, predicted: dice.next() < (answer === 1 ? 0.9 : 0.35) ? 1 : 0, weight: 1 };
      };
      const matchingRectified = rectify(Array.from({ length: 100 }, person), Array.from({ length: 1000 }, person));
      const holds = ([low, high]: readonly [number, number]) => low <= 0.42 && 0.42 <= high;
      if (holds(matchingRectified.rectified.interval)) covered++;
      if (matchingRectified.synthetic !== null && holds(matchingRectified.synthetic.interval)) alone++;
    }
    expect(covered).toBeGreaterThan(460);
    expect(covered).toBeLessThan(490);
    expect(alone).toBeLessThan(5);
  });

  it.each([
    [0.05, 0, 385, 385],
    [0.05, 0.3, 350, 359],
    [0.05, 0.5, 289, 311],
    [0.05, 0.7, 196, 232],
    [0.05, 0.9, 73, 102],
    [0.03, 0, 1068, 1068],
    [0.03, 0.5, 801, 929],
    [0.03, 0.9, 203, 486],
  ])('need the right number of people for ±%f at a correlation of %f', (half, correlation, without, thousand) => {
    const plan = { half, variance: 0.25, correlation };
    expect(peopleNeeded({ ...plan, synthetic: Infinity })).toBe(without);
    expect(peopleNeeded({ ...plan, synthetic: 1000 })).toBe(thousand);
  });

  it('shrink the biases of groups toward each other', () => {
    const errors = [0.03, 0.04, 0.05, 0.06];
    const pooledBias = poolBiases([0.1, 0.02, -0.04, 0.12].map((bias, i) => ({ bias, error: errors[i]! })));
    expect(pooledBias.q).toBeCloseTo(7.771513, 5);
    expect(pooledBias.tau2).toBeCloseTo(0.002905, 6);
    expect(pooledBias.mean).toBeCloseTo(0.050718, 5);
    for (const [i, value] of [0.088344, 0.030909, 0.001958, 0.081659].entries()) expect(pooledBias.shrunk[i]).toBeCloseTo(value, 5);
  });
});
