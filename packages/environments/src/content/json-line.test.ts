import { describe, expect, it } from 'vitest';
import { lineOfError, lineOfPath } from './json-line.ts';

const text = '{\n  "a": [1,\n    { "b\\"": "x, ]",\n      "c": {} }\n  ],\n  "d": null\n}';

describe('JSON line lookup', () => {
  it.each([
    [[], 1],
    [['a'], 2],
    [['a', 1], 3],
    [['a', 1, 'b"'], 3],
    [['a', 1, 'c'], 4],
    [['d'], 6],
    [['a', 7], 2],
    [['missing'], 1],
  ] as const)('finds %j on line %i', (path, line) => {
    expect(lineOfPath(text, path)).toBe(line);
  });

  it('finds the line of a syntax error whether or not the parser names it', () => {
    expect(lineOfError('[1,\n2,\n,3]')).toBe(3);
    expect(lineOfError('{"a": 1,\n"b" 2}')).toBe(2);
    expect(lineOfError('[\n1,')).toBe(2);
  });
});
