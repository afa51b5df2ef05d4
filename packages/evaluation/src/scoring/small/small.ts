/** @file The interface of small models: sentence vectors, and whether one sentence follows from another or contradicts it. */

import type { Basis } from '@ludus-agents/agents/internal/encoders/encoder';
import { hash } from '@ludus-agents/kernel/internal/core/index';

export { type Basis, type Embedder, likeness, relevanceOf } from '@ludus-agents/agents/internal/encoders/encoder';

/** Probabilities that add up to 1. */
export interface Entailment {
  readonly entails: number;
  readonly neutral: number;
  readonly contradicts: number;
}

/** Natural-language inference: the premise is known to be true, the hypothesis is someone's statement. */
export interface Nli {
  readonly name: string;
  readonly basis: Basis;
  classify(pairs: readonly { readonly premise: string; readonly hypothesis: string }[]): Promise<readonly Entailment[]>;
}

/** The provenance entry for a small model, so a fallback is always visible. */
export function labelOf({ name, basis }: { readonly name: string; readonly basis: Basis }): string {
  return basis === 'lexical' ? `${name} (lexical fallback: counts words, understands nothing)` : name;
}

/** The properties that must be equal for comparable scores, with their hash. */
export function provenanceOf(parts: Readonly<Record<string, string>>): Readonly<Record<string, string>> & { readonly hash: string } {
  return { ...parts, hash: hash(parts) };
}
