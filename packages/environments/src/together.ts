/** @file What seats say to each other, and names for seats that differ in nothing but their place. */

import type { Seat } from '@ludus-agents/kernel/internal/core/index';

const longestTalk = 2000;

/** What a seat says, on one line so that it cannot be taken for anyone else's words; empty when it says nothing. */
export function talkOf(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > longestTalk ? `${line.slice(0, longestTalk).toWellFormed()}…` : line;
}

/** Names for seats that differ in nothing but their place. */
export const ordinals: readonly Seat[] = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'];
