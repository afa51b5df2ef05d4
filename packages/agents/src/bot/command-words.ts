/**
 * @file Splits a command into words, and joins words into a command, without a shell: spaces separate words, and double quotes enclose a
 * word with spaces.
 */

import { Fault } from '@ludus-agents/kernel/internal/core/index';

export function splitCommand(text: string): readonly string[] {
  const words: string[] = [];
  for (const [whole, quoted] of text.matchAll(/"((?:[^"\\]|\\.)*)"|[^\s"]+/g))
    words.push(quoted === undefined ? whole : quoted.replace(/\\(.)/g, '$1'));
  if (words.length === 0) throw new Fault('input', 'The command is empty. Name a program, such as cmd:node bot.js.');
  return words;
}

export function formatCommand(words: readonly string[]): string {
  return words.map((word) => (/^[^\s"\\]+$/.test(word) ? word : `"${word.replace(/["\\]/g, '\\$&')}"`)).join(' ');
}
