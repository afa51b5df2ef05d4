/** @file Payments of moves against a log that is added up by hand. */

import { describe, expect, it } from 'vitest';
import type { EpisodeEvent } from '../../core/index.ts';
import { fullReturns, laterReturns } from './returns.ts';

const log: readonly EpisodeEvent[] = [
  { kind: 'start', environment: 'x@1', task: {}, seats: ['ann', 'bob'], seed: 1, cast: { ann: 'a', bob: 'b' } },
  { kind: 'action', seat: 'ann', action: { text: '[a]' } },
  { kind: 'action', seat: 'bob', action: { text: '?' } },
  { kind: 'reward', rewards: {}, penalties: { bob: 1 } },
  { kind: 'action', seat: 'bob', action: { text: '[b]' } },
  { kind: 'reward', rewards: { ann: 3, bob: 5 } },
  { kind: 'action', seat: 'ann', action: { text: '[c]' } },
  { kind: 'action', seat: 'bob', action: { text: '[d]' } },
  { kind: 'reward', rewards: { ann: 1, bob: 2 } },
  { kind: 'end', reason: 'over', returns: { ann: 4, bob: 7 }, penalties: { ann: 0, bob: 1 }, turns: 3 },
];
const ofActions = (paid: readonly number[]) => paid.filter((_, i) => log[i]?.kind === 'action');

describe('what moves are paid', () => {
  it('is all that the seat was paid, less all its penalties', () => {
    expect(ofActions(fullReturns(log, { scale: 2, fine: 3 }))).toEqual([8, 14 - 3, 14 - 3, 8, 14 - 3]);
  });

  it('is what came after the move, less the penalty for the move and for no other', () => {
    expect(ofActions(laterReturns(log, { scale: 2, fine: 3 }))).toEqual([8, 14 - 3, 14, 2, 4]);
  });

  it('is not known of a game that was broken off', () => {
    expect(() => fullReturns(log.slice(0, -1), { scale: 1, fine: 1 })).toThrow('ended by');
  });
});
