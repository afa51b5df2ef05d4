/** @file Finds a quote in a text. White space and the shape of quotation marks may differ; words may not. */

import { type EscapedText, lineBreak } from './inert.ts';

/** Shorter quotes prove nothing, unless the text itself is not longer. */
const fewest = 3;

const plain: Readonly<Record<string, string>> = {
  '‘': "'",
  '’': "'",
  '“': '"',
  '”': '"',
  '–': '-',
  '—': '-',
  '‹': '<',
  '›': '>',
  ˋ: '`',
  '¦': '|',
};

/** Text with white space folded and typography made plain; `at[i]` is the position of its character i in the text. */
function foldWithPositions(text: string): { readonly text: string; readonly at: readonly number[] } {
  let out = '';
  const at: number[] = [];
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    const blank = character === lineBreak || /\s/u.test(character);
    if (blank && (out === '' || out.endsWith(' '))) continue;
    out += blank ? ' ' : (plain[character] ?? character);
    at.push(i);
  }
  return out.endsWith(' ') ? { text: out.slice(0, -1), at: at.slice(0, -1) } : { text: out, at };
}

/** The part of the original log text that a quote of the shown text represents, as [start, end), or null where the quote is not in it. */
export function quoteSpan(escapedText: EscapedText, quote: string): readonly [number, number] | null {
  const place = foldWithPositions(escapedText.text);
  const bare = foldWithPositions(quote).text;
  const unwrapped = /^(["'])(.*)\1$/su.exec(bare)?.[2]?.trim();
  for (const wanted of unwrapped === undefined ? [bare] : [bare, unwrapped]) {
    const start = standing(place.text, wanted);
    if (start < 0) continue;
    const first = place.at[start];
    const last = place.at[start + wanted.length - 1];
    return [escapedText.from[first], escapedText.to[last]];
  }
  return null;
}

/** The start of the quoted words, as whole words and enough of them, or −1. */
function standing(text: string, wanted: string): number {
  const wordCount = wordsIn(wanted);
  if (wordCount === 0 ? wanted !== text || wanted === '' : wordCount < Math.min(fewest, wordsIn(text))) return -1;
  for (let start = text.indexOf(wanted); start >= 0; start = text.indexOf(wanted, start + 1)) {
    const end = start + wanted.length;
    if (!(isInsideWord(text, start) || isInsideWord(text, end))) return start;
  }
  return -1;
}

/** Whether a cut here splits a word. */
function isInsideWord(text: string, at: number): boolean {
  return at > 0 && at < text.length && /^[\p{L}\p{N}]{2}$/u.test(text.slice(at - 1, at + 1));
}

function wordsIn(text: string): number {
  return text.match(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu)?.length ?? 0;
}
