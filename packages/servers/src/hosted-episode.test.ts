/** @file A table makes the log that `play` makes: for every world, anyone who sits where, and whatever goes wrong. */

import { createAgent, standIn } from '@ludus-agents/agents/internal/kinds';
import { builtInEnvironment, environmentNames } from '@ludus-agents/environments/internal/built-in';
import type { Action, Agent, AnyEnvironment, EpisodeEvent, Json, Seat } from '@ludus-agents/kernel/internal/core/index';
import { rng, scripted } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { describe, expect, it } from 'vitest';
import { HostedEpisode, type RemoteSeat } from './hosted-episode.ts';

/** A guest who plays by their own dice: the same at a table and in `play`. */
function moves(seed: number): (choices: readonly string[] | undefined) => Action {
  const dice = rng(seed, 'guest');
  return (choices) => ({ text: choices === undefined ? '[hello] there' : dice.pick(choices) });
}

async function inProcess(environment: AnyEnvironment, agents: Record<Seat, Agent>, seed: number, task?: Json): Promise<EpisodeEvent[]> {
  const events: EpisodeEvent[] = [];
  for await (const event of play(environment, agents, { seed, ...(task === undefined ? {} : { task }) })) events.push(event);
  return events;
}

async function finish(guests: Iterable<RemoteSeat>, move: (choices: readonly string[] | undefined) => Action): Promise<void> {
  const all = [...guests];
  while (all.some((guest) => !guest.over)) {
    for (const guest of all) if (guest.ask !== null) guest.answer(move(guest.ask.choices));
    await Promise.race(all.map((guest) => guest.ready()));
  }
}

const later = (agent: Agent): Agent => ({ name: agent.name, act: async (turn, signal) => agent.act(turn, signal) });

describe('a hosted episode', () => {
  it('produces the log of play in every environment, with a remote player in every seat', async () => {
    for (const name of environmentNames()) {
      const environment = await builtInEnvironment(name);
      const seats = environment.seats(environment.task({}));
      for (const [i, seat] of seats.slice(0, 3).entries()) {
        const others = seats.filter((otherSeat) => otherSeat !== seat);
        const agents = Object.fromEntries(
          await Promise.all(others.map(async (item) => [item, await createAgent(standIn(environment, item), item, environment)])),
        );
        const asked = moves(i);
        const expected = await inProcess(environment, { ...agents, [seat]: scripted('guest', ({ ask }) => asked(ask.choices)) }, 40 + i);
        const table = new HostedEpisode({ id: 'x', run: 'r', environment, seed: 40 + i, agents, guests: { [seat]: 'guest' } });
        await finish(table.guests.values(), moves(i));
        expect(table.course.events, `${name} ${seat}`).toEqual(expected);
        expect(replay(environment, table.course.events)).toBeNull();
      }
    }
  });

  it('records simultaneous answers in the order of the seats, not of arrival', async () => {
    const environment = await builtInEnvironment('dilemma');
    const [left, right] = environment.seats(environment.task({})) as [Seat, Seat];
    const table = new HostedEpisode({
      id: 'x',
      run: 'r',
      environment,
      seed: 1,
      agents: {},
      guests: { [left]: 'a', [right]: 'b' },
    });
    const [a, b] = [...table.guests.values()] as [RemoteSeat, RemoteSeat];
    const before = table.course.events.length;
    b.answer({ text: b.ask?.choices?.[1] ?? '' });
    expect(table.course.events.length).toBe(before);
    expect(b.ask).toBeNull();
    expect(() => b.answer({ text: '[x]' })).toThrow('not the turn');
    a.answer({ text: a.ask?.choices?.[0] ?? '' });
    const [first, second] = table.course.events.slice(before) as Extract<EpisodeEvent, { kind: 'action' }>[];
    expect([first?.seat, second?.seat]).toEqual([left, right]);
  });

  it('waits for slow agents without a trace in its log', async () => {
    const environment = await builtInEnvironment('kuhn-poker');
    const random = await createAgent('random', 'second', environment);
    for (let seed = 0; seed < 20; seed++) {
      const tables = [random, later(random)].map(
        (second) =>
          new HostedEpisode({
            id: 'x',
            run: 'r',
            environment,
            seed,
            task: { rounds: 3 },
            agents: { second },
            guests: { first: 'guest' },
          }),
      );
      for (const table of tables) await finish(table.guests.values(), moves(seed));
      expect(tables[1]?.course.events).toEqual(tables[0]?.course.events);
    }
  });

  it('ends like play if an agent fails, immediately or later', async () => {
    const environment = await builtInEnvironment('kuhn-poker');
    const broken: Agent = {
      name: 'broken',
      act() {
        throw new Error('no idea');
      },
    };
    for (const second of [broken, later(broken)]) {
      const table = new HostedEpisode({
        id: 'x',
        run: 'r',
        environment,
        seed: 1,
        agents: { second },
        guests: { first: 'guest' },
      });
      const guest = table.guests.get('first') as RemoteSeat;
      guest.answer({ text: '[bet]' });
      await guest.ready();
      const expected = await inProcess(environment, { first: scripted('guest', () => ({ text: '[bet]' })), second: broken }, 1);
      expect(table.course.events).toEqual(expected);
      expect(table.course.events.at(-1)).toMatchObject({ reason: 'error', fault: { seat: 'second', message: 'no idea' } });
    }
  });

  it('is aborted when a remote player leaves, even while an agent thinks, and ignores late answers', async () => {
    const environment = await builtInEnvironment('kuhn-poker');
    const thinking = Promise.withResolvers<{ action: Action }>();
    let signal: AbortSignal | undefined;
    const slow: Agent = {
      name: 'slow',
      act(_, abortSignal) {
        signal = abortSignal;
        return thinking.promise;
      },
    };
    let rests = 0;
    const rested = () => rests++;
    const table = new HostedEpisode({
      id: 'x',
      run: 'r',
      environment,
      seed: 1,
      agents: { second: slow },
      guests: { first: 'guest' },
      rested,
    });
    const guest = table.guests.get('first') as RemoteSeat;
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
    expect(replay(environment, log)).toBeNull();
    expect(() => guest.answer({ text: '[bet]' })).toThrow('over');
  });

  it('shows a remote player each new event once, with rewards that sum to the return', async () => {
    const environment = await builtInEnvironment('kuhn-poker');
    const second = await createAgent('random', 'second', environment);
    const table = new HostedEpisode({
      id: 'x',
      run: 'r',
      environment,
      seed: 7,
      task: { rounds: 5 },
      agents: { second },
      guests: { first: 'guest' },
    });
    const guest = table.guests.get('first') as RemoteSeat;
    const texts: string[] = [];
    let payment = 0;
    const move = moves(7);
    for (;;) {
      const news = guest.news();
      texts.push(...news.messages.map(({ text }) => text));
      payment += news.reward;
      if (guest.over) break;
      guest.answer(move(guest.ask?.choices));
    }
    const episodeEvents = table.course.events.filter((event) => event.kind === 'message' && event.to.includes('first'));
    expect(texts).toEqual(episodeEvents.map((event) => (event as { text: string }).text));
    expect(guest.returned).toBe(payment);
    expect((table.course.events.at(-1) as { returns: Record<string, number> }).returns['first']).toBe(payment);
    expect(guest.news()).toEqual({ messages: [], reward: 0, penalty: 0, paid: false });
  });
});
