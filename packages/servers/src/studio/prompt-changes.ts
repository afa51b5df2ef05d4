/** @file The differences between a prompt and the previous one, by message and line. */

import type { ChatMessage } from '@ludus-agents/kernel/internal/core/index';
import { type DiffLine, diffLines } from '@ludus-agents/learning/internal/prompts/edits';
import type { MessageChange } from './api.ts';

/** Beyond this size, the middle of two texts is shown as removed and added, without searching for common parts. */
const mostCells = 4_000_000;

/** Messages of a prompt, each compared with the one at its position in the previous call. */
export function promptChanges(messages: readonly ChatMessage[], previous: readonly ChatMessage[]): readonly MessageChange[] {
  return messages.map(({ role, content }, i) => {
    const before = previous[i];
    if (before === undefined || before.role !== role) return { change: 'new', lines: [] };
    if (before.content === content) return { change: 'same', lines: [] };
    return { change: 'changed', lines: changedLines(before.content, content) };
  });
}

/** The common start and end are removed first: prompts are long, and most of their text stays the same. */
function changedLines(before: string, after: string): readonly DiffLine[] {
  const [old, fresh] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start++;
  let end = 0;
  while (end < old.length - start && end < fresh.length - start && old.at(-1 - end) === fresh.at(-1 - end)) end++;
  const [removed, added] = [old.slice(start, old.length - end), fresh.slice(start, fresh.length - end)];
  const same = (texts: readonly string[]) => texts.map((text): DiffLine => ({ sign: ' ', text }));
  const middle: readonly DiffLine[] =
    removed.length * added.length > mostCells
      ? [...removed.map((text): DiffLine => ({ sign: '-', text })), ...added.map((text): DiffLine => ({ sign: '+', text }))]
      : diffLines(removed.join('\n'), added.join('\n'));
  return [...same(old.slice(0, start)), ...middle, ...same(old.slice(old.length - end))];
}
