/** @file Checks an answer against a case by rules: equality, a part of it, a number, a regular expression, JSON. */

import { misfit } from '@ludus-agents/agents/internal/sandbox/schema';
import { equal, type Json } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { hasRules, type TestCase, textOf } from './case.ts';

/** The result of one check: null where the answer passes, else what is wrong with it. */
export type CheckResult = string | null;

export interface AnswerCheck {
  /** The share of checks that the answer passes. */
  readonly score: number;
  readonly problems: readonly string[];
}

/** Checks an answer by the rules of its case; null where it has none. */
export function checkAnswer(testCase: TestCase, answer: string): AnswerCheck | null {
  if (!hasRules(testCase)) return null;
  const results = [...expectedChecks(testCase, answer), ...regexChecks(testCase, answer), ...jsonChecks(testCase, answer)];
  const problems = results.filter((result) => result !== null);
  return { score: 1 - problems.length / results.length, problems };
}

function expectedChecks(
  { expected, match = typeof expected === 'object' ? 'json' : 'same' }: TestCase,
  answer: string,
): readonly CheckResult[] {
  if (expected === undefined || match === 'meaning') return [];
  const wanted = textOf(expected);
  if (match === 'json') {
    const [value, target] = [jsonIn(answer), typeof expected === 'string' ? (jsonIn(expected) ?? expected) : expected];
    return [value !== undefined && equal(value, target) ? null : `expected the JSON ${wanted}`];
  }
  const passes = {
    same: () => isSame(answer, wanted),
    strict: () => answer === wanted,
    contains: () => plain(answer).includes(plain(wanted)),
    number: () => lastNumber(answer) !== null && lastNumber(answer) === lastNumber(wanted),
  }[match];
  return [passes() ? null : `expected ${match === 'contains' ? 'an answer that contains ' : ''}"${wanted}"`];
}

function regexChecks({ regex }: TestCase, answer: string): readonly CheckResult[] {
  if (regex === undefined) return [];
  return [compileRegex(regex).test(answer) ? null : `expected a match of ${compileRegex(regex)}`];
}

/** A regular expression as it is written in a case: the pattern itself, or /pattern/flags. */
export function compileRegex(source: string): RegExp {
  const [, pattern = source, flags = ''] = /^\/(.+)\/([imsu]*)$/s.exec(source) ?? [];
  const compiled = linear(new RegExp(pattern, flags));
  // A pattern that cannot be bounded is refused when the case is read, not while an answer is checked.
  compiled.test('x'.repeat(400));
  return compiled;
}

function jsonChecks({ schema, paths }: TestCase, answer: string): readonly CheckResult[] {
  if (schema === undefined && paths === undefined) return [];
  const value = jsonIn(answer);
  const places = Object.entries(paths ?? {});
  if (value === undefined) return Array.from({ length: places.length + (schema === undefined ? 0 : 1) }, () => 'expected JSON');
  return [
    ...(schema === undefined ? [] : [misfit(schema, value, 'the answer')]),
    ...places.map(([path, target]) => {
      const actual = valueAt(value, path);
      if (actual !== undefined && equal(actual, target)) return null;
      return `expected ${path} to be ${JSON.stringify(target)}, got ${actual === undefined ? 'nothing' : JSON.stringify(actual).slice(0, 80)}`;
    }),
  ];
}

/** The value at `a.b[0].c`; undefined where there is none. */
function valueAt(value: Json, path: string): Json | undefined {
  const keys = path.replace(/^\$\.?/, '').match(/[^.[\]]+/g) ?? [];
  return keys.reduce<Json | undefined>((at, key) => {
    if (Array.isArray(at)) return /^\d+$/.test(key) ? (at[Number(key)] as Json | undefined) : undefined;
    return typeof at === 'object' && at !== null && Object.hasOwn(at, key) ? (at as Readonly<Record<string, Json>>)[key] : undefined;
  }, value);
}

/** The JSON of an answer: all of it, a fenced block, or everything between the outermost brackets. */
function jsonIn(answer: string): Json | undefined {
  const fenced = linear(/```(?:json)?\n(.*?)```/s).exec(answer)?.[1];
  const from = answer.search(/[{[]/);
  const to = Math.max(answer.lastIndexOf('}'), answer.lastIndexOf(']'));
  for (const text of [answer, fenced, from < 0 || to < from ? undefined : answer.slice(from, to + 1)]) {
    if (text === undefined) continue;
    try {
      return JSON.parse(text) as Json;
    } catch {
      // The next form may be readable.
    }
  }
  return undefined;
}

/** Normalizes a text: ignores case, repeated spaces, surrounding quotation marks, and a final period. */
function plain(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
    .join(' ')
    .replace(/^["'“‘`]/, '')
    .replace(/[."'”’`]{1,3}$/, '');
}

function isSame(answer: string, wanted: string): boolean {
  if (plain(answer) === plain(wanted)) return true;
  const numeric = (text: string) => (/^[-+$€£]?\d[\d,]*(?:\.\d+)?%?$/.test(plain(text)) ? lastNumber(text) : null);
  const number = numeric(wanted);
  return number !== null && numeric(answer) === number;
}

/** The last number in a text, ignoring commas between thousands. */
function lastNumber(text: string): number | null {
  const last = text.match(/[-+]?\d[\d,]*(?:\.\d+)?/g)?.at(-1);
  return last === undefined ? null : Number(last.replaceAll(',', ''));
}
