/**
 * @file Removes labels and marks that models write around their answers, before an answer is stored, so that later prompts never repeat
 * them.
 */

import { linear } from '@ludus-agents/kernel/internal/core/linear';

/** Words for the two sides of a chat in templates and transcripts. */
const roles = 'assistant|user|human|system|model|ai|bot|character|you|visitor';

/** Whether a seat is named like a role of a chat template: its label would be parsed as a role. */
export function isRoleWord(seat: string): boolean {
  return /^(?:human|assistant|user|system|model|developer|tool|ai|bot|instruction|response|input|gpt)$/i.test(seat);
}

/** A mark of a chat template, in any of the usual families. */
const mark = linear(
  /<\|[^|<>\n]{0,40}\|>|<\/?s>|\[\/?INST\]|<(?:start|end)_of_turn>(?:user|model)?|<<\/?SYS>>|###\s*(?:instruction|response|human|assistant|user|system)\b:?/gi,
);

/** Names of the speakers, and whether an answer is cut where it begins to speak for another one. */
export interface Speakers {
  readonly own: readonly string[];
  readonly others: readonly string[];
  readonly cut: boolean;
}

/** An answer without the labels before it; a small model's answer is cut where it begins to speak for another speaker. */
export function ownWords(text: string, { own, others, cut }: Speakers): string {
  const marked = cut ? beforeMark(text) : text;
  if (!/[:：]/.test(marked)) return marked.trim();
  // A small model also starts with the label of the last speaker; the following text is its message.
  const mine = namesPattern([...own, ...(cut ? others : []), 'assistant', 'ai', 'bot', 'model', 'character']);
  const opening = linear(new RegExp(`^[\\s*_"“]*(?:${mine})[*_]*\\s*[:：][*_]*\\s*`, 'iu'));
  let content = marked.trim();
  for (let i = 0; i < 3 && opening.test(content); i++) content = content.replace(opening, '');
  if (!cut) return content;
  const turn = linear(
    new RegExp(`\\n[\\s*_>]*(?:${[roles, namesPattern([...own, ...others])].filter((part) => part !== '').join('|')})[*_]*\\s*[:：]`, 'iu'),
  );
  const next = turn.exec(content);
  return (next === null ? content : content.slice(0, next.index)).trim();
}

/** The text up to the first mark; marks at the very beginning are removed. */
function beforeMark(text: string): string {
  let rest = text;
  for (let i = 0; i < 4; i++) {
    mark.lastIndex = 0;
    const match = mark.exec(rest);
    if (match === null) return rest;
    if (rest.slice(0, match.index).trim() !== '') return rest.slice(0, match.index);
    rest = rest.slice(match.index + match[0].length).replace(/^\s*(?:assistant|model)\s*\n/i, '');
  }
  return rest;
}

function namesPattern(names: readonly string[]): string {
  return names
    .filter((name) => name.trim() !== '')
    .map((name) => name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
    .join('|');
}

/** Stop texts for a small model that talks: at most four, because some servers reject more. */
export function stopsFor(others: readonly string[]): readonly string[] {
  const other = others.find((name) => name.trim() !== '' && !isRoleWord(name));
  return ['\nUser:', `\n${other ?? 'Human'}:`, '<|user|>', '</s>'];
}
