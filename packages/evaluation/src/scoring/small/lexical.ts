/** @file Replacements without a model: similarity and inference by words alone. Rough, instant, and labeled as such. */

import type { Embedder, Entailment, Nli } from './small.ts';

const idle = new Set(
  'a an the and or but if then than that this these those of to in on at by for from with as is are was were be been am do does did has have had will would can could should may might must shall it its he she they them his her their i me my you your we our us who whom whose what which when where why how so too very just also there here about into over out up down again once only own same all any each more most some such'.split(
    ' ',
  ),
);

const negations = new Set(
  "not no never none nobody nothing nowhere neither nor without hardly cannot can't don't doesn't didn't isn't aren't wasn't weren't won't wouldn't hasn't haven't hadn't couldn't shouldn't".split(
    ' ',
  ),
);

/** Words in lower case, apostrophes kept within them. */
function splitWords(text: string): string[] {
  return (
    text
      .toLowerCase()
      .replaceAll('’', "'")
      .match(/[\p{L}\p{N}]+(?:'[\p{L}]+)?/gu) ?? []
  );
}

/** The word without its most common English endings: enough to match "keeps" with "keeping", not a real stemmer. */
function stem(word: string): string {
  const bare = word.replace(/'s$/, '');
  if (bare.length <= 3) return bare;
  return bare.replace(/(?:ies|ied)$/, 'y').replace(/(?<=.{3})(?:ing|edly|ed|es|s|ly|er|e)$/, '');
}

/** The content of a text: its stems, without words that are in every text. */
export function contentStems(text: string): string[] {
  return splitWords(text)
    .filter((word) => !idle.has(word) && !negations.has(word))
    .map(stem);
}

/** The size of the hash into which words and their letter trigrams are mapped. */
const places = 512;

function place(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return (h >>> 0) % places;
}

/** Sentence vectors from words alone: the fallback without a model. */
export const lexicalEmbedder: Embedder = {
  name: 'words@1',
  basis: 'lexical',
  likeness: [0.05, 0.5],
  embed: async (texts) =>
    texts.map((text) => {
      const vector = new Float32Array(places);
      for (const word of contentStems(text)) {
        vector[place(word)] = vector[place(word)] + 1;
        const padded = `^${word}$`;
        for (let i = 0; i + 3 <= padded.length; i++) {
          const at = place(`#${padded.slice(i, i + 3)}`);
          vector[at] = vector[at] + 0.3;
        }
      }
      const norm = Math.hypot(...vector);
      return norm === 0 ? vector : vector.map((x) => x / norm);
    }),
};

/** Inference by shared words and negations: the fallback without a model. */
export const lexicalNli: Nli = {
  name: 'word-inference@1',
  basis: 'lexical',
  classify: async (pairs) => pairs.map(({ premise, hypothesis }) => compare(premise, hypothesis)),
};

/**
 * The sentence of the hypothesis that shares most with the premise decides: enough shared words follow from it, unless just one of the two
 * is negated or both name numbers that differ; little shared is neutral.
 */
function compare(premise: string, hypothesis: string): Entailment {
  const knownNames = new Set(contentStems(premise));
  let [best, sentence] = [0, ''];
  for (const item of hypothesis.split(/(?<=[.!?;])\s+|\n+/u)) {
    const share = sharedShare(knownNames, new Set(contentStems(item)));
    if (share > best) [best, sentence] = [share, item];
  }
  if (best < 0.4) return { entails: 0.05, neutral: 0.9, contradicts: 0.05 };
  const sure = Math.min(0.9, best);
  const against = isNegated(premise) !== isNegated(sentence) || otherNumbers(premise, sentence);
  const rest = (1 - sure) * 0.95;
  return against
    ? { entails: 1 - sure - rest, neutral: rest, contradicts: sure }
    : { entails: sure, neutral: rest, contradicts: 1 - sure - rest };
}

/** The share of the premise's content that is also in the sentence; names that a speaker would replace by "I" hardly count. */
function sharedShare(knownNames: ReadonlySet<string>, statement: ReadonlySet<string>): number {
  const common = [...knownNames].filter((word) => statement.has(word)).length;
  return common === 0 ? 0 : common / Math.max(1, Math.min(knownNames.size, Math.max(knownNames.size - 2, 2)));
}

/** A "no" that only answers, as in "No, I cannot", denies nothing by itself. */
function isNegated(text: string): boolean {
  return splitWords(text.replace(/^\s*no[,.!]/iu, '')).filter((word) => negations.has(word)).length % 2 === 1;
}

function otherNumbers(a: string, b: string): boolean {
  const numbers = (text: string) => new Set(text.match(/\d+(?:[.,]\d+)*/g) ?? []);
  const [left, right] = [numbers(a), numbers(b)];
  return left.size > 0 && right.size > 0 && ![...left].some((number) => right.has(number));
}
