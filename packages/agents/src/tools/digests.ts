/**
 * @file Digests of long tool results: a few whole passages, and the best-matching sentence of each other passage (after REFRAG, arXiv
 * 2509.01092, in text). A rule selects the whole passages, or a policy learned from questions with known answers.
 */

import { bm25, termsOf } from '@ludus-agents/kernel/internal/core/bm25';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { text as anyText, number, object, record, required, type ShapeValue } from '@ludus-agents/kernel/internal/core/shape';
import { type RecallEncoder, relevances } from '../mind/relevance.ts';

/** The features of a passage for a policy. Meaning is 0 without an encoder. */
export const passageFeatures = ['words', 'wordsLead', 'meaning', 'meaningLead', 'words first', 'meaning first', 'length'] as const;
export type PassageFeatures = readonly number[];

/** The encoder of a policy that uses words alone. */
export const wordsAlone = 'words';

export const expansionShape = object({
  /** The encoder used for the features; "words" if there was none. With another encoder, the rule decides. */
  encoder: required(anyText),
  weights: required(record(number())),
  intercept: required(number()),
  threshold: required(number()),
});

/** A learned policy: a passage is shown whole if the weighted features plus the intercept exceed the threshold. */
export type Expansion = ShapeValue<typeof expansionShape>;

export interface DigestOptions {
  readonly encoder?: RecallEncoder | undefined;
  readonly expansion?: Expansion | undefined;
}

/** The number of whole passages under the rule, their maximum, and the words shown of each other passage. */
const [expandedByRule, mostExpanded, mostWords] = [2, 8, 10];

/** Paragraphs, or pieces of about 600 characters if there are none. */
export function passagesOf(text: string): readonly string[] {
  const paragraphs = text.split(/\n\s*\n/).filter((item) => item.trim() !== '');
  return paragraphs
    .flatMap((paragraph) => (paragraph.length <= 1200 ? [paragraph] : (paragraph.match(linear(/[\s\S]{1,600}(?=\s|$)/g)) ?? [paragraph])))
    .map((item) => item.trim());
}

/** A passage and its features before any passage is selected. */
export interface FittedPassage {
  readonly text: string;
  /** How well it or its best sentence matches the question: by meaning with an encoder, else by words. */
  readonly fit: number;
  /** Its best sentence, cut to a few words. */
  readonly head: string;
  readonly features: PassageFeatures;
}

/** How well each passage matches a question. A passage is as good as its best sentence, because the rest may be about other topics. */
export async function fitPassages(
  passages: readonly string[],
  question: string,
  encoder?: RecallEncoder,
): Promise<readonly FittedPassage[]> {
  const sentences = passages.flatMap((passage, i) => sentencesOf(passage).map((text) => ({ i, text })));
  const texts = [...passages, ...sentences.map(({ text }) => text)];
  const byWords = bm25(termsOf(question), texts.map(termsOf));
  const byMeaning = encoder === undefined ? texts.map(() => 0) : await relevances(question, texts, encoder.embed);
  const best = (scores: readonly number[]) => {
    const fits = scores.slice(0, passages.length);
    for (const [k, { i }] of sentences.entries()) fits[i] = Math.max(fits[i] ?? 0, scores[passages.length + k] ?? 0);
    return fits;
  };
  const scores = encoder === undefined ? byWords : byMeaning;
  const heads = new Map<number, { readonly text: string; readonly score: number }>();
  for (const [k, { i, text }] of sentences.entries()) {
    const score = scores[passages.length + k] ?? 0;
    if (score > (heads.get(i)?.score ?? -Infinity)) heads.set(i, { text, score });
  }
  const [words, meaning, fits] = [best(byWords), best(byMeaning), best(scores)];
  const [wordsLeads, meaningLeads] = [leadsIn(words), leadsIn(meaning)];
  return passages.map((text, i) => {
    const [fit = 0, word = 0, wordLead = 0, sense = 0, senseLead = 0] = [fits[i], words[i], wordsLeads[i], meaning[i], meaningLeads[i]];
    const features = [
      word,
      wordLead,
      sense,
      senseLead,
      Number(wordLead > 0),
      Number(senseLead > 0),
      Math.log(1 + text.length / 100),
    ] as const;
    return { text, fit, head: cutWords(heads.get(i)?.text ?? text), features };
  });
}

/** The best-matching passages whole, chosen by the rule or the policy, and the heads of the others, each with its number. */
export async function digestOf(passages: readonly string[], question: string, { encoder, expansion }: DigestOptions = {}): Promise<string> {
  return digestText(
    await fitPassages(passages, question, encoder),
    expansion?.encoder === (encoder?.name ?? wordsAlone) ? expansion : undefined,
  );
}

/** The same for passages with known fit. */
export function digestText(passages: readonly FittedPassage[], expansion?: Expansion): string {
  const worth = passages.map((passage, i) => ({ i, score: expansion === undefined ? passage.fit : scoreOf(passage.features, expansion) }));
  const whole = new Set(
    worth
      .filter(({ score }) => score > (expansion?.threshold ?? 0))
      .sort((a, b) => b.score - a.score)
      .slice(0, expansion === undefined ? expandedByRule : mostExpanded)
      .map(({ i }) => i),
  );
  return passages.map(({ text, head }, i) => `[${i + 1}] ${whole.has(i) ? text : head}`).join('\n');
}

/** The policy's score of a passage: the log-odds that it should be whole. */
export function scoreOf(features: PassageFeatures, { weights, intercept }: Pick<Expansion, 'weights' | 'intercept'>): number {
  return passageFeatures.reduce((sum, name, i) => sum + (weights[name] ?? 0) * (features[i] ?? 0), intercept);
}

/** The lead of each value over the best other one; negative for all but the first. */
function leadsIn(values: readonly number[]): readonly number[] {
  const [first = 0, second = 0] = [...values].sort((a, b) => b - a);
  return values.map((value) => value - (value === first ? second : first));
}

function cutWords(text: string): string {
  const parts = text.split(/\s+/);
  return parts.length <= mostWords ? parts.join(' ') : `${parts.slice(0, mostWords).join(' ')} …`;
}

function sentencesOf(passage: string): readonly string[] {
  return passage.split(/(?<=[.!?])\s+/).filter((text) => text !== '');
}
