/** @file Words with the few marks that people write in a chat: paragraphs, lists, quotes, code, bold and italics. Everything else, addresses and markup too, is text. */

import { linear } from '@ludus-agents/kernel/internal/core/linear';
import type { ReactNode } from 'react';

export function Markdown({ text }: { readonly text: string }) {
  // The log indents further lines, so that none of them can be taken for another speaker's.
  const blocks = blocksOf(text.replace(/\n {2}/g, '\n'));
  return (
    <div className="markdown" dir="auto">
      {blocks.map((block, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks of one text never change places.
        <Block key={i} block={block} />
      ))}
    </div>
  );
}

interface Chunk {
  readonly kind: 'text' | 'code' | 'quote' | 'list' | 'numbers';
  readonly lines: readonly string[];
}

function Block({ block: { kind, lines } }: { readonly block: Chunk }) {
  if (kind === 'code') return <pre>{lines.join('\n')}</pre>;
  if (kind === 'quote') return <blockquote className="text">{inline(lines.join('\n'))}</blockquote>;
  if (kind === 'text') return <p className="text">{inline(lines.join('\n'))}</p>;
  const List = kind === 'list' ? 'ul' : 'ol';
  return (
    <List>
      {lines.map((line, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines of one text never change places.
        <li key={i}>{inline(line)}</li>
      ))}
    </List>
  );
}

const marks: readonly (readonly [Chunk['kind'], RegExp])[] = [
  ['quote', /^> ?/],
  ['list', /^[-*] +/],
  ['numbers', /^\d{1,3}[.)] +/],
];

function blocksOf(text: string): readonly Chunk[] {
  const blocks: { kind: Chunk['kind']; lines: string[] }[] = [];
  let isOpen = false;
  let isFenced = false;
  for (const line of text.split('\n')) {
    const last = blocks.at(-1);
    if (/^```/.test(line)) {
      isFenced = !isFenced;
      isOpen = false;
      if (isFenced) blocks.push({ kind: 'code', lines: [] });
    } else if (isFenced) last?.lines.push(line);
    else if (line.trim() === '') isOpen = false;
    else {
      const [kind, mark] = marks.find(([, pattern]) => pattern.test(line)) ?? (['text', /^/] as const);
      if (isOpen && last?.kind === kind) last.lines.push(line.replace(mark, ''));
      else blocks.push({ kind, lines: [line.replace(mark, '')] });
      isOpen = true;
    }
  }
  return blocks;
}

/** The first of these marks that is closed again on the same line or the next ones. */
const spans: readonly (readonly [RegExp, (inside: string) => ReactNode])[] = [
  [/`([^`\n]+)`/, (inside) => <code>{inside}</code>],
  [/\*\*(\S(?:[^*]*\S)?)\*\*/, (inside) => <strong>{inline(inside)}</strong>],
  [linear(/(?<![\w*])\*(\S(?:[^*]*\S)?)\*(?![\w*])/), (inside) => <em>{inline(inside)}</em>],
  [linear(/(?<![\w_])_(\S(?:[^_]*\S)?)_(?![\w_])/), (inside) => <em>{inline(inside)}</em>],
];

function inline(text: string): ReactNode {
  let first: { readonly at: number; readonly length: number; readonly made: ReactNode } | null = null;
  for (const [mark, make] of spans) {
    const match = mark.exec(text);
    if (match !== null && (first === null || match.index < first.at))
      first = { at: match.index, length: match[0].length, made: make(match[1] ?? '') };
  }
  if (first === null) return text;
  return (
    <>
      {text.slice(0, first.at)}
      {first.made}
      {inline(text.slice(first.at + first.length))}
    </>
  );
}
