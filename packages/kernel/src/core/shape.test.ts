/** @file Shapes: their defaults, their errors and messages, and their printed form. */

import { describe, expect, it } from 'vitest';
import { Fault } from './fault.ts';
import {
  above,
  anything,
  boolean,
  choice,
  either,
  list,
  number,
  object,
  one,
  optional,
  orNull,
  pattern,
  problemsOf,
  readAs,
  record,
  required,
  type Shape,
  type ShapeValue,
  short,
  some,
  text,
  unshown,
  whole,
  withDefault,
  withRule,
  withWords,
  words,
} from './shape.ts';

interface Box {
  readonly name: string;
  readonly size: number;
  readonly label: string;
  readonly tags?: readonly string[];
}

const box: Shape<Box> = object<Box>({
  name: required(words),
  size: withDefault(whole(1, 9), 2, 'how large'),
  label: withDefault(text, ({ name }) => `box ${String(name)}`),
  tags: optional(list(words)),
});

const at = { where: 'box.json', called: 'a box' };

describe('a shape', () => {
  it('fills in defaults, including ones derived from other fields, and keeps the order of its fields', () => {
    expect(readAs(box, { tags: ['x'], name: 'a' }, at)).toEqual({ name: 'a', size: 2, label: 'box a', tags: ['x'] });
    expect(Object.keys(readAs(box, { tags: ['x'], name: 'a' }, at))).toEqual(['name', 'size', 'label', 'tags']);
  });

  it('prints its JSON schema', () => {
    expect(box.schema).toEqual({
      type: 'object',
      properties: {
        name: { type: 'string', minLength: 1, pattern: '\\S' },
        size: { type: 'integer', minimum: 1, maximum: 9, description: 'how large', default: 2 },
        label: { type: 'string' },
        tags: { type: 'array', items: { type: 'string', minLength: 1, pattern: '\\S' } },
      },
      additionalProperties: false,
      required: ['name'],
    });
  });

  it.each<[Shape<unknown>, unknown, string]>([
    [box, 7, 'it must be an object, but got 7'],
    [box, {}, 'name must be a non-empty string, but is missing'],
    [box, { name: 'a', sise: 1 }, 'unknown field "sise" (did you mean "size"?); it has name, size, label, tags'],
    [box, { name: 'a', tags: ['x', 3] }, 'tags[1] must be a non-empty string, but got 3'],
    [record(box), { b: { name: '' } }, 'b.name must be a non-empty string, but got ""'],
    [record(text, pattern('small letters', /^[a-z]+$/)), { A: 'x' }, 'A must be small letters, but got "A"'],
    [number(0, 1), Number.NaN, 'it must be a number from 0 to 1, but got NaN'],
    [number(), Infinity, 'it must be a number, but got Infinity'],
    [whole(0), 2 ** 60, 'it must be an integer of 0 or more, but got 1152921504606847000'],
    [whole(1, 20_000), 0, 'it must be an integer from 1 to 20,000, but got 0'],
    [above(0, 5), 0, 'it must be a number above 0, at most 5, but got 0'],
    [list(text, 2), ['a'], 'it must be a list of 2, but got ["a"]'],
    [list(text, { from: 1 }), [], 'it must be a list of 1 or more, but got []'],
    [some(['a', 'b'], boolean), { a: 1 }, 'a must be true or false, but got 1'],
    [one('window', 'summary'), 'sumary', 'it must be one of "window", "summary", but got "sumary" (did you mean "summary"?)'],
    [one('window', 'summary'), 'zzz', 'it must be one of "window", "summary", but got "zzz"'],
    [one('window', 'summary'), ['summary'], 'it must be one of "window", "summary", but got ["summary"]'],
    [orNull(one('window')), 'windw', 'it must be one of "window", or null, but got "windw" (did you mean "window"?)'],
    [withWords('a policy', one('window')), 'windw', 'it must be a policy, but got "windw" (did you mean "window"?)'],
    [orNull(one('x')), 'y', 'it must be one of "x", or null, but got "y"'],
    [withWords('a list like [1]', list(whole())), 'x', 'it must be a list like [1], but got "x"'],
    [withWords('a list like [1]', list(whole())), ['x'], '[0] must be an integer, but got "x"'],
    [
      withRule('two, the lower first', list(number(), 2), ([a = 0, b = 0]) => a < b),
      [2, 1],
      'it must be two, the lower first, but got [2,1]',
    ],
    [anything, undefined, 'it must be plain JSON, but is missing'],
    [text, () => 1, 'it must be a string, but got a function'],
    [text, 10n, 'it must be a string, but got a value that is not JSON'],
  ])('reports a problem in one clause (%#)', (shape, value, clause) => {
    expect(problemsOf(shape, value, 'it')).toEqual([clause]);
  });

  it('reports problems inside the one matching alternative, or the expectation if none matches', () => {
    const named = either<unknown>('a name or a box', text, box);
    expect(problemsOf(list(named), ['a', { name: 'b' }, { name: 3 }, 4], 'it')).toEqual([
      '[2].name must be a non-empty string, but got 3',
      '[3] must be a name or a box, but got 4',
    ]);
    const rule = either<unknown>('a rule', object({ never: required(box) }), object({ if: required(box), must: required(box) }));
    expect(problemsOf(rule, { nevr: { name: 'a' } }, 'it')[0]).toBe('unknown field "nevr" (did you mean "never"?); it has never');
    expect(problemsOf(rule, { other: 1 }, 'it')).toEqual(['it must be a rule, but got {"other":1}']);
  });

  it('selects a variant by its tag', () => {
    const slot = choice('kind', {
      none: object<{ kind: string }>({ kind: required(one('none')) }),
      group: object<{ kind: string; size: number }>({ kind: required(one('group')), size: required(whole(1)) }),
    });
    expect(problemsOf(slot, { kind: 'group', size: 1 }, 'it')).toEqual([]);
    expect(problemsOf(slot, { kind: 'group' }, 'it')).toEqual(['size must be an integer of 1 or more, but is missing']);
    expect(problemsOf(slot, { kind: 'constructor' }, 'it')).toEqual(['kind must be one of "none", "group", but got "constructor"']);
    expect(problemsOf(slot, { kind: 'gruop' }, 'it')).toEqual([
      'kind must be one of "none", "group", but got "gruop" (did you mean "group"?)',
    ]);
    expect(problemsOf(slot, {}, 'it')).toEqual(['kind must be one of "none", "group", but is missing']);
    expect(slot.inner?.('size', { kind: 'group' })?.wanted).toBe('an integer of 1 or more');
    expect(slot.inner?.('size', { kind: 'none' })).toBeUndefined();
  });

  it('never prints a value that may be a key', () => {
    const key = unshown(pattern('the name of a variable', /^[A-Z_]+$/));
    expect(problemsOf(record(key), { key: 'sk-secret' }, 'it')).toEqual(['key must be the name of a variable']);
    expect(problemsOf(unshown(one('secret')), 'sekret', 'it')).toEqual(['it must be one of "secret"']);
  });

  it('accepts short forms', () => {
    const named = short(box, text.schema, (value) => (typeof value === 'string' ? { name: value } : value));
    expect(readAs(named, 'a', at)).toEqual(readAs(box, { name: 'a' }, at));
    expect(named.schema).toEqual({ anyOf: [text.schema, box.schema] });
  });

  it('drops "$schema" of a document, rejects it elsewhere, and passes unknown fields of an open object', () => {
    const fields = { name: required(words) };
    expect(readAs(object<{ name: string }>(fields, { document: true }), { $schema: 'x', name: 'a' }, at)).toEqual({ name: 'a' });
    expect(() => readAs(object<{ name: string }>(fields), { $schema: 'x', name: 'a' }, at)).toThrow('unknown field "$schema"');
    expect(readAs(object<{ name: string }>(fields, { open: true }), { more: 1, name: 'a' }, at)).toEqual({ more: 1, name: 'a' });
  });

  it('treats __proto__ as a plain key and does not read inherited fields', () => {
    const sly = JSON.parse('{"__proto__": {"name": "a"}}');
    expect(Object.keys(readAs(record(anything), sly, at))).toEqual(['__proto__']);
    expect(problemsOf(box, sly, 'it')[0]).toContain('unknown field "__proto__"');
    expect(problemsOf(box, Object.create({ name: 'a' }), 'it')).toEqual(['name must be a non-empty string, but is missing']);
  });

  it('reports the first three of many problems with the count of the rest, and stops collecting early', () => {
    const many = Array.from({ length: 1_000_000 }, () => 1);
    expect(() => readAs(list(text), many, at)).toThrow(Fault);
    expect(() => readAs(list(text), many, at)).toThrow(
      /^box\.json: \[0\] must be a string, .*; \[2\] must be a string, but got 1; and 97 more\.$/,
    );
    expect(() => readAs(box, null, at)).toThrow('box.json must be an object, but got null.');
    expect(() => readAs(box, null, at)).toThrow(
      expect.objectContaining({ code: 'E_INVALID_DOCUMENT', details: { where: 'box.json', places: [''] } }),
    );
  });

  it('never prints a value that is nested too deeply', () => {
    let deep: unknown = 1;
    for (let i = 0; i < 100_000; i++) deep = [deep];
    expect(problemsOf(text, deep, 'it')).toEqual(['it must be a string, but got something nested too deep']);
  });
});

describe('the type of a value', () => {
  it('follows from its shape: optional fields may be missing, and names are literal', () => {
    const point = object({ x: required(number()), y: withDefault(number(), 0), note: optional(text), unit: required(one('m', 'km')) });
    const value: ShapeValue<typeof point> = { x: 1, y: 2, unit: 'm' };
    expect(problemsOf(point, value, 'a point')).toEqual([]);
    // @ts-expect-error: `unit` is one of two words.
    const wrong: ShapeValue<typeof point> = { x: 1, y: 2, unit: 'mile' };
    expect(problemsOf(point, wrong, 'a point')).toHaveLength(1);
  });
});
