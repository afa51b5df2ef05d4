import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { memoryStore } from '@ludus-agents/store/internal/open-store';
import { expect, it } from 'vitest';
import { evaluate } from './evaluate.ts';
import { loadSuite, sourcesOfSuite } from './loaders.ts';
import { suiteRun } from './scoring/suites/index.ts';
import { noteSources } from './source-notes.ts';
import { suiteBehind } from './suites.ts';

it('the suite of a run is the file of its name in the folder, as long as that is what was played', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'ludus-suites-'));
  const write = (expected: string) => writeFileSync(join(cwd, 'faq.csv'), `id,input,expected\nopening,When?,${expected}\n`);
  const place = { store: memoryStore(), cwd, trust: Trust.request };
  write('9:00');
  const run = suiteRun(await loadSuite('./faq.csv', cwd, Trust.request));
  expect((await suiteBehind(run, undefined, place))?.name).toBe('faq');
  write('10:00');
  expect(await suiteBehind(run, undefined, place)).toBeNull();
  expect(await suiteBehind('nothing-0a1b2c3d', undefined, place)).toBeNull();
  rmSync(cwd, { recursive: true });
});

it('a suite file with another name than the suite is read because the run has noted it, unless it is a program', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'ludus-suites-'));
  const scene = { environment: 'kuhn-poker', seats: ['first'], others: { '*': 'random' }, scale: [-2, 2] };
  const suite = { name: 'poker', nulls: ['random'], scenes: [scene] };
  writeFileSync(join(cwd, 'tests.json'), JSON.stringify(suite));
  writeFileSync(join(cwd, 'tests.mjs'), `globalThis.suiteRan = true;\nexport default ${JSON.stringify(suite)};`);
  const loaded = await loadSuite('./tests.json', cwd, Trust.request);
  const run = suiteRun(loaded);
  const store = memoryStore();
  const place = { store, cwd, trust: Trust.request };
  await store.putRun({ id: run, plan: { name: run, environments: [], seeds: { from: 0, count: 1 }, casts: [] }, episodes: 0 });
  expect(await suiteBehind(run, undefined, place)).toBeNull();
  const noted = { run, use: 'played', cwd, trust: Trust.commandLine } as const;
  await noteSources(store, { ...noted, sources: [{ kind: 'file', name: './tests.mjs' }] });
  expect([await suiteBehind(run, undefined, place), Reflect.get(globalThis, 'suiteRan')]).toEqual([null, undefined]);
  await noteSources(store, { ...noted, sources: sourcesOfSuite(loaded) });
  expect((await suiteBehind(run, undefined, place))?.nulls).toEqual(['random']);
  rmSync(cwd, { recursive: true });
});

it('suiteBehind identifies the suite of a run with a custom name, until the run is evaluated on another suite', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'ludus-suites-'));
  const store = memoryStore();
  const place = { store, cwd, trust: Trust.request };
  const play = async (name: string) => {
    const scene = { environment: 'kuhn-poker', seats: ['first'], others: { '*': 'random' }, scale: [-2, 2] };
    writeFileSync(join(cwd, `${name}.json`), JSON.stringify({ name, nulls: ['random'], scenes: [scene] }));
    await evaluate({ trust: Trust.commandLine, cwd, suite: `./${name}.json`, agents: ['scripted:bold'], seeds: 1, store, run: 'mine' });
  };
  await play('poker');
  expect((await suiteBehind('mine', undefined, place))?.nulls).toEqual(['random']);
  expect(await suiteBehind('another', undefined, place)).toBeNull();
  await play('cards');
  expect((await suiteBehind('mine', undefined, place))?.name).toBe('cards');
  rmSync(cwd, { recursive: true });
});
