/** @file The arena: from stored episodes to matches, and from matches to a ranking with its uncertainty. */

export { exploitWords, type FoundExploit } from './found-exploit.ts';
export * from './matches.ts';
export * from './ranking.ts';
