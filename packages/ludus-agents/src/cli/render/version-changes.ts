/** @file Reports changes since a run was last played, one line each, before anything is played. */

import { changeText, type VersionChange } from '@ludus-agents/agents/internal/workspace/versions';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import type { Terminal } from '../terminal.ts';
import { coloursFor } from './colours.ts';

export function noticeChanges(terminal: Terminal, changes: readonly VersionChange[], run: string): void {
  const colours = coloursFor(terminal.stderr, terminal.env);
  for (const change of changes) terminal.stderr.write(`${colours.yellow(printable(changeText(change, run)))}\n`);
}

/** The note in a table about episodes with other seeds than requested. */
export function otherSeedsText(episodes: number): string {
  return `${count(episodes, 'stored episode')} with other seeds ${episodes === 1 ? 'is' : 'are'} included.`;
}

/** Options of a runner that reports the changes at this terminal. */
export function withNotices<T>(terminal: Terminal, options: T): T & { readonly notice: (sentence: string) => void } {
  const colours = coloursFor(terminal.stderr, terminal.env);
  return { ...options, notice: (sentence) => terminal.stderr.write(`${colours.yellow(printable(sentence))}\n`) };
}
