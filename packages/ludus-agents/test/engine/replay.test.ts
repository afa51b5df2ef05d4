import { kuhnPoker } from '@ludus-agents/environments/internal/kuhn-poker';
import { type EpisodeEvent, Fault, scripted } from '@ludus-agents/kernel/internal/core/index';
import { fork, play, resume } from '@ludus-agents/kernel/internal/engine/play';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { describe, expect, it } from 'vitest';
import { bidding, bytes, everywhere, logOf, temper } from '../../../../test/random-environments.ts';

const bidders = ['ann', 'bob', 'cid'] as const;
const players = everywhere(bidders, scripted('tempered', temper(1)));
const bids = () => logOf(play(bidding, players, { seed: 3 }));

// biome-ignore lint/suspicious/noExplicitAny: a tampered event has any shape.
type Loose = any;

/** A deep copy of a log with one event changed in place, or put in, or left out. */
function tampered(log: readonly EpisodeEvent[], change: (events: Loose[]) => unknown): EpisodeEvent[] {
  const copy = JSON.parse(JSON.stringify(log)) as EpisodeEvent[];
  change(copy);
  return copy;
}

const first = (log: readonly EpisodeEvent[], kind: EpisodeEvent['kind'], n = 0) =>
  log.flatMap((event, i) => (event.kind === kind ? [i] : []))[n]!;

describe('[E16] replay', () => {
  it.each<[string, EpisodeEvent['kind'], (event: Loose) => object]>([
    ['a changed word', 'message', (event) => ({ text: `${event.text}!` })],
    ['a message with an additional recipient', 'message', (event) => ({ to: [...event.to, 'cid'] })],
    ['a message with a false sender', 'message', () => ({ from: 'ann' })],
    ['data added to a message', 'message', () => ({ data: { x: 1 } })],
    ['a changed reward', 'reward', (event) => ({ rewards: { ...event.rewards, ann: 100 } })],
    ['a reward to an unknown seat', 'reward', (event) => ({ rewards: { ...event.rewards, dan: 0 } })],
    ['an added penalty', 'reward', () => ({ penalties: { ann: 9 } })],
    ['a changed ask', 'turn', (event) => ({ asks: [{ ...event.asks[0], seat: 'dan' }, ...event.asks.slice(1)] })],
    ['a removed choice', 'turn', (event) => ({ asks: event.asks.map((ask: Loose) => ({ ...ask, choices: ask.choices.slice(1) })) })],
    ['an added window', 'turn', (event) => ({ asks: event.asks.map((ask: Loose) => ({ ...ask, window: 0 })) })],
    ['an action of a seat without an ask', 'action', () => ({ seat: 'dan' })],
    ['an action without a text', 'action', () => ({ action: {} })],
    ['no action', 'action', () => ({ action: undefined })],
    ['an unknown field in an action', 'action', () => ({ note: 'x' })],
    ['changed returns', 'end', (event) => ({ returns: { ...event.returns, bob: event.returns.bob + 1 } })],
    ['changed penalties at the end', 'end', (event) => ({ penalties: { ...event.penalties, bob: -1 } })],
    ['a changed number of turns', 'end', () => ({ turns: 99 })],
    ['another end reason', 'end', () => ({ reason: 'abort' })],
    ['an unknown end reason', 'end', () => ({ reason: 'bored' })],
    ['an added fault', 'end', () => ({ fault: { boundary: 'agent', message: 'x' } })],
    ['another kind of event', 'message', () => ({ kind: 'memo' })],
    ['an additional seat', 'start', (event) => ({ seats: [...event.seats, 'dan'] })],
    ['a missing seat', 'start', (event) => ({ seats: event.seats.slice(1) })],
    ['a cast of an unknown seat', 'start', (event) => ({ cast: { ...event.cast, dan: 'x' } })],
    ['an unknown parameter', 'start', (event) => ({ task: { ...event.task, extra: 1 } })],
  ])('reports %s at its index', async (_, kind, change) => {
    const log = await bids();
    const index = first(log, kind);
    const copy = tampered(log, (events) => events.splice(index, 1, { ...events[index], ...change(events[index]) }));
    expect(replay(bidding, copy)).toMatchObject({ index });
    expect(
      replay(
        bidding,
        tampered(log, (events) => events.splice(index, 1, { ...events[index] })),
      ),
    ).toBeNull();
  });

  it.each<[string, number, (events: Loose[]) => unknown]>([
    ['a missing message', 1, (events) => events.splice(1, 1)],
    ['an added message', 2, (events) => events.splice(2, 0, { kind: 'message', to: ['ann'], text: 'psst' })],
    ['two messages swapped', 1, (events) => events.splice(1, 2, events[2], events[1])],
    ['a missing action', 7, (events) => events.splice(6, 1)],
    ['a duplicate action', 6, (events) => events.splice(6, 0, events[5])],
    ['a missing turn', 4, (events) => events.splice(4, 1)],
    ['an end in the middle of a step', 9, (events) => events.splice(9, 0, events.at(-1))],
  ])('reports %s', async (_, index, change) => {
    expect(replay(bidding, tampered(await bids(), change))?.index).toBe(index);
  });

  it('reports events after the end', async () => {
    const log = await bids();
    expect(replay(bidding, [...log, log.at(-1) as EpisodeEvent])).toMatchObject({ index: log.length, expected: null });
  });

  it('reports an unknown end reason in place of a valid one', async () => {
    const log = (await bids()).slice(0, 5);
    const end = { kind: 'end', returns: everywhere(bidders, 0), penalties: everywhere(bidders, 0), turns: 0 } as const;
    for (const reason of ['limit', 'error', 'abort'] as const) expect(replay(bidding, [...log, { ...end, reason }])).toBeNull();
    for (const reason of ['over', 'bored'] as const)
      expect(replay(bidding, [...log, { ...end, reason: reason as 'over' }])).toMatchObject({ index: 5, expected: null });
  });

  it('reports another answer at the first event that follows from it', async () => {
    const log = await bids();
    const action = first(log, 'action');
    const copy = tampered(log, (events) => events.splice(action, 1, { ...events[action], action: { text: 'no bid' } }));
    const logDifference = replay(bidding, copy);
    expect(logDifference?.found?.kind).toBe('reward');
    expect(logDifference?.index).toBe(first(log, 'reward'));
    expect(logDifference?.expected).not.toEqual(logDifference?.found);
  });

  it('reports another seed at the first roll that depends on it', async () => {
    const log = await bids();
    const copy = tampered(log, (events) => events.splice(0, 1, { ...events[0], seed: 4 }));
    expect(replay(bidding, copy)?.index).toBeGreaterThan(first(log, 'action', 2));
  });

  it('reports nothing in a truncated, aborted, or limited log', async () => {
    const log = await bids();
    for (let cut = 1; cut < log.length; cut++) expect(replay(bidding, log.slice(0, cut))).toBeNull();
    for (const options of [{ limits: { turns: 1 } }, { signal: AbortSignal.abort() }])
      expect(replay(bidding, await logOf(play(bidding, players, options)))).toBeNull();
  });

  it('rejects a log of other rules or without a start', async () => {
    const log = await bids();
    expect(() => replay(kuhnPoker, log)).toThrow(/recorded with bidding@1, but the available rules are kuhn-poker@1/);
    expect(() => replay(bidding, log.slice(1))).toThrow(Fault);
    expect(() => replay(bidding, [])).toThrow(/start event/);
  });
});

describe('resume', () => {
  it('[E17] yields only missing events, and none for a finished log', async () => {
    const log = await bids();
    expect(await logOf(resume(bidding, players, log))).toEqual([]);
    const rest = await logOf(resume(bidding, players, log.slice(0, 6)));
    expect(bytes(rest)).toBe(bytes(log.slice(6)));
  });

  it('[E17] asks only seats that have not answered', async () => {
    const log = await bids();
    const asked: string[] = [];
    const watched = everywhere(
      bidders,
      scripted('tempered', (turn) => {
        asked.push(turn.ask.seat);
        return temper(1)(turn);
      }),
    );
    const cut = first(log, 'action', 1);
    await logOf(resume(bidding, watched, log.slice(0, cut)));
    expect(asked.slice(0, 3)).toEqual(['bob', 'cid', 'ann']);
  });

  it('[E17] rejects a log that does not follow from the rules, and an empty seat', async () => {
    const log = await bids();
    const copy = tampered(log, (events) => events.splice(2, 1, { ...events[2], text: 'Hello.' })).slice(0, 6);
    expect(() => resume(bidding, players, copy)).toThrow(/event 2 should be .*Welcome.* but is .*Hello/);
    expect(() => resume(bidding, {}, log.slice(0, 5))).toThrow(/Seat "ann" has no agent/);
  });
});

describe('fork', () => {
  const quiet = everywhere(
    bidders,
    scripted('quiet', () => ({ text: '[0]' })),
  );

  it('[E18] [E19] records its origin, its cast, and its seed', async () => {
    const log = await bids();
    const at = first(log, 'turn', 1);
    const branch = await logOf(fork(bidding, log, at, quiet, { seed: 9, episode: 'e1' }));
    expect(branch[0]).toEqual({
      ...log[0],
      cast: everywhere(bidders, 'quiet'),
      fork: { episode: 'e1', at, step: 1, seed: 9 },
    });
    const grandchild = await logOf(fork(bidding, branch, branch.length - 1, quiet, { seed: 10 }));
    expect(grandchild[0]).toMatchObject({
      fork: { at: branch.length - 1, step: 3, seed: 10, before: { episode: 'e1', at, step: 1, seed: 9 } },
    });
  });

  it('[E19] uses another seed for the rules only after the fork', async () => {
    const dieOf = (log: readonly EpisodeEvent[]) => log.flatMap((event) => (event.kind === 'message' && event.data ? [event.text] : []));
    const log = await logOf(play(bidding, quiet, { seed: 3, task: { rounds: 30 } }));
    const at = first(log, 'turn', 10);
    const branch = await logOf(fork(bidding, log, at, quiet, { seed: 4 }));
    const other = await logOf(play(bidding, quiet, { seed: 4, task: { rounds: 30 } }));
    expect(dieOf(branch)).toEqual([...dieOf(log).slice(0, 10), ...dieOf(other).slice(10)]);
    expect(dieOf(branch)).not.toEqual(dieOf(log));
  });

  it('[E19] also uses another seed for the seats only after the fork', async () => {
    const rolls: number[] = [];
    const roller = everywhere(
      bidders,
      scripted('roller', ({ ask, rng }) => {
        if (ask.seat === 'bob') rolls.push(rng.next());
        return { text: '[0]' };
      }),
    );
    const rolled = () => rolls.splice(0);
    const log = await logOf(play(bidding, roller, { seed: 3, task: { rounds: 6 } }));
    const old = rolled();
    await logOf(play(bidding, roller, { seed: 4, task: { rounds: 6 } }));
    const other = rolled();
    await logOf(fork(bidding, log, first(log, 'turn', 2), roller, { seed: 4 }));
    expect(rolled()).toEqual(other.slice(2));
    await logOf(fork(bidding, log, first(log, 'turn', 2), roller));
    expect(rolled()).toEqual(old.slice(2));
  });

  it('[E20] of a fork, before its branch and without a seed, changes seeds where its parent did', async () => {
    const log = await logOf(play(bidding, quiet, { seed: 3, task: { rounds: 20 } }));
    const child = await logOf(fork(bidding, log, first(log, 'turn', 10), quiet, { seed: 4 }));
    const again = await logOf(fork(bidding, child, first(child, 'turn', 5), quiet));
    expect(bytes(again.slice(1))).toBe(bytes(child.slice(1)));
    expect(replay(bidding, again)).toBeNull();
  });

  it.each([0, -1, 1.5, 1000, Number.NaN])('[E18] before event %s is rejected', async (at) => {
    const log = await bids();
    expect(() => fork(bidding, log, at, quiet)).toThrow(Fault);
  });
});
