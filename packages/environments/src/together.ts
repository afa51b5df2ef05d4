/** @file Shared speech of seats, and names for seats that differ only in their position. */

import type { Seat } from '@ludus-agents/kernel/internal/core/index';

const longestTalk = 2000;

/** Returns a seat's speech on one line, so that it cannot be mistaken for another speaker's. Empty if it says nothing. */
export function talkOf(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > longestTalk ? `${line.slice(0, longestTalk).toWellFormed()}…` : line;
}

/** Names for seats that differ only in their position. */
export const ordinals: readonly Seat[] = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'];
