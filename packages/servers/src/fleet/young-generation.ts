/**
 * @file Garbage collection with thousands of waiting episodes.
 *
 * Episodes that wait for a model survive every garbage collection, and the larger the young generation, the longer each
 * collection blocks the thread. A small one is collected more often but faster: more work in total, but no long pauses.
 */

import { setFlagsFromString } from 'node:v8';

/** The number of concurrent episodes from which it pays off. */
const many = 1000;

/** Fixes the young generation at its current size; call it before it has grown. */
export function limitYoungGeneration(concurrency: number): void {
  if (concurrency >= many) setFlagsFromString('--semi-space-growth-factor=1');
}
