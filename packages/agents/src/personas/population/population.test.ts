import { Fault, type Json, rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it, vi } from 'vitest';
import { renderPersona } from '../render.ts';
import { chiSquare, upperGamma } from './fit.ts';
import { rake } from './rake.ts';
import { sampleAttributes, samplePopulation } from './sample.ts';
import { readSpecification } from './specification.ts';

const people = {
  name: 'Customers',
  attributes: {
    age: { '18-29': 2, '30-44': 3, '45-64': 3, '65+': 2 },
    gender: { female: 51, male: 48, 'non-binary': 1 },
    plan: { free: 70, pro: 30 },
    employment: { working: 75, retired: 15, student: 10 },
  },
  constraints: [{ if: { employment: 'retired' }, must: { age: '65+' } }, { never: { age: ['45-64', '65+'], employment: 'student' } }],
  traits: { O: { mean: 60, sd: 10 }, N: { mean: 95, sd: 20 } },
  statements: ['{name} has the {plan} plan.'],
};

describe('upperGamma and chiSquare', () => {
  // Critical values of the chi-square distribution, from published tables.
  it.each([
    [1, 3.841, 0.05],
    [1, 6.635, 0.01],
    [2, 5.991, 0.05],
    [5, 11.07, 0.05],
    [5, 1.145, 0.95],
    [10, 18.307, 0.05],
    [10, 29.588, 0.001],
    [30, 43.773, 0.05],
    [100, 124.342, 0.05],
  ])('with %i degrees of freedom, %f gives a p-value of %f', (degrees, statistic, p) => {
    expect(upperGamma(degrees / 2, statistic / 2)).toBeCloseTo(p, 3);
  });

  it('match the closed forms Q(1, x) = e^−x and Q(2, x) = (1 + x) e^−x', () => {
    for (const x of [0.01, 0.5, 1, 2, 3, 10, 50]) {
      expect(upperGamma(1, x)).toBeCloseTo(Math.exp(-x), 12);
      expect(upperGamma(2, x)).toBeCloseTo((1 + x) * Math.exp(-x), 12);
    }
    expect(upperGamma(3, 0)).toBe(1);
  });

  it('match a hand-computed example of a die thrown sixty times', () => {
    const fit = chiSquare([5, 8, 9, 8, 10, 20], [1, 1, 1, 1, 1, 1]);
    expect(fit.statistic).toBeCloseTo(13.4, 10);
    expect(fit).toMatchObject({ degrees: 5, small: false });
    expect(fit.p).toBeCloseTo(0.0199, 4);
  });

  it('treat empty targets as forbidden and one cell as certain, and flag small counts', () => {
    expect(chiSquare([10, 0], [1, 0])).toMatchObject({ statistic: 0, degrees: 0, p: 1 });
    expect(chiSquare([9, 1], [1, 0]).p).toBe(0);
    expect(chiSquare([3, 1], [1, 1]).small).toBe(true);
    expect(() => chiSquare([1], [1, 2])).toThrow(Fault);
    expect(() => chiSquare([1], [0])).toThrow(/some weight above 0/);
  });

  it('reject a biased sampler and accept a fair one', () => {
    const counts = (weights: readonly number[], seed: number) => {
      const dice = rng(seed, 'test');
      const out = weights.map(() => 0);
      for (let i = 0; i < 5000; i++) {
        const at = dice.weighted(weights);
        out[at] = out[at]! + 1;
      }
      return out;
    };
    const target = [0.2, 0.3, 0.3, 0.2];
    expect(chiSquare(counts(target, 1), target).p).toBeGreaterThan(0.01);
    expect(chiSquare(counts([0.24, 0.28, 0.28, 0.2], 1), target).p).toBeLessThan(1e-4);
  });
});

describe('shares', () => {
  it('are rescaled with one warning if far from 1 or 100, and silently for weights and rounding', () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    try {
      for (const gender of [
        { f: 0.6, m: 0.5 },
        { f: 0.6, m: 0.5 },
        { f: 0.333, m: 0.333, x: 0.333 },
        { f: 60, m: 50 },
        { f: 33, m: 33, x: 33 },
        { f: 600, m: 500 },
        { f: 1, m: 1 },
        { f: 2.5, m: 0.5 },
      ])
        readSpecification({ attributes: { gender } });
      expect(warn.mock.calls).toEqual([
        ['The shares of gender add up to 1.1, not to 1, and are scaled; whole numbers are taken as weights.', 'PopulationWarning'],
        ['The weights of gender add up to 110, not to 100, and are scaled; if they are percentages, correct them.', 'PopulationWarning'],
      ]);
    } finally {
      warn.mockRestore();
    }
  });
});

describe('rake', () => {
  const sharesOf = (specification: Json) => {
    const [component] = rake(readSpecification(specification));
    return Object.fromEntries((component?.cells ?? []).map((cell, i) => [cell.join(), component?.shares[i] as number]));
  };

  it('finds the only table that satisfies a constraint', () => {
    const shares = sharesOf({ attributes: { a: { x: 0.4, y: 0.6 }, b: { u: 0.3, v: 0.7 } }, constraints: [{ never: { a: 'x', b: 'u' } }] });
    expect(Object.keys(shares)).toEqual(['x,v', 'y,u', 'y,v']);
    expect(shares['x,v']).toBeCloseTo(0.4, 5);
    expect(shares['y,u']).toBeCloseTo(0.3, 5);
    expect(shares['y,v']).toBeCloseTo(0.3, 5);
  });

  it('reproduces a joint table, and joins two tables conditionally on shared attributes', () => {
    const shares = sharesOf({
      joints: [
        { of: ['a', 'b'], table: { x: { u: 1, v: 3 }, y: { u: 4, v: 2 } } },
        { of: ['b', 'c'], table: { u: { p: 5, q: 0 }, v: { p: 1, q: 4 } } },
      ],
    });
    expect(shares['x,u,p']).toBeCloseTo(0.1, 6);
    expect(shares['x,u,q']).toBe(0);
    // P(x, v) P(q | v) = 0.3 · 0.8.
    expect(shares['x,v,q']).toBeCloseTo(0.24, 6);
  });

  it('keeps independent attributes apart and groups connected ones', () => {
    const groups = rake(readSpecification({ ...people, quotas: [{ where: { gender: 'male', plan: 'pro' }, count: 3 }] } as Json)).map(
      (component) => component.attributes,
    );
    expect(groups).toEqual([
      ['age', 'employment'],
      ['gender', 'plan'],
    ]);
  });

  it.each<[string, Json, RegExp]>([
    [
      'a share that no combination allows',
      { attributes: { a: { x: 1, y: 1 }, b: { u: 1, v: 1 } }, constraints: [{ never: { a: 'x' } }] },
      /a "x" should have a share of 0\.500, but the constraints rule it out/,
    ],
    [
      'shares that contradict each other',
      { attributes: { a: { x: 6, y: 4 }, b: { u: 6, v: 4 } }, constraints: [{ if: { a: 'x' }, must: { b: 'v' } }] },
      /cannot all hold: /,
    ],
    [
      'a marginal that contradicts a joint table',
      { attributes: { a: { x: 1, y: 1 } }, joints: [{ of: ['a', 'b'], table: { x: { u: 1 }, y: { u: 3 } } }] },
      /cannot all hold: /,
    ],
    [
      'constraints that leave nothing',
      { attributes: { a: { x: 1 } }, constraints: [{ never: { a: 'x' } }] },
      /rule out every combination\. Remove one of them\./,
    ],
    [
      'too many combinations',
      {
        attributes: Object.fromEntries(
          [...'abcdefgh'].map((name) => [name, Object.fromEntries([...'0123456789'].map((value) => [value, 1]))]),
        ),
        constraints: [{ never: Object.fromEntries([...'abcdefgh'].map((name) => [name, '0'])) }],
      },
      /100000000 combinations, but the limit is 200000/,
    ],
    [
      'an unknown attribute',
      { attributes: { a: { x: 1 } }, constraints: [{ never: { z: 'x' } }] },
      /names the attribute "z", but the population has a/,
    ],
    [
      'an unknown value',
      { attributes: { a: { x: 1 } }, quotas: [{ where: { a: 'y' }, count: 1 }] },
      /names "y" for "a", but its values are "x"/,
    ],
    ['an empty condition', { attributes: { a: { x: 1 } }, quotas: [{ where: {}, count: 1 }] }, /at least one attribute/],
    [
      'a quota without a count or share',
      { attributes: { a: { x: 1 } }, quotas: [{ where: { a: 'x' } }] },
      /quotas\[0\] must be an object with "where" and either a count or a share, but got \{"where"/,
    ],
    ['an invalid constraint', { attributes: { a: { x: 1 } }, constraints: [{ sometimes: {} }] }, /constraints\[0\] must be \{"never"/],
    ['zero total weight', { attributes: { a: { x: 0 } } }, /weights of a must add up to more than 0/],
    ['a negative weight', { attributes: { a: { x: -1 } } }, /attributes\.a\.x must be a number of 0 or more, but got -1/],
    ['an unknown field', { attributes: { a: { x: 1 } }, people: 5 }, /unknown field "people"; a population has name, attributes/],
    [
      'an unknown attribute in braces',
      { attributes: { a: { x: 1 } }, statements: ['{nme} has {a}.'] },
      /The statement "\{nme\} has \{a\}\." uses \{nme\}\. Available: \{name\}, \{a\}\./,
    ],
    ['a table with the wrong depth', { joints: [{ of: ['a', 'b'], table: { x: 1 } }] }, /joints a × b\.x must be an object of weights/],
    ['an unknown trait', { attributes: { a: { x: 1 } }, traits: { Q: {} } }, /unknown field "traits\.Q"/],
    ['no attributes', {}, /at least one attribute or joint table/],
    ['a non-object', 'people', /A population must be an object such as \{"attributes"/],
  ])('rejects %s', (_, specification, why) => {
    expect(() => rake(readSpecification(specification))).toThrow(Fault);
    expect(() => rake(readSpecification(specification))).toThrow(why);
  });
});

describe('samplePopulation', () => {
  it('returns the same people for the same seed and others for another', () => {
    const names = (seed: number) => samplePopulation(people, 20, seed).personas.map((persona) => persona.name);
    expect(names(1)).toEqual(names(1));
    expect(names(1)).not.toEqual(names(2));
    expect(new Set(names(1)).size).toBe(20);
  });

  it('writes attributes into fields and statements', () => {
    const { personas, attributes } = samplePopulation(people, 50, 1);
    personas.forEach((persona, i) => {
      const row = attributes[i]!;
      const { social, personal } = persona.identity;
      expect(persona).toMatchObject({ kind: 'demographic', provenance: { basis: 'sampled' }, id: `customers-${i + 1}` });
      expect(social.gender).toBe(row['gender']);
      expect(social.employment).toBe(row['employment']);
      expect(social.extra).toEqual({ plan: row['plan'] });
      const [low, high] = row['age'] === '65+' ? [65, 90] : row['age']!.split('-').map(Number);
      expect(social.age).toBeGreaterThanOrEqual(low as number);
      expect(social.age).toBeLessThanOrEqual(high as number);
      expect(personal.bigFive?.N?.score).toBeLessThanOrEqual(100);
      const texts = persona.statements.map((statement) => statement.text);
      expect(texts).toContain(`${persona.name} is ${social.age} years old.`);
      expect(texts).toContain(`${persona.name} has the ${row['plan']} plan.`);
      // What the identity says already is not said twice in a prompt.
      const prompt = renderPersona(persona)
        .map((section) => section.text)
        .join('\n');
      expect(prompt.split(String(social.age)).length - 1).toBe(1);
    });
  });

  it('satisfies every constraint', () => {
    for (const { age, employment } of sampleAttributes(readSpecification(people), 5000, 3)) {
      if (employment === 'retired') expect(age).toBe('65+');
      if (employment === 'student') expect(['18-29', '30-44']).toContain(age);
    }
  });

  it('matches its targets over many seeds, with uniformly distributed p-values', () => {
    const population = readSpecification(people);
    const margin = population.margins[0];
    const values = Array.from({ length: 200 }, (_, seed) => {
      const rows = sampleAttributes(population, 500, seed, { exact: false });
      const counts = (margin?.cells ?? []).map((cell) => rows.filter((row) => row['age'] === cell.values[0]).length);
      return chiSquare(
        counts,
        (margin?.cells ?? []).map((cell) => cell.share),
      ).p;
    });
    const deciles = Array.from({ length: 10 }, (_, i) => values.filter((p) => p >= i / 10 && p < (i + 1) / 10 + (i === 9 ? 1 : 0)).length);
    expect(chiSquare(deciles, new Array(10).fill(1)).p).toBeGreaterThan(0.001);
  });

  it('reports target, count, and fit for every margin and joint table', () => {
    const { report } = samplePopulation(
      { attributes: { a: { x: 1, y: 3 } }, joints: [{ of: ['b', 'c'], table: { u: { p: 1, q: 1 }, v: { p: 2 } } }] },
      400,
      1,
    );
    expect(report.map((sampleReport) => sampleReport.of)).toEqual([['a'], ['b', 'c']]);
    for (const { cells, fit } of report) {
      expect(cells.reduce((sum, cell) => sum + cell.count, 0)).toBe(400);
      expect(fit.p).toBeGreaterThan(0.001);
    }
    expect(report[0]?.cells.map((cell) => cell.target)).toEqual([0.25, 0.75]);
    expect(report[1]?.fit.degrees).toBe(2);
  });

  it('describes an age group without years in words', () => {
    const { personas } = samplePopulation({ attributes: { age: { old: 1 } } }, 1, 1);
    expect(personas[0]?.statements.map(({ text }) => text)).toEqual([`${personas[0]?.name} is old.`]);
  });

  it('meets quotas exactly, including overlapping and rare ones', () => {
    const quotas = [
      { where: { gender: 'female' }, count: 25 },
      { where: { gender: 'non-binary' }, count: 10 },
      { where: { plan: 'pro', age: ['18-29', '30-44'] }, share: 0.4 },
      { where: { employment: 'student', gender: 'female' }, count: 7 },
    ];
    for (let seed = 0; seed < 20; seed++) {
      const { attributes, report } = samplePopulation({ ...people, quotas }, 50, seed);
      const count = (fits: (row: Readonly<Record<string, string>>) => boolean) => attributes.filter(fits).length;
      expect(count((row) => row['gender'] === 'female')).toBe(25);
      expect(count((row) => row['gender'] === 'non-binary')).toBe(10);
      expect(count((row) => row['plan'] === 'pro' && ['18-29', '30-44'].includes(row['age']!))).toBe(20);
      expect(count((row) => row['employment'] === 'student' && row['gender'] === 'female')).toBe(7);
      expect(count((row) => row['employment'] === 'retired' && row['age'] !== '65+')).toBe(0);
      expect(report.every((sampleReport) => sampleReport.quota)).toBe(true);
      expect(report.find((sampleReport) => sampleReport.of[0] === 'gender')?.fit.p).toBeLessThan(0.001);
    }
  });

  it.each<[string, readonly unknown[], RegExp]>([
    ['larger than the sample', [{ where: { gender: 'female' }, count: 51 }], /\{"gender":"female"\} should be 51, but is/],
    [
      'that contradict each other',
      [
        { where: { gender: 'female' }, count: 30 },
        { where: { gender: 'male' }, count: 30 },
      ],
      /quotas cannot be met together with 50 personas/,
    ],
    ['that violate the constraints', [{ where: { employment: 'retired', age: '18-29' }, count: 1 }], /should be 1, but is 0/],
  ])('rejects quotas %s', (_, quotas, why) => {
    expect(() => samplePopulation({ ...people, quotas } as Json, 50, 1)).toThrow(why);
  });

  it('rejects an empty sample', () => {
    expect(() => samplePopulation(people, 0, 1)).toThrow('A sample can have 1 to 1000000 personas, but 0 were requested.');
  });

  it('uses names, shared fields, and genders from the specification, with unique names', () => {
    const tiny = {
      attributes: { gender: { female: 1 } },
      names: { female: ['Eva'], family: ['Ek'] },
      base: { lang: 'sv', identity: { social: { residence: 'Umeå' } }, statements: ['All like snow.'] },
    };
    const { personas } = samplePopulation(tiny, 60, 1);
    expect(new Set(personas.map((persona) => persona.name)).size).toBe(60);
    expect(personas[0]).toMatchObject({ name: 'Eva Ek', lang: 'sv', identity: { social: { residence: 'Umeå', gender: 'female' } } });
    expect(personas[0]?.statements.at(-1)?.text).toBe('All like snow.');
  });
});
