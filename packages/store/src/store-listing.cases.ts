/** @file What every store must do when episodes are summed up, listed, counted and found. The numbers are those of SPEC.md. */

import type { EpisodeEvent, Store } from '@ludus-agents/kernel/internal/core/index';
import { expect, it } from 'vitest';
import { importJsonl } from './import-jsonl.ts';
import { exportJsonl } from './jsonl.ts';
import { log, rejectionOf } from './logs.cases.ts';
import { memoryStore } from './memory.ts';

/** Finding episodes again. */
export function listing(at: () => Store): void {
  it('[S7] summarizes a log from its events', async () => {
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

  it('records when runs and episodes were stored, and deletes whole runs', async () => {
    const store = at();
    const before = 1;
    const plan = { environments: [], seeds: [], casts: [] };
    for (const id of ['r1', 'r2']) await store.putRun({ id, plan, episodes: 2 });
    for (const [id, run] of [
      ['a', 'r1'],
      ['b', 'r1'],
      ['c', 'r2'],
    ] as const)
      await store.append(id, 0, log(1), run);
    await store.note('r1', 'metrics', 0, [1]);
    const times = await store.catalog!.runTimes();
    const { created, first, last } = times.get('r1')!;
    expect([created! >= before, first! >= before, last! >= first!, times.size]).toEqual([true, true, true, 2]);
    expect([...(await store.catalog!.episodeTimes(['a', 'none'])).keys()]).toEqual(['a']);
    const tallies = await store.catalog!.runTallies();
    for (const run of ['r1', 'r2']) expect(tallies.get(run)).toEqual(await store.tally({ run }));
    expect([...(await store.catalog!.runNotes('metrics', ['r1', 'r2', 'none']))]).toEqual([['r1', [1]]]);
    expect(await store.catalog!.deleteRuns(['r1'])).toBe(2);
    expect([await store.run('r1'), await store.episode('a'), await store.notes('r1', 'metrics')]).toEqual([null, null, []]);
    expect((await store.episodes()).map(({ id }) => id)).toEqual(['c']);
    // The others are not affected, and later data is stored as usual.
    expect(await store.events('c')).toEqual(log(1));
    await store.append('d', 0, log(1), 'r2');
    expect(await store.events('d')).toEqual(log(1));
  });

  it('[S8] lists newest first, narrows by each filter, and keeps a page stable when episodes arrive', async () => {
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
    expect(await rejectionOf(store.episodes({ limit: -1 }))).toContain('limit');
  });

  it('[S8] finds an episode by its status after the status has changed', async () => {
    const store = at();
    const events = log(2);
    await store.append('e', 0, events.slice(0, 3));
    expect(await store.episodes({ agent: 'ann', status: 'over' })).toEqual([]);
    await store.append('e', 3, events.slice(3));
    expect(await store.episodes({ agent: 'ann', status: 'running' })).toEqual([]);
    expect(await store.episodes({ agent: 'bob', status: 'over' })).toHaveLength(1);
    expect(await store.episodes({ status: 'over' })).toHaveLength(1);
  });

  it('[S8] accepts agents, seats, and environments of any name', async () => {
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
      const episodeRecords = await store.episodes({ agent: name });
      if (name !== '__proto__') expect(episodeRecords.map(({ id }) => id)).toEqual([`e${i}`]);
      expect(Object.keys((await store.episode(`e${i}`))?.cast as object)).toEqual(name === '__proto__' ? [name] : [name, '__proto__']);
    }
    expect(await store.episodes({ environment: '%_*' })).toHaveLength(1);
    expect(await store.episodes({ agent: 'bob' })).toHaveLength(names.length);
  });

  it('[S8] counts the episodes of a query by outcome', async () => {
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

  it('[S38] keeps the fingerprints of an episode next to its log and counts versions separately', async () => {
    const store = at();
    const versions = (mark: string) => ({ environment: 'e1', agents: { a: mark, b: 'b1' } });
    await store.append('x', 0, log(1), 'r', undefined, versions('a1'));
    await store.append('y', 0, log(1), 'r', undefined, versions('a2~3'));
    await store.append('z', 0, log(1), 'r');
    // What is appended later changes nothing about what played.
    await store.append('v', 0, log(1, {}, 'running'), 'r', undefined, versions('a1'));
    await store.append('v', (await store.events('v')).length, log(1).slice(-1), 'r', undefined, versions('other'));
    expect((await store.episode('x'))?.versions).toEqual(versions('a1'));
    expect(await store.episode('z')).not.toHaveProperty('versions');
    expect((await store.episodes({ run: 'r' })).map(({ id, versions: of }) => [id, of?.agents['a']])).toEqual([
      ['v', 'a1'],
      ['z', undefined],
      ['y', 'a2~3'],
      ['x', 'a1'],
    ]);
    const counts = (await store.tally({ run: 'r' })).map(({ versions: of, count }) => `${of?.agents['a']} ${count}`);
    expect(counts.sort()).toEqual(['a1 2', 'a2~3 1', 'undefined 1']);
    // Logs are what they are without them.
    expect(await store.events('x')).toEqual(await store.events('z'));
    const other = memoryStore();
    await importJsonl(other, exportJsonl(store));
    expect((await other.episode('y'))?.versions).toEqual(versions('a2~3'));
    expect(await other.episode('z')).not.toHaveProperty('versions');
  });

  it('[S9] finds ids by a literal prefix', async () => {
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
    for (const wrong of ['', '\ud800', 'a\0'])
      expect(await rejectionOf(store.append(wrong, 0, log(0)))).toContain('An episode needs a name');
  });

  it('[S9] finds episodes by their current text', async () => {
    const store = at();
    const said = (...texts: readonly string[]): readonly EpisodeEvent[] => [
      log(0)[0]!,
      ...texts.map((text): EpisodeEvent => ({ kind: 'message', to: ['a'], text })),
    ];
    await store.append('tree', 0, said('The quince tree is old.', 'Déjà vu!'));
    await store.append('soup', 0, said('A quince soup; old as the tree.'));
    const found = async (words: string, limit?: number) =>
      ((await store.search?.(words, limit))?.found ?? []).map(({ episode }) => episode.id).sort();
    expect(await found('quince')).toEqual(['soup', 'tree']);
    expect(await found('QUINCE, old ')).toEqual(['soup', 'tree']);
    expect(await found('"quince tree"')).toEqual(['tree']);
    expect(await found('deja')).toEqual(['tree']);
    // The last word is still being typed; one that is finished is whole.
    expect(await found('sou')).toEqual(['soup']);
    expect(await found('sou ')).toEqual([]);
    expect(await found('quince', 1)).toHaveLength(1);
    expect(await found(`soup" OR 'tree & (`)).toEqual([]);
    // What is appended later is found by the next search.
    await store.append('soup', 2, [{ kind: 'message', to: ['a'], text: 'And a pear.' }]);
    expect(await found('pear')).toEqual(['soup']);
    expect((await store.search?.('pear'))?.found[0]?.excerpt).toContain('And a pear');
    expect(await rejectionOf(Promise.resolve(store.search?.('?!')))).toContain('A search needs at least one word with letters');
  });

  it('[S10] returns the status of every episode of a run', async () => {
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
