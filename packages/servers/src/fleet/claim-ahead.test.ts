/** @file A worker claims ahead where claims take as long as episodes, and holds nothing back from others where episodes are long. */

import type { Lease, Lot } from '@ludus-agents/kernel/internal/core/index';
import { expect, it } from 'vitest';
import { ClaimAhead, spareOf } from './claim-ahead.ts';

const aheadOf = (places: number, claim: number, episode: number): number => {
  const ahead = new ClaimAhead(places);
  for (let time = 0; time < 50; time++) {
    ahead.noteClaim(claim);
    ahead.notePlay(episode);
  }
  return ahead.count;
};

it('ClaimAhead holds as many jobs as end during a claim, up to a quarter of the places', () => {
  expect(new ClaimAhead(20).count).toBe(0);
  // A person of ten answers of 200 ms, and a claim of some milliseconds.
  expect(aheadOf(20, 5, 2500)).toBe(0);
  expect(aheadOf(64, 50, 3200)).toBe(1);
  // Episodes that no model slows down.
  expect(aheadOf(20, 2, 1)).toBe(5);
  expect(aheadOf(64, 2, 0)).toBe(16);
});

it('ClaimAhead adapts to changes', () => {
  const ahead = new ClaimAhead(16);
  ahead.noteClaim(10);
  for (let time = 0; time < 50; time++) ahead.notePlay(1);
  expect(ahead.count).toBe(4);
  for (let time = 0; time < 50; time++) ahead.notePlay(10_000);
  expect(ahead.count).toBe(0);
});

it('spareOf adds some of the last jobs without a place, only if models are called', () => {
  const lots = new Map(
    Object.entries({ one: ['m'], two: ['m', 'n'], none: [] }).map(([id, models]) => [id, { id, models } as unknown as Lot]),
  );
  const spare = (places: number, ...current: string[]) =>
    spareOf(
      { places, calls: 20 },
      current.map((lot) => ({ lease: { lot } as Lease })),
      lots,
    );
  expect(spare(20, 'one', 'two')).toBe(10);
  expect([spare(20), spare(20, 'unknown'), spare(20, 'none'), spare(20, 'one', 'none'), spare(1, 'one')]).toEqual([0, 0, 0, 0, 0]);
  // More calls than places: each episode more would be a call more.
  expect(spare(19, 'one')).toBe(0);
});
