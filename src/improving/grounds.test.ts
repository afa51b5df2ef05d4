/** @file Engines on three grounds that are no demonstrations; `npm run bench -- improve` does the same on ten seeds with every engine. */

import { describe, expect, it } from 'vitest';
import { meanOrZero } from '../core/mean.ts';
import { groundReport, grounds, trialsOf } from './grounds.cases.ts';

describe.each(grounds.map((ground) => [ground.name, ground] as const))('%s', (_, ground) => {
  it('is improved by reading, more than by random edits at equal cost', async () => {
    const over: number[] = [];
    // A quest takes longest.
    for (const seed of ground.name === 'quest-world' ? [1] : [1, 2]) {
      const trials = trialsOf(ground);
      const { gain, overRandom, calls, spent } = await groundReport(ground, { engine: 'skillopt', seed, calls: 120, trials, fresh: 24 });
      expect(gain.mean).toBeGreaterThan(0.1);
      expect(spent['random']?.calls).toBeLessThanOrEqual(calls);
      over.push(overRandom.mean);
    }
    expect(meanOrZero(over)).toBeGreaterThan(0);
  });
});
