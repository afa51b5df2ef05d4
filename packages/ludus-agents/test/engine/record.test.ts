import { dilemma } from '@ludus-agents/environments/internal/dilemma';
import { type EndEvent, type EpisodeEvent, type Store, scripted } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { EpisodeRecorder, recordEpisode } from '@ludus-agents/kernel/internal/engine/record';
import { memoryStore } from '@ludus-agents/store/internal/open-store';
import { describe, expect, it } from 'vitest';

const start: EpisodeEvent = { kind: 'start', environment: 'none@1', task: {}, seed: 1, seats: ['a'], cast: { a: 'x' } };
const turn: EpisodeEvent = { kind: 'turn', asks: [{ seat: 'a' }] };
const answer = (text: string): EpisodeEvent => ({ kind: 'action', seat: 'a', action: { text } });

/** A store whose appends are settled by hand. */
function slowStore() {
  const calls: { index: number; events: readonly EpisodeEvent[]; settle: (thrown?: unknown) => void }[] = [];
  const append: Store['append'] = (_, index, events) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    calls.push({ index, events, settle: (thrown) => (thrown === undefined ? resolve() : reject(thrown)) });
    return promise;
  };
  return { calls, store: { append } };
}

const turns = async () => {
  for (let i = 0; i < 20; i++) await null;
};

describe('an episode recorder', () => {
  it('sends one append at a time and combines events that arrive meanwhile', async () => {
    const { calls, store } = slowStore();
    const recorder = new EpisodeRecorder({ store, episode: 'e' });
    recorder.append([start]);
    recorder.append([turn]);
    recorder.append([answer('one')]);
    expect(calls.map(({ index, events }) => [index, events.length])).toEqual([[0, 1]]);
    expect(recorder.length).toBe(3);
    calls[0]?.settle();
    await turns();
    expect(calls.map(({ index, events }) => [index, events.length])).toEqual([
      [0, 1],
      [1, 2],
    ]);
    calls[1]?.settle();
    await recorder.flush();
  });

  it('sends ahead if allowed, at the right index', async () => {
    const { calls, store } = slowStore();
    const recorder = new EpisodeRecorder({ store, episode: 'e', from: 4, ahead: true });
    recorder.append([turn]);
    recorder.append([answer('one'), turn]);
    expect(calls.map(({ index }) => index)).toEqual([4, 5]);
    for (const { settle } of calls) settle();
    await recorder.flush();
    expect(recorder.length).toBe(7);
  });

  it('sends nothing after a rejected append, and reports it once', async () => {
    for (const ahead of [false, true]) {
      const { calls, store } = slowStore();
      const failures: unknown[] = [];
      const recorder = new EpisodeRecorder({ store, episode: 'e', ahead, onFailure: (thrown) => failures.push(thrown) });
      recorder.append([start]);
      if (!ahead) recorder.append([turn]);
      const refused = new Error('The lease is lost.');
      calls[0]?.settle(refused);
      await turns();
      recorder.append([answer('late')]);
      await turns();
      expect(calls).toHaveLength(1);
      expect(failures).toEqual([refused]);
      await expect(recorder.flush()).rejects.toBe(refused);
    }
  });

  it('keeps the events of an agent despite later mutation', async () => {
    const { calls, store } = slowStore();
    const recorder = new EpisodeRecorder({ store, episode: 'e' });
    const mind = { thought: 'first' };
    recorder.append([start]);
    recorder.append([{ kind: 'action', seat: 'a', action: { text: 'x' }, mind }]);
    mind.thought = 'second';
    calls[0]?.settle();
    await turns();
    expect(calls[1]?.events[0]).toMatchObject({ mind: { thought: 'first' } });
  });

  it('treats an append that throws synchronously as rejected', async () => {
    const recorder = new EpisodeRecorder({
      store: {
        append: () => {
          throw new Error('closed');
        },
      },
      episode: 'e',
    });
    recorder.append([start]);
    await expect(recorder.flush()).rejects.toThrow('closed');
  });
});

describe('recording an episode', () => {
  const agents = { first: scripted('c', () => ({ text: '[cooperate]' })), second: scripted('d', () => ({ text: '[defect]' })) };
  const logOf = async () => {
    const events: EpisodeEvent[] = [];
    for await (const event of play(dilemma, agents, { seed: 3 })) events.push(event);
    return events;
  };

  it('stores the log of play, with any send schedule', async () => {
    const expected = await logOf();
    for (const sendAfter of [undefined, () => false, (event: EpisodeEvent) => event.kind === 'action']) {
      for (const durable of [false, true]) {
        const store = memoryStore();
        const recorder = new EpisodeRecorder({ store, episode: 'e', ahead: !durable });
        const episodeEvents: EpisodeEvent[] = [];
        const end = await recordEpisode(play(dilemma, agents, { seed: 3 }), recorder, {
          durable,
          ...(sendAfter === undefined ? {} : { sendAfter }),
          onEvents: (events, index) => {
            expect(index).toBe(episodeEvents.length);
            episodeEvents.push(...events);
          },
        });
        await recorder.flush();
        expect(await store.events('e')).toEqual(expected);
        expect(episodeEvents).toEqual(expected);
        expect(end).toEqual(expected.at(-1) as EndEvent);
      }
    }
  });

  it('leaves a log open only when aborted with that option', async () => {
    for (const open of [true, false]) {
      const store = memoryStore();
      const controller = new AbortController();
      const recorder = new EpisodeRecorder({ store, episode: 'e' });
      const end = await recordEpisode(play(dilemma, agents, { seed: 3, signal: controller.signal }), recorder, {
        leaveOpen: () => open,
        onEvents: () => controller.abort(),
      });
      await recorder.flush();
      const last = (await store.events('e')).at(-1);
      expect(last?.kind === 'end').toBe(!open);
      expect(end?.reason).toBe(open ? undefined : 'abort');
    }
  });
});
