/** @file Measures, pads, clips, and wraps text by its width on a terminal. */

import { stripVTControlCharacters } from 'node:util';

// Two columns: Han, kana, Hangul, full-width forms, and characters drawn as emoji. Half-width kana are the exception within kana.
const wide =
  /^(?![\uff61-\uffdc\uffe8-\uffee\u302a-\u302d])[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Emoji_Presentation}\u3000-\u303e\u30a0\u30fb\u30fc\uff01-\uff60\uffe0-\uffe6]/u;
const nothing = /^[\p{Mark}\p{Default_Ignorable_Code_Point}]/u;
const plain = /^[\u0020-\u007e\u00a0-\u02ff–—‘’“”…·−›▸│┊]*$/u;

let graphemes: Intl.Segmenter | undefined;

/** Columns a text takes, colors not counted. */
export function width(text: string): number {
  const bare = text.includes('\u001b') ? stripVTControlCharacters(text) : text;
  if (plain.test(bare)) return bare.length;
  let columns = 0;
  for (const part of split(bare)) columns += widthOf(part);
  return columns;
}

function* split(text: string): Iterable<string> {
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  for (const { segment } of graphemes.segment(text)) yield segment;
}

function widthOf(grapheme: string): number {
  if (grapheme.includes('\ufe0f') || wide.test(grapheme)) return 2;
  return nothing.test(grapheme) ? 0 : 1;
}

export function pad(text: string, columns: number, align: 'left' | 'right' = 'left'): string {
  const space = ' '.repeat(Math.max(0, columns - width(text)));
  return align === 'left' ? text + space : space + text;
}

/** The text, or its beginning with an ellipsis, in at most that many columns. Cut text loses its colors. */
export function clip(text: string, columns: number): string {
  if (width(text) <= columns) return text;
  let out = '';
  let used = 0;
  for (const part of split(stripVTControlCharacters(text))) {
    used += widthOf(part);
    if (used > columns - 1) break;
    out += part;
  }
  return `${out.trimEnd()}…`;
}

/** Lines of at most that many columns, wrapped at spaces. Line ends stay, and text after a bullet is indented. */
export function wrap(text: string, columns: number): string[] {
  return text.split('\n').flatMap((line) => (width(line) <= columns ? [line] : fill(line, columns)));
}

function fill(line: string, columns: number): string[] {
  const [lead] = line.match(/^\s*(?:[-*•·] |\d+\. )?/) as RegExpMatchArray;
  const hang = ' '.repeat(Math.min(width(lead), columns >> 1));
  const lines: string[] = [];
  let current = width(lead) === hang.length ? lead : hang;
  let empty = true;
  for (const word of line.slice(lead.length).split(/ +/)) {
    const joined = empty ? current + word : `${current} ${word}`;
    empty = false;
    if (width(joined) <= columns) {
      current = joined;
      continue;
    }
    if (current.trim() !== '') lines.push(current.trimEnd());
    current = hang + word;
    if (width(current) > columns) {
      const pieces = chop(current, columns);
      current = pieces.pop()!;
      for (const piece of pieces) lines.push(piece);
    }
  }
  lines.push(current);
  return lines;
}

/** A long word in pieces that fit, of at least one character each. Scanned only once, because a model may send a word of megabytes. */
function chop(text: string, columns: number): string[] {
  const pieces = [''];
  let used = 0;
  for (const part of split(text)) {
    const width = widthOf(part);
    if (used + width > columns && pieces.at(-1) !== '') {
      pieces.push('');
      used = 0;
    }
    used += width;
    pieces[pieces.length - 1] += part;
  }
  return pieces;
}
