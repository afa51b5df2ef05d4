/** @file Regular expressions for external text, with guaranteed linear time. */

import { compilePattern, type PatternProgram, runPattern } from './pattern-machine.ts';
import { type PatternNode, parsePattern } from './pattern-syntax.ts';

/** The most steps allowed for the built-in engine in the worst case; it is about fifty times faster, so this takes milliseconds. */
const nativeSteps = 2 ** 24;

interface Compiled {
  readonly program: PatternProgram;
  /** The same without captures, which is faster: it only tests whether there is a match. */
  readonly probe: PatternProgram;
  readonly names: ReadonlyMap<string, number>;
  /** The longest text for which the built-in engine is always fast; -1 with nested repetitions, which may take exponential time. */
  readonly nativeLength: number;
}

const compiled = new Map<string, Compiled>();

/**
 * The same pattern with a bound on its work: the size of the pattern times the length of the text. Everything that takes a regular
 * expression takes it (`test`, `exec`, `match`, `matchAll`, `replace`, `split`), with the same results. Wrap a pattern where the check of
 * patterns (`npm run check`) reports that a text can make it slow. Back references and lookarounds of unbounded length are refused.
 * Texts of up to `nativeLength` characters go to the built-in engine; by default as many as it reads in milliseconds.
 */
export function linear(pattern: RegExp, nativeLength?: number): RegExp {
  return new LinearRegExp(pattern, undefined, nativeLength);
}

class LinearRegExp extends RegExp {
  readonly #nativeLength: number | undefined;
  #compiled: Compiled | undefined;

  constructor(pattern: RegExp | string, flags?: string, nativeLength?: number) {
    super(pattern, flags);
    this.#nativeLength = nativeLength;
  }

  get #machine(): Compiled {
    this.#compiled ??= compile(this.source, this.flags);
    return this.#compiled;
  }

  override exec(text: string): RegExpExecArray | null {
    const subject = String(text);
    const keepsPlace = this.global || this.sticky;
    const start = keepsPlace ? this.lastIndex : 0;
    if (subject.length - start <= (this.#nativeLength ?? this.#machine.nativeLength)) return super.exec(subject);
    const { program, probe } = this.#machine;
    const isFound = start <= subject.length && runPattern(probe, subject, start, this.sticky) !== null;
    const captures = isFound ? runPattern(program, subject, start, this.sticky) : null;
    if (keepsPlace) this.lastIndex = captures === null ? 0 : captures[1]!;
    return captures === null ? null : matchOf(subject, captures, this.#machine.names);
  }

  /** The built-in method tries every position separately, which is quadratic. */
  override [Symbol.split](text: string, limit = 2 ** 32 - 1): string[] {
    const scan = new LinearRegExp(this.source, `${this.flags.replace(/[gy]/g, '')}g`, this.#nativeLength);
    if (text === '') return scan.exec('') === null && limit > 0 ? [''] : [];
    const pieces: (string | undefined)[] = [];
    let from = 0;
    for (let match = scan.exec(text); match !== null; match = scan.exec(text)) {
      const end = match.index + match[0].length;
      if (match[0] === '') scan.lastIndex++;
      if (match.index >= text.length || end === from) continue;
      pieces.push(text.slice(from, match.index), ...match.slice(1));
      from = end;
    }
    return [...pieces, text.slice(from)].slice(0, limit) as string[];
  }
}

function compile(source: string, flags: string): Compiled {
  const key = `${flags}/${source}`;
  const existing = compiled.get(key);
  if (existing !== undefined) return existing;
  const syntax = parsePattern(source, flags);
  const program = compilePattern(syntax, flags);
  const result = { program, probe: { ...program, slots: 0 }, names: syntax.names, nativeLength: nativeLengthOf(syntax.root) };
  compiled.set(key, result);
  return result;
}

/**
 * Every start position and every end of an unbounded repetition multiply: a text of n characters takes at most n ** (repetitions + 1)
 * steps.
 */
function nativeLengthOf(root: PatternNode): number {
  if (isNested(root, 0)) return -1;
  return Math.max(256, Math.floor(nativeSteps ** (1 / Math.max(2, repetitionsIn(root) + 1))));
}

/** The number of unbounded repetitions that a match can pass through. */
function repetitionsIn(node: PatternNode): number {
  if (node.kind === 'repeat') return node.most > 8 ? 1 : node.most * repetitionsIn(node.body);
  if (node.kind === 'sequence') return node.parts.reduce((sum, part) => sum + repetitionsIn(part), 0);
  if (node.kind === 'choice') return Math.max(...node.branches.map(repetitionsIn));
  return 'body' in node ? repetitionsIn(node.body) : 0;
}

function isNested(node: PatternNode, depth: number): boolean {
  if (node.kind === 'repeat') {
    const inner = depth + (node.most > 8 ? 1 : 0);
    return inner > 1 || isNested(node.body, inner);
  }
  if (node.kind === 'sequence') return node.parts.some((part) => isNested(part, depth));
  if (node.kind === 'choice') return node.branches.some((branch) => isNested(branch, depth));
  return 'body' in node && isNested(node.body, depth);
}

function matchOf(text: string, captures: readonly number[], names: ReadonlyMap<string, number>): RegExpExecArray {
  const textOf = (group: number) => (captures[2 * group + 1]! < 0 ? undefined : text.slice(captures[2 * group], captures[2 * group + 1]));
  const match = Array.from({ length: captures.length / 2 }, (_, group) => textOf(group)) as RegExpExecArray;
  match.index = captures[0]!;
  match.input = text;
  const groups =
    names.size === 0
      ? undefined
      : Object.assign(Object.create(null), Object.fromEntries([...names].map(([name, group]) => [name, textOf(group)])));
  return Object.assign(match, { groups });
}
