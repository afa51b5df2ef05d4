/** @file Engines on three grounds that are no demonstrations; `npm run bench -- improve` does the same on ten seeds with every engine. */

import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import { describe, expect, it } from 'vitest';
import { amount } from '../../../../test/fixtures/amount.ts';
import { engineGrounds } from './engine-grounds.cases.ts';
import { groundReport, grounds, trialsOf } from './grounds.cases.ts';

// A quest takes longest, and is for the long tests.
const played = grounds.filter(({ name }) => name !== 'quest-world' || amount(0, 1) === 1);

describe.each(played.map((ground) => [ground.name, ground] as const))('%s', (_, ground) => {
  it('is improved by reading episodes, more than by random edits at equal cost', async () => {
    const over: number[] = [];
    for (const seed of [1, 2].slice(0, amount(1, 2))) {
      const trials = trialsOf(ground);
      const { gain, overRandom, calls, spent } = await groundReport(ground, { engine: 'skillopt', seed, calls: 120, trials, fresh: 24 });
      expect(gain.mean).toBeGreaterThan(0.1);
      expect(spent['random']?.calls).toBeLessThanOrEqual(calls);
      over.push(overRandom.mean);
    }
    expect(meanOrZero(over)).toBeGreaterThan(0);
  });
});

// Weights need more calls before they move, and are for the long tests.
const special = Object.keys(engineGrounds).filter((name) => name !== 'together' || amount(0, 1) === 1);

it.each(special)('%s improves its components at poker without fewer calls than random edits', async (engine) => {
  const poker = grounds.find(({ name }) => name === 'kuhn-poker')!;
  const { gain, calls, best, start, spent } = await engineGrounds[engine]!(poker, {
    engine,
    seed: 1,
    calls: engine === 'together' ? 300 : 160,
    fresh: 24,
  });
  expect(gain.mean).toBeGreaterThan(0.1);
  expect(best.candidate).not.toBe(start.candidate);
  expect(spent['random']?.calls).toBeLessThanOrEqual(calls);
});
