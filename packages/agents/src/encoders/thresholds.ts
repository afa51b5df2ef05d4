/**
 * @file How similar two texts must be to count as the same, for each use: in relevance, which has the same meaning for every calibrated
 * encoder, and in shared words if there is none. `npm run bench -- encoders` measures each on data (docs/evidence/memory.md).
 */

export const alikeFor = {
  /** Conversations of one kind. */
  kind: { meaning: 0.9, words: 0.25 },
  /** Situations in which a lesson applies. */
  situation: { meaning: 0.5, words: 0.25 },
  /** Two wordings of a question; on a scale that extends above 1. */
  rewording: { meaning: 1.45 },
  /** A tool, passage, or plan that matches a request; by words, any shared one. */
  request: { meaning: 0.34, words: 0 },
} as const;
