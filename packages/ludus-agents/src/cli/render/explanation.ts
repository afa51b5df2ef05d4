/** @file Shows the reasons of an answer, for people at a terminal. */

import type { Because } from '@ludus-agents/agents/internal/explain-action';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import type { Colours } from './colours.ts';
import { pad, wrap } from './width.ts';

/** The same for people. */
export function becauseText(why: Because, { colours, columns }: { readonly colours: Colours; readonly columns: number }): string {
  const parts: readonly (readonly [string, readonly string[]])[] = [
    ['thought', why.thought === '' ? [] : [why.thought]],
    ['rests on', why.statements.map(({ id, text }) => `${id}: ${text}`)],
    ['remembers', why.memories.map(({ id, text }) => `${id}: ${text}`)],
    ['found by', why.encoder === null || why.memories.length === 0 ? [] : [why.encoder]],
    ['lore', why.lore.map(({ id, text, key }) => `${id}${key === undefined ? '' : ` by the key “${key}”`}: ${text}`)],
    ['feels', why.mood === '' ? [] : [why.mood]],
    ['prompt', why.prompt === null ? [] : [`${why.prompt.tokens} tokens, ${why.prompt.stable} of them unchanged from the previous prompt`]],
  ];
  const rows = parts.flatMap(([label, lines]) =>
    lines
      .flatMap((line) => wrap(printable(line), columns - 13))
      .map((line, i) => `  ${colours.faint(pad(i === 0 ? label : '', 11))}${line}`),
  );
  return rows.length === 0 ? `  ${colours.faint('Nothing in particular: no line of the card was near.')}` : rows.join('\n');
}
