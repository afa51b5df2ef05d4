/** @file Evaluation: from scored episodes to standings, comparisons and the words for them. */

export * from '../statistics/summary.ts';
export * from './contest.ts';
export * from './current-scores.ts';
export * from './result.ts';
export * from './row.ts';
export * from './standings.ts';
