/** @file Runs compared pair by pair: the same verdicts, seen from either side. */

import type { EpisodeEvent } from '@ludus-agents/kernel/internal/core/index';
import { memoryStore } from '@ludus-agents/store/internal/memory';
import { expect, it } from 'vitest';
import { compareRuns } from './pairwise-run.ts';
import type { Judge } from './scoring/judges/index.ts';

const lengthOf = (events: readonly EpisodeEvent[], seat: string) =>
  events.reduce((sum, event) => (event.kind === 'action' && event.seat === seat ? sum + event.action.text.length : sum), 0);

/** Prefers the longer answer, except that one whose number of characters ends in 7 always loses. */
const judge = {
  name: 'judge/longest',
  hash: 'longest',
  async score({ episodes: [mine, theirs], seat }: { episodes: readonly { id: string; events: readonly EpisodeEvent[] }[]; seat: string }) {
    const [own, other] = [lengthOf(mine!.events, seat), lengthOf(theirs!.events, seat)];
    const [rank, otherRank] = [own % 10 === 7 ? -1 : own, other % 10 === 7 ? -1 : other];
    const value = rank === otherRank ? 0.5 : rank > otherRank ? 1 : 0;
    return [{ name: 'judge/longest', seat, value, status: 'ok', evidence: [], cost: { calls: 0 }, provenance: { judgeHash: 'longest' } }];
  },
} as unknown as Judge;

it('controls for length alike from both sides: 1 − p with the same weight, scale and number of tasks', async () => {
  const store = memoryStore();
  // "left" has two agents at the table and "right" one on both seats, so that agents alone do not tell repeats apart.
  const casts = { left: { first: 'a', second: 'b' }, right: { first: 'b', second: 'b' } };
  for (const [run, cast] of Object.entries(casts)) {
    await store.putRun({ id: run, plan: { name: run, environments: [], seeds: [1, 2], casts: [] }, episodes: 12 });
    for (let task = 0; task < 6; task++)
      for (const seed of [1, 2]) {
        const say = (seat: 'first' | 'second', length: number): EpisodeEvent => ({
          kind: 'action',
          seat,
          action: { text: 'x'.repeat(length) },
        });
        const [one, two] = run === 'left' ? [10 + 7 * task + seed, 20 - task] : [30 - 3 * task, 12 + 5 * seed + task];
        const zero = { first: 0, second: 0 };
        const events: EpisodeEvent[] = [
          { kind: 'start', environment: 'kuhn-poker@1', task: { rounds: task + 1 }, seed, seats: ['first', 'second'], cast },
          say('first', one),
          say('second', two),
          { kind: 'end', reason: 'over', returns: zero, penalties: zero, turns: 2 },
        ];
        await store.append(`${run} ${task} ${seed}`, 0, events, run);
      }
  }
  const signal = new AbortController().signal;
  const forth = await compareRuns({ store, run: 'left', against: 'right', judge, signal });
  const back = await compareRuns({ store, run: 'right', against: 'left', judge, signal });
  expect([forth.pairs, back.pairs]).toEqual([24, 24]);
  expect(forth.winRate).toBeCloseTo(1 - back.winRate!, 12);
  const [a, b] = [forth.lengthControl!, back.lengthControl!];
  expect([a.n, b.n]).toEqual([12, 12]);
  expect(a.controlled).toBeCloseTo(1 - b.controlled, 9);
  expect([a.lengthWeight, a.scale, a.pull]).toEqual([expect.closeTo(b.lengthWeight, 6), expect.closeTo(b.scale, 9), b.pull]);
});
