/** @file Similarity of texts to a query: BM25 over words, or cosine of a given embedding. */

import { bm25, termsOf } from '@ludus-agents/kernel/internal/core/bm25';
import { relevanceOf } from '../encoders/encoder.ts';
import { alikeFor } from '../encoders/thresholds.ts';
import { cosine } from './rank.ts';

export { bm25, termsOf } from '@ludus-agents/kernel/internal/core/bm25';

/** One vector for each text. */
export type Embed = (texts: readonly string[]) => Promise<readonly ArrayLike<number>[]>;

/** An encoder used for recall, with its name for the log. */
export interface RecallEncoder {
  readonly name: string;
  readonly embed: Embed;
  /** The measured similarity of unrelated sentences, and of sentences on the same topic, for this encoder. */
  readonly calibration?: () => Promise<readonly [unrelated: number, related: number]>;
}

/** The relevance of each text to the query, from 0 to 1, by the encoder's calibrated similarities. */
export async function calibratedRelevances(query: string, texts: readonly string[], encoder: RecallEncoder): Promise<readonly number[]> {
  const likeness = (await encoder.calibration?.()) ?? [0, 1];
  return (await relevances(query, texts, encoder.embed)).map((cosine) => relevanceOf({ likeness }, cosine));
}

/** The indexes of the texts that fit a query, best first, ties in order: by meaning with an encoder, else by shared words. */
export async function fittingTexts(
  query: string,
  texts: readonly string[],
  { encoder, most }: { readonly encoder?: RecallEncoder | undefined; readonly most: number },
): Promise<readonly number[]> {
  if (texts.length === 0) return [];
  const scores = encoder === undefined ? bm25(termsOf(query), texts.map(termsOf)) : await calibratedRelevances(query, texts, encoder);
  const least = alikeFor.request[encoder === undefined ? 'words' : 'meaning'];
  return scores
    .map((score, i) => ({ score, i }))
    .filter(({ score }) => score > least)
    .sort((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ i }) => i);
}

/** The similarity of each text to the query: by the embedding if given, else by words. */
export async function relevances(query: string, texts: readonly string[], embed: Embed): Promise<readonly number[]> {
  const [wanted, ...vectors] = await embed([query, ...texts]);
  return vectors.map((vector) => cosine(wanted ?? [], vector));
}
