/** @file How close texts are to a query: BM25 over words, or cosine under a given embedding. */

import { relevanceOf } from '../encoders/encoder.ts';
import { cosine } from './rank.ts';

export { bm25, termsOf } from '@ludus-agents/kernel/internal/core/bm25';

/** One vector for each text. */
export type Embed = (texts: readonly string[]) => Promise<readonly ArrayLike<number>[]>;

/** An encoder that recall goes by, with the name that the log gets. */
export interface RecallEncoder {
  readonly name: string;
  readonly embed: Embed;
  /** The similarity of unrelated sentences, and of sentences on the same matter, as it was measured for this encoder. */
  readonly calibration?: () => Promise<readonly [unrelated: number, related: number]>;
}

/** How much each text is on the same matter as the query, from 0 to 1, by what the encoder's similarities were measured to mean. */
export async function calibratedRelevances(query: string, texts: readonly string[], encoder: RecallEncoder): Promise<readonly number[]> {
  const likeness = (await encoder.calibration?.()) ?? [0, 1];
  return (await relevances(query, texts, encoder.embed)).map((cosine) => relevanceOf({ likeness }, cosine));
}

/** How close each text is to the query: by the embedding where there is one, else by words. */
export async function relevances(query: string, texts: readonly string[], embed: Embed): Promise<readonly number[]> {
  const [wanted, ...vectors] = await embed([query, ...texts]);
  return vectors.map((vector) => cosine(wanted ?? [], vector));
}
