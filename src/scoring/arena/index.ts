/** @file The arena: from stored games to matches, and from matches to a ranking that says how sure it is. */

export * from './bouts.ts';
export * from './ranking.ts';
