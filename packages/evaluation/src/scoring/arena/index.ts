/** @file The arena: from stored episodes to matches, and from matches to a ranking with its uncertainty. */

export * from './matches.ts';
export { exploitWords, type FoundExploit } from './matches.ts';
export * from './ranking.ts';
