/**
 * @file Clusters conversations, by meaning if a sentence encoder is available and otherwise by words, each cluster with its distinguishing
 * words. The same texts and the same encoder give the same clusters.
 */

import { type Embedder, relevanceOf } from '@ludus-agents/agents/internal/encoders/encoder';
import { alikeFor } from '@ludus-agents/agents/internal/encoders/thresholds';
import { termsOf } from '@ludus-agents/kernel/internal/core/bm25';

export interface TextCluster {
  /** The most distinctive words. */
  readonly name: string;
  /** Indexes of its texts in the input list. */
  readonly members: readonly number[];
}

/** The similarity at which a text belongs to a group: the cosine of weighted words, or the scaled similarity of an encoder. */
const { words: alike, meaning: alikeInMeaning } = alikeFor.kind;

type Vector = ReadonlyMap<string, number>;

/** Clusters texts: each joins the most similar cluster, by the mean over the cluster, or starts a new one. */
export async function clusterTexts(texts: readonly string[], encoder: Embedder | null = null): Promise<readonly TextCluster[]> {
  const words = texts.map((text) => new Set(termsOf(text).filter((term) => !/^\d/.test(term))));
  const documents = new Map<string, number>();
  for (const set of words) for (const term of set) documents.set(term, (documents.get(term) ?? 0) + 1);
  // Words in every text distinguish no clusters. With few texts, no word is that frequent.
  const weight = (term: string) => Math.log(1 + texts.length / (documents.get(term) ?? 1));
  const weighted = words.map((set) => unit(new Map([...set].map((term) => [term, weight(term)]))));
  const meanings = await encoder?.embed(texts);
  const vectors = meanings?.map((vector) => new Map(Array.from(vector, (value, i) => [String(i), value]))) ?? weighted;
  const isAlike = (like: number) => (encoder === null ? like >= alike : relevanceOf(encoder, like) >= alikeInMeaning);
  const groups: { sum: Map<string, number>; members: number[] }[] = [];
  // Long texts first: they are the most informative.
  const order = texts.map((_, i) => i).sort((a, b) => words[b].size - words[a].size || a - b);
  for (const i of order) {
    const vector = vectors[i];
    const near = groups.map((group) => ({ group, like: dot(vector, unit(group.sum)) })).sort((a, b) => b.like - a.like)[0];
    const group = near !== undefined && isAlike(near.like) ? near.group : { sum: new Map<string, number>(), members: [] };
    if (group.members.length === 0) groups.push(group);
    group.members.push(i);
    for (const [term, value] of vector) group.sum.set(term, (group.sum.get(term) ?? 0) + value);
  }
  const surface = surfaceWords(texts);
  const named = groups.map(({ members }) => {
    const sum = new Map<string, number>();
    for (const i of members) for (const [term, value] of weighted[i]) sum.set(term, (sum.get(term) ?? 0) + value);
    const ownItems = [...sum].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, 3);
    return { name: ownItems.map(([term]) => surface.get(term) ?? term).join(', ') || 'other', members: members.sort((a, b) => a - b) };
  });
  return named.sort((a, b) => b.members.length - a.members.length || a.members[0] - b.members[0]);
}

/** The first word with each stem. */
function surfaceWords(texts: readonly string[]): ReadonlyMap<string, string> {
  const surface = new Map<string, string>();
  for (const text of texts)
    for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
      const [stem = ''] = termsOf(word);
      if (!surface.has(stem)) surface.set(stem, word);
    }
  return surface;
}

function unit(vector: Vector): Vector {
  const length = Math.sqrt([...vector.values()].reduce((sum, value) => sum + value * value, 0)) || 1;
  return new Map([...vector].map(([term, value]) => [term, value / length]));
}

function dot(a: Vector, b: Vector): number {
  let sum = 0;
  for (const [term, value] of a) sum += value * (b.get(term) ?? 0);
  return sum;
}
