/** @file What the page makes of events: nothing is lost, sums are those of the log, and who is asked is who owes an answer. */

import { createAgent, standIn } from '@ludus-agents/agents/internal/kinds';
import { builtInEnvironment, environmentNames } from '@ludus-agents/environments/internal/built-in';
import type { EndEvent, EpisodeEvent, Score } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import type { EventShown } from '@ludus-agents/servers/internal/studio/api';
import { toShownEvent } from '@ludus-agents/servers/internal/studio/event-view';
import {
  askAt,
  endOf,
  forkableAt,
  hueIn,
  isLeak,
  openAsk,
  pictureAt,
  quotesAt,
  rowAt,
  rowsOf,
  totalsAt,
  utteranceOf,
} from '@ludus-agents/studio/internal/stage/fold';
import { describe, expect, it } from 'vitest';
import { beliefPicture } from '../packages/studio/src/stage/belief-picture.ts';

async function played(
  name: string,
  seed: number,
): Promise<{ readonly log: readonly EpisodeEvent[]; readonly items: readonly EventShown[] }> {
  const environment = await builtInEnvironment(name);
  const seats = environment.seats(environment.task({}));
  const agents = Object.fromEntries(
    await Promise.all(seats.map(async (seat) => [seat, await createAgent(standIn(environment, seat), seat, environment)] as const)),
  );
  const log: EpisodeEvent[] = [];
  for await (const event of play(environment, agents, { seed, limits: { turns: 40 } })) log.push(event);
  return { log, items: log.map((event, index) => ({ index, event: toShownEvent(event, null) as EventShown['event'] })) };
}

describe('an imported conversation', () => {
  const say = (index: number, from: string, to: string, text: string): EventShown => ({
    index,
    event: { kind: 'message', from, to: [to], text } as EventShown['event'],
  });
  const act = (index: number, seat: string, text: string): EventShown => ({
    index,
    event: { kind: 'action', seat, action: { text } } as EventShown['event'],
  });
  const turn = (index: number, seat: string): EventShown => ({ index, event: { kind: 'turn', asks: [{ seat }] } as EventShown['event'] });
  const items: readonly EventShown[] = [
    { index: 0, event: { kind: 'start', environment: 'relay@1', seats: ['world', 'user', 'bot'] } as unknown as EventShown['event'] },
    { index: 1, event: { kind: 'message', to: ['world'], text: 'You are the world.' } as EventShown['event'] },
    ...[turn(2, 'user'), act(3, 'user', 'Hello'), say(4, 'user', 'world', 'Hello')],
    ...[turn(5, 'world'), act(6, 'world', ''), say(7, 'user', 'bot', 'Hello')],
    ...[turn(8, 'bot'), act(9, 'bot', 'Hi!'), say(10, 'bot', 'world', 'Hi!')],
    ...[turn(11, 'world'), act(12, 'world', ''), say(13, 'bot', 'user', 'Hi!')],
  ];

  it('shows every message once and its notes on request', () => {
    const rows = rowsOf(items, { notes: false });
    expect(rows.map(({ index, answer }) => [index, answer?.index])).toEqual([
      [0, undefined],
      [7, 3],
      [13, 9],
    ]);
    expect(rowsOf(items, { notes: false, also: 6 }).map(({ index }) => index)).toEqual([0, 7, 6, 13]);
    expect(rowsOf(items, { notes: true })).toHaveLength(8);
    // A seat that has not heard what the world was told reads what the world told it.
    const observations = items.filter(({ index }) => [0, 7, 8, 9].includes(index));
    expect(rowsOf(observations, { notes: false }).map(({ index }) => index)).toEqual([0, 7, 9]);
  });
});

describe.each(environmentNames())('an episode of %s', (name) => {
  it('is read completely, adds up, and shows every seat that owes an answer', async () => {
    for (const seed of [1, 2]) {
      const { log, items } = await played(name, seed);
      const rows = rowsOf(items, { notes: true });
      const visible = rows.flatMap(({ index, answer }) => (answer === undefined ? [index] : [answer.index, index])).sort((a, b) => a - b);
      expect(visible).toEqual(log.flatMap(({ kind }, i) => (kind === 'turn' ? [] : [i])));
      for (const index of visible) {
        const row = rows[rowAt(rows, index)];
        expect(row?.index === index || row?.answer?.index === index).toBe(true);
      }
      const end = log.at(-1) as EndEvent;
      expect(endOf(items)).toBe(end);
      const { returns, turns } = totalsAt(items, Number.POSITIVE_INFINITY);
      for (const [seat, payment] of Object.entries(end.returns)) expect(returns[seat] ?? 0).toBeCloseTo(payment, 9);
      expect(turns).toBe(log.filter(({ kind }) => kind === 'turn').length);
      for (const [i, event] of log.entries()) {
        if (event.kind === 'turn') for (const ask of event.asks) expect(openAsk(items.slice(0, i + 1), ask.seat)).toEqual({ ask, turn: i });
        if (event.kind !== 'action') continue;
        expect(openAsk(items.slice(0, i + 1), event.seat)).toBeNull();
        expect(askAt(items, i, event.seat)?.seat).toBe(event.seat);
      }
    }
  });
});

describe('a position in an episode', () => {
  it('is read aloud with its voice tag if a seat speaks', () => {
    const voice = { style: 'shouting', emotion: 'anger' };
    const log: readonly EpisodeEvent[] = [
      { kind: 'turn', asks: [{ seat: 'a' }] },
      { kind: 'action', seat: 'a', action: { text: 'No! [leave]', data: { voice } } },
      { kind: 'message', to: ['b'], from: 'a', text: 'No!' },
      { kind: 'message', to: ['b'], text: 'The door falls shut.' },
    ];
    const items = log.map((event, index) => ({ index, event: toShownEvent(event, null) as EventShown['event'] }));
    expect(rowsOf(items, { notes: false }).map(utteranceOf)).toEqual([{ text: 'No!', voice }, null]);
  });

  it('is forked before the latest possible event, never at the start or the end', async () => {
    const { items } = await played('kuhn-poker', 1);
    expect(forkableAt(items, 0)).toBeNull();
    expect(forkableAt(items, 3)?.index).toBe(3);
    expect(forkableAt(items, items.length - 1)?.index).toBe(items.length - 2);
  });

  it('shows the current and previous picture and the events where it changes', () => {
    const grid = (cells: string) => ({ kind: 'grid', columns: 1, rows: 1, cells, gravity: false, won: [] }) as const;
    const turn = { kind: 'turn', asks: [] } as const;
    const items: readonly EventShown[] = [
      { index: 2, event: turn, picture: grid('.') },
      { index: 3, event: turn },
      { index: 5, event: turn, picture: grid('X') },
    ];
    expect(pictureAt(items, 1)).toEqual({ now: null, before: null, back: null, on: 2 });
    expect(pictureAt(items, 4)).toEqual({ now: grid('.'), before: null, back: null, on: 5 });
    expect(pictureAt(items, 9)).toEqual({ now: grid('X'), before: grid('.'), back: 2, on: null });
  });
});

describe('a table of seats', () => {
  it('gives up to eight seats different, stable colors', () => {
    const seats = Array.from({ length: 8 }, (_, i) => `seat ${i}`);
    const faces = Object.fromEntries(seats.map((seat) => [seat, { name: 'random', character: false }]));
    const hues = seats.map((seat) => hueIn({ seats, faces }, seat));
    expect(new Set(hues).size).toBe(8);
    expect(seats.map((seat) => hueIn({ seats, faces }, seat))).toEqual(hues);
  });

  it('shows a leak for a secrets score below the maximum', () => {
    const cost = { calls: 0, promptTokens: 0, completionTokens: 0, money: 0 };
    const score = (changes: Partial<Score>): Score => ({ name: 'privacy', value: 1, status: 'ok', cost, evidence: [], ...changes });
    expect(isLeak(score({}))).toBe(false);
    expect(isLeak(score({ value: 0.5 }))).toBe(true);
    expect(isLeak(score({ value: null }))).toBe(false);
    expect(isLeak(score({ name: 'leaks', value: 2, lowerIsBetter: true }))).toBe(true);
    expect(isLeak(score({ name: 'return', value: 0 }))).toBe(false);
  });

  it('marks quotes of an event, longest first', () => {
    const cost = { calls: 0, promptTokens: 0, completionTokens: 0, money: 0 };
    const quote = (event: number, text: string) => ({ episode: 'e', event, quote: text, supports: true });
    const score: Score = {
      name: 's',
      value: 1,
      status: 'ok',
      cost,
      evidence: [quote(1, 'ab'), quote(1, 'abc'), quote(2, 'abcd'), quote(1, '')],
    };
    expect(quotesAt([score], 1).map((otherQuote) => otherQuote.quote)).toEqual(['abc', 'ab']);
  });
});

it('beliefs become entities with attributes, and relations between them', () => {
  const texts = [
    'belief.dog: there 70, not there 30',
    'belief.dog.color = red 100',
    'belief.dog>sofa: on 80, under 20',
    'belief.style: photo 50, drawing 50',
    'Ann.home: Oslo',
  ];
  const memories = texts.map((text, i) => ({ id: `m${i}`, kind: 'fact', text, used: false, evidence: [], gone: false }));
  const old = { ...memories[0]!, id: 'm9', text: 'belief.cat: there 100', gone: true };
  expect(beliefPicture([old, ...memories])).toEqual({
    entities: [
      { name: 'dog', chances: 'there 70, not there 30', attributes: ['color: red 100'] },
      { name: 'sofa', chances: '', attributes: [] },
      { name: 'style', chances: 'photo 50, drawing 50', attributes: [] },
    ],
    relations: [{ from: 'dog', to: 'sofa', text: 'on 80, under 20' }],
  });
});
