/** @file What differs between two prompts, message by message and line by line. */

import type { ChatMessage } from '@ludus-agents/kernel/internal/core/index';

export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** Beyond this the middle is shown as removed and added, without looking for what moved. */
const mostCells = 400_000;

/** Lines of `before` and `after` by a longest common subsequence, after what both begin and end with. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [old, fresh] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start++;
  let end = 0;
  while (end < old.length - start && end < fresh.length - start && old.at(-1 - end) === fresh.at(-1 - end)) end++;
  const same = (texts: readonly string[]): DiffLine[] => texts.map((text) => ({ kind: 'same', text }));
  return [
    ...same(old.slice(0, start)),
    ...diffMiddle(old.slice(start, old.length - end), fresh.slice(start, fresh.length - end)),
    ...same(end === 0 ? [] : old.slice(-end)),
  ];
}

function diffMiddle(old: readonly string[], fresh: readonly string[]): DiffLine[] {
  if (old.length * fresh.length > mostCells)
    return [...old.map((text): DiffLine => ({ kind: 'removed', text })), ...fresh.map((text): DiffLine => ({ kind: 'added', text }))];
  const width = fresh.length + 1;
  const longest = new Uint32Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = fresh.length - 1; j >= 0; j--)
      longest[i * width + j] =
        old[i] === fresh[j] ? longest[(i + 1) * width + j + 1]! + 1 : Math.max(longest[(i + 1) * width + j]!, longest[i * width + j + 1]!);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < fresh.length) {
    if (i < old.length && j < fresh.length && old[i] === fresh[j]) {
      lines.push({ kind: 'same', text: old[i]! });
      i++;
      j++;
    } else if (j >= fresh.length || (i < old.length && longest[(i + 1) * width + j]! >= longest[i * width + j + 1]!))
      lines.push({ kind: 'removed', text: old[i++]! });
    else lines.push({ kind: 'added', text: fresh[j++]! });
  }
  return lines;
}

/** A message with its change against the call before. */
export interface MessageChange {
  readonly message: ChatMessage;
  readonly change: 'same' | 'changed' | 'new';
  /** Only for what has changed. */
  readonly lines: readonly DiffLine[];
}

/** Messages of a prompt, each against the one at its place in the call before; null has nothing before it. */
export function diffMessages(messages: readonly ChatMessage[], previous: readonly ChatMessage[] | null): readonly MessageChange[] {
  return messages.map((message, i) => {
    const before = previous?.[i];
    if (before === undefined || before.role !== message.role) return { message, change: 'new', lines: [] };
    if (before.content === message.content) return { message, change: 'same', lines: [] };
    return { message, change: 'changed', lines: diffLines(before.content, message.content) };
  });
}
