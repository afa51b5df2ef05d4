/** @file Attacks by imported data: nothing in a file that is imported runs code, calls a server, or opens a tool. */

import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkCode, checkSpec, wantsOf } from '@ludus-agents/agents/internal/workspace/consent';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { type Opened, openStudio } from '@ludus-agents/servers/internal/studio/studio.cases';
import { importJsonl } from '@ludus-agents/store/internal/import-jsonl';
import { memoryStore, openStore } from '@ludus-agents/store/internal/open-store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { folder, ludus } from '../../packages/ludus-agents/src/cli/terminal.cases.ts';

const plan = { name: 'studio', environments: [], seeds: [], casts: [] };
const studioRun = { kind: 'run', run: { id: 'studio', plan, episodes: 0, work: { kind: 'studio' } } };
const lines = (...all: unknown[]) => `${[{ kind: 'ludus', version: 1 }, ...all].map((item) => JSON.stringify(item)).join('\n')}\n`;
const end = (episodes = 0, events = 0) => ({ kind: 'end', episodes, events });

/** A world that plays by itself when it is loaded, and leaves a file behind. */
function evilEnvironment(file: string, observation: string): void {
  writeFileSync(
    file,
    `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(observation)}, 'ran');\nexport const world = { id: 'evil@1', about: { summary: '', tasks: [{}] }, parameters: {}, task: (x) => x, seats: () => ['a'], start: () => ({ state: {}, asks: [] }), step: () => ({ state: {} }) };\n`,
  );
}

/** A server that counts who comes. */
async function stranger(): Promise<{ server: Server; url: string; calls: string[] }> {
  const calls: string[] = [];
  const server = createServer((request, response) => {
    calls.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`);
    response.end('{"data":[{"id":"m"}]}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, calls };
}

let outside: string;
let studio: Opened | undefined;
let home: string | undefined;

beforeEach(() => {
  outside = mkdtempSync(join(tmpdir(), 'ludus-outside-'));
  home = process.env['LUDUS_HOME'];
  process.env['LUDUS_HOME'] = join(outside, 'home');
});
afterEach(async () => {
  await studio?.close();
  studio = undefined;
  rmSync(outside, { recursive: true, force: true });
  if (home !== undefined) process.env['LUDUS_HOME'] = home;
});

describe('a journal from an import', () => {
  it('does not resume: no file runs and no server is called without a click', async () => {
    const here = folder();
    const observation = join(outside, 'seen');
    const bad = await stranger();
    evilEnvironment(join(outside, 'evil.mjs'), observation);
    const cast = { first: { name: 'x', kind: 'llm', model: `${bad.url}#m` }, second: 'random' };
    const entries = [
      { episode: 'e1', environment: join(outside, 'evil.mjs'), task: {}, seed: 1, cast: { a: 'random' }, pace: 0 },
      { episode: 'e2', environment: 'kuhn-poker', task: {}, seed: 1, cast, pace: 0 },
      // A mark that the data brings itself is worth nothing.
      { episode: 'e3', environment: 'kuhn-poker', task: {}, seed: 1, cast, pace: 0, mark: 'f'.repeat(64) },
    ];
    writeFileSync(join(here, 'evil.jsonl'), lines(studioRun, { kind: 'notes', run: 'studio', journal: 'episodes', entries }, end()));
    const imported = await ludus(here, ['data', 'import', 'evil.jsonl']);
    expect(imported).toMatchObject({ code: 0, err: '' });
    // A forged list of marks next to the store does not help either: it lacks the secret of this installation.
    writeFileSync(join(here, '.ludus', 'begun'), `${'f'.repeat(64)}\n`);
    process.env['LUDUS_API_KEY'] = 'secret';
    try {
      const store = await openStore(join(here, '.ludus', 'ludus.sqlite'));
      studio = await openStudio({ store, cwd: here });
      expect((await studio.get('/api/home')).status).toBe(200);
      expect((await studio.get('/api/runs')).status).toBe(200);
      await studio.close();
      await store.close();
      studio = undefined;
    } finally {
      delete process.env['LUDUS_API_KEY'];
      bad.server.close();
    }
    expect(bad.calls).toEqual([]);
    expect(existsSync(observation)).toBe(false);
  });

  it('resumes in the folder that started it (control)', async () => {
    const store = memoryStore();
    const cwd = folder();
    studio = await openStudio({ store, cwd });
    const { body } = await studio.post('/api/play', { environment: 'kuhn-poker', cast: { first: 'human' } });
    const { episode } = body as { episode: string };
    await studio.close();
    studio = await openStudio({ store, cwd });
    expect(((await studio.get(`/api/episodes/${episode}`)).body as { live: boolean }).live).toBe(true);
    await studio.close();
    // The same journal in another folder, or for another installation, is data.
    studio = await openStudio({ store, cwd: folder() });
    expect(((await studio.get(`/api/episodes/${episode}`)).body as { live: boolean }).live).toBe(false);
    await studio.close();
    process.env['LUDUS_HOME'] = join(outside, 'another-home');
    studio = await openStudio({ store, cwd });
    expect(((await studio.get(`/api/episodes/${episode}`)).body as { live: boolean }).live).toBe(false);
  });
});

describe('viewing imported data', () => {
  it('runs no file named in a log, a run, or a training', async () => {
    const here = folder();
    const observation = join(outside, 'seen');
    const file = join(outside, 'evil.mjs');
    evilEnvironment(file, observation);
    const start = { kind: 'start', environment: file, task: {}, seed: 1, seats: ['a'], cast: { a: 'random' } };
    const over = { kind: 'end', reason: 'over', returns: { a: 0 }, penalties: { a: 0 }, turns: 0 };
    const recipe = { name: 'evil', method: 'x', training: { environment: file, learner: 'tabular' } };
    const run = { id: 'evil', plan: { ...plan, name: 'evil' }, episodes: 0, work: { kind: 'train', recipe, seed: 1, name: 'evil' } };
    writeFileSync(
      join(here, 'evil.jsonl'),
      lines({ kind: 'run', run }, { kind: 'episode', id: 'abcdef', run: 'evil', events: [start, over] }, end(1, 2)),
    );
    expect((await ludus(here, ['data', 'import', 'evil.jsonl'])).code).toBe(0);
    expect((await ludus(here, ['show', 'abcdef'])).code).toBe(0);
    for (const args of [
      ['replay', 'abcdef'],
      ['fork', 'abcdef', '--at', '1'],
    ]) {
      const { code, err } = await ludus(here, args);
      expect(code).toBe(2);
      expect(err).toContain(`run "ludus config allow ${file}"`);
    }
    expect(await ludus(here, ['data', 'export', '--format', 'states', '-o', 'states'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('1 episodes whose environment is not available'),
    });
    const store = await openStore(join(here, '.ludus', 'ludus.sqlite'));
    studio = await openStudio({ store, cwd: here });
    for (const path of ['/api/episodes/abcdef', '/api/training', '/api/training/of/evil', '/api/training/of/evil/policy'])
      await studio.get(path);
    await studio.post('/api/episodes/abcdef/fork', { at: 1 });
    await studio.post('/api/training/of/evil/resume');
    await studio.close();
    await store.close();
    studio = undefined;
    expect(existsSync(observation)).toBe(false);
    // With the user's leave it does run: had it run before, it would have been seen.
    await ludus(here, ['config', 'allow', file]);
    await ludus(here, ['replay', 'abcdef']);
    expect(existsSync(observation)).toBe(true);
  });

  it('calls no server named in the plan of an imported run until it is allowed', async () => {
    const here = folder();
    const bad = await stranger();
    const spec = { name: 'Ada', kind: 'llm', model: `${bad.url}#m` };
    const run = { id: 'r', plan: { name: 'r', environments: [], seeds: [], casts: [{ '*': spec }] }, episodes: 1 };
    expect((await ludus(here, ['play', 'kuhn-poker', '--agents', 'random', '--seed', '3', '--json'])).code).toBe(0);
    const store = await openStore(join(here, '.ludus', 'ludus.sqlite'));
    const [record] = await store.episodes();
    const events = (await store.events(record?.id as string)).map((event) =>
      event.kind === 'start' ? { ...event, cast: { first: 'Ada', second: 'Ada' } } : event,
    );
    await store.close();
    writeFileSync(
      join(here, 'x.jsonl'),
      lines({ kind: 'run', run }, { kind: 'episode', id: 'fedcba', run: 'r', events }, end(1, events.length)),
    );
    expect((await ludus(here, ['data', 'import', 'x.jsonl'])).code).toBe(0);
    const forked = await ludus(here, ['fork', 'fedcba', '--at', '2']);
    expect(forked.code).toBe(2);
    expect(forked.err).toContain(`wants to call ${new URL(bad.url).origin}`);
    const again = await openStore(join(here, '.ludus', 'ludus.sqlite'));
    studio = await openStudio({ store: again, cwd: here });
    const answer = await studio.post('/api/episodes/fedcba/fork', { at: 2 });
    expect(answer.status).toBe(400);
    // Anyone who names other agents needs no leave.
    expect((await studio.post('/api/episodes/fedcba/fork', { at: 2, cast: { first: 'random', second: 'random' } })).status).toBe(200);
    await studio.close();
    await again.close();
    studio = undefined;
    expect(bad.calls).toEqual([]);
    bad.server.close();
  });
});

describe('a path to code', () => {
  it('is resolved to its real location, so a link out of the folder counts as outside', () => {
    const cwd = folder();
    evilEnvironment(join(outside, 'evil.mjs'), join(outside, 'seen'));
    mkdirSync(join(cwd, 'worlds'));
    symlinkSync(join(outside, 'evil.mjs'), join(cwd, 'worlds', 'nice.mjs'));
    symlinkSync(outside, join(cwd, 'linked'));
    const env = {};
    for (const path of ['worlds/nice.mjs', './linked/evil.mjs', '../x/../worlds/nice.mjs', join(outside, 'evil.mjs')]) {
      expect(() => checkCode(path, Trust.request, { cwd, env }), path).toThrow(/outside the folder|File not found/);
      expect(() => checkCode(path, Trust.storedData, { cwd, env }), path).toThrow(/ludus config allow|File not found/);
    }
    writeFileSync(join(cwd, 'own.mjs'), '');
    expect(checkCode('own.mjs', Trust.request, { cwd, env })).toContain('own.mjs');
    expect(() => checkCode('own.mjs', Trust.storedData, { cwd, env })).toThrow('stored data loads no files');
    // A link to a file inside is inside.
    symlinkSync(join(cwd, 'own.mjs'), join(cwd, 'alias.mjs'));
    expect(checkCode('alias.mjs', Trust.request, { cwd, env })).toContain('own.mjs');
  });
});

describe('a stored spec', () => {
  it.each([
    [{ name: 'a', kind: 'llm', model: 'http://evil.example/v1#m' }, ['http://evil.example']],
    [{ name: 'a', kind: 'llm:HTTPS://Evil.Example:8443/v1' }, ['https://evil.example:8443']],
    ['llm:http://user:pw@evil.example/v1', ['http://evil.example']],
    ['openenv:ws://evil.example', ['ws://evil.example']],
    [{ name: 'a', kind: 'llm', model: 'gguf:/etc/passwd' }, ['/etc/passwd']],
    [{ name: 'a', kind: 'llm', model: 'gguf:https://evil.example/x.gguf#sha256=0' }, ['https://evil.example']],
    [{ name: 'a', kind: 'llm', model: 'tinker:http://evil.example:8000#m' }, ['http://evil.example:8000']],
    ['llm:tinker:ht\ntp:evil.example#m', ['http://evil.example']],
    ['openenv:ws:evil.example', ['ws://evil.example']],
    [{ name: 'a', kind: 'llm', model: 'sub/evil.gguf' }, ['sub/evil.gguf']],
    [{ name: 'a', kind: 'llm', model: 'gguf:a.gguf+b/c.gguf' }, ['a.gguf', 'b/c.gguf']],
    ['llm:hf:evil/repo:Q4_K_M', ['hf:evil/repo:Q4_K_M']],
    ['llm:gguf:qwen3-0.6b', []],
    [{ name: 'a', kind: 'llm', model: 'openai/gpt', tools: ['desk', 'sandbox'] }, ['desk', 'sandbox']],
    ['./evil.mjs', ['./evil.mjs']],
    [{ name: 'a', kind: '../evil.ts#bot' }, ['../evil.ts']],
    [{ name: 'a', kind: 'llm', model: './endpoint.json' }, ['./endpoint.json']],
    ['llm:/elsewhere/evil.mjs', ['/elsewhere/evil.mjs']],
    ['random', []],
    ['scripted:honest', []],
    ['local/kuhn-lm-1@best', []],
    [{ name: 'a', kind: 'llm', model: 'openai/gpt-5' }, []],
  ])('requests the expected permissions: %j', (spec, wanted) => {
    expect(wantsOf(spec as never).map(({ what }) => what)).toEqual(wanted);
    const place = { cwd: '/', env: {} };
    if (wanted.length > 0) expect(() => checkSpec(spec as never, Trust.storedData, place)).toThrow('ludus config allow');
    else expect(() => checkSpec(spec as never, Trust.storedData, place)).not.toThrow();
    expect(() => checkSpec(spec as never, Trust.commandLine, place)).not.toThrow();
  });
});

describe('a malformed record', () => {
  const good = { kind: 'run', run: { id: 'r', plan: { name: 'r', environments: [], seeds: [], casts: [] }, episodes: 1 } };
  const start = { kind: 'start', environment: 'kuhn-poker@1', task: {}, seed: 1, seats: ['a'], cast: { a: 'random' } };
  it.each([
    ['a null run', { kind: 'run', run: null }, 'Line 3: a run must be an object, but got null.'],
    ['a null plan', { kind: 'run', run: { id: 'x', plan: null, episodes: 0 } }, 'Line 3: plan must be an object'],
    [
      'a plan without casts',
      { kind: 'run', run: { id: 'x', plan: { environments: [], seeds: [] }, episodes: 0 } },
      'plan.casts must be a list',
    ],
    [
      'work without a recipe',
      { kind: 'run', run: { ...good.run, id: 'x', work: { kind: 'train' } } },
      'work.recipe must be an object with a "name", but is missing',
    ],
    ['a null spec', { kind: 'spec', spec: null }, 'Line 3: an agent must be an object'],
    [
      'tools that are not a list',
      { kind: 'spec', spec: { name: 'a', kind: 'b', tools: 'rm' } },
      'an agent: tools must be a list of strings',
    ],
    ['a null event', { kind: 'episode', id: 'e', events: [start, null] }, 'Line 3: event 1: an event must be an object'],
    [
      'an end without returns',
      { kind: 'episode', id: 'e', events: [start, { kind: 'end', reason: 'over' }] },
      'event 1: end: returns must be',
    ],
    [
      'a message without a recipient',
      { kind: 'episode', id: 'e', events: [start, { kind: 'message', text: 'x' }] },
      'event 1: message: to must be',
    ],
    ['a score made of text', { kind: 'scores', episode: 'e', scores: [{ name: 'x', value: 'high' }] }, 'a score: value must be'],
    [
      'a journal of null',
      { kind: 'notes', run: 'studio', journal: 'episodes', entries: [null] },
      'entry 0: an entry of the journal "episodes"',
    ],
    ['a line of 10,000 brackets', '['.repeat(10_000) + ']'.repeat(10_000), 'Line 3: expected a JSON object'],
  ])('is rejected with its line number: %s', async (_, record, sentence) => {
    const text = [{ kind: 'ludus', version: 1 }, studioRun].map((item) => JSON.stringify(item));
    const line = typeof record === 'string' ? record : JSON.stringify(record);
    await expect(importJsonl(memoryStore(), [...text, line])).rejects.toThrow(sentence);
  });

  it('fails an import only with a clear error, in 400 seeded mutations', async () => {
    const whole = lines(good, studioRun, { kind: 'episode', id: 'e', run: 'r', events: [start] }, end(1, 1))
      .trim()
      .split('\n');
    for (let seed = 0; seed < 400; seed++) {
      const dice = rng(seed, 'imports');
      const mutated = mutate(whole, (most) => dice.int(most));
      const store = memoryStore();
      const failed = await importJsonl(store, mutated).then(
        () => null,
        (thrown: unknown) => thrown as Error,
      );
      if (failed !== null) expect(failed.constructor.name, String(failed.stack)).toMatch(/Fault$/);
      // What came in can be read by every list.
      for (const run of await store.runs()) expect(run.plan.environments.map(({ environment }) => environment)).toEqual([]);
      for (const { id } of await store.episodes()) await store.events(id);
    }
  });
});

/** A line with one value replaced, removed or cut. */
function mutate(whole: readonly string[], pick: (most: number) => number): string[] {
  const copy = [...whole];
  const at = pick(copy.length);
  const line = copy[at]!;
  const odd = ['null', '[]', '{}', '-1', '1e999', '"\\u0000"', 'true', '"__proto__"', '[[[[]]]]'];
  const spots = [...line.matchAll(/:("[^"]*"|\d+|\[[^[\]]*\]|\{[^{}]*\}|null)/g)];
  const spot = spots[pick(Math.max(1, spots.length))];
  switch (pick(4)) {
    case 0:
      copy[at] = line.slice(0, pick(line.length));
      break;
    case 1:
      copy.splice(at, 1);
      break;
    default:
      if (spot !== undefined) copy[at] = `${line.slice(0, spot.index)}:${odd[pick(odd.length)]}${line.slice(spot.index + spot[0].length)}`;
  }
  return copy;
}
