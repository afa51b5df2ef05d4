import { kuhnPoker } from '@ludus-agents/environments/internal/kuhn-poker';
import type { EpisodeEvent, EpisodeQuery, Json, Score, Store } from '@ludus-agents/kernel/internal/core/index';
import { scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { importJsonl } from '@ludus-agents/store/internal/import-jsonl';
import { exportJsonl } from '@ludus-agents/store/internal/jsonl';
import { log, rejectionOf, start } from '@ludus-agents/store/internal/logs.cases';
import { memoryStore } from '@ludus-agents/store/internal/memory';
import { describe, expect, it } from 'vitest';
import { fc } from '../../../../test/fixtures/property.ts';

async function linesOf(store: Store, query?: EpisodeQuery): Promise<string[]> {
  return Array.fromAsync(exportJsonl(store, query));
}

async function* stream(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

/** Everything in a store, but for the order numbers. */
async function contents(store: Store): Promise<unknown> {
  const episodes = (await store.episodes()).map(({ order: _, ...record }) => record);
  const logs = await Promise.all(episodes.map(async ({ id }) => [await store.events(id), await store.scores(id)]));
  const journals = await Promise.all(
    (await store.runs()).map(async ({ id }) => [id, await store.journals(id), await store.notes(id, 'metrics')]),
  );
  return { runs: await store.runs(), journals, specs: await store.specs(), episodes, logs };
}

const cost = { calls: 0, promptTokens: 0, completionTokens: 0, money: null };
const score = (name: string): Score => ({ name, value: 0.5, status: 'ok', evidence: [], cost });

async function example(): Promise<Store> {
  const store = memoryStore();
  await store.putRun({ id: 'r1', plan: { environments: [], seeds: [1, 2], casts: [{ '*': 'random' }] }, episodes: 2 });
  await store.putRun({ id: 'r2', plan: { environments: [], seeds: [3], casts: [] }, episodes: 1 });
  await store.note('r2', 'metrics', 0, [{ update: 1 }, 'half way']);
  const parent = await store.putSpec({ name: 'zero', kind: 'llm', texts: { rules: 'Win.' } });
  await store.putSpec({ name: 'random', kind: 'llm', parent });
  await store.putSpec({ name: 'unrelated', kind: 'llm' });
  const random = scriptedPolicy('random', ({ ask, rng }) => ({ text: rng.pick(ask.choices as string[]) }));
  const logs = await rollout(kuhnPoker, { first: random, second: random }, { seeds: [1, 2, 3, 4, 5] });
  for (const [i, events] of logs.entries()) await store.append(`e${i}`, 0, events, i < 3 ? 'r1' : 'r2');
  await store.append('live', 0, log(2, {}, 'running'));
  await store.putScores('e1', [score('won'), score('polite')]);
  return store;
}

describe('JSONL exports', () => {
  it('[S26] copy everything from one store to another in order', async () => {
    const store = await example();
    const copy = memoryStore();
    const counts = await importJsonl(copy, stream(await linesOf(store)));
    const events = (await store.episodes()).reduce((sum, record) => sum + record.events, 0);
    expect(counts).toEqual({ runs: 2, specs: 3, episodes: 6, continued: 0, skipped: 0, events, scores: 2 });
    expect(await contents(copy)).toEqual(await contents(store));
    expect(await linesOf(copy)).toEqual(await linesOf(store));
  });

  it('[S26] preserve any plain JSON', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('~', '~~', '+', '__proto__', '\ud800'),
      fc.constant('long\u2028 '.repeat(70)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(text, fc.jsonValue({ stringUnit: 'binary', maxDepth: 2 })), { maxLength: 4 }), async (entries) => {
        const data: Json = JSON.parse(JSON.stringify(Object.fromEntries(entries.map(([key, value]) => [key, [value, key]]))));
        const events: EpisodeEvent[] = [start({ task: data }), { kind: 'message', to: ['a'], text: entries[0]?.[0] ?? '', data }];
        const [store, copy] = [memoryStore(), memoryStore()];
        await store.append('e', 0, events);
        await importJsonl(copy, await linesOf(store));
        expect(JSON.stringify(await copy.events('e'))).toBe(JSON.stringify(events));
      }),
      { seed: 20261115, numRuns: 25 },
    );
  });

  it('[S27] contain each shared value once before its first use, and grow linearly with the turns', async () => {
    const chat = (turns: number) => {
      const events: EpisodeEvent[] = [start()];
      const memory: string[] = [];
      for (let i = 0; i < turns; i++) {
        memory.push(`At turn ${i} the other side offered ${(i * 7919) % 1000} coins.`);
        events.push({ kind: 'action', seat: 'a', action: { text: 'no' }, mind: { memory: [...memory] } });
      }
      return events;
    };
    const size = async (turns: number) => {
      const store = memoryStore();
      await store.append('e', 0, chat(turns));
      return (await linesOf(store)).reduce((sum, line) => sum + line.length + 1, 0);
    };
    expect((await size(400)) / (await size(200))).toBeLessThan(2.2);
    const store = memoryStore();
    for (const id of ['e', 'f', 'g']) await store.append(id, 0, chat(50));
    const lines = (await linesOf(store)).map((line) => JSON.parse(line) as { kind: string; hash: string });
    const values = lines.filter(({ kind }) => kind === 'value').map(({ hash }) => hash);
    expect(values.length).toBeGreaterThan(3);
    expect(new Set(values).size).toBe(values.length);
    expect(lines.map(({ kind }) => kind).join(' ')).toMatch(/^ludus (value )+episode episode episode end$/);
  });

  it('[S27] forget shared values regularly, to bound memory on both ends', async () => {
    const store = memoryStore();
    for (let i = 0; i < 3; i++) await store.append(`e${i}`, 0, [start(), { kind: 'message', to: [], text: `${i}`.repeat(5_000_000) }]);
    const lines = await linesOf(store);
    expect(lines.filter((line) => line === '{"kind":"forget"}').length).toBeGreaterThanOrEqual(1);
    const copy = memoryStore();
    await importJsonl(copy, lines);
    for (let i = 0; i < 3; i++) expect(await copy.events(`e${i}`)).toEqual(await store.events(`e${i}`));
  });

  it('[S28] change nothing when imported twice, and continue a partially stored log', async () => {
    const store = await example();
    const lines = await linesOf(store);
    const copy = memoryStore();
    await importJsonl(copy, lines);
    const before = await contents(copy);
    const counts = await importJsonl(copy, lines);
    expect(counts).toEqual({ runs: 0, specs: 0, episodes: 0, continued: 0, skipped: 6, events: 0, scores: 0 });
    expect(await contents(copy)).toEqual(before);
    const rest = log(3).slice(7);
    await store.append('live', 7, rest);
    await store.putScores('e2', [score('won')]);
    const more = await importJsonl(copy, await linesOf(store));
    expect(more).toEqual({ runs: 0, specs: 0, episodes: 0, continued: 1, skipped: 5, events: rest.length, scores: 1 });
    expect(await contents(copy)).toEqual(await contents(store));
    // A store that is ahead of the file is not set back.
    expect((await importJsonl(copy, lines)).skipped).toBe(6);
    expect(await copy.events('live')).toEqual(log(3));
  });

  it('[S28] are rejected if a stored episode differs, with the line number', async () => {
    const [store, copy] = [memoryStore(), memoryStore()];
    for (const id of ['e', 'f']) await store.append(id, 0, log(2));
    await copy.append('f', 0, log(2, { seed: 8 }));
    expect(await rejectionOf(importJsonl(copy, await linesOf(store)))).toBe(
      'Line 3: episode "f" is already stored and differs from event 0 on; rename one, or import into another store.',
    );
    expect(await copy.events('f')).toEqual(log(2, { seed: 8 }));
  });

  it('[S29] are rejected with the number of a bad line', async () => {
    const lines = await linesOf(await example());
    const value = lines.findIndex((line) => line.includes('"kind":"value"'));
    const with_ = (at: number, line: string) => importJsonl(memoryStore(), lines.with(at, line));
    expect(await rejectionOf(with_(3, '{"kind":"run",'))).toBe('Line 4: expected a JSON object, but found "{\\"kind\\":\\"run\\",".');
    expect(await rejectionOf(with_(3, '[1]'))).toContain('Line 4: expected a JSON object');
    expect(await rejectionOf(with_(3, '{"kind":"dance"}'))).toContain('Line 4: unknown kind of line: "dance"');
    expect(await rejectionOf(with_(0, lines[1]!))).toContain('Line 1: expected {"kind":"ludus",…}');
    expect(await rejectionOf(with_(0, '{"kind":"ludus","version":2}'))).toContain('Line 1: expected version 1 of the format, but got 2');
    expect(await rejectionOf(with_(value, lines[value]!.replace('Kuhn', 'Kahn')))).toContain(`Line ${value + 1}: expected the value with`);
    expect(await rejectionOf(with_(value, ''))).toMatch(/Line 10: The log refers to a shared value/);
    expect(await rejectionOf(with_(1, '{"kind":"episode","id":"x","events":[{"kind":"turn","asks":[]}]}'))).toContain(
      '", but a log must start with its start',
    );
    expect(await rejectionOf(with_(1, '{"kind":"episode","id":"x"}'))).toContain('Line 2: expected an episode');
    expect(await rejectionOf(with_(1, '{"kind":"scores","episode":"x","scores":[{"name":"n"}]}'))).toContain(
      'Line 2: Episode "x" not found',
    );
    expect(await rejectionOf(with_(1, '{"kind":"run"}'))).toContain('Line 2: ');
  });

  it('[S29] are recognized as truncated', async () => {
    const lines = await linesOf(await example());
    const copy = memoryStore();
    expect(await rejectionOf(importJsonl(copy, lines.slice(0, -2)))).toContain(
      'without the last line of an export, so it is incomplete. 5 new episodes',
    );
    expect(await copy.episodes()).toHaveLength(5);
    const missing = lines.filter((line) => !line.startsWith('{"kind":"episode","id":"e3"'));
    expect(await rejectionOf(importJsonl(memoryStore(), missing))).toMatch(
      /expected 6 episodes with \d+ events before this line, but got 5 with \d+/,
    );
    expect(await rejectionOf(importJsonl(memoryStore(), []))).toContain('ends after line 0');
    // Whole exports may follow each other, with empty lines and carriage returns between.
    const both = memoryStore();
    await importJsonl(
      both,
      [...lines, '', ...lines].map((line) => `${line}\r`),
    );
    expect(await both.episodes()).toHaveLength(6);
  });

  it('[S30] of a query contain its episodes with their runs, agents, and ancestors', async () => {
    const copy = memoryStore();
    const counts = await importJsonl(copy, await linesOf(await example(), { run: 'r2' }));
    expect(counts).toMatchObject({ runs: 1, specs: 2, episodes: 2 });
    expect((await copy.specs()).map(({ spec }) => spec.name)).toEqual(['zero', 'random']);
    expect((await copy.episodes()).map(({ id }) => id)).toEqual(['e4', 'e3']);
    const newest = memoryStore();
    await importJsonl(newest, await linesOf(await example(), { limit: 2 }));
    expect((await newest.episodes()).map(({ id }) => id)).toEqual(['live', 'e4']);
    const none = await linesOf(await example(), { agent: 'nobody' });
    expect(none).toEqual(['{"kind":"ludus","version":1}', '{"kind":"end","episodes":0,"events":0}']);
  });

  it('[S30] page through more episodes than fit on one page', async () => {
    const [store, copy] = [memoryStore(), memoryStore()];
    for (let i = 0; i < 2300; i++) await store.append(`e${i}`, 0, log(0, { seed: i }));
    await importJsonl(copy, await linesOf(store));
    expect((await copy.episodes()).map(({ id, order }) => [id, order])).toEqual(
      (await store.episodes()).map(({ id, order }) => [id, order]),
    );
  });
});
