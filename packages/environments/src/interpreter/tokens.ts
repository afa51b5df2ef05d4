/** @file The tokenizer of the small language, a subset of JavaScript. */

import { linear } from '@ludus-agents/kernel/internal/core/linear';

export type TokenKind = 'name' | 'number' | 'text' | 'sign' | 'end';

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  /** Its offset in the source, and its line, counted from 1. */
  readonly at: number;
  readonly line: number;
}

/** Thrown for a program that cannot be parsed or that fails at run time. `kind` says how it failed. */
export class ScriptFailure extends Error {
  readonly kind: 'syntax' | 'threw' | 'fuel' | 'size' | 'depth';
  constructor(kind: ScriptFailure['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

const longest = 100_000;
const signs = [
  ...[
    '===',
    '!==',
    '**=',
    '...',
    '&&=',
    '||=',
    '=>',
    '==',
    '!=',
    '<=',
    '>=',
    '&&',
    '||',
    '??',
    '?.',
    '++',
    '--',
    '+=',
    '-=',
    '*=',
    '/=',
    '%=',
    '**',
  ],
  ...['{', '}', '(', ')', '[', ']', ';', ',', '<', '>', '+', '-', '*', '/', '%', '!', '?', ':', '=', '.', '|', '&'],
];
const space = linear(/(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)+/y);
const name = /[A-Za-z_$][\w$]*/y;
const number = linear(/(?:\d[\d_]*\.?\d*|\.\d+)(?:e[+-]?\d+)?/iy);
const text = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/y;

export function tokensOf(source: string): readonly Token[] {
  if (source.length > longest) throw new ScriptFailure('size', `A program may have ${longest} characters.`);
  const tokens: Token[] = [];
  let at = 0;
  let line = 1;
  const takeMatch = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    return pattern.exec(source)?.[0] ?? null;
  };
  while (at < source.length) {
    const blank = takeMatch(space);
    if (blank !== null) {
      for (const sign of blank) if (sign === '\n') line++;
      at += blank.length;
      continue;
    }
    let kind: TokenKind = 'name';
    let match = takeMatch(name);
    if (match === null) [kind, match] = ['number', takeMatch(number)];
    if (match === null) [kind, match] = ['text', takeMatch(text)];
    if (match === null) [kind, match] = ['sign', signs.find((sign) => source.startsWith(sign, at)) ?? null];
    if (match === null) throw new ScriptFailure('syntax', `Line ${line}: "${source[at]}" is not understood here.`);
    tokens.push({ kind, text: match, at, line });
    at += match.length;
  }
  tokens.push({ kind: 'end', text: 'the end', at, line });
  return tokens;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', 0: '\0' };

export function textOfToken({ text: quoted }: Token): string {
  return quoted.slice(1, -1).replace(/\\(.)/g, (_, sign: string) => escapes[sign] ?? sign);
}
