/** @file WordPiece tokenization for BERT-like models, from their `tokenizer.json`. */

import { Fault, type Json, type JsonObject } from '@ludus-agents/kernel/internal/core/index';

export interface Encoded {
  readonly ids: readonly number[];
  /** 0 for the first sentence, 1 for the second. */
  readonly kinds: readonly number[];
}

export interface WordPiece {
  encode(first: string, second?: string): Encoded;
}

export function wordPiece(tokenizer: Json, longest = 256): WordPiece {
  const model = ((tokenizer as JsonObject | null)?.['model'] ?? {}) as JsonObject;
  const vocabulary = model['vocab'] as Readonly<Record<string, number>> | undefined;
  if (vocabulary === undefined || (model['type'] ?? 'WordPiece') !== 'WordPiece')
    throw new Fault('input', 'Expected a tokenizer with a WordPiece vocabulary, as BERT-like models have. Use the folder of such a model.');
  const lower = ((tokenizer as JsonObject)['normalizer'] as JsonObject | null)?.['lowercase'] !== false;
  const idOf = new Map(Object.entries(vocabulary));
  const special = (name: string) => idOf.get(name) as number;
  const pieces = (text: string) => basicWords(text, lower).flatMap((word) => piecesOf(word, idOf));
  return {
    encode(first, second) {
      const room = longest - (second === undefined ? 2 : 3);
      const [left, right] = shortenPair(pieces(first), second === undefined ? [] : pieces(second), room);
      const ids = [special('[CLS]'), ...left, special('[SEP]')];
      const kinds = ids.map(() => 0);
      if (second === undefined) return { ids, kinds };
      return { ids: [...ids, ...right, special('[SEP]')], kinds: [...kinds, ...right.map(() => 1), 1] };
    },
  };
}

/** Splits a text into words and single punctuation marks; for uncased models, also lowercases it and removes accents. */
function basicWords(text: string, lower: boolean): string[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is dropped.
  const clean = text.replace(/[\u0000\ufffd]|[^\P{Cc}\t\n\r]|\p{Cf}/gu, '');
  const cased = lower
    ? clean
        .toLowerCase()
        .normalize('NFD')
        .replace(/\p{Mn}/gu, '')
    : clean;
  return cased.match(/\p{Script=Han}|[\p{P}\p{S}]|[^\s\p{P}\p{S}\p{Script=Han}]+/gu) ?? [];
}

/** Splits a word greedily into its longest known beginnings; a word that cannot be split is unknown as a whole. */
function piecesOf(word: string, idOf: ReadonlyMap<string, number>): number[] {
  const letters = [...word];
  const unknown = [idOf.get('[UNK]') as number];
  if (letters.length > 100) return unknown;
  const matches: number[] = [];
  for (let start = 0; start < letters.length; ) {
    let end = letters.length;
    let id: number | undefined;
    for (; end > start && id === undefined; end--) id = idOf.get(`${start === 0 ? '' : '##'}${letters.slice(start, end).join('')}`);
    if (id === undefined) return unknown;
    matches.push(id);
    start = end + 1;
  }
  return matches;
}

/** Shortens the longer of the two until both fit. */
function shortenPair(first: readonly number[], second: readonly number[], room: number): [readonly number[], readonly number[]] {
  let [a, b] = [first.length, second.length];
  while (a + b > room) a >= b ? a-- : b--;
  return [first.slice(0, a), second.slice(0, b)];
}
