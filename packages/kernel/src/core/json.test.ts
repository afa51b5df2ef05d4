import { describe, expect, it } from 'vitest';
import { fc } from '../../../../test/fixtures/property.ts';
import { Fault } from './fault.ts';
import { canonical, equal, freeze, hash, type Json, mostLiteralKeys, recordOf } from './json.ts';

const anyJson = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>;
const parsed = (text: string) => JSON.parse(text) as Json;

/** The same value with the keys of every object in reverse. */
function reversed(value: Json): Json {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(reversed);
  return Object.fromEntries(
    Object.entries(value as object)
      .toReversed()
      .map(([key, inner]) => [key, reversed(inner as Json)]),
  );
}

class Point {
  readonly x = 1;
}

const notPlain: readonly (readonly [string, unknown, RegExp])[] = [
  ['undefined', { a: [1, undefined] }, /Expected plain JSON at \$\.a\[1\], but got undefined\./],
  ['not a number', { a: Number.NaN }, /at \$\.a, but got NaN\. Use only null, booleans,/],
  ['an infinite number', [Infinity], /Expected plain JSON at \$\[0\], but got Infinity\./],
  ['a function', { f: () => 1 }, /a function/],
  ['a big integer', [1n], /a bigint/],
  ['a symbol', [Symbol('s')], /a symbol/],
];

const notData: readonly (readonly [string, unknown, RegExp])[] = [
  ['a map', { table: new Map([[1, 2]]) }, /Expected plain JSON at \$\.table, but got a Map\./],
  ['a set', [new Set()], /a Set/],
  ['a date', { when: new Date(0) }, /a Date/],
  ['an instance of a class', new Point(), /but got a Point\. Use only null, booleans, finite/],
  ['a typed array', { bytes: new Uint8Array(2) }, /a Uint8Array/],
  ['a symbol for a key', { [Symbol('s')]: 1 }, /symbol keys/],
  ['a hole in a list', new Array(1), /Expected plain JSON at \$\[0\], but got undefined\./],
];

describe('[C2] canonical', () => {
  it('sorts keys at every depth and leaves lists in order', () => {
    expect(canonical({ b: [2, { d: 1, c: null }], a: 'x"\n' })).toBe('{"a":"x\\"\\n","b":[2,{"c":null,"d":1}]}');
  });

  it('is JSON text of the same value, independent of key order', () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        expect(equal(parsed(canonical(value)), value)).toBe(true);
        expect(canonical(reversed(value))).toBe(canonical(value));
      }),
      { numRuns: 500, seed: 1 },
    );
  });

  it('matches JSON.stringify for strings and for objects with sorted keys', () => {
    const texts = fc.string({ unit: 'binary', maxLength: 60 });
    // Keys of one length: objects of as many keys have one place in the memory of orders, and take it from each other.
    const objects = fc.uniqueArray(fc.constantFrom('ab', 'ba', 'ca', 'da', '"a', 'é1', '\\n'), { minLength: 1 });
    fc.assert(
      fc.property(texts, objects, (text, keys) => {
        expect(canonical(text)).toBe(JSON.stringify(text));
        const [object, sorted] = [keys, keys.toSorted()].map((order) => recordOf(order, (key) => `${key}${text}`)) as [Json, Json];
        expect(canonical(object)).toBe(JSON.stringify(sorted));
      }),
      { numRuns: 500, seed: 1 },
    );
    for (const number of [-0, 1e21, 1.5e-7, 0.1 + 0.2]) expect(canonical(number)).toBe(JSON.stringify(number));
  });

  it.each(notPlain)('rejects %s and names its location', (_, value) => {
    expect(() => canonical(value as Json)).toThrow(Fault);
  });
});

describe('[C2] equal', () => {
  it('is true exactly if the canonical texts are equal', () => {
    fc.assert(
      fc.property(anyJson, anyJson, (a, b) => {
        expect(equal(a, b)).toBe(canonical(a) === canonical(b));
        expect(equal(a, reversed(parsed(canonical(a))))).toBe(true);
      }),
      { numRuns: 500, seed: 2 },
    );
  });

  it.each<[Json | undefined, Json | undefined]>([
    [[], {}],
    [{}, []],
    [null, {}],
    [0, '0'],
    [{ a: 1 }, { b: 1 }],
    [{ a: 1 }, { a: 1, b: 1 }],
    [
      [1, 2],
      [2, 1],
    ],
    [undefined, null],
    [parsed('{"__proto__":1}'), {}],
    [parsed('{"__proto__":{}}'), { a: 1 }],
    [{ toString: 1 }, {}],
  ])('is false for %j and %j', (a, b) => {
    expect(equal(a, b)).toBe(false);
    expect(equal(b, a)).toBe(false);
  });
});

describe('[C2] hash', () => {
  it('is the digest of the canonical text', () => {
    expect(hash({ a: 1, b: 2 })).toBe(hash({ b: 2, a: 1 }));
    expect(hash({})).toBe('44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a');
    expect(new Set([null, 0, '0', [], {}, [0], { a: 0 }, [[]], 'null'].map((value) => hash(value))).size).toBe(9);
  });
});

describe('[C3] freeze', () => {
  it('freezes plain data deeply and returns it', () => {
    const value = { a: [{ b: 1 }], c: Object.assign(Object.create(null) as object, { d: [] }) };
    expect(freeze(value)).toBe(value);
    expect(Object.isFrozen(value.a[0])).toBe(true);
    expect(() => value.a.push({ b: 2 })).toThrow(TypeError);
    expect(() => {
      value.a[0]!.b = 2;
    }).toThrow(TypeError);
  });

  it.each([...notPlain, ...notData])('rejects %s and names its location', (_, value, sentence) => {
    expect(() => freeze(value)).toThrow(Fault);
    expect(() => freeze(value)).toThrow(sentence);
    expect(() => freeze(value, 'state')).toThrow(/at state/);
  });

  it('accepts every JSON value and trusts data that is already frozen', () => {
    fc.assert(
      fc.property(anyJson, (value) => void freeze(value)),
      { numRuns: 300, seed: 3 },
    );
    expect(() => freeze({ a: Object.freeze([new Map()]) })).not.toThrow();
  });
});

describe('recordOf', () => {
  it('creates a plain object of any size in the order of its keys', () => {
    for (const count of [0, 1, mostLiteralKeys, mostLiteralKeys + 1, 2000]) {
      const keys = Array.from({ length: count }, (_, i) => `seat-${count - i}`);
      const record = recordOf(keys, (key, i) => `${key} at ${i}`);
      expect(record).toStrictEqual(Object.fromEntries(keys.map((key, i) => [key, `${key} at ${i}`])));
      expect(Object.keys(record)).toEqual(keys);
      expect(() => freeze(record)).not.toThrow();
    }
  });

  it('accepts any key, including __proto__', () => {
    for (const count of [2, mostLiteralKeys + 2]) {
      const keys = ['__proto__', 'constructor', ...Array.from({ length: count }, (_, i) => `${i}`)];
      const record = recordOf(keys, (key) => ({ key }));
      expect(Object.keys(record).toSorted()).toEqual(keys.toSorted());
      expect(Object.getPrototypeOf(record)).toBe(Object.prototype);
    }
  });
});
