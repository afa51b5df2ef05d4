/** @file The ranges of a recipe's numbers: a setting that no training can use is refused before anything is played. */

import { Fault, type Json } from '../../core/index.ts';

interface Range {
  readonly from: number;
  readonly to: number;
  readonly whole?: boolean;
}

const count: Range = { from: 1, to: 1e7, whole: true };
const share: Range = { from: 0, to: 1 };
const rate: Range = { from: 1e-12, to: 1000 };
const weight: Range = { from: 0, to: 1e6 };

/** By the last word of a path; "rate" also applies to everything below it. */
const ranges: Readonly<Record<string, Range>> = {
  games: { ...count, to: 1e12 },
  ...Object.fromEntries(
    ['batch', 'size', 'width', 'layers', 'heads', 'context', 'vocabulary', 'rows', 'every', 'updates'].map((name) => [name, count]),
  ),
  ...Object.fromEntries(['discount', 'trace', 'share', 'chance', 'decay', 'slips'].map((name) => [name, share])),
  ...Object.fromEntries(['weight', 'beta', 'temperature', 'clip', 'dual', 'fine'].map((name) => [name, weight])),
  rate,
};

/** Any other number of a recipe. */
const usual: Range = { from: -1e12, to: 1e12 };

/** Refuses numbers, here and below, that are out of their range. */
export function checkRanges(value: Json, path: readonly string[]): void {
  if (Array.isArray(value)) for (const one of value) checkRanges(one, path);
  else if (typeof value === 'object' && value !== null)
    for (const [name, below] of Object.entries(value)) checkRanges(below, [...path, name]);
  else if (typeof value === 'number') checkNumber(value, path);
}

function checkNumber(value: number, path: readonly string[]): void {
  const [name = '', above = ''] = path.toReversed();
  const { from, to, whole = false } = (Object.hasOwn(ranges, name) ? ranges[name] : above === 'rate' ? rate : undefined) ?? usual;
  if (value >= from && value <= to && (!whole || Number.isInteger(value))) return;
  throw new Fault('input', `"${path.join('.')}" takes a ${whole ? 'whole ' : ''}number from ${from} to ${to}, but came as ${value}.`);
}
