/** @file Commands as a person would type them at a terminal, and what a form must have before there is one. */

import { Fault } from '@ludus-agents/kernel/internal/core/index';

/** The first of what is chosen, if anything is. */
export function some<T>(what: string, choice: readonly T[]): readonly [T, ...T[]] {
  if (choice.length === 0) throw new Fault('input', `Choose ${what} first.`);
  return choice as readonly [T, ...T[]];
}

/** As a shell reads it: what is no plain word stands between quotes. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

export function command(name: string, of: string, options: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const selectedEntries = Object.entries(options).filter(([, value]) => value !== undefined && value !== false);
  const words = selectedEntries.flatMap(([key, value]) => [
    key.length === 1 ? `-${key}` : `--${key}`,
    ...(value === true ? [] : [quoteWord(String(value))]),
  ]);
  return ['ludus', name, quoteWord(of), ...words].join(' ');
}
