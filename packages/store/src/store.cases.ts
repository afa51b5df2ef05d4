/** @file What every store must do, as cases to run over each of them. The numbers are those of SPEC.md. */

import type { AgentSpec, EpisodeEvent, Json, Score, Store } from '@ludus-agents/kernel/internal/core/index';
import { hash, readEpisodes, readScoredEpisodes } from '@ludus-agents/kernel/internal/core/index';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { log, plan, rejectionOf, start } from './logs.cases.ts';
import { listing } from './store-listing.cases.ts';

function score(changes: Partial<Score> = {}): Score {
  const cost = { calls: 0, promptTokens: 0, completionTokens: 0, money: 0 };
  return {
    name: 'won',
    value: 1,
    status: 'ok',
    seat: 'a',
    evidence: [{ episode: 'e', event: 3, quote: 'yes', supports: true }],
    cost,
    ...changes,
  };
}

export function storeCases(name: string, open: () => Promise<Store>): void {
  describe(`${name} store`, () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());
    documents(() => store);
    reading(() => store);
    appending(() => store);
    listing(() => store);
    lasting(() => store);
  });
}

function reading(at: () => Store): void {
  it('[S3] reads parts of many episodes like single ones, in the requested order', async () => {
    const store = at();
    const ids = Array.from({ length: 230 }, (_, i) => `many-${i}`);
    const rule: EpisodeEvent = { kind: 'message', to: ['a'], text: 'A rule that many logs share. '.repeat(20) };
    const logs = ids.map((_, i) => [start({ seed: i, task: { '~': i } }), rule, ...log(2).slice(1)]);
    await Promise.all(ids.map((id, i) => store.append(id, 0, logs[i]!.slice(0, 2), i % 2 === 0 ? 'r' : undefined)));
    await Promise.all(ids.map((id, i) => store.append(id, 2, logs[i]!.slice(2))));
    await Promise.all(ids.slice(0, 9).map((id, i) => store.putScores(id, [score({ value: i }), score({ name: 'second', value: -i })])));
    const asked = ['none', ...ids.toReversed()];
    const episodes = await readEpisodes(store, asked, { record: true, events: true, scores: true });
    expect([...episodes.keys()]).toEqual(asked);
    for (const [i, id] of ids.entries()) {
      expect(episodes.get(id)).toEqual({ record: await store.episode(id), events: await store.events(id), scores: await store.scores(id) });
      expect(episodes.get(id)?.events).toEqual(logs[i]);
    }
    expect(episodes.get('none')).toEqual({ record: null, events: [], scores: [] });
    const scores = await readEpisodes(store, ids.slice(0, 2), { scores: true });
    expect(scores.get('many-1')).toEqual({ record: null, events: [], scores: await store.scores('many-1') });
  });

  it('[S11] lists episodes with their scores, whether shared or added later', async () => {
    const store = at();
    const ids = Array.from({ length: 40 }, (_, i) => `scored-${i}`);
    await Promise.all(ids.map((id) => store.append(id, 0, [start()], 'scored')));
    const [good, bad] = [score({ value: 1 }), score({ name: 'second', value: 0, reason: 'long '.repeat(2000) })];
    const listed = async () => {
      const scoredEpisodes = await readScoredEpisodes(store, { run: 'scored', limit: 30 });
      expect(scoredEpisodes.map(({ record }) => record)).toEqual(await store.episodes({ run: 'scored', limit: 30 }));
      for (const { record, scores } of scoredEpisodes) expect(scores).toEqual(await store.scores(record.id));
      return scoredEpisodes.map(({ scores }) => scores.length);
    };
    expect(await listed()).toEqual(Array(30).fill(0));
    // The same two in either order are two lists.
    await Promise.all(ids.map((id, i) => store.putScores(id, i % 3 === 0 ? [] : i % 3 === 1 ? [good, bad] : [bad, good])));
    await listed();
    await store.putScores('scored-39', [score({ value: 2 })]);
    await store.putScores('scored-38', [good, score({ value: 3 })]);
    expect((await listed()).slice(0, 3)).toEqual([1, 3, 2]);
  });
}

function documents(at: () => Store): void {
  it('[S1] keeps the first plan under a run id, and lists runs in order of arrival', async () => {
    const store = at();
    await store.putRun({ id: 'r2', plan, episodes: 4 });
    await store.putRun({ id: 'r1', plan: { ...plan, swap: true }, episodes: 8 });
    await store.putRun({ id: 'r2', plan: { ...plan, swap: true }, episodes: 9 });
    expect(await store.run('r2')).toEqual({ id: 'r2', plan, episodes: 4 });
    expect((await store.runs()).map(({ id }) => id)).toEqual(['r2', 'r1']);
    expect(await store.run('r3')).toBeNull();
    expect(await rejectionOf(store.putRun({ id: '', plan, episodes: 1 }))).toContain('A run');
    expect(await rejectionOf(store.putRun({ id: 'r4', plan: { ...plan, limits: { turns: Number.NaN } }, episodes: 1 }))).toContain('NaN');
  });

  it('[S2] stores a spec once under its hash, and finds the children of a parent', async () => {
    const store = at();
    const parent: AgentSpec = { name: 'zero', kind: 'llm', texts: { rules: 'Be kind. '.repeat(100) } };
    const address = await store.putSpec(parent);
    expect(address).toBe(hash(parent));
    const item = await store.putSpec({ ...parent, name: 'one', parent: address });
    const two = await store.putSpec({ ...parent, name: 'two', parent: address });
    expect(await store.putSpec(Object.fromEntries(Object.entries(parent).reverse()) as AgentSpec)).toBe(address);
    expect(await store.spec(address)).toEqual(parent);
    expect(await store.spec('none')).toBeNull();
    expect((await store.specs()).map(({ hash }) => hash)).toEqual([address, item, two]);
    expect((await store.specs({ parent: address })).map(({ spec }) => spec.name)).toEqual(['one', 'two']);
    expect(await store.specs({ parent: item })).toEqual([]);
  });

  it('[S11] keeps scores in order without duplicates, and only for existing episodes', async () => {
    const store = at();
    const appended = store.append('e', 0, log(1));
    await store.putScores('e', [score(), score({ seat: 'b', value: null, status: 'unparsed' })]);
    await store.putScores('e', [score(), score({ name: 'polite', interval: [0.1, 0.9] })]);
    expect((await store.scores('e')).map(({ name, seat }) => `${name} ${seat}`)).toEqual(['won a', 'won b', 'polite a']);
    expect((await store.scores('e'))[1]).toEqual(score({ seat: 'b', value: null, status: 'unparsed' }));
    expect(await store.scores('f')).toEqual([]);
    expect(await rejectionOf(store.putScores('f', [score()]))).toContain('"f"');
    expect(await rejectionOf(store.putScores('e', [score({ name: 'new' }), score({ value: Number.NaN })]))).toContain('NaN');
    expect(await store.scores('e')).toHaveLength(3);
    await appended;
  });
}

function appending(at: () => Store): void {
  it('[S3] appends only at the end of a log, and changes nothing on a rejected append', async () => {
    const store = at();
    const events = log(3);
    await store.append('e', 0, events.slice(0, 4), 'r');
    expect(await rejectionOf(store.append('e', 5, events.slice(5)))).toBe(
      'Episode "e" has 4 events, so the next append must be at index 4, but it was at 5. Read the log and continue from its end.',
    );
    expect(await rejectionOf(store.append('e', 3, events.slice(3)))).toContain('at index 4');
    expect(await rejectionOf(store.append('e', 0, events))).toMatch(/has 4 events.*Another process has written to it in the meantime/);
    expect(await rejectionOf(store.append('new', 1, events.slice(1)))).toContain('has 0 events');
    for (const wrong of [-1, 0.5, Number.NaN]) expect(await rejectionOf(store.append('e', wrong, events))).toContain(String(wrong));
    expect(await store.events('e')).toEqual(events.slice(0, 4));
    expect(await store.episode('new')).toBeNull();
    await store.append('e', 4, events.slice(4));
    expect(await store.events('e')).toEqual(events);
  });

  it('[S3] applies concurrent appends in call order, and rejects those after a gap', async () => {
    const store = at();
    const events = log(3);
    const appends = [store.append('e', 0, events.slice(0, 2)), store.append('e', 2, events.slice(2, 5))];
    const gap = rejectionOf(store.append('e', 6, events.slice(6)));
    await Promise.all(appends);
    expect(await gap).toContain('at index 5');
    await store.append('e', 5, events.slice(5));
    expect(await store.events('e')).toEqual(events);
  });

  it('[S4] requires a log to be one start, then events, then at most one end', async () => {
    const store = at();
    const events = log(1);
    expect(await rejectionOf(store.append('e', 0, events.slice(1)))).toContain('", but a log must start with its start');
    expect(await rejectionOf(store.append('e', 0, [start(), start()]))).toContain('must be the first event');
    expect(await rejectionOf(store.append('e', 0, [...events, events[1]!]))).toContain('is the end event, but more events follow it');
    expect(await rejectionOf(store.append('e', 0, [start(), { kind: 'dance' } as unknown as EpisodeEvent]))).toContain('not one of start');
    expect(await rejectionOf(store.append('e', 0, [start({ seed: 0.5 })]))).toContain('seed');
    expect(await rejectionOf(store.append('e', 0, [start({ cast: { a: 1 } as unknown as Record<string, string> })]))).toContain('cast');
    expect(await store.episode('e')).toBeNull();
    await store.append('e', 0, events);
    expect(await rejectionOf(store.append('e', events.length, [events[1]!]))).toBe(
      'Episode "e" has ended (over), and no events can be added to a finished log.',
    );
    await store.append('e', events.length, []);
  });

  it('[S5] stores events by value: later mutations do not reach the log', async () => {
    const store = at();
    const memory: { text: string }[] = [];
    const appends = [store.append('e', 0, [start()])];
    for (let i = 0; i < 30; i++) {
      memory.push({ text: `${i}: ${'something happened '.repeat(3)}` });
      appends.push(store.append('e', 1 + i, [{ kind: 'action', seat: 'a', action: { text: 'x' }, mind: { memory } }]));
      memory[0]!.text = `changed at ${i}`;
    }
    await Promise.all(appends);
    const events = await store.events('e');
    const minds = events.slice(1).map((event) => (event as unknown as { mind: { memory: { text: string }[] } }).mind.memory);
    expect(minds.map((mind) => mind.length)).toEqual(Array.from({ length: 30 }, (_, i) => i + 1));
    expect(minds.map((mind) => mind[0]?.text)).toEqual(
      Array.from({ length: 30 }, (_, i) => (i === 0 ? memory[1]?.text.replace('1:', '0:') : `changed at ${i - 1}`)),
    );
    expect(Object.isFrozen(memory[0])).toBe(false);
  });

  it('[S5] rejects values that are not plain JSON, naming the location', async () => {
    const store = at();
    await store.append('e', 0, [start()]);
    const holds = (mind: unknown) => store.append('e', 1, [{ kind: 'action', seat: 'a', action: { text: 'x' }, mind: mind as Json }]);
    expect(await rejectionOf(holds({ deep: [1, Number.NaN] }))).toContain('event 1.mind.deep[1], but found NaN');
    expect(await rejectionOf(holds({ when: new Date(0) }))).toContain('event 1.mind.when, but found a Date');
    expect(await rejectionOf(holds({ later: undefined }))).toContain('event 1.mind.later, but found undefined');
    expect(await rejectionOf(holds(new Array(2)))).toContain('event 1.mind[0], but found undefined');
    const circle: { self?: unknown } = {};
    circle.self = circle;
    expect(await rejectionOf(holds(circle))).toContain('levels deep, or contains itself');
    expect(await store.events('e')).toHaveLength(1);
  });

  it('[S6] returns events exactly, from any index', async () => {
    const store = at();
    const events = log(4);
    for (let i = 0; i < events.length; i += 3) await store.append('e', i, events.slice(i, i + 3));
    for (let from = 0; from <= events.length + 1; from++) expect(await store.events('e', from)).toEqual(events.slice(from));
    expect(await store.events('unknown')).toEqual([]);
  });

  it('[S6] keeps lone surrogates, zero bytes, key order, "__proto__", fake references, and huge numbers', async () => {
    const store = at();
    const odd = JSON.parse(
      '{"z":1,"a":{"__proto__":{"x":1},"constructor":2},"~":"no reference","~~":{"~":["x"],"+":1},"10":1,"9":2}',
    ) as Json;
    const data: Json = [odd, '\ud800', '\udc00\0', '😀'.repeat(150), '\ud83d'.repeat(300), 1e308, -1e-320, 2 ** 53, '', {}, [], [[]]];
    const events: EpisodeEvent[] = [start({ task: data }), { kind: 'message', to: ['a'], text: '\u2028"\\\n\ud800', data }];
    await store.append('e', 0, events);
    expect(JSON.stringify(await store.events('e'))).toBe(JSON.stringify(events));
    expect(JSON.stringify((await store.episode('e'))?.task)).toBe(JSON.stringify(data));
  });

  it('[S14] accepts an event of ten million characters and a chat of many turns', async () => {
    const store = at();
    const big = 'The quick brown fox. '.repeat(476_191);
    const chat: { role: 'user'; content: string }[] = [];
    const events: EpisodeEvent[] = [start(), { kind: 'message', to: ['a'], text: big }];
    for (let i = 0; i < 60; i++) {
      chat.push({ role: 'user', content: `${i}: ${'word '.repeat(i)}` });
      const call = { model: 'm', text: 'ok', finish: 'stop', usage: { promptTokens: i, completionTokens: 1 }, cost: null } as const;
      events.push({ kind: 'action', seat: 'a', action: { text: 'ok' }, calls: [{ ...call, prompt: { messages: chat.slice() } }] });
    }
    await store.append('e', 0, events);
    const back = await store.events('e');
    expect((back[1] as { text: string }).text === big).toBe(true);
    expect(back.slice(2)).toEqual(events.slice(2));
  });
}

function lasting(at: () => Store): void {
  it('[S12] shows a reader everything that was appended before its read', async () => {
    const store = at();
    const events = log(2);
    const appended = store.append('e', 0, events, 'r');
    const observations = [store.events('e'), store.episode('e'), store.episodes(), store.find('e'), store.statuses('r')] as const;
    expect(await observations[0]).toEqual(events);
    expect((await observations[1])?.status).toBe('over');
    expect(await observations[2]).toHaveLength(1);
    expect(await observations[3]).toEqual(['e']);
    expect((await observations[4]).get('e')).toBe('over');
    await appended;
  });

  it('[S31] keeps the journals of a run as append-only lists', async () => {
    const store = at();
    expect(await store.notes('r', 'metrics')).toEqual([]);
    expect(await store.journals('r')).toEqual({});
    await store.note('r', 'metrics', 0, [{ update: 1 }, null]);
    await store.note('r', 'metrics', 2, ['third']);
    await store.note('r', 'candidates', 0, [[1, 'ü\u2028']]);
    await store.note('other', 'metrics', 0, [0]);
    expect(await store.notes('r', 'metrics')).toEqual([{ update: 1 }, null, 'third']);
    expect(await store.notes('r', 'metrics', 2)).toEqual(['third']);
    expect(await store.notes('r', 'candidates')).toEqual([[1, 'ü\u2028']]);
    expect(await store.journals('r')).toEqual({ candidates: 1, metrics: 3 });
    const many = Array.from({ length: 1234 }, (_, i) => i);
    await store.note('r', 'many', 0, many);
    expect(await store.notes('r', 'many')).toEqual(many);
  });

  it('[S31] rejects entries that do not follow a journal or are not JSON', async () => {
    const store = at();
    await store.note('r', 'metrics', 0, [1]);
    expect(await rejectionOf(store.note('r', 'metrics', 0, [2]))).toContain(
      'has 1 entries, so the next must be at index 1, but it was at 0',
    );
    expect(await rejectionOf(store.note('r', 'metrics', 2, [2]))).toContain('but it was at 2');
    await expect(store.note('r', 'metrics', 1, [2, (() => 0) as unknown as Json])).rejects.toThrow();
    expect(await rejectionOf(store.note('', 'metrics', 0, [2]))).toContain('A run needs a name');
    expect(await rejectionOf(store.note('r', 'a\0b', 0, [2]))).toContain('A journal needs a name');
    expect(await store.notes('r', 'metrics')).toEqual([1]);
  });

  it('[S31] stores the work of a run besides playing', async () => {
    const store = at();
    const run = { id: 'lesson', plan, episodes: 4, work: { kind: 'train', name: 'lesson', recipe: { name: 'kuhn' } } };
    await store.putRun(run);
    await store.putRun({ id: 'plain', plan, episodes: 4 });
    expect(await store.run('lesson')).toEqual(run);
    expect(await store.runs()).toEqual([run, { id: 'plain', plan, episodes: 4 }]);
  });

  it('[S13] closes after pending writes, allows a second close, and then rejects calls', async () => {
    const store = at();
    const appended = store.append('e', 0, log(1));
    await Promise.all([store.close(), store.close()]);
    await store.close();
    await appended;
    for (const call of [store.append('f', 0, log(1)), store.events('e'), store.episodes(), store.runs(), store.scores('e'), store.find('')])
      expect(await rejectionOf(call)).toBe('The store is closed. Open it again to read or write.');
  });
}
