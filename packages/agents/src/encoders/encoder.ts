/** @file Sentence vectors: an encoder's output, the similarity of two vectors, and its meaning for each encoder. */

/** How a number was computed. A word count must never pass for a model, so every score's provenance contains the method. */
export type Basis = 'model' | 'lexical';

/** Computes sentence vectors of length 1. The dot product of two vectors is their similarity. */
export interface Embedder {
  readonly name: string;
  readonly basis: Basis;
  /** The similarity of unrelated sentences, and of sentences on the same topic: they define relevance 0 and 1 for this embedder. */
  readonly likeness: readonly [unrelated: number, related: number];
  embed(texts: readonly string[]): Promise<readonly Float32Array[]>;
}

/** The cosine of two vectors of length 1. */
export function likeness(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/** Similarity as a relevance from 0 to 1, by the encoder's scores for unrelated and related sentences. */
export function relevanceOf({ likeness: [unrelated, related] }: Pick<Embedder, 'likeness'>, cosine: number): number {
  return Math.min(1, Math.max(0, (cosine - unrelated) / (related - unrelated)));
}

/** Texts that belong together: a question and the sentence that answers it, or two wordings of the same thing. */
export type RelatedPair = readonly [question: string, answer: string];

/** An encoder's similarities for related and unrelated texts. */
export interface EncoderCalibration {
  /** The median similarity of a question to the answers of other questions, and to its own answer. */
  readonly ends: readonly [unrelated: number, related: number];
  /** How often an answer is closer to its question than another question's answer; 0.5 is chance. */
  readonly separation: number;
}

/**
 * Measures an encoder on pairs of related texts. The result calibrates the encoder, and its separation shows whether the encoder is usable.
 */
export async function calibrateEncoder(encoder: Pick<Embedder, 'embed'>, pairs: readonly RelatedPair[]): Promise<EncoderCalibration> {
  const questions = await encoder.embed(pairs.map(([question]) => question));
  const answers = await encoder.embed(pairs.map(([, answer]) => answer));
  const related = questions.map((question, i) => likeness(question, answers[i]!));
  const unrelated = questions.map((question, i) => answers.filter((_, j) => j !== i).map((answer) => likeness(question, answer)));
  const wins = related.flatMap((similarity, i) => unrelated[i]!.map((other) => (similarity > other ? 1 : similarity === other ? 0.5 : 0)));
  return {
    ends: [median(unrelated.flat()), median(related)],
    separation: wins.reduce<number>((sum, win) => sum + win, 0) / wins.length,
  };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle) - 1]!) / 2;
}
