/** @file Runs compared pair by pair: the same verdicts, seen from either side. */

import type { EpisodeEvent } from '@ludus-agents/kernel/internal/core/index';
import { memoryStore } from '@ludus-agents/store/internal/memory';
import { expect, it } from 'vitest';
import { compareRuns } from './pairwise-run.ts';
import type { Judge } from './scoring/judges/index.ts';

const lengthOf = (events: readonly EpisodeEvent[], seat: string) =>
  events.reduce((sum, event) => (event.kind === 'action' && event.seat === seat ? sum + event.action.text.length : sum), 0);

const noCost = { calls: 0, promptTokens: 0, completionTokens: 0, money: 0 };

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

it('length control is symmetric: swapping the sides gives 1 − p with the same weight', async () => {
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
  expect(forth.matches.map(({ agent, other, pairs }) => [agent, other, pairs])).toEqual([
    ['a', 'b', 12],
    ['b', 'b', 12],
  ]);
  for (const [agent, other] of [
    ['a', 'b'],
    ['b', 'b'],
  ]) {
    const [one] = forth.matches.filter((match) => match.agent === agent && match.other === other);
    const [two] = back.matches.filter((match) => match.agent === other && match.other === agent);
    expect(one!.winRate).toBeCloseTo(1 - two!.winRate!, 12);
    const [a, b] = [one!.lengthControl!, two!.lengthControl!];
    expect([a.n, b.n]).toEqual([6, 6]);
    expect(a.controlled).toBeCloseTo(1 - b.controlled, 9);
    expect([a.lengthWeight, a.scale, a.pull]).toEqual([expect.closeTo(b.lengthWeight, 6), expect.closeTo(b.scale, 9), b.pull]);
  }
});

it('compares each agent of one run with each agent of the other, in the scenes that a report counts', async () => {
  const store = memoryStore();
  const lengths = { long: 30, mid: 20, short: 10 };
  const play = async (run: string, agent: keyof typeof lengths) => {
    for (const [task, scene] of [
      [0, 'one'],
      [1, 'one'],
      [2, 'two'],
    ] as const) {
      // In the second scene, all characters answer briefly.
      const text = 'x'.repeat(scene === 'two' ? 5 : lengths[agent]);
      const events: EpisodeEvent[] = [
        {
          kind: 'start',
          environment: 'kuhn-poker@1',
          task: { rounds: task + 1 },
          seed: 1,
          seats: ['first', 'second'],
          cast: { first: agent, second: 'house:random' },
        },
        { kind: 'action', seat: 'first', action: { text } },
        { kind: 'end', reason: 'over', returns: { first: 0, second: 0 }, penalties: { first: 0, second: 0 }, turns: 1 },
      ];
      const id = `${run} ${agent} ${task}`;
      await store.append(id, 0, events, run);
      const provenance = { scene };
      await store.putScores(id, [
        { name: 'result', seat: 'first', value: 1, status: 'ok', scale: [0, 1], evidence: [], cost: noCost, provenance },
      ]);
    }
  };
  for (const [run, agents] of [
    ['pair', ['long', 'short']],
    ['sole', ['mid']],
  ] as const) {
    await store.putRun({ id: run, plan: { name: run, environments: [], seeds: [1], casts: [] }, episodes: 3 });
    for (const agent of agents) await play(run, agent);
  }
  const signal = new AbortController().signal;
  const ratesOf = async (run: string, against: string) => {
    const { matches } = await compareRuns({ store, run, against, judge, signal });
    return Object.fromEntries(matches.map(({ agent, other, winRate, pairs }) => [`${agent} ${other}`, [winRate, pairs]]));
  };
  expect(await ratesOf('pair', 'sole')).toEqual({ 'long mid': [0.75, 3], 'short mid': [0.25, 3] });
  expect(await ratesOf('sole', 'pair')).toEqual({ 'mid long': [0.25, 3], 'mid short': [0.75, 3] });
});
