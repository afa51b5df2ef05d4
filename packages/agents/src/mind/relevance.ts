/** @file How close texts are to a query: BM25 over words, or cosine under a given embedding. */

import { cosine } from './rank.ts';

export { bm25, termsOf } from '@ludus-agents/kernel/internal/core/bm25';

/** One vector for each text. */
export type Embed = (texts: readonly string[]) => Promise<readonly ArrayLike<number>[]>;

/** An encoder that recall goes by, with the name that the log gets. */
export interface RecallEncoder {
  readonly name: string;
  readonly embed: Embed;
}

/** How close each text is to the query: by the embedding where there is one, else by words. */
export async function relevances(query: string, texts: readonly string[], embed: Embed): Promise<readonly number[]> {
  const [wanted, ...vectors] = await embed([query, ...texts]);
  return vectors.map((vector) => cosine(wanted ?? [], vector));
}
