/**
 * @file Checks that no text can make a regular expression of ours slow.
 *
 * Every pattern of a package is one of: wrapped in `linear` (core/linear.ts), which bounds its work; bounded by itself, because a
 * match has a bounded length; safe by the judgment of recheck, which analyzes the automaton of a pattern. A judgment takes up to seconds,
 * so it is kept in pattern-verdicts.json by the hash of the pattern. A pattern that is built at run time is wrapped in `linear`, or is in
 * pattern-exceptions.json with the reason why it is safe.
 */

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { compilePattern } from '@ludus-agents/kernel/internal/core/pattern-machine';
import { type PatternNode, parsePattern } from '@ludus-agents/kernel/internal/core/pattern-syntax';
import type * as Recheck from 'recheck';
import { parseAst } from 'vite';

export const root = join(import.meta.dirname, '..');

export interface PatternUse {
  readonly file: string;
  readonly line: number;
  /** As it is written: `/a+/g`, or the expression that builds it. */
  readonly text: string;
  /** Null where the pattern is built at run time. */
  readonly literal: { readonly source: string; readonly flags: string } | null;
  readonly isLinear: boolean;
}

interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly regex?: { readonly pattern: string; readonly flags: string };
  readonly callee?: { readonly name?: string };
}

/** A call of RegExp, or outside comments two slashes in a line, the first of them where an expression can begin. */
const mayHavePatterns = /RegExp\(|^(?!\s*(?:\*|\/\*|\/\/))(?:.*[^\w)\]/*])?\/(?![/*]).*\//m;

/** The patterns of one file. */
export function patternsIn(code: string, file: string): readonly PatternUse[] {
  const uses: PatternUse[] = [];
  const visit = (value: unknown, call: SyntaxNode | null): void => {
    if (Array.isArray(value)) for (const part of value) visit(part, call);
    if (typeof value !== 'object' || value === null || !('type' in value)) return;
    const node = value as SyntaxNode;
    const isBuilt = (node.type === 'NewExpression' || node.type === 'CallExpression') && node.callee?.name === 'RegExp';
    if (isBuilt || node.regex !== undefined) {
      const text = code.slice(node.start, node.end).replace(/\s+/g, ' ');
      const literal = node.regex === undefined ? null : { source: node.regex.pattern, flags: node.regex.flags };
      const line = code.slice(0, node.start).split('\n').length;
      uses.push({ file, line, text, literal, isLinear: call?.callee?.name === 'linear' });
    }
    for (const [key, part] of Object.entries(node))
      if (key !== 'regex' && key !== 'callee') visit(part, node.type === 'CallExpression' ? node : null);
      else if (key === 'callee') visit(part, null);
  };
  // Most files have nothing that could be a pattern, and parsing them is most of the work.
  if (mayHavePatterns.test(code)) visit(parseAst(code, { lang: file.endsWith('x') ? 'tsx' : 'ts' }), null);
  return uses;
}

/** Every pattern of the product; tests are no part of it. */
export function everyPattern(): readonly PatternUse[] {
  return readdirSync(join(root, 'packages'))
    .map((name) => `packages/${name}/src`)
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.tsx?$/.test(name) && !/\.(?:test|cases)\.ts$/.test(name))
        .map((name) => `${folder}/${name}`)
        .sort()
        .flatMap((file) => patternsIn(readFileSync(join(root, file), 'utf8'), file)),
    );
}

/** More characters, or more ways to read them, are too much work at every place of a text. */
const furthestReach = 400;
const mostWays = 5000;

/** Whether a match, with what lookarounds read, has a bounded length and few ways to be found: then work grows with the text alone. */
export function isBounded(source: string, flags: string): boolean {
  try {
    const { root: node } = parsePattern(source, flags);
    return reachOf(node) <= furthestReach && waysOf(node) <= mostWays;
  } catch {
    return false;
  }
}

function reachOf(node: PatternNode): number {
  if (node.kind === 'character') return 1;
  if (node.kind === 'place') return 0;
  if (node.kind === 'sequence') return node.parts.reduce((sum, part) => sum + reachOf(part), 0);
  if (node.kind === 'choice') return Math.max(...node.branches.map(reachOf));
  if (node.kind !== 'repeat') return reachOf(node.body);
  const each = reachOf(node.body);
  return each === 0 || node.most === 0 ? 0 : each * node.most;
}

function waysOf(node: PatternNode): number {
  if (node.kind === 'character' || node.kind === 'place') return 1;
  if (node.kind === 'sequence') return node.parts.reduce((product, part) => product * waysOf(part), 1);
  if (node.kind === 'choice') return node.branches.reduce((sum, branch) => sum + waysOf(branch), 0);
  if (node.kind !== 'repeat') return waysOf(node.body);
  return (node.most - node.least + 1) * waysOf(node.body) ** Math.min(node.most, 20);
}

/** Whether the linear machine takes a pattern. */
export function isSupported(source: string, flags: string): boolean {
  try {
    compilePattern(parsePattern(source, flags), flags);
    return true;
  } catch {
    return false;
  }
}

export const keyOf = (source: string, flags: string): string =>
  createHash('sha256').update(`${flags}/${source}`).digest('base64url').slice(0, 12);

/** The judgment of recheck's build in plain JavaScript, which needs no JVM and no binary. */
export function judge(source: string, flags: string, timeout = 30_000): ReturnType<typeof Recheck.checkSync> {
  const { checkSync } = createRequire(import.meta.url)('recheck/lib/browser.js') as typeof Recheck;
  return checkSync(source, flags, { timeout });
}

export const verdictFile = join(root, 'scripts', 'pattern-verdicts.json');
export const exceptionFile = join(root, 'scripts', 'pattern-exceptions.json');

export const readVerdicts = (): readonly string[] => JSON.parse(readFileSync(verdictFile, 'utf8')) as string[];

/** A reason for each pattern that is built at run time without `linear`: file, then the expression. */
export type Exceptions = Readonly<Record<string, Readonly<Record<string, string>>>>;
export const readExceptions = (): Exceptions => JSON.parse(readFileSync(exceptionFile, 'utf8')) as Exceptions;

export interface PatternProblem {
  readonly use: PatternUse;
  readonly problem: string;
}

/** What is wrong without asking recheck; `unjudged` are the literals that only it can decide. */
export function sortPatterns(uses: readonly PatternUse[], verdicts: ReadonlySet<string>, exceptions: Exceptions) {
  const problems: PatternProblem[] = [];
  const unjudged: (PatternUse & { readonly literal: { readonly source: string; readonly flags: string } })[] = [];
  const judged: (typeof unjudged)[number][] = [];
  for (const use of uses) {
    const { literal, isLinear } = use;
    if (literal === null) {
      if (!isLinear && exceptions[use.file]?.[use.text] === undefined)
        problems.push({ use, problem: 'is built at run time: wrap it in linear(), or give a reason in scripts/pattern-exceptions.json' });
    } else if (isLinear) {
      if (!isSupported(literal.source, literal.flags))
        problems.push({ use, problem: 'has a back reference or an unbounded lookaround, which linear() does not support' });
    } else if (!isBounded(literal.source, literal.flags)) {
      const isJudged = verdicts.has(keyOf(literal.source, literal.flags));
      (isJudged ? judged : unjudged).push({ ...use, literal });
    }
  }
  return { problems, unjudged, judged };
}
