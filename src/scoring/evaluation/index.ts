/** @file Evaluation: from scored episodes to standings, comparisons and the words for them. */

export * from './contest.ts';
export * from './estimate.ts';
export * from './result.ts';
export * from './row.ts';
export * from './standings.ts';
