/**
 * @file Splits a command into words and joins it again. There is no shell: words are split at spaces, and double quotes keep a word
 * together.
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
