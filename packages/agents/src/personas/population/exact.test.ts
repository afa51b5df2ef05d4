import { type Json, rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { customers } from '../gallery/customers.ts';
import { rake } from './rake.ts';
import { type Grouping, roundTable } from './rounding.ts';
import { sampleAttributes, samplePopulation } from './sample.ts';
import { readSpecification } from './specification.ts';
import { kish, rakeWeights, standardisedDifference } from './weights.ts';

/** A table of two margins, as cells in the order of rows. */
function tableOf(rows: readonly (readonly number[])[]): { expected: Float64Array; groupings: Grouping[]; n: number } {
  const width = rows[0]?.length ?? 0;
  const flat = rows.flat();
  const sum = (which: (at: number) => boolean) => flat.reduce((total, value, at) => total + (which(at) ? value : 0), 0);
  return {
    expected: Float64Array.from(flat),
    groupings: [
      {
        of: Int32Array.from(flat, (_, at) => Math.floor(at / width)),
        expected: Float64Array.from(rows, (_, i) => sum((at) => Math.floor(at / width) === i)),
      },
      {
        of: Int32Array.from(flat, (_, at) => at % width),
        expected: Float64Array.from(rows[0] ?? [], (_, j) => sum((at) => at % width === j)),
      },
    ],
    n: Math.round(sum(() => true)),
  };
}

const seedTable: Json = {
  name: 'raked',
  microdata: {
    columns: ['row', 'column'],
    rows: ['a', 'b'].flatMap((row) => ['x', 'y', 'z'].map((column) => [row, column])),
    weights: [40, 30, 20, 35, 50, 25],
  },
  attributes: { row: { a: 480, b: 520 }, column: { x: 300, y: 400, z: 300 } },
};

describe('roundTable', () => {
  it('finds a nearest table when rounding each cell would break the margins', () => {
    const { expected, groupings, n } = tableOf([
      [1.4, 1.4, 1.2],
      [1.6, 2.6, 1.8],
    ]);
    const { counts, off } = roundTable(expected, groupings, n, 0);
    expect(off).toBeNull();
    expect([
      [1, 2, 1, 2, 2, 2],
      [2, 1, 1, 1, 3, 2],
    ]).toContainEqual([...counts]);
  });

  it('rounds every cell and margin up or down for any two-way table', () => {
    const dice = rng(4, 'tables');
    for (let trial = 0; trial < 300; trial++) {
      const [height, width] = [1 + dice.int(5), 1 + dice.int(6)];
      const raw = Array.from({ length: height }, () => Array.from({ length: width }, () => (dice.int(4) === 0 ? 0 : dice.next() * 3)));
      const total = raw.flat().reduce((sum, value) => sum + value, 0);
      if (total === 0) continue;
      const n = 1 + dice.int(30);
      const { expected, groupings } = tableOf(raw.map((row) => row.map((value) => (value / total) * n)));
      const { counts, off } = roundTable(expected, groupings, n, trial);
      expect(off).toBeNull();
      expect(counts.reduce((sum, value) => sum + value, 0)).toBe(n);
      for (const [i, count] of counts.entries()) expect(Math.abs(count - expected[i]!)).toBeLessThan(1);
      for (const grouping of groupings)
        grouping.expected.forEach((wanted, group) => {
          const found = counts.reduce((sum, count, cell) => sum + (grouping.of[cell] === group ? count : 0), 0);
          expect(Math.abs(found - wanted)).toBeLessThan(1);
        });
    }
  });
});

describe('rake', () => {
  it('fits microdata to margins and preserves their odds ratios', () => {
    const [component] = rake(readSpecification(seedTable));
    const fit = Array.from(component?.shares ?? [], (share) => share * 1000);
    for (const [i, value] of [171.1403, 164.326, 144.5338, 128.8597, 235.674, 155.4662].entries()) expect(fit[i]).toBeCloseTo(value, 3);
    const odds = (i: number, j: number) => (fit[i]! * fit[3 + j]!) / (fit[j]! * fit[3 + i]!);
    expect(odds(0, 1)).toBeCloseTo(1.904762, 5);
    expect(odds(0, 2)).toBeCloseTo(1.428571, 5);
  });

  it('samples fifty rows as the nearest table', () => {
    const rows = sampleAttributes(readSpecification(seedTable), 50, 3);
    const count = (row: string, column: string) =>
      rows.filter((otherRow) => otherRow['row'] === row && otherRow['column'] === column).length;
    expect(['a', 'b'].map((row) => ['x', 'y', 'z'].map((column) => count(row, column)))).toEqual([
      [9, 8, 7],
      [6, 12, 8],
    ]);
  });

  it('weights a sample to the margins and reports the design effect', () => {
    const { margins } = readSpecification(seedTable);
    const people = [40, 30, 20, 35, 50, 25].flatMap((times, i) =>
      Array.from({ length: times }, () => ({ row: i < 3 ? 'a' : 'b', column: 'xyz'[i % 3] as string })),
    );
    const { weights, designEffect, effective, error } = rakeWeights(people, margins);
    expect(error).toBeLessThan(1e-6);
    expect(designEffect).toBeCloseTo(1.045777, 5);
    expect(effective).toBeCloseTo(191.2454, 3);
    expect(weights[0]! * 5).toBeCloseTo(4.27851, 4);
    expect((weights.at(-1) as number) * 5).toBeCloseTo(6.21865, 4);
    expect(kish([1, 1, 1, 1, 2, 2, 4])).toEqual({ designEffect: expect.closeTo(1.361111, 5), effective: expect.closeTo(5.142857, 5) });
  });

  it('reports the remaining error for a share that is missing in the sample', () => {
    const { margins } = readSpecification({ attributes: { a: { x: 3, y: 1 } } });
    expect(rakeWeights([{ a: 'x' }, { a: 'x' }], margins).error).toBeCloseTo(0.25, 9);
  });

  it('names the share that cannot be reached', () => {
    const blocked = {
      attributes: { a: { x: 60, y: 40 }, b: { u: 50, v: 50 } },
      constraints: [{ never: { a: 'x', b: 'v' } }],
    };
    expect(() => rake(readSpecification(blocked))).toThrow(
      'a "x" should have a share of 0.600, but it only occurs with b "u", which has 0.500',
    );
  });
});

describe('standardized difference', () => {
  it('matches the published values for two and for three levels', () => {
    expect(standardisedDifference([0.5, 0.5], [0.4, 0.6])).toBeCloseTo(0.202031, 6);
    expect(standardisedDifference([0.5, 0.3, 0.2], [0.4, 0.4, 0.2])).toBeCloseTo(0.226819, 6);
    expect(standardisedDifference([0.2, 0.8], [0.2, 0.8])).toBe(0);
  });
});

const specifications: Readonly<Record<string, Json>> = {
  independent: {
    attributes: { gender: { female: 51, male: 49 }, plan: { free: 70, pro: 30 }, region: { n: 57.6, m: 69, s: 126.3, w: 78.6 } },
  },
  joint: {
    joints: [
      { of: ['hair', 'eye'], table: { black: { brown: 68, blue: 20 }, red: { brown: 26, blue: 17 }, blond: { brown: 7, blue: 94 } } },
    ],
  },
  nested: {
    attributes: { age: { young: 23, old: 77 } },
    joints: [{ of: ['age', 'work'], table: { young: { yes: 13, no: 10 }, old: { yes: 28, no: 49 } } }],
  },
  constrained: {
    attributes: { age: { '18-29': 2, '30-64': 6, '65+': 2 }, employment: { working: 75, retired: 15, student: 10 } },
    constraints: [{ if: { employment: 'retired' }, must: { age: '65+' } }, { never: { age: '65+', employment: 'student' } }],
  },
  customers,
};

describe('exact sample', () => {
  it.each(Object.keys(specifications))('of %s has every count at its share, rounded up or down, for any size and seed', (name) => {
    const population = readSpecification(specifications[name]!);
    for (const [seed, n] of [1, 7, 33, 100, 200, 1000].entries()) {
      const rows = sampleAttributes(population, n, seed);
      for (const { of, cells } of population.margins)
        for (const { values, share } of cells) {
          const count = rows.filter((row) => of.every((attribute, i) => row[attribute] === values[i])).length;
          expect(Math.abs(count - share * n), `${n}: ${values}`).toBeLessThan(1);
          if (Number.isInteger(share * n)) expect(count).toBe(share * n);
        }
    }
  });

  it('is reproducible by seed, and random sampling is opt-in', () => {
    const of = (seed: number, exact: boolean) => samplePopulation(specifications['independent']!, 100, seed, { exact });
    expect(of(1, true).attributes).toEqual(of(1, true).attributes);
    expect(of(1, true).attributes).not.toEqual(of(2, true).attributes);
    expect(of(1, true).report.every(({ exact, difference }) => exact && difference < 0.1)).toBe(true);
    expect(of(1, true).weighting.effective).toBeGreaterThan(99);
    expect(of(3, false).report.some(({ exact }) => !exact)).toBe(true);
  });

  it('meets the shares of other attributes despite a quota', () => {
    const microdata = {
      columns: ['gender', 'age'],
      rows: ['female young', 'female old', 'male young', 'male old'].map((row) => row.split(' ')),
      weights: [4.5, 5, 2.5, 5.5],
    };
    const attributes = { gender: { female: 52, male: 48 }, age: { young: 40, old: 60 } };
    const quotas = [{ where: { age: 'old' }, share: 0.5 }];
    for (let seed = 0; seed < 10; seed++) {
      const sampledAttributes = samplePopulation({ attributes, microdata, quotas } as Json, 200, seed).attributes;
      expect(sampledAttributes.filter(({ age }) => age === 'old')).toHaveLength(100);
      expect(sampledAttributes.filter(({ gender }) => gender === 'female')).toHaveLength(104);
    }
  });

  it('reweights quotas to the population', () => {
    const { weighting, attributes } = samplePopulation(
      { attributes: { group: { few: 10, many: 90 } }, quotas: [{ where: { group: 'few' }, share: 0.5 }] },
      100,
      1,
    );
    const few = attributes.flatMap((row, i) => (row['group'] === 'few' ? [weighting.weights[i]!] : []));
    expect(few).toHaveLength(50);
    expect(few.reduce((sum, value) => sum + value, 0)).toBeCloseTo(10, 9);
    expect(weighting.effective).toBeCloseTo(100 / 1.64, 6);
  });

  it('treats microdata as the population by default, with observed combinations only', () => {
    const rows = [
      ['young', 'no'],
      ['young', 'no'],
      ['old', 'yes'],
      ['old', 'no'],
    ];
    const attributes = sampleAttributes(readSpecification({ microdata: { columns: ['age', 'vote'], rows, weights: [1, 1, 4, 2] } }), 8, 5);
    const count = (age: string, vote: string) => attributes.filter((row) => row['age'] === age && row['vote'] === vote).length;
    expect([count('young', 'no'), count('young', 'yes'), count('old', 'yes'), count('old', 'no')]).toEqual([2, 0, 4, 2]);
  });

  it.each<[string, Json, RegExp]>([
    ['rows of different lengths', { columns: ['a', 'b'], rows: [['x']] }, /Row 1 of the microdata has 1 values, but there are 2 columns/],
    ['too few weights', { columns: ['a'], rows: [['x'], ['y']], weights: [1] }, /2 rows and 1 weights/],
    ['zero total weight', { columns: ['a'], rows: [['x']], weights: [0] }, /must add up to more than 0/],
    ['a file that was not loaded', { file: 'people.csv' }, /\. Load it with loadPopulation, or pass columns and/],
  ])('rejects microdata with %s', (_, microdata, why) => {
    expect(() => readSpecification({ microdata })).toThrow(why);
  });
});
