import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cohenKappa, crossTable, krippendorffAlpha } from './agreement.ts';
import { reference } from './reference.cases.ts';

const vectors = JSON.parse(readFileSync(new URL('../test-vectors.json', import.meta.url), 'utf8'));

describe("Cohen's kappa", () => {
  it('matches the golden vectors', () => {
    const { kappa, seen, chance } = cohenKappa(vectors.cohen_kappa.input.table);
    const wanted = vectors.cohen_kappa.expected;
    expect([kappa, seen, chance].map((x) => Number(x.toFixed(10)))).toEqual([wanted.kappa, wanted.po, wanted.pe]);
    const weighted = vectors.cohen_weighted;
    expect(cohenKappa(weighted.input.table).kappa).toBeCloseTo(weighted.expected.unweighted, 6);
    expect(cohenKappa(weighted.input.table, 'linear').kappa).toBeCloseTo(weighted.expected.linear, 6);
    expect(cohenKappa(weighted.input.table, 'quadratic').kappa).toBeCloseTo(weighted.expected.quadratic, 6);
  });

  it('has the error and interval of statsmodels, weighted or not', () => {
    for (const weights of ['none', 'linear', 'quadratic'] as const) {
      const { kappa, error, interval } = cohenKappa(reference.kappaTable, weights);
      [kappa, error, ...interval].forEach((value, i) => {
        expect(value).toBeCloseTo(reference.kappa[weights][i]!, 10);
      });
    }
  });

  it('has the known half-width for a kappa of .6 on 50 and on 200 cases', () => {
    const half = (n: number) => {
      const { kappa, interval } = cohenKappa([
        [0.4 * n, 0.1 * n],
        [0.1 * n, 0.4 * n],
      ]);
      expect(kappa).toBeCloseTo(0.6, 10);
      return interval[1] - kappa;
    };
    expect(half(50)).toBeCloseTo(0.22, 2);
    expect(half(200)).toBeCloseTo(0.11, 2);
  });

  it('shows the prevalence paradox', () => {
    const table = [
      [90, 5],
      [4, 1],
    ];
    expect(cohenKappa(table).seen).toBeCloseTo(0.91, 10);
    expect(cohenKappa(table).kappa).toBeCloseTo(0.135, 3);
  });

  it('counts ratings into a table and rejects values off the scale', () => {
    expect(crossTable(['a', 'b', 'a'], ['a', 'a', 'b'], ['a', 'b'])).toEqual([
      [1, 1],
      [1, 0],
    ]);
    expect(() => crossTable(['a'], ['c'], ['a', 'b'])).toThrow('among a, b');
    expect(() => crossTable(['a'], [], ['a', 'b'])).toThrow('same cases');
    expect(() =>
      cohenKappa([
        [5, 0],
        [0, 0],
      ]),
    ).toThrow('raw agreement');
    expect(() => cohenKappa([[1, 2]])).toThrow('square');
  });
});

describe("Krippendorff's alpha", () => {
  /** The worked example of Krippendorff (2011): four observers, twelve units, missing data; a dot is missing. */
  const observers = ['12332141 2...', '123322412 5.3', '.33323422 51.', '123324412 51.'].map((row) => row.replaceAll(' ', ''));
  const units = Array.from({ length: 12 }, (_, u) => observers.map((row) => (row[u] === '.' ? null : Number(row[u]))));

  it('matches the published example on all four scales', () => {
    expect(krippendorffAlpha(units, 'nominal')).toBeCloseTo(0.743, 3);
    expect(krippendorffAlpha(units, 'ordinal')).toBeCloseTo(0.815, 3);
    expect(krippendorffAlpha(units, 'interval')).toBeCloseTo(0.849, 3);
    expect(krippendorffAlpha(units, 'ratio')).toBeCloseTo(0.797, 3);
  });

  it('depends on the spacing of steps on the interval scale, but not on the ordinal scale', () => {
    const stretched = units.map((unit) => unit.map((rating) => (rating === null ? null : 10 ** rating)));
    expect(krippendorffAlpha(stretched, 'ordinal')).toBeCloseTo(krippendorffAlpha(units, 'ordinal'), 12);
    expect(krippendorffAlpha(stretched, 'interval')).not.toBeCloseTo(krippendorffAlpha(units, 'interval'), 2);
  });

  it('is 1 for agreement, below 0 for systematic disagreement, and rejects too little data', () => {
    expect(
      krippendorffAlpha(
        [
          [1, 1],
          [2, 2, null],
        ],
        'nominal',
      ),
    ).toBe(1);
    expect(
      krippendorffAlpha(
        [
          [1, 2],
          [2, 1],
        ],
        'nominal',
      ),
    ).toBeLessThan(0);
    expect(() =>
      krippendorffAlpha(
        [
          [1, null],
          [null, 2],
        ],
        'nominal',
      ),
    ).toThrow('two ratings');
    expect(() => krippendorffAlpha([[1, 1]], 'nominal')).toThrow('raw agreement');
    expect(() => krippendorffAlpha([[-1, 1]], 'ratio')).toThrow('interval');
  });
});
