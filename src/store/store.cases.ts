/** @file What every store must do, as cases to run over each of them. The numbers are those of SPEC.md. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type AgentSpec,
  type EpisodeEvent,
  Fault,
  hash,
  type Json,
  type Plan,
  type Score,
  type StartEvent,
  type Store,
} from '../core/index.ts';

export function start(changes: Partial<StartEvent> = {}): StartEvent {
  return { kind: 'start', environment: 'duel@1', task: {}, seed: 7, seats: ['a', 'b'], cast: { a: 'ann', b: 'bob' }, ...changes };
}

/** A log of `turns` turns, ended by default. */
export function log(turns: number, changes: Partial<StartEvent> = {}, end: 'over' | 'error' | 'running' = 'over'): EpisodeEvent[] {
  const events: EpisodeEvent[] = [start(changes)];
  for (let i = 0; i < turns; i++) {
    events.push({ kind: 'turn', asks: [{ seat: 'a', choices: ['[yes]', '[no]'] }] });
    events.push({ kind: 'action', seat: 'a', action: { text: `[yes] ${i}` }, mind: { plan: 'win', count: i } });
    events.push({ kind: 'message', to: ['a', 'b'], text: `a says yes for the ${i}th time.`, from: 'a' });
  }
  if (end === 'running') return events;
  events.push({ kind: 'reward', rewards: { a: 1, b: -1 } });
  events.push({ kind: 'end', reason: end, returns: { a: 1, b: -1 }, penalties: { a: 0, b: 0 }, turns });
  return events;
}

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

const plan: Plan = { environments: [{ environment: 'duel@1', tasks: [{}] }], seeds: { from: 0, count: 4 }, casts: [{ '*': 'random' }] };

/** The sentence of the fault that a promise is refused with. */
export async function refused(promise: Promise<unknown>): Promise<string> {
  const thrown = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(thrown).toBeInstanceOf(Fault);
  expect((thrown as Fault).message).toMatch(/^[^\n]+\.$/);
  return (thrown as Fault).message;
}

export function storeCases(name: string, open: () => Promise<Store>): void {
  describe(`${name} store`, () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());
    documents(() => store);
    appending(() => store);
    listing(() => store);
    lasting(() => store);
  });
}

function documents(at: () => Store): void {
  it('[S1] keeps the first plan under a run id, and lists runs as they came', async () => {
    const store = at();
    await store.putRun({ id: 'r2', plan, episodes: 4 });
    await store.putRun({ id: 'r1', plan: { ...plan, swap: true }, episodes: 8 });
    await store.putRun({ id: 'r2', plan: { ...plan, swap: true }, episodes: 9 });
    expect(await store.run('r2')).toEqual({ id: 'r2', plan, episodes: 4 });
    expect((await store.runs()).map(({ id }) => id)).toEqual(['r2', 'r1']);
    expect(await store.run('r3')).toBeNull();
    expect(await refused(store.putRun({ id: '', plan, episodes: 1 }))).toContain('A run');
    expect(await refused(store.putRun({ id: 'r4', plan: { ...plan, limits: { turns: Number.NaN } }, episodes: 1 }))).toContain('NaN');
  });

  it('[S2] stores a spec once under its hash, and finds the children of a parent', async () => {
    const store = at();
    const parent: AgentSpec = { name: 'zero', kind: 'llm', texts: { rules: 'Be kind. '.repeat(100) } };
    const address = await store.putSpec(parent);
    expect(address).toBe(hash(parent as unknown as Json));
    const one = await store.putSpec({ ...parent, name: 'one', parent: address });
    const two = await store.putSpec({ ...parent, name: 'two', parent: address });
    expect(await store.putSpec(Object.fromEntries(Object.entries(parent).reverse()) as unknown as AgentSpec)).toBe(address);
    expect(await store.spec(address)).toEqual(parent);
    expect(await store.spec('none')).toBeNull();
    expect((await store.specs()).map(({ hash }) => hash)).toEqual([address, one, two]);
    expect((await store.specs({ parent: address })).map(({ spec }) => spec.name)).toEqual(['one', 'two']);
    expect(await store.specs({ parent: one })).toEqual([]);
  });

  it('[S11] keeps scores in order and each of them once, and only for episodes it has', async () => {
    const store = at();
    const appended = store.append('e', 0, log(1));
    await store.putScores('e', [score(), score({ seat: 'b', value: null, status: 'unparsed' })]);
    await store.putScores('e', [score(), score({ name: 'polite', interval: [0.1, 0.9] })]);
    expect((await store.scores('e')).map(({ name, seat }) => `${name} ${seat}`)).toEqual(['won a', 'won b', 'polite a']);
    expect((await store.scores('e'))[1]).toEqual(score({ seat: 'b', value: null, status: 'unparsed' }));
    expect(await store.scores('f')).toEqual([]);
    expect(await refused(store.putScores('f', [score()]))).toContain('"f"');
    expect(await refused(store.putScores('e', [score({ name: 'new' }), score({ value: Number.NaN })]))).toContain('NaN');
    expect(await store.scores('e')).toHaveLength(3);
    await appended;
  });
}

function appending(at: () => Store): void {
  it('[S3] appends only at the end of a log, and a refused append changes nothing', async () => {
    const store = at();
    const events = log(3);
    await store.append('e', 0, events.slice(0, 4), 'r');
    expect(await refused(store.append('e', 5, events.slice(5)))).toBe(
      'Episode "e" has 4 events, so the next append is at index 4, but came at 5; read the log and continue from its end.',
    );
    expect(await refused(store.append('e', 3, events.slice(3)))).toContain('at index 4');
    expect(await refused(store.append('e', 0, events))).toContain('has 4 events');
    expect(await refused(store.append('new', 1, events.slice(1)))).toContain('has 0 events');
    for (const wrong of [-1, 0.5, Number.NaN]) expect(await refused(store.append('e', wrong, events))).toContain(String(wrong));
    expect(await store.events('e')).toEqual(events.slice(0, 4));
    expect(await store.episode('new')).toBeNull();
    await store.append('e', 4, events.slice(4));
    expect(await store.events('e')).toEqual(events);
  });

  it('[S3] takes appends that were not waited for in the order they were made, and refuses what follows a gap', async () => {
    const store = at();
    const events = log(3);
    const appends = [store.append('e', 0, events.slice(0, 2)), store.append('e', 2, events.slice(2, 5))];
    const gap = refused(store.append('e', 6, events.slice(6)));
    await Promise.all(appends);
    expect(await gap).toContain('at index 5');
    await store.append('e', 5, events.slice(5));
    expect(await store.events('e')).toEqual(events);
  });

  it('[S4] holds that a log is one start, then events, then at most one end', async () => {
    const store = at();
    const events = log(1);
    expect(await refused(store.append('e', 0, events.slice(1)))).toContain('a log opens with its start');
    expect(await refused(store.append('e', 0, [start(), start()]))).toContain('only the first');
    expect(await refused(store.append('e', 0, [...events, events[1] as EpisodeEvent]))).toContain('more events come after it');
    expect(await refused(store.append('e', 0, [start(), { kind: 'dance' } as unknown as EpisodeEvent]))).toContain('none of start');
    expect(await refused(store.append('e', 0, [start({ seed: 0.5 })]))).toContain('seed');
    expect(await refused(store.append('e', 0, [start({ cast: { a: 1 } as unknown as Record<string, string> })]))).toContain('cast');
    expect(await store.episode('e')).toBeNull();
    await store.append('e', 0, events);
    expect(await refused(store.append('e', events.length, [events[1] as EpisodeEvent]))).toBe(
      'Episode "e" has ended (over); a finished log takes no more events.',
    );
    await store.append('e', events.length, []);
  });

  it('[S5] stores what was said at the time: later changes in place do not reach the log', async () => {
    const store = at();
    const memory: { text: string }[] = [];
    const appends = [store.append('e', 0, [start()])];
    for (let i = 0; i < 30; i++) {
      memory.push({ text: `${i}: ${'something happened '.repeat(3)}` });
      appends.push(store.append('e', 1 + i, [{ kind: 'action', seat: 'a', action: { text: 'x' }, mind: { memory } }]));
      (memory[0] as { text: string }).text = `changed at ${i}`;
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

  it('[S5] refuses what is not plain JSON, naming the place', async () => {
    const store = at();
    await store.append('e', 0, [start()]);
    const holds = (mind: unknown) => store.append('e', 1, [{ kind: 'action', seat: 'a', action: { text: 'x' }, mind: mind as Json }]);
    expect(await refused(holds({ deep: [1, Number.NaN] }))).toContain('event 1.mind.deep[1], but found NaN');
    expect(await refused(holds({ when: new Date(0) }))).toContain('event 1.mind.when, but found a Date');
    expect(await refused(holds({ later: undefined }))).toContain('event 1.mind.later, but found undefined');
    expect(await refused(holds(new Array(2)))).toContain('event 1.mind[0], but found undefined');
    const circle: { self?: unknown } = {};
    circle.self = circle;
    expect(await refused(holds(circle))).toContain('levels deep, or holds itself');
    expect(await store.events('e')).toHaveLength(1);
  });

  it('[S6] gives events back exactly, from any index', async () => {
    const store = at();
    const events = log(4);
    for (let i = 0; i < events.length; i += 3) await store.append('e', i, events.slice(i, i + 3));
    for (let from = 0; from <= events.length + 1; from++) expect(await store.events('e', from)).toEqual(events.slice(from));
    expect(await store.events('unknown')).toEqual([]);
  });

  it('[S6] keeps odd contents: half characters, zero bytes, key order, "__proto__", reference look-alikes, huge numbers', async () => {
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

  it('[S14] takes an event of ten million characters, and a chat of many turns', async () => {
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

function listing(at: () => Store): void {
  it('[S7] sums a log up from its events', async () => {
    const store = at();
    const events = log(3, { task: { rounds: 2 }, seed: 2 ** 53 - 1 });
    await store.append('e', 0, events.slice(0, 5), 'r');
    const running = await store.episode('e');
    expect(running).toEqual({
      id: 'e',
      run: 'r',
      environment: 'duel@1',
      task: { rounds: 2 },
      seed: 2 ** 53 - 1,
      cast: { a: 'ann', b: 'bob' },
      status: 'running',
      events: 5,
      turns: 1,
      returns: null,
      order: running?.order,
    });
    await store.append('e', 5, events.slice(5));
    expect(await store.episode('e')).toEqual({ ...running, status: 'over', events: 12, turns: 3, returns: { a: 1, b: -1 } });
    expect(await store.episode('none')).toBeNull();
  });

  it('[S8] lists newest first, each filter narrowing, and a page is not moved by what arrives', async () => {
    const store = at();
    for (let i = 0; i < 12; i++) {
      const environment = i % 3 === 0 ? 'trade@1' : 'duel@1';
      const cast = { a: i % 4 === 0 ? 'ann' : 'bob', b: 'bob' };
      await store.append(`e${i}`, 0, log(1, { environment, cast }, i % 5 === 0 ? 'error' : 'over'), i < 6 ? 'r1' : 'r2');
    }
    await store.append('live', 0, log(1, {}, 'running'));
    const ids = async (query = {}) => (await store.episodes(query)).map(({ id }) => id).join(' ');
    expect(await ids()).toBe('live e11 e10 e9 e8 e7 e6 e5 e4 e3 e2 e1 e0');
    expect(await ids({ run: 'r1' })).toBe('e5 e4 e3 e2 e1 e0');
    expect(await ids({ environment: 'trade@1' })).toBe('e9 e6 e3 e0');
    expect(await ids({ agent: 'ann' })).toBe('live e8 e4 e0');
    expect(await ids({ agent: 'bob', limit: 3 })).toBe('live e11 e10');
    expect(await ids({ status: 'error' })).toBe('e10 e5 e0');
    expect(await ids({ status: 'running' })).toBe('live');
    expect(await ids({ run: 'r1', agent: 'ann', environment: 'duel@1', status: 'over' })).toBe('e4');
    expect(await ids({ run: 'r1', agent: 'ann', environment: 'trade@1', status: 'error' })).toBe('e0');
    expect(await ids({ agent: 'nobody' })).toBe('');
    expect(await ids({ limit: 0 })).toBe('');
    const first = await store.episodes({ limit: 5 });
    await store.append('late', 0, log(1));
    const before = first.at(-1)?.order as number;
    expect(await ids({ before, limit: 5 })).toBe('e7 e6 e5 e4 e3');
    expect(await ids({ before, agent: 'ann' })).toBe('e4 e0');
    expect(await refused(store.episodes({ limit: -1 }))).toContain('limit');
  });

  it('[S8] finds an episode by its status also after that has changed', async () => {
    const store = at();
    const events = log(2);
    await store.append('e', 0, events.slice(0, 3));
    expect(await store.episodes({ agent: 'ann', status: 'over' })).toEqual([]);
    await store.append('e', 3, events.slice(3));
    expect(await store.episodes({ agent: 'ann', status: 'running' })).toEqual([]);
    expect(await store.episodes({ agent: 'bob', status: 'over' })).toHaveLength(1);
    expect(await store.episodes({ status: 'over' })).toHaveLength(1);
  });

  it('[S8] takes agents, seats and environments of any name', async () => {
    const store = at();
    const names = [
      "'; drop table episodes; --",
      '%_*',
      '__proto__',
      'constructor',
      'Zoë 😀',
      '\ud800',
      'zero\0byte',
      '',
      'a'.repeat(10_000),
    ];
    for (const [i, name] of names.entries()) {
      const cast = JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(name)},"__proto__":"bob"}`) as Record<string, string>;
      await store.append(`e${i}`, 0, log(0, { cast, environment: name.isWellFormed() && !/^$|\0/.test(name) ? name : 'odd' }));
    }
    for (const [i, name] of names.entries()) {
      const found = await store.episodes({ agent: name });
      if (name !== '__proto__') expect(found.map(({ id }) => id)).toEqual([`e${i}`]);
      expect(Object.keys((await store.episode(`e${i}`))?.cast as object)).toEqual(name === '__proto__' ? [name] : [name, '__proto__']);
    }
    expect(await store.episodes({ environment: '%_*' })).toHaveLength(1);
    expect(await store.episodes({ agent: 'bob' })).toHaveLength(names.length);
  });

  it('[S8] counts what a query finds by what it came to', async () => {
    const store = at();
    for (const id of ['x', 'y', 'z']) await store.append(id, 0, log(1), 'r');
    await store.append('w', 0, log(1, { cast: { a: 'eve', b: 'bob' } }), 'r');
    await store.append('v', 0, log(1, {}, 'running'), 'r');
    await store.append('u', 0, log(1, { environment: 'other@1' }, 'error'), 's');
    const ended = { environment: 'duel@1', status: 'over', returns: { a: 1, b: -1 } };
    const counts = (all: readonly { count: number }[]) => all.map(({ count }) => count).sort();
    const all = await store.tally({ run: 'r' });
    expect(all).toHaveLength(3);
    expect(all).toContainEqual({ ...ended, cast: { a: 'ann', b: 'bob' }, count: 3 });
    expect(all).toContainEqual({ ...ended, cast: { a: 'eve', b: 'bob' }, count: 1 });
    expect(all).toContainEqual({ environment: 'duel@1', cast: { a: 'ann', b: 'bob' }, status: 'running', returns: null, count: 1 });
    expect(counts(await store.tally())).toEqual([1, 1, 1, 3]);
    expect(counts(await store.tally({ agent: 'eve' }))).toEqual([1]);
    expect(counts(await store.tally({ agent: 'bob', status: 'over', run: 'r' }))).toEqual([1, 3]);
    expect(counts(await store.tally({ environment: 'other@1' }))).toEqual([1]);
    expect(await store.tally({ run: 'none' })).toEqual([]);
  });

  it('[S9] finds ids by what they begin with, taken literally', async () => {
    const store = at();
    for (const id of ['abc1', 'abc2', 'ABC3', 'ab', 'b%', 'b_', 'bx', 'é1', "b'"]) await store.append(id, 0, log(0));
    expect(await store.find('abc')).toEqual(['abc1', 'abc2']);
    expect(await store.find('ab', 2)).toEqual(['ab', 'abc1']);
    expect(await store.find('b%')).toEqual(['b%']);
    expect(await store.find('b_')).toEqual(['b_']);
    expect(await store.find("b'")).toEqual(["b'"]);
    expect(await store.find('é')).toEqual(['é1']);
    expect(await store.find('zzz')).toEqual([]);
    expect(await store.find('')).toHaveLength(9);
    for (const wrong of ['', '\ud800', 'a\0']) expect(await refused(store.append(wrong, 0, log(0)))).toContain('An episode is named');
  });

  it('[S10] tells the status of every episode of a run', async () => {
    const store = at();
    await store.append('x', 0, log(1), 'r');
    await store.append('y', 0, log(1, {}, 'running'), 'r');
    await store.append('z', 0, log(1, {}, 'error'), 'r');
    await store.append('other', 0, log(1), 'r2');
    await store.append('free', 0, log(1));
    expect(Object.fromEntries(await store.statuses('r'))).toEqual({ x: 'over', y: 'running', z: 'error' });
    expect(await store.statuses('none')).toEqual(new Map());
  });
}

function lasting(at: () => Store): void {
  it('[S12] shows a reader everything that was appended before it asked', async () => {
    const store = at();
    const events = log(2);
    const appended = store.append('e', 0, events, 'r');
    const seen = [store.events('e'), store.episode('e'), store.episodes(), store.find('e'), store.statuses('r')] as const;
    expect(await seen[0]).toEqual(events);
    expect((await seen[1])?.status).toBe('over');
    expect(await seen[2]).toHaveLength(1);
    expect(await seen[3]).toEqual(['e']);
    expect((await seen[4]).get('e')).toBe('over');
    await appended;
  });

  it('[S31] keeps the journals of a run as lists that only grow, each from its end', async () => {
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

  it('[S31] refuses what does not follow a journal, and entries that are not JSON', async () => {
    const store = at();
    await store.note('r', 'metrics', 0, [1]);
    expect(await refused(store.note('r', 'metrics', 0, [2]))).toContain('has 1 entries, so the next is at index 1, but came at 0');
    expect(await refused(store.note('r', 'metrics', 2, [2]))).toContain('but came at 2');
    await expect(store.note('r', 'metrics', 1, [2, (() => 0) as unknown as Json])).rejects.toThrow();
    expect(await refused(store.note('', 'metrics', 0, [2]))).toContain('A run is named');
    expect(await refused(store.note('r', 'a\0b', 0, [2]))).toContain('A journal is named');
    expect(await store.notes('r', 'metrics')).toEqual([1]);
  });

  it('[S31] keeps what a run does besides playing', async () => {
    const store = at();
    const run = { id: 'lesson', plan, episodes: 4, work: { kind: 'train', name: 'lesson', recipe: { name: 'kuhn' } } };
    await store.putRun(run);
    await store.putRun({ id: 'plain', plan, episodes: 4 });
    expect(await store.run('lesson')).toEqual(run);
    expect(await store.runs()).toEqual([run, { id: 'plain', plan, episodes: 4 }]);
  });

  it('[S13] closes once what is waiting is stored, closes twice, and then says that it is closed', async () => {
    const store = at();
    const appended = store.append('e', 0, log(1));
    await Promise.all([store.close(), store.close()]);
    await store.close();
    await appended;
    for (const call of [store.append('f', 0, log(1)), store.events('e'), store.episodes(), store.runs(), store.scores('e'), store.find('')])
      expect(await refused(call)).toBe('The store is closed; open it again to read or write.');
  });
}
