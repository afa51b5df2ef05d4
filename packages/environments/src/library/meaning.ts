/**
 * @file Search by meaning, without a file of weights: word vectors made from the documents themselves (the generalised vector space model).
 * A word is the passages it stands in, a text is the sum of its words, and texts are as close as their vectors point. So a document is found
 * by a word it does not have, where another passage has that word next to words of the document.
 */

import { termsOf } from '@ludus-agents/kernel/internal/core/bm25';
import type { LibraryDocument } from './corpus.ts';

/** A word: its vector is as long in each of its passages, and of length 1. */
interface Word {
  readonly passages: number[];
  /** What it weighs in a text: a word that is everywhere says little. */
  weight: number;
}

interface Meanings {
  readonly words: ReadonlyMap<string, Word>;
  readonly passages: number;
  /** The words of each document, and the length of their sum. */
  readonly documents: readonly { readonly words: readonly Word[]; readonly length: number }[];
}

/** Vectors follow from the documents alone, so they are computed once for an episode's. */
const existing = new WeakMap<readonly LibraryDocument[], Meanings>();

/** The cosine between a query and each document, from 0 to 1; 0 where no passage brings words of both together. */
export function meaningScores(documents: readonly LibraryDocument[], query: string): readonly number[] {
  const { words, passages, documents: texts } = existing.get(documents) ?? learnMeanings(documents);
  const request = new Float64Array(passages);
  const length = Math.sqrt(addWords(request, wordsIn(query, words)));
  if (length === 0) return texts.map(() => 0);
  const near = new Map<Word, number>();
  for (const word of words.values()) near.set(word, sumOf(word.passages, (at) => request[at]) * shareOf(word));
  return texts.map((text) => (text.length === 0 ? 0 : sumOf(text.words, (word) => near.get(word)!) / (length * text.length)));
}

function learnMeanings(documents: readonly LibraryDocument[]): Meanings {
  const passages = documents.flatMap(({ title, text }) => `${title} ${text}`.split(/\n\s*\n/)).map((text) => new Set(termsOf(text)));
  const wordsByTerm = new Map<string, Word>();
  for (const [at, terms] of passages.entries())
    for (const term of terms) {
      const word = wordsByTerm.get(term) ?? { passages: [], weight: 0 };
      wordsByTerm.set(term, word);
      word.passages.push(at);
    }
  // The weight of BM25.
  for (const word of wordsByTerm.values())
    word.weight = Math.log(1 + (passages.length - word.passages.length + 0.5) / (word.passages.length + 0.5));
  const scratch = new Float64Array(passages.length);
  const texts = documents.map(({ title, text }) => {
    const mine = wordsIn(`${title} ${text}`, wordsByTerm);
    const length = Math.sqrt(addWords(scratch, mine));
    for (const word of mine) for (const at of word.passages) scratch[at] = 0;
    return { words: mine, length };
  });
  const meanings = { words: wordsByTerm, passages: passages.length, documents: texts };
  existing.set(documents, meanings);
  return meanings;
}

function wordsIn(text: string, wordsByTerm: Meanings['words']): readonly Word[] {
  return [...new Set(termsOf(text))].flatMap((term) => wordsByTerm.get(term) ?? []);
}

/** Adds words to a vector that was zero, and gives the square of its length. */
function addWords(vector: Float64Array, words: readonly Word[]): number {
  let square = 0;
  for (const word of words) {
    const share = shareOf(word);
    for (const at of word.passages) {
      square += share * (share + 2 * vector[at]);
      vector[at] = vector[at] + share;
    }
  }
  return square;
}

/** What a word adds to a text in each of its passages. */
function shareOf({ weight, passages }: Word): number {
  return weight / Math.sqrt(passages.length);
}

function sumOf<T>(items: readonly T[], value: (item: T) => number): number {
  let sum = 0;
  for (const item of items) sum += value(item);
  return sum;
}
