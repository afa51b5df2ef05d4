/** @file How guests are assigned to seats: seats, allowed opponents, matches of several guests, and stored episodes. */

import { createAgent } from '@ludus-agents/agents/internal/kinds';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { type EpisodeEvent, Fault, type StartEvent, type Store } from '@ludus-agents/kernel/internal/core/index';
import { memoryStore } from '@ludus-agents/store/internal/open-store';
import { describe, expect, it } from 'vitest';
import { turns, until } from '../../../test/fixtures/until.ts';
import { openCatalogue } from './environment-catalogue.ts';
import { EpisodeHost, type EpisodeHostOptions, type EpisodeRequest } from './episode-host.ts';
import type { RemoteSeat } from './hosted-episode.ts';

async function episodeHost(changes: Partial<EpisodeHostOptions> = {}): Promise<EpisodeHost> {
  const { environments } = await openCatalogue(undefined, process.cwd(), Trust.commandLine);
  return new EpisodeHost({ environments, agent: createAgent, store: null, ...changes });
}

const kuhn: EpisodeRequest = { environment: 'kuhn-poker', run: 'test', name: 'guest' };
const castOf = ({ table }: RemoteSeat) => (table.course.events[0] as StartEvent).cast;

describe('an episode host', () => {
  it('fills the other seats as chosen by the client or the owner, or with scripts of the environment', async () => {
    expect(castOf(await (await episodeHost()).sit(kuhn))).toEqual({ first: 'guest', second: 'random' });
    expect(castOf(await (await episodeHost({ others: 'scripted:bold' })).sit(kuhn))).toEqual({ first: 'guest', second: 'scripted:bold' });
    const named = { ...kuhn, seat: 'second', opponents: { first: 'scripted:honest' } };
    expect(castOf(await (await episodeHost({ others: 'scripted:bold' })).sit(named))).toEqual({
      first: 'scripted:honest',
      second: 'guest',
    });
    expect(castOf(await (await episodeHost()).sit({ ...kuhn, seat: 1, opponents: 'scripted:equilibrium' }))).toMatchObject({
      second: 'guest',
    });
    const oracle = await (await episodeHost({ others: 'random' })).sit({ ...kuhn, environment: 'twenty-questions', opponents: 'random' });
    expect(Object.values(castOf(oracle))).toEqual(expect.arrayContaining([expect.stringContaining('scripted:')]));
    expect(castOf(await (await episodeHost({ others: 'scripted:bold' })).sit({ ...kuhn, environment: 'tic-tac-toe' }))).toEqual({
      X: 'guest',
      O: 'random',
    });
    const questions = await (await episodeHost()).sit({ ...kuhn, environment: 'twenty-questions' });
    expect(castOf(questions)[questions.seat]).toBe('guest');
    expect(Object.hasOwn(questions.table.environment.scripts ?? {}, questions.seat)).toBe(false);
  });

  it('rejects impossible requests with an explanation', async () => {
    const here = await episodeHost();
    const wrong: readonly [Partial<EpisodeRequest>, string][] = [
      [{ environment: 'shogi' }, 'Unknown environment "shogi"'],
      [{ seat: 'third' }, 'Available: first, second'],
      [{ seat: 7 }, 'Available: first, second'],
      [{ task: { rounds: 0 } }, 'must be an integer'],
      [{ opponents: { third: 'random' } }, 'Unknown seat "third"'],
      [{ opponents: 'scripted:nobody' }, 'nobody'],
    ];
    for (const [change, sentence] of wrong) await expect(here.sit({ ...kuhn, ...change })).rejects.toThrow(sentence);
  });

  it('creates only free or allowed agents at the request of a client', async () => {
    const here = await episodeHost({ allow: ['llm:tiny', 'local/*'] });
    const refused = ['human', 'me', 'llm', 'llm:openai/gpt-5', 'llm:tiny2', 'openenv:ws://elsewhere', 'randomly'];
    for (const opponents of refused) await expect(here.sit({ ...kuhn, opponents })).rejects.toThrow('Guests may not use');
    const spec = { name: 'x', kind: 'scripted:bold' };
    await expect(here.sit({ ...kuhn, opponents: { ...spec, tools: ['run_code'] } })).rejects.toThrow('Guests may not use');
    await expect(here.sit({ ...kuhn, opponents: { name: 'x', kind: 'llm', model: 'openai/gpt-5' } })).rejects.toThrow('Guests may not use');
    expect(castOf(await here.sit({ ...kuhn, opponents: spec }))).toEqual({ first: 'guest', second: 'x' });
    // What is allowed gets as far as being called in, where no model is available.
    await expect(here.sit({ ...kuhn, opponents: 'llm:tiny' })).rejects.toThrow(', but no models are available here. Use loadAgent');
    await expect((await episodeHost({ allow: ['*'] })).sit({ ...kuhn, opponents: 'human' })).rejects.toThrow('Guests may not use');
  });

  it('seats clients of one match in one episode, with the settings of the first', async () => {
    const here = await episodeHost();
    const first = here.sit({ ...kuhn, name: 'ann', match: 'm', seed: 5, task: { rounds: 2 } });
    await expect(here.sit({ ...kuhn, name: 'bob', match: 'm', seed: 6 })).rejects.toThrow('another seed');
    await expect(here.sit({ ...kuhn, name: 'bob', match: 'm', seat: 'first' })).rejects.toThrow('taken. Free seats: second');
    const other = here.sit({ ...kuhn, name: 'eve', match: 'n' });
    const second = await here.sit({ ...kuhn, name: 'bob', match: 'm', task: { rounds: 2 } });
    expect((await first).table).toBe(second.table);
    expect(castOf(second)).toEqual({ first: 'ann', second: 'bob' });
    expect(second.table.seed).toBe(5);
    const third = await here.sit({ ...kuhn, name: 'sue', match: 'n' });
    expect((await other).table).toBe(third.table);
    expect(third.table).not.toBe(second.table);
  });

  it('does not wait for clients if the other seats are filled, and drops incomplete matches', async () => {
    const hasty = await episodeHost({ patience: 20 });
    await expect(hasty.sit({ ...kuhn, match: 'b' })).rejects.toThrow('No player joined match "b" as second');
    const here = await episodeHost();
    expect(castOf(await here.sit({ ...kuhn, match: 'a', opponents: 'random' }))).toEqual({ first: 'guest', second: 'random' });
    const left = new AbortController();
    const gone = here.sit({ ...kuhn, match: 'c', name: 'gone' }, left.signal);
    await turns(5);
    left.abort();
    await expect(gone).rejects.toThrow('disconnected');
    const [ann, bob] = await Promise.all([here.sit({ ...kuhn, match: 'c', name: 'ann' }), here.sit({ ...kuhn, match: 'c', name: 'bob' })]);
    expect(castOf(ann)).toEqual({ first: 'ann', second: 'bob' });
    expect(bob.table).toBe(ann.table);
  });
});

describe('a ledger', () => {
  it('stores running episodes so that they can be watched, and complete ones at the end', async () => {
    const store = memoryStore();
    const here = await episodeHost({ store });
    const guest = await here.sit({ ...kuhn, seed: 1 });
    expect(await store.episode(guest.table.id)).toBeNull();
    await here.ledger.settle();
    expect((await store.episode(guest.table.id))?.status).toBe('running');
    guest.answer({ text: '[bet]' });
    await here.ledger.settle();
    expect(await store.events(guest.table.id)).toEqual(guest.table.course.events);
    expect(await store.episode(guest.table.id)).toMatchObject({ status: 'over', run: 'test' });
    expect(await store.run('test')).toMatchObject({ work: { kind: 'test' } });
  });

  it('ends an episode that cannot be stored, and starts none while the store is failing', async () => {
    const full = new Fault('store', 'The disk is full.', { transient: true });
    const waited: number[] = [];
    let works = true;
    const broken = {
      putRun: async () => (works ? undefined : Promise.reject(full)),
      append: async () => (works ? undefined : Promise.reject(full)),
    } as unknown as Store;
    const retry = { sleep: async (milliseconds: number) => waited.push(milliseconds) };
    const here = await episodeHost({ store: broken, retry });
    const guest = await here.sit({ ...kuhn, seed: 1 });
    await here.ledger.settle();
    expect(await here.ledger.health()).toEqual({ status: 'healthy' });
    works = false;
    guest.answer({ text: '[bet]' });
    await here.ledger.settle();
    expect(waited).toEqual([100, 200, 400, 800, 1600]);
    expect(guest.table.fault?.message).toContain('The disk is full.');
    expect(() => guest.answer({ text: '[bet]' })).toThrow('The episode was stopped because it cannot be saved:');
    await expect(here.sit(kuhn)).rejects.toThrow('The disk is full.');
    expect(await here.ledger.health()).toEqual({ status: 'unhealthy', reason: expect.stringContaining('The disk is full.') });
    works = true;
    expect(await here.ledger.health()).toEqual({ status: 'healthy' });
    expect((await here.sit({ ...kuhn, seed: 2 })).over).toBe(false);
  });

  it('resumes writing to a store that was temporarily locked, without loss', async () => {
    const store = memoryStore();
    let locked = 3;
    const busy = new Fault('store', 'Another process is writing.', { transient: true });
    const append = store.append.bind(store);
    const here = await episodeHost({
      store: Object.assign(Object.create(store) as Store, {
        putRun: store.putRun.bind(store),
        append: (...inputs: Parameters<Store['append']>) => (locked-- > 0 ? Promise.reject(busy) : append(...inputs)),
      }),
      retry: { sleep: async () => {} },
    });
    const guest = await here.sit({ ...kuhn, seed: 1 });
    guest.answer({ text: '[bet]' });
    await here.ledger.settle();
    expect(await store.events(guest.table.id)).toEqual(guest.table.course.events);
    expect(await here.ledger.health()).toEqual({ status: 'healthy' });
  });

  it('stores other episodes when one cannot be stored', async () => {
    const store = memoryStore();
    const append = store.append.bind(store);
    const poison = new Set<string>();
    const here = await episodeHost({
      store: Object.assign(Object.create(store) as Store, {
        putRun: store.putRun.bind(store),
        append: (...inputs: Parameters<Store['append']>) =>
          poison.has(inputs[0]) ? Promise.reject(new Fault('store', 'It is not plain JSON.')) : append(...inputs),
      }),
    });
    const bad = await here.sit({ ...kuhn, seed: 1 });
    poison.add(bad.table.id);
    const good = await here.sit({ ...kuhn, seed: 1 });
    for (const guest of [bad, good]) guest.answer({ text: '[bet]' });
    await here.ledger.settle();
    expect(bad.table.fault?.message).toContain('It is not plain JSON.');
    expect(await store.events(good.table.id)).toEqual(good.table.course.events);
  });

  it('delays new episodes while the store is slower than play', async () => {
    const current: (() => void)[] = [];
    const logs = new Map<string, readonly EpisodeEvent[]>();
    const slow = {
      putRun: async () => undefined,
      append(id: string, _: number, events: readonly EpisodeEvent[]) {
        logs.set(id, events);
        return new Promise<void>((resolve) => current.push(resolve));
      },
    } as unknown as Store;
    const here = await episodeHost({ store: slow });
    let begun = 0;
    const playing = (async () => {
      for (let seed = 0; seed < 1100; seed++) {
        const guest = await here.sit({ ...kuhn, seed });
        begun++;
        guest.answer({ text: '[bet]' });
        if (!guest.over) throw new Error('a bet is answered by its caller');
      }
    })();
    await until(() => begun >= 1024);
    await turns(50);
    expect(begun).toBe(1024);
    while (begun < 1100) {
      for (const free of current.splice(0)) free();
      await turns();
    }
    await playing;
    const settled = here.ledger.settle();
    for (const free of current.splice(0)) free();
    await settled;
    expect(logs.size).toBe(1100);
  });
});
