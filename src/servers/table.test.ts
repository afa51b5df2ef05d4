/** @file A table makes the log that `play` makes: for every world, whoever sits where, and whatever goes wrong. */

import { describe, expect, it } from 'vitest';
import { agentOf, standIn } from '../agents/index.ts';
import { type Action, type Agent, type AnyEnvironment, type EpisodeEvent, type Json, rng, type Seat, scripted } from '../core/index.ts';
import { play } from '../engine/play.ts';
import { replay } from '../engine/replay.ts';
import { environment, environmentNames } from '../environments/index.ts';
import { type Guest, Table } from './table.ts';

/** A guest who plays by dice of their own: the same at a table and in `play`. */
function moves(seed: number): (choices: readonly string[] | undefined) => Action {
  const dice = rng(seed, 'guest');
  return (choices) => ({ text: choices === undefined ? '[hello] there' : dice.pick(choices) });
}

async function inProcess(world: AnyEnvironment, agents: Record<Seat, Agent>, seed: number, task?: Json): Promise<EpisodeEvent[]> {
  const events: EpisodeEvent[] = [];
  for await (const event of play(world, agents, { seed, ...(task === undefined ? {} : { task }) })) events.push(event);
  return events;
}

async function finish(guests: Iterable<Guest>, move: (choices: readonly string[] | undefined) => Action): Promise<void> {
  const all = [...guests];
  while (all.some((guest) => !guest.over)) {
    for (const guest of all) if (guest.ask !== null) guest.answer(move(guest.ask.choices));
    await Promise.race(all.map((guest) => guest.ready()));
  }
}

const later = (agent: Agent): Agent => ({ name: agent.name, act: async (turn, signal) => agent.act(turn, signal) });

describe('a table', () => {
  it('makes the log of play in every world, for a guest on every seat', async () => {
    for (const name of environmentNames) {
      const world = await environment(name);
      const seats = world.seats(world.task({}));
      for (const [i, seat] of seats.slice(0, 3).entries()) {
        const others = seats.filter((one) => one !== seat);
        const agents = Object.fromEntries(
          await Promise.all(others.map(async (one) => [one, await agentOf(standIn(world, one), one, world)])),
        );
        const asked = moves(i);
        const expected = await inProcess(world, { ...agents, [seat]: scripted('guest', ({ ask }) => asked(ask.choices)) }, 40 + i);
        const table = new Table({ id: 'x', run: 'r', environment: world, seed: 40 + i, agents, guests: { [seat]: 'guest' } });
        await finish(table.guests.values(), moves(i));
        expect(table.course.events, `${name} ${seat}`).toEqual(expected);
        expect(replay(world, table.course.events)).toBeNull();
      }
    }
  });

  it('takes simultaneous answers in the order of the seats, whoever is faster', async () => {
    const world = await environment('dilemma');
    const [left, right] = world.seats(world.task({})) as [Seat, Seat];
    const table = new Table({ id: 'x', run: 'r', environment: world, seed: 1, agents: {}, guests: { [left]: 'a', [right]: 'b' } });
    const [a, b] = [...table.guests.values()] as [Guest, Guest];
    const before = table.course.events.length;
    b.answer({ text: b.ask?.choices?.[1] ?? '' });
    expect(table.course.events.length).toBe(before);
    expect(b.ask).toBeNull();
    expect(() => b.answer({ text: '[x]' })).toThrow('not the turn');
    a.answer({ text: a.ask?.choices?.[0] ?? '' });
    const [first, second] = table.course.events.slice(before) as Extract<EpisodeEvent, { kind: 'action' }>[];
    expect([first?.seat, second?.seat]).toEqual([left, right]);
  });

  it('waits for agents that take their time, and its log does not show it', async () => {
    const world = await environment('kuhn-poker');
    const random = await agentOf('random', 'second', world);
    for (let seed = 0; seed < 20; seed++) {
      const tables = [random, later(random)].map(
        (second) =>
          new Table({ id: 'x', run: 'r', environment: world, seed, task: { rounds: 3 }, agents: { second }, guests: { first: 'guest' } }),
      );
      for (const table of tables) await finish(table.guests.values(), moves(seed));
      expect(tables[1]?.course.events).toEqual(tables[0]?.course.events);
    }
  });

  it('ends as play does where an agent fails, now or later', async () => {
    const world = await environment('kuhn-poker');
    const broken: Agent = {
      name: 'broken',
      act() {
        throw new Error('no idea');
      },
    };
    for (const second of [broken, later(broken)]) {
      const table = new Table({ id: 'x', run: 'r', environment: world, seed: 1, agents: { second }, guests: { first: 'guest' } });
      const guest = table.guests.get('first') as Guest;
      guest.answer({ text: '[bet]' });
      await guest.ready();
      const expected = await inProcess(world, { first: scripted('guest', () => ({ text: '[bet]' })), second: broken }, 1);
      expect(table.course.events).toEqual(expected);
      expect(table.course.events.at(-1)).toMatchObject({ reason: 'error', fault: { seat: 'second', message: 'no idea' } });
    }
  });

  it('is called off when a guest leaves, also while an agent thinks, and hears nothing of late answers', async () => {
    const world = await environment('kuhn-poker');
    const thinking = Promise.withResolvers<{ action: Action }>();
    let signal: AbortSignal | undefined;
    const slow: Agent = {
      name: 'slow',
      act(_, given) {
        signal = given;
        return thinking.promise;
      },
    };
    let rests = 0;
    const rested = () => rests++;
    const table = new Table({
      id: 'x',
      run: 'r',
      environment: world,
      seed: 1,
      agents: { second: slow },
      guests: { first: 'guest' },
      rested,
    });
    const guest = table.guests.get('first') as Guest;
    guest.answer({ text: '[bet]' });
    const waiting = guest.ready();
    table.leave();
    await waiting;
    expect(signal?.aborted).toBe(true);
    const log = [...table.course.events];
    const before = rests;
    thinking.resolve({ action: { text: '[call]' } });
    await thinking.promise;
    expect(table.course.events).toEqual(log);
    expect(rests).toBe(before);
    expect(log.at(-1)).toMatchObject({ kind: 'end', reason: 'abort' });
    expect(replay(world, log)).toBeNull();
    expect(() => guest.answer({ text: '[bet]' })).toThrow('over');
  });

  it('tells a guest what is new once, in sums that add up to the return', async () => {
    const world = await environment('kuhn-poker');
    const second = await agentOf('random', 'second', world);
    const table = new Table({
      id: 'x',
      run: 'r',
      environment: world,
      seed: 7,
      task: { rounds: 5 },
      agents: { second },
      guests: { first: 'guest' },
    });
    const guest = table.guests.get('first') as Guest;
    const texts: string[] = [];
    let paid = 0;
    const move = moves(7);
    for (;;) {
      const news = guest.news();
      texts.push(...news.messages.map(({ text }) => text));
      paid += news.reward;
      if (guest.over) break;
      guest.answer(move(guest.ask?.choices));
    }
    const told = table.course.events.filter((event) => event.kind === 'message' && event.to.includes('first'));
    expect(texts).toEqual(told.map((event) => (event as { text: string }).text));
    expect(guest.returned).toBe(paid);
    expect((table.course.events.at(-1) as { returns: Record<string, number> }).returns['first']).toBe(paid);
    expect(guest.news()).toEqual({ messages: [], reward: 0, penalty: 0, paid: false });
  });
});
