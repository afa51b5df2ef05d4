import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { bootstrap } from './bootstrap.ts';
import { pearson, ranks, spearman } from './correlation.ts';
import { tTwoSided } from './distributions.ts';
import { invertSymmetric } from './linear.ts';
import { clusteredMean, components, mean, meanOf } from './mean.ts';
import { holm } from './multiple.ts';
import { mcnemar, pairedDifference, pairUp, signTest } from './paired.ts';
import { passAt, passHat } from './pass.ts';
import { clopperPearson, wilson, zeroSeenBound } from './rates.ts';
import { reference } from './reference.cases.ts';
import { summaryOf } from './summary.ts';

const vectors = JSON.parse(readFileSync(new URL('../test-vectors.json', import.meta.url), 'utf8'));

describe('a single rate', () => {
  it('has Wilson and Clopper–Pearson intervals that match statsmodels', () => {
    for (const [k, n, level, low, high] of reference.wilson) {
      expect(wilson(k, n, level)[0]).toBeCloseTo(low, 12);
      expect(wilson(k, n, level)[1]).toBeCloseTo(high, 12);
    }
    for (const [k, n, level, low, high] of reference.clopperPearson) {
      expect(clopperPearson(k, n, level)[0]).toBeCloseTo(low, 12);
      expect(clopperPearson(k, n, level)[1]).toBeCloseTo(high, 12);
    }
  });

  it('matches the golden vectors', () => {
    const { k, n } = vectors.wilson.input;
    wilson(k, n).forEach((end, i) => {
      expect(end).toBeCloseTo(vectors.wilson.expected[i], 6);
    });
    expect(wilson(0, 30)[0]).toBe(0);
    expect(wilson(0, 30)[1]).toBeCloseTo(0.114, 3);
    vectors.rule_of_three.input.n.forEach((size: number, i: number) => {
      expect(zeroSeenBound(size)).toBeCloseTo(vectors.rule_of_three.expected[i], 6);
    });
  });

  it('rejects impossible counts and levels with an explanation', () => {
    expect(() => wilson(3, 2)).toThrow('n successes in n > 0 tries, but got');
    expect(() => wilson(1, 2, 95)).toThrow('such as 0.95');
  });
});

describe('means', () => {
  it('have the Student interval of SciPy', () => {
    const { interval, value, error } = meanOf(reference.differences);
    expect(interval[0]).toBeCloseTo(reference.t.interval[0], 12);
    expect(interval[1]).toBeCloseTo(reference.t.interval[1], 12);
    expect(tTwoSided(value / error, 11)).toBeCloseTo(reference.t.p, 12);
  });

  it('have the clustered error of statsmodels, equal to the plain one for single clusters', () => {
    const { values, clusters, error } = reference.clustered;
    const estimate = clusteredMean(values.map((value, i) => ({ value, cluster: String(clusters[i]) })));
    expect(estimate.error).toBeCloseTo(error * Math.sqrt(6 / 5), 12);
    expect(estimate.designEffect).toBeCloseTo((estimate.error / estimate.naive) ** 2, 12);
    const single = clusteredMean(reference.differences.map((value, i) => ({ value, cluster: String(i) })));
    expect(single.error).toBeCloseTo(meanOf(reference.differences).error, 12);
    expect(single.interval[0]).toBeCloseTo(reference.t.interval[0], 12);
    expect(single.correlation).toBeNull();
  });

  it('split variance into between and within, as computed by hand', () => {
    // Groups {1, 3} and {5, 7}: within 2, mean squares among 16, so between (16 − 2) / 2 = 7.
    expect(
      components([
        [1, 3],
        [5, 7],
      ]),
    ).toEqual({ between: 7, within: 2, correlation: 7 / 9 });
    expect(components([[1], [2]])).toBeNull();
  });

  it('reject too little data', () => {
    expect(() => mean([])).toThrow('at least one value');
    expect(() => meanOf([1])).toThrow('at least two values');
    expect(() => clusteredMean([{ value: 1, cluster: 'a' }])).toThrow('two clusters');
  });
});

describe('repeated tasks', () => {
  const rows = (seeds: number, value: number) =>
    Array.from({ length: 12 * seeds }, (_, i) => ({ scene: 'a', task: `t${i % 12}`, seed: Math.floor(i / 12), value }));

  it('that all succeed or all fail say no more about new tasks than one try of each', () => {
    for (const value of [0, 1]) {
      const once = summaryOf(rows(1, value), { over: 'tasks' })!.interval!;
      expect(summaryOf(rows(20, value), { over: 'tasks' })!.interval).toEqual(once);
      expect(once[1] - once[0]).toBeCloseTo(1 - 0.025 ** (1 / 12), 10);
      // About new seeds of these tasks they do say more.
      const [low, high] = summaryOf(rows(20, value), { over: 'seeds' })!.interval!;
      expect(high - low).toBeLessThan(0.02);
    }
  });

  it('with constant unbounded values have no interval', () => {
    expect(summaryOf(rows(2, -1))!.interval).toBeNull();
  });
});

describe('pairs', () => {
  const { A, B } = vectors.paired_diff.input as { A: number[]; B: number[] };
  const wanted = vectors.paired_diff.expected;
  const results = (list: readonly (number | null)[]) => list.map((value, seed) => ({ task: 't', seed, value }));

  it('match the golden vector', () => {
    const { pairs } = pairUp(results(A), results(B).toReversed());
    const matchingPairedDifference = pairedDifference(pairs);
    expect(matchingPairedDifference.value).toBeCloseTo(wanted.diff, 10);
    expect(matchingPairedDifference.error).toBeCloseTo(wanted.se_paired, 6);
    expect(matchingPairedDifference.unpairedError).toBeCloseTo(wanted.se_unpaired, 6);
    expect(matchingPairedDifference.correlation).toBeCloseTo(wanted.corr, 6);
    const signs = signTest(pairs.map((pair) => pair.a - pair.b));
    expect([signs.plus, signs.minus]).toEqual([wanted.mcnemar_b, wanted.mcnemar_c]);
    expect(signs.p).toBeCloseTo(wanted.mcnemar_exact_p_two_sided, 12);
  });

  it('match repeats in order and count every episode once: paired, missing, or unpaired', () => {
    const paired = pairUp(
      [
        { task: 'x', seed: 1, value: 1 },
        { task: 'x', seed: 1, value: 0 },
        { task: 'x', seed: 2, value: null },
        { task: 'y', seed: 1, value: 1 },
      ],
      [
        { task: 'x', seed: 1, value: 1 },
        { task: 'x', seed: 2, value: 1 },
      ],
    );
    expect(paired).toEqual({ pairs: [{ task: 'x', seed: 1, a: 1, b: 1 }], missing: 1, unpaired: 3 });
    expect(() => pairUp([{ task: 'x', seed: 1, value: Number.NaN }], [])).toThrow('finite');
  });

  it("have McNemar's exact test of statsmodels, with a smaller mid-p", () => {
    for (const [b, c, p] of reference.mcnemar) expect(mcnemar(b, c).p).toBeCloseTo(p, 12);
    expect(mcnemar(0, 0)).toEqual({ p: 1, midP: 1 });
    expect(mcnemar(9, 1).midP).toBeCloseTo(2 * (1 / 1024 + 10 / 2048), 12);
  });
});

describe('the bootstrap', () => {
  it('approximates SciPy with many more draws, for both methods', () => {
    const options = { seed: 4, draws: 20_000 };
    const bca = bootstrap(reference.skewed, mean, options);
    expect(bca.interval[0]).toBeCloseTo(reference.bca[0], 1);
    expect(Math.abs(bca.interval[1] - reference.bca[1])).toBeLessThan(0.06);
    expect(Math.abs(bca.error / reference.bca[2] - 1)).toBeLessThan(0.02);
    const percentile = bootstrap(reference.skewed, mean, { ...options, method: 'percentile' });
    expect(Math.abs(percentile.interval[0] - reference.percentile[0])).toBeLessThan(0.02);
    expect(Math.abs(percentile.interval[1] - reference.percentile[1])).toBeLessThan(0.04);
  });

  it('is deterministic per seed', () => {
    const at = (seed: number) => bootstrap(reference.skewed, mean, { seed, draws: 200 });
    expect(at(1)).toEqual(at(1));
    expect(at(1).interval).not.toEqual(at(2).interval);
  });

  it('of a constant is that constant', () => {
    expect(bootstrap([2, 2, 2], mean, { seed: 1 }).interval).toEqual([2, 2]);
    expect(() => bootstrap([2], mean, { seed: 1 })).toThrow('two units');
  });
});

describe('corrections for multiple comparisons', () => {
  it('match statsmodels', () => {
    holm(reference.ps.toReversed())
      .toReversed()
      .forEach((p, i) => {
        expect(p).toBeCloseTo(reference.holm[i]!, 12);
      });
    expect(() => holm([0.1, 1.2])).toThrow('1.2');
  });
});

describe('pass^k and pass@k', () => {
  it('match the golden vector', () => {
    const { n, successes_per_task } = vectors.pass_hat_k.input;
    const tasks = successes_per_task.map((successes: number) => ({ tries: n, successes }));
    for (let k = 1; k <= 4; k++) {
      expect(passHat(tasks, k)).toBeCloseTo(vectors.pass_hat_k.expected[`pass^${k}`], 6);
      expect(passAt(tasks, k)).toBeCloseTo(vectors.pass_hat_k.expected[`pass@${k}`], 6);
    }
    expect(() => passHat(tasks, 5)).toThrow('5 tries of every task');
  });

  it('are the shares among all k-subsets of the tries', () => {
    // Tries 1 1 0 1 0: of the 10 pairs, 3 are all ones and 1 is all zeros.
    expect(passHat([{ tries: 5, successes: 3 }], 2)).toBeCloseTo(3 / 10, 12);
    expect(passAt([{ tries: 5, successes: 3 }], 2)).toBeCloseTo(9 / 10, 12);
  });
});

describe('correlation', () => {
  it('matches the golden vectors', () => {
    const { x, y } = vectors.rank_correlation.input;
    const wanted = vectors.rank_correlation.expected;
    expect(pearson(x, y).value).toBeCloseTo(wanted.pearson, 6);
    expect(spearman(x, y).value).toBeCloseTo(wanted.spearman, 6);
  });

  it('matches SciPy, including the interval', () => {
    const { x, y } = reference;
    const correlation = pearson(x, y);
    [correlation.value, ...correlation.interval].forEach((value, i) => {
      expect(value).toBeCloseTo(reference.pearson[i]!, 12);
    });
    expect(spearman(x, y).value).toBeCloseTo(reference.spearman, 12);
  });

  it('gives no information from three values and rejects constants', () => {
    expect(pearson([1, 2, 3], [1, 2, 4]).interval).toEqual([-1, 1]);
    expect(() => spearman([1, 1, 1], [1, 2, 3])).toThrow('constant');
    expect(() => pearson([1], [1])).toThrow('A correlation needs two lists of the same length,');
    expect(ranks([10, 20, 10, 5])).toEqual([2.5, 4, 2.5, 1]);
  });
});

describe('linear algebra', () => {
  it('detects a matrix that cannot be inverted', () => {
    expect(
      invertSymmetric([
        [1, 1],
        [1, 1],
      ]),
    ).toBeNull();
    const inverse = invertSymmetric([
      [4, 2],
      [2, 3],
    ]) as number[][];
    expect(inverse.flat().map((x) => Math.round(x * 8))).toEqual([3, -2, -2, 4]);
  });
});
