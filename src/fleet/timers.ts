/**
 * @file Short pauses for who waits in thousands.
 *
 * What waits for a model survives every collection, and the larger the young generation has grown, the longer each one copies while nobody
 * else is served. Kept small it is collected more often and each time in no time: more work in all, but no lane waits for it.
 */

import { setFlagsFromString } from 'node:v8';

/** From so many episodes at once on, it pays. */
const many = 1000;

/** Keeps the young generation as small as it is now; to be said before it has grown. */
export function setTimerResolution(concurrency: number): void {
  if (concurrency >= many) setFlagsFromString('--semi-space-growth-factor=1');
}
