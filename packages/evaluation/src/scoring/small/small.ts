/** @file The interface of small models: sentence vectors, and whether one sentence follows from another or contradicts it. */

import { hash } from '@ludus-agents/kernel/internal/core/index';

/** How a number was made. A word count must never pass for a model: the method is in every score's provenance. */
export type Basis = 'model' | 'lexical';

/** Probabilities that add up to 1. */
export interface Entailment {
  readonly entails: number;
  readonly neutral: number;
  readonly contradicts: number;
}

/** Natural-language inference: the premise is what is known to be so, the hypothesis what somebody said. */
export interface Nli {
  readonly name: string;
  readonly basis: Basis;
  classify(pairs: readonly { readonly premise: string; readonly hypothesis: string }[]): Promise<readonly Entailment[]>;
}

/** Sentence vectors of length 1, whose product is their likeness. */
export interface Embedder {
  readonly name: string;
  readonly basis: Basis;
  /** The likeness of unrelated sentences, and of sentences on the same matter: what 0 and 1 of relevance mean for this embedder. */
  readonly likeness: readonly [unrelated: number, related: number];
  embed(texts: readonly string[]): Promise<readonly Float32Array[]>;
}

/** The cosine of two vectors of length 1. */
export function likeness(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/** Likeness as a relevance from 0 to 1, by what the embedder gives to unrelated and to related sentences. */
export function relevanceOf({ likeness: [unrelated, related] }: Embedder, cosine: number): number {
  return Math.min(1, Math.max(0, (cosine - unrelated) / (related - unrelated)));
}

/** The provenance entry for a small model, so that a fallback cannot pass unseen. */
export function labelOf({ name, basis }: { readonly name: string; readonly basis: Basis }): string {
  return basis === 'lexical' ? `${name} (lexical fallback: counts words, understands nothing)` : name;
}

/** What would have to be equal for scores to be comparable, with its hash. */
export function provenanceOf(parts: Readonly<Record<string, string>>): Readonly<Record<string, string>> & { readonly hash: string } {
  return { ...parts, hash: hash(parts) };
}
