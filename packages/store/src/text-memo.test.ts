import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EpisodeEvent, freeze, type Json } from '@ludus-agents/kernel/internal/core/index';
import { afterAll, describe, expect, it } from 'vitest';
import { fc } from '../../../test/fixtures/property.ts';
import { toAddressed } from './append-rules.ts';
import { memoryStore } from './memory.ts';
import { deepest, isTextTooDeep } from './records.ts';
import { sqliteStore } from './sqlite.ts';
import { TextMemo } from './text-memo.ts';

const directory = mkdtempSync(join(tmpdir(), 'ludus-repeats-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('repeated values in a store', () => {
  it('are computed once for short texts, each time for long ones, and evicted at a limit', () => {
    let madeCount = 0;
    const memo = new TextMemo<number>();
    const count = (text: string) => memo.get(text, () => ++madeCount);
    expect([count('a'), count('a'), count('b')]).toEqual([1, 1, 2]);
    const long = 'x'.repeat(3000);
    expect([count(long), count(long)]).toEqual([3, 4]);
    for (let i = 0; i < 5000; i++) count(`text ${i}`);
    expect(count('a')).toBeGreaterThan(4);
  });

  it('get the address of their value as documents, but not if only their text looks alike', () => {
    expect(toAddressed({ name: 'x', value: null })).toEqual(toAddressed({ name: 'x', value: null }));
    expect(toAddressed({ value: null, name: 'x' }).address).toBe(toAddressed({ name: 'x', value: null }).address);
    for (const odd of [Number.NaN, Number.POSITIVE_INFINITY, undefined])
      expect(() => toAddressed({ name: 'x', value: odd }), String(odd)).toThrow(/plain JSON/);
  });

  it('are serialized once as deeply frozen documents, and each time otherwise', () => {
    const frozen = freeze({ name: 'x', parts: { n: 1 } });
    expect(toAddressed(frozen)).toBe(toAddressed(frozen));
    const half = Object.freeze({ name: 'x', parts: { n: 1 } });
    expect(toAddressed(half)).toEqual(toAddressed(frozen));
    half.parts.n = 2;
    expect(toAddressed(half).text).toBe('{"name":"x","parts":{"n":2}}');
  });

  it('are read repeatedly as records with shared tasks, casts, and scores, in files and memory', async () => {
    const file = await sqliteStore(join(directory, 'repeats.sqlite'));
    const memory = memoryStore();
    const tasks: readonly Json[] = [{ rules: 'long '.repeat(100), list: [{ of: 'many words '.repeat(60) }] }, { n: 1, '~': 'odd' }, 7];
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    for (const store of [file, memory]) {
      for (const [i, id] of ids.entries()) {
        const start = { kind: 'start', environment: 'x@1', task: tasks[i % 3]!, seed: i, seats: ['s'], cast: { s: 'random' } };
        await store.append(id, 0, [start as unknown as EpisodeEvent]);
        await store.putScores(id, [
          { name: 'n', value: 1, status: 'ok', evidence: [], cost: { calls: 0, promptTokens: 0, completionTokens: 0, money: 0 } },
        ]);
      }
    }
    for (let round = 0; round < 2; round++) {
      const [read, episodeRecords] = await Promise.all([file, memory].map((store) => store.episodes({})));
      expect(read).toEqual(episodeRecords);
      expect(read!.map(({ task }) => task)).toEqual([...ids.keys()].reverse().map((i) => tasks[i % 3]));
      const stored = await file.read!(ids, { events: true, scores: true });
      for (const id of ids)
        expect(stored.get(id)).toEqual({ record: null, events: await memory.events(id), scores: await memory.scores(id) });
    }
    const [episodeRecord] = await file.episodes({ limit: 1 });
    expect(() => Object.assign(episodeRecord!.cast, { s: 'another' })).toThrow(TypeError);
    await file.close();
  });

  it('have a nesting depth computed from their JSON text, ignoring brackets in strings', () => {
    const depth = (value: unknown): number =>
      typeof value !== 'object' || value === null ? 0 : 1 + Math.max(0, ...Object.values(value).map(depth));
    const nest = (levels: number, inner: unknown): unknown =>
      levels === 0 ? inner : levels % 2 === 0 ? [nest(levels - 1, inner)] : { 'k"[{\\': nest(levels - 1, inner) };
    expect(isTextTooDeep(JSON.stringify(nest(deepest, 'x')))).toBe(false);
    expect(isTextTooDeep(JSON.stringify(nest(deepest + 1, 'x')))).toBe(true);
    const words = fc.string({ unit: fc.constantFrom('[', ']', '{', '}', '"', '\\', 'a') });
    const values = fc.object({ key: words, values: [words], maxDepth: 3 });
    fc.assert(
      fc.property(values, fc.integer({ min: deepest - 6, max: deepest + 6 }), (value, levels) => {
        const whole = nest(levels, value);
        expect(isTextTooDeep(JSON.stringify(whole))).toBe(depth(whole) > deepest);
      }),
      { numRuns: 60 },
    );
  });
});
