/**
 * @file Garbage collection with thousands of waiting episodes.
 *
 * Episodes that wait for a model survive every garbage collection, and the larger the young generation has grown, the longer each
 * collection blocks the thread. Kept small, it is collected more often but each time quickly: more work in all, but no long pause.
 */

import { setFlagsFromString } from 'node:v8';

/** From so many episodes at once on, it pays. */
const many = 1000;

/** Keeps the young generation as small as it is now; call it before it has grown. */
export function limitYoungGeneration(concurrency: number): void {
  if (concurrency >= many) setFlagsFromString('--semi-space-growth-factor=1');
}
