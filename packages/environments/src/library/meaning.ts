/**
 * @file Semantic search without model weights: word vectors are built from the documents themselves (the generalized vector space model). A
 * word is represented by the passages that contain it, a text is the sum of its words, and similarity is the cosine. A document can match a
 * word that it doesn't contain if another passage has that word next to words of the document.
 */

import { termsOf } from '@ludus-agents/kernel/internal/core/bm25';
import type { LibraryDocument } from './corpus.ts';

/** A word. Its vector has the same value for each of its passages, and length 1. */
interface Word {
  readonly passages: number[];
  /** Its weight in a text. A very frequent word has a low weight. */
  weight: number;
}

interface Meanings {
  readonly words: ReadonlyMap<string, Word>;
  readonly passages: number;
  /** The words of each document, and the length of their sum vector. */
  readonly documents: readonly { readonly words: readonly Word[]; readonly length: number }[];
}

/** Vectors depend only on the documents, so they are computed once per document list. */
const existing = new WeakMap<readonly LibraryDocument[], Meanings>();

/** Returns the cosine between a query and each document, from 0 to 1. It is 0 if no passage contains words of both. */
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

/** Adds words to a zero vector, and returns the square of its length. */
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

/** Returns what a word adds to a text in each of its passages. */
function shareOf({ weight, passages }: Word): number {
  return weight / Math.sqrt(passages.length);
}

function sumOf<T>(items: readonly T[], value: (item: T) => number): number {
  let sum = 0;
  for (const item of items) sum += value(item);
  return sum;
}
