/**
 * @file Ranks records that are already known to be valid: Generative Agents and Emotional RAG, as small functions over the same candidates.
 *
 * Generative Agents (Park et al. 2023) adds recency, importance, and relevance, each min-max normalized over the candidates. Recency here
 * decays with the turns since last access; the released code gives the highest recency to the oldest record, which we do not follow.
 * Emotional RAG (Huang et al. 2024) combines a distance in meaning with one in emotion, in four ways.
 */

export interface RankItem {
  readonly id: string;
  /** Turns since it was last recalled, or since it was recorded. */
  readonly age: number;
  readonly importance: number;
  /** Similarity in meaning; larger is closer. */
  readonly relevance: number;
  readonly emotion?: readonly number[];
}

export interface RankedItem {
  readonly id: string;
  readonly score: number;
  /** The components of the score. */
  readonly parts: Readonly<Record<string, number>>;
}

export interface GenerativeWeights {
  readonly recency?: number;
  readonly importance?: number;
  readonly relevance?: number;
  /** The factor by which recency decays per turn. */
  readonly decay?: number;
}

/** Best first. Scores compare only within one call, because each part is normalized over these candidates. */
export function generativeAgents(candidates: readonly RankItem[], weights: GenerativeWeights = {}): readonly RankedItem[] {
  const { recency = 1, importance = 1, relevance = 1, decay = 0.995 } = weights;
  const recent = normalise(candidates.map(({ age }) => decay ** age));
  const weighty = normalise(candidates.map((candidate) => candidate.importance));
  const close = normalise(candidates.map((candidate) => candidate.relevance));
  return sortByScore(
    candidates.map(({ id }, i) => {
      const parts = { recency: recent[i]!, importance: weighty[i]!, relevance: close[i]! };
      return { id, parts, score: recency * parts.recency + importance * parts.importance + relevance * parts.relevance };
    }),
  );
}

/** Normalizes to [0, 1]; if all values are equal, each becomes 0.5. */
export function normalise(values: readonly number[]): readonly number[] {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return high > low ? values.map((value) => (value - low) / (high - low)) : values.map(() => 0.5);
}

/**
 * C-A: sum of both distances. C-M: their product. S-C: the nearest in meaning, ranked by emotion. S-S: the nearest in emotion, ranked by
 * meaning.
 */
export type EmotionalStrategy = 'C-A' | 'C-M' | 'S-C' | 'S-S';
export const emotionalStrategies: readonly EmotionalStrategy[] = ['C-A', 'C-M', 'S-C', 'S-S'];

export interface EmotionalQuery {
  readonly emotion: readonly number[];
  /** The number of candidates that pass the first stage of S-C and S-S. */
  readonly first?: number;
}

/** Nearest first. The distance in meaning is given, or 1 − relevance; a candidate without an emotion counts as neutral. */
export function emotionalRag(
  candidates: readonly (RankItem & { readonly distance?: number })[],
  strategy: EmotionalStrategy,
  { emotion, first = 20 }: EmotionalQuery,
): readonly RankedItem[] {
  const measured = candidates.map((candidate) => ({
    id: candidate.id,
    meaning: candidate.distance ?? 1 - candidate.relevance,
    emotion: 1 - cosine(emotion, candidate.emotion ?? neutral),
  }));
  const by = (distance: (item: (typeof measured)[number]) => number) =>
    sortByScore(measured.map((item) => ({ id: item.id, score: -distance(item), parts: { meaning: item.meaning, emotion: item.emotion } })));
  if (strategy === 'C-A') return by((item) => item.meaning + item.emotion);
  if (strategy === 'C-M') return by((item) => item.meaning * item.emotion);
  const meaningFirst = strategy === 'S-C';
  const stage = by((item) => (meaningFirst ? item.meaning : item.emotion)).slice(0, first);
  return sortByScore(
    stage.map((rankedItem) => ({
      ...rankedItem,
      score: -((meaningFirst ? rankedItem.parts['emotion'] : rankedItem.parts['meaning']) as number),
    })),
  );
}

/** The emotion of a record without one. */
export const neutral: readonly number[] = [1, 1, 1, 1, 1, 1, 1, 1];

export function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let dot = 0;
  let aa = 0;
  let bb = 0;
  for (let i = 0; i < a.length; i++) {
    const x = a[i]!;
    const y = b[i] ?? 0;
    dot += x * y;
    aa += x * x;
    bb += y * y;
  }
  return aa === 0 || bb === 0 ? 0 : dot / Math.sqrt(aa * bb);
}

export function euclidean(a: readonly number[], b: readonly number[]): number {
  return Math.sqrt(a.reduce((sum, x, i) => sum + (x - (b[i] ?? 0)) ** 2, 0));
}

/** Best first; ties keep their order. */
function sortByScore(ranked: readonly RankedItem[]): readonly RankedItem[] {
  return [...ranked].sort((a, b) => b.score - a.score);
}
