/** @file One-token bugs: operators that change a program at one place. Each change can be undone by another operator. */

import { tokensOf } from '../interpreter/tokens.ts';

/** One token of a file that replaces another: its line, and its position within the line, both counted from 1. */
export type CodeChange = {
  readonly file: string;
  readonly line: number;
  readonly nth: number;
  readonly from: string;
  readonly to: string;
  readonly operator: string;
};

const swaps: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  boundary: [
    ['<', '<='],
    ['<=', '<'],
    ['>', '>='],
    ['>=', '>'],
  ],
  direction: [
    ['<', '>'],
    ['>', '<'],
    ['<=', '>='],
    ['>=', '<='],
  ],
  equality: [
    ['===', '!=='],
    ['!==', '==='],
  ],
  arithmetic: [
    ['+', '-'],
    ['-', '+'],
    ['*', '/'],
    ['/', '*'],
    ['+=', '-='],
    ['-=', '+='],
  ],
  logic: [
    ['&&', '||'],
    ['||', '&&'],
  ],
  truth: [
    ['true', 'false'],
    ['false', 'true'],
  ],
  counting: [
    ['++', '--'],
    ['--', '++'],
  ],
};

export const operators: readonly string[] = [...Object.keys(swaps), 'constant'];

/** Returns every change that the operators can make to the files. */
export function changesOf(files: Readonly<Record<string, string>>): readonly CodeChange[] {
  return Object.entries(files).flatMap(([file, source]) => {
    const key = `${file}\n${source}`;
    const before = matches.get(key);
    if (before !== undefined) return before;
    if (matches.size > 2000) matches.clear();
    const changes = readable(source) ? changesIn(file, source) : [];
    matches.set(key, changes);
    return changes;
  });
}

/** A file with characters outside the language has no tokens to change. */
function readable(source: string): boolean {
  try {
    tokensOf(source);
    return true;
  } catch {
    return false;
  }
}

const matches = new Map<string, readonly CodeChange[]>();

function changesIn(file: string, source: string): readonly CodeChange[] {
  const counts = new Map<number, number>();
  return tokensOf(source).flatMap(({ kind, text, line }): readonly CodeChange[] => {
    const nth = (counts.get(line) ?? 0) + 1;
    counts.set(line, nth);
    const at = { file, line, nth, from: text };
    if (kind === 'number' && /^\d+$/.test(text))
      return [Number(text) + 1, Number(text) - 1].filter((n) => n >= 0).map((n) => ({ ...at, to: String(n), operator: 'constant' }));
    if (kind === 'text') return [];
    return Object.entries(swaps).flatMap(([operator, pairs]) =>
      pairs.filter(([from]) => from === text).map(([, to]) => ({ ...at, to, operator })),
    );
  });
}

/** Returns the files after a change, or null if the change does not apply. */
export function applyChange(
  files: Readonly<Record<string, string>>,
  { file, line, nth, from, to }: Omit<CodeChange, 'operator'>,
): Readonly<Record<string, string>> | null {
  const source = Object.hasOwn(files, file) ? files[file] : null;
  if (source === null) return null;
  const token = tokensOf(source).filter((item) => item.line === line)[nth - 1];
  if (token === undefined || token.text !== from || token.kind === 'end') return null;
  return { ...files, [file]: source.slice(0, token.at) + to + source.slice(token.at + from.length) };
}

/** Formats a change as a move, such as "lists.js:3:5 < to <=". */
export function changeText({ file, line, nth, from, to }: Omit<CodeChange, 'operator'>): string {
  return `${file}:${line}:${nth} ${from} to ${to}`;
}

export function readChange(text: string): Omit<CodeChange, 'operator'> | null {
  const match = /^([\w./-]{1,60}):(\d{1,5}):(\d{1,4}) (\S{1,20}) to (\S{1,20})$/.exec(text);
  if (match === null) return null;
  const [, file, line, nth, from, to] = match as unknown as [string, string, string, string, string, string];
  return { file, line: Number(line), nth: Number(nth), from, to };
}
