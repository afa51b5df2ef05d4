/** @file Models, drafts, runs and boards in the studio; keys that go in and never out; and whatever a stranger may send. */

import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import type { RuntimeState } from '@ludus-agents/agents/internal/runtimes/runtime-states';
import { runtimes } from '@ludus-agents/agents/internal/runtimes/runtimes';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { run as runPlan } from '@ludus-agents/kernel/internal/engine/run';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  BoardLine,
  CompareShown,
  DraftShown,
  EpisodesShown,
  ModelsShown,
  ReportShown,
  RunDetail,
  RunLine,
  TrustShown,
} from './api.ts';
import { type OpenStudio, openStudio } from './request.cases.ts';

let studio: OpenStudio;
beforeAll(async () => {
  studio = await openStudio();
  const play = (name: string, count: number) =>
    runPlan(
      {
        name,
        environments: [{ environment: 'kuhn-poker', tasks: [{}] }],
        seeds: { from: 0, count },
        casts: [{ '*': 'random' }, { first: 'scripted:honest', second: 'random' }],
        swap: true,
      },
      {
        store: studio.store,
        environment: (id) => builtInEnvironment(id),
        agent: createAgentLoader({}),
        signal: new AbortController().signal,
      },
    );
  await play('one', 60);
  await play('arena-kuhn-poker-test', 10);
});
afterAll(() => studio.close());

describe('viewing an empty store', () => {
  it('creates no run; the first game in the studio creates one', async () => {
    const fresh = await openStudio();
    try {
      for (const path of ['/api/home', '/api/runs', '/api/episodes', '/api/models']) await fresh.ask('GET', path);
      expect(await fresh.store.runs()).toEqual([]);
      const begun = await fresh.ask('POST', '/api/play', {
        environment: 'kuhn-poker',
        cast: { first: 'random', second: 'random' },
        seed: 1,
      });
      expect(begun.status).toBeLessThan(300);
      expect((await fresh.store.runs()).map(({ id }) => id)).toEqual(['studio']);
    } finally {
      await fresh.close();
    }
  });
});

describe('models', () => {
  it('accepts a key, never reveals it, and saves it in a private file', async () => {
    const secret = 'sk-abcdefghijklmnop';
    const put = await studio.ask('PUT', '/api/models/keys/OPENAI_API_KEY', { key: secret });
    expect(put.body).toContainEqual({ name: 'OPENAI_API_KEY', about: expect.any(String), from: 'file' });
    const file = join(studio.cwd, '.ludus/keys.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toContain(secret);
    expect(studio.env['OPENAI_API_KEY']).toBe(secret);
    const { body } = await studio.ask('GET', '/api/models');
    expect(JSON.stringify([put.body, body])).not.toContain('abcdef');
    expect(JSON.stringify(await studio.store.runs())).not.toContain('abcdef');
    await studio.ask('DELETE', '/api/models/keys/OPENAI_API_KEY');
    expect(studio.env['OPENAI_API_KEY']).toBeUndefined();
    for (const [name, key] of [
      ['PATH', 'x'],
      ['OPENAI_API_KEY', 'a b'],
      ['OPENAI_API_KEY', ''],
      ['OPENAI_API_KEY', 'x'.repeat(501)],
      ['__proto__', 'x'],
    ]) {
      const { status, body: refused } = await studio.ask('PUT', `/api/models/keys/${name}`, { key });
      expect(status).toBe(400);
      if (key !== 'x' && key !== '') expect(JSON.stringify(refused)).not.toContain(key);
    }
  });

  it('tests a model with one question, and reports a missing one', async () => {
    const fine = await studio.ask<{ ready: boolean }>('POST', '/api/models/test', { name: 'fake/yes' });
    expect(fine.body.ready).toBe(true);
    const gone = await studio.ask<{ ready: boolean; about: string }>('POST', '/api/models/test', { name: 'nonsense/x' });
    expect([gone.body.ready, gone.body.about]).toEqual([false, expect.stringContaining('Unknown model')]);
  });

  it.skipIf(process.platform === 'win32')('installs a runtime and forwards the output of npm', async () => {
    const bin = join(studio.cwd, 'bin');
    mkdirSync(bin);
    const npm = (text: string) => writeFileSync(join(bin, 'npm'), `#!${process.execPath}\n${text}`, { mode: 0o755 });
    Object.assign(studio.env, { PATH: bin, LUDUS_CACHE: join(studio.cwd, 'cache') });
    const install = (name: string) => studio.ask<readonly RuntimeState[] & { error: string }>('POST', `/api/models/runtimes/${name}`);
    npm("console.error('npm error 404 Not Found'); process.exit(1);");
    expect(await install('onnx')).toMatchObject({ status: 400, body: { error: expect.stringContaining('404 Not Found') } });
    expect(await install('other')).toMatchObject({ status: 400, body: { error: expect.stringContaining('Unknown runtime') } });
    const { version } = runtimes['onnx'] ?? { version: '' };
    npm(`const { mkdirSync, writeFileSync } = require('node:fs');
mkdirSync('node_modules/onnxruntime-node', { recursive: true });
writeFileSync('node_modules/onnxruntime-node/package.json', JSON.stringify({ version: '${version}', main: 'index.js' }));
writeFileSync('node_modules/onnxruntime-node/index.js', '');`);
    const { status, body } = await install('onnx');
    expect(status).toBe(200);
    expect(body.find(({ name }) => name === 'onnx')).toMatchObject({ installed: true, version });
    expect(existsSync(join(studio.cwd, 'cache', 'runtimes', 'node_modules', 'onnxruntime-node'))).toBe(true);
    delete studio.env['PATH'];
    delete studio.env['LUDUS_CACHE'];
  });

  it('enforces a budget, which stops the next call once spent', async () => {
    expect((await studio.ask('PUT', '/api/models/budget', { calls: 1 })).status).toBe(200);
    const draft = () => studio.ask<{ error: string }>('POST', '/api/create/persona', { model: 'fake/no', description: 'a ferryman' });
    const { body } = await draft();
    expect(body.error).toContain('budget of 1 call is spent');
    const { body: shown } = await studio.ask<ModelsShown>('GET', '/api/models');
    expect([shown.spent.calls, shown.budget]).toEqual([1, { calls: 1 }]);
    await studio.ask('PUT', '/api/models/budget', { calls: null });
    expect((await draft()).body.error).toContain('wrote no valid persona');
    for (const wrong of [{ calls: -1 }, { calls: 'x' }, { other: 1 }, []])
      expect((await studio.ask('PUT', '/api/models/budget', wrong)).status).toBe(400);
  });
});

describe('creating drafts', () => {
  it('offers templates without a model', async () => {
    const { body } = await studio.ask<DraftShown>('POST', '/api/create/persona', { name: 'Mara Lind' });
    expect(body).toMatchObject({ by: null, document: { name: 'Mara Lind', id: 'mara-lind' } });
    const like = await studio.ask<DraftShown>('POST', '/api/create/persona', { like: 'villain', name: 'Rook' });
    expect(JSON.stringify(like.body.document)).not.toContain('Cassian');
    expect((await studio.ask('POST', '/api/create/persona', { like: 'nobody' })).status).toBe(404);
    const { body: templates } = await studio.ask<{ scenes: { key: string }[] }>('GET', '/api/create/templates');
    for (const { key } of templates.scenes) {
      const scene = await studio.ask<DraftShown>('POST', '/api/create/scene', { like: key });
      const checked = await studio.ask<{ seats: object }>('POST', '/api/create/scene/check', { scene: scene.body.document });
      expect([key, checked.status]).toEqual([key, 200]);
    }
  });

  it('drafts with a model and rejects unusable drafts', async () => {
    const written = '{"name": "Ann", "statements": ["Ann rows."]}';
    const { body } = await studio.ask<DraftShown>('POST', '/api/create/persona', { model: `fake/${written}`, description: 'a ferrywoman' });
    expect(body).toMatchObject({ by: `fake/${written}`, calls: 1, document: { name: 'Ann' } });
    const scene =
      '{"name": "Two", "setting": "A room.", "topic": "tea", "characters": ["innkeeper", {"persona": {"name": "Ann", "statements": ["Ann rows."]}}]}';
    const drafted = await studio.ask<DraftShown>('POST', '/api/create/scene', { model: `fake/${scene}`, description: 'tea' });
    expect(drafted.body.document).toEqual(JSON.parse(scene));
    const bad = await studio.ask<{ error: string }>('POST', '/api/create/scene', {
      model: 'fake/{"characters": ["../../etc/passwd", "x"]}',
      description: 'tea',
    });
    expect([bad.status, bad.body.error]).toEqual([502, expect.stringContaining('Unknown persona')]);
  });

  it('saves scenes under alphabetic keys', async () => {
    const scene = { characters: ['innkeeper', 'villain'], topic: 'rain' };
    expect((await studio.ask('PUT', '/api/create/scenes/a-rainy-night', { scene })).status).toBe(200);
    expect((await studio.ask('GET', '/api/create/scenes')).body).toEqual(['a-rainy-night']);
    expect((await studio.ask('GET', '/api/create/scenes/a-rainy-night')).body).toEqual(scene);
    expect((await studio.ask('PUT', '/api/create/scenes/..%2F..%2Fx', { scene })).status).toBe(400);
    expect((await studio.ask('PUT', '/api/create/scenes/x', { scene: { characters: [] } })).status).toBe(400);
    expect((await studio.ask('GET', '/api/create/scenes/none')).status).toBe(404);
  });
});

describe('runs', () => {
  it('are listed with their results and shown with their returns', async () => {
    const { body } = await studio.ask<RunLine[]>('GET', '/api/runs');
    const runLine = body.find(({ id }) => id === 'one') as RunLine;
    expect(runLine).toMatchObject({ kind: null, ends: { over: 180 }, agents: ['random', 'scripted:honest'] });
    const { body: detail } = await studio.ask<RunDetail>('GET', '/api/runs/of/one');
    const { body: report } = await studio.ask<ReportShown>('GET', '/api/runs/of/one/report');
    const games = report.seats.reduce((sum, { episodes }) => sum + episodes, 0);
    expect(games).toBe(360);
    const total = report.seats.reduce((sum, { value, episodes }) => sum + value * episodes, 0);
    expect(total).toBeCloseTo(0, 9);
    for (const { agent, bars } of detail.spreads)
      expect(bars.reduce((sum, { count }) => sum + count, 0)).toBe(agent === 'random' ? 240 : 120);
  });

  it('have pages of episodes without duplicates, under any filter', async () => {
    const observations: string[] = [];
    for (let before = ''; ; ) {
      const { body } = await studio.ask<EpisodesShown>('GET', `/api/runs/episodes?run=one&agent=scripted:honest&limit=50${before}`);
      observations.push(...body.rows.map(({ id }) => id));
      if (!body.more) break;
      before = `&before=${body.rows.at(-1)?.order}`;
    }
    expect([observations.length, new Set(observations).size]).toEqual([120, 120]);
    expect((await studio.ask<EpisodesShown>('GET', '/api/runs/episodes?status=error')).body.rows).toEqual([]);
  });

  it('are compared with paired differences in plain language, and have a report', async () => {
    const { body } = await studio.ask<CompareShown>('GET', '/api/runs/compare?a=scripted:honest&b=random&run=one');
    expect(body.words).toMatch(/paired episodes/);
    expect(body.differences.reduce((sum, { count }) => sum + count, 0)).toBe(body.n);
    expect((await studio.ask('GET', '/api/runs/compare?a=random&b=random')).status).toBe(400);
    expect((await studio.ask('GET', '/api/runs/compare?a=random&b=nobody')).status).toBe(400);
    const { body: report } = await studio.ask<ReportShown>('GET', '/api/runs/of/one/report');
    expect(report.standings.agents.map(({ agent }) => agent).sort()).toEqual(['random', 'scripted:honest']);
    expect(report.ranking?.agents).toHaveLength(2);
    expect('rows' in report).toBe(false);
  });
});

describe('boards', () => {
  it('recognizes an arena', async () => {
    const { body } = await studio.ask<BoardLine[]>('GET', '/api/boards');
    expect(body).toEqual([{ run: 'arena-kuhn-poker-test', kind: 'arena', title: 'kuhn-poker', about: '', episodes: 30 }]);
  });

  it('tests a judge and saves its card', async () => {
    const { body } = await studio.ask<TrustShown>('POST', '/api/boards/trust', { rubric: 'coser', judge: 'fake:constant', twins: 12 });
    expect(body.cards.map(({ grade, judge }) => [grade, judge])).toEqual([['C', 'control/constant']]);
    expect((await studio.ask<TrustShown>('GET', '/api/boards/trust')).body.cards).toEqual(body.cards);
    expect((await studio.ask('POST', '/api/boards/trust', { rubric: 'none', judge: 'fake:honest' })).status).toBe(400);
  });
});

describe('an unauthorized request', () => {
  const routes = [
    ...[
      '/api/personas',
      '/api/personas/own/x',
      '/api/personas/gallery/innkeeper',
      '/api/models',
      '/api/runs',
      '/api/runs/of/one',
      '/api/boards',
      '/api/create/templates',
    ].map((path) => ['GET', path]),
    ...['/api/personas/own', '/api/personas/import', '/api/chats', '/api/create/persona', '/api/boards/trust', '/api/models/test'].map(
      (path) => ['POST', path],
    ),
    ['PUT', '/api/models/budget'],
    ['PUT', '/api/models/keys/OPENAI_API_KEY'],
    ['DELETE', '/api/personas/own/whole'],
  ] as unknown as readonly (readonly [string, string])[];

  it('is rejected without the token and from another site', async () => {
    for (const [method, path] of routes) {
      expect([path, (await studio.ask(method, path, undefined, { authorization: 'Bearer wrong' })).status]).toEqual([path, 401]);
      if (method === 'GET') continue;
      expect([path, (await studio.ask(method, path, undefined, { origin: 'https://evil.example' })).status]).toEqual([path, 403]);
    }
  });

  it('is answered with a sentence and never with an internal error', async () => {
    const dice = rng(7, 'studio');
    const words = [
      '',
      '%00',
      '..%2f..%2fetc%2fpasswd',
      'é'.repeat(300),
      '%F0%9F%92%A9',
      '-1',
      '1e99',
      'NaN',
      '__proto__',
      'constructor',
      '%',
      "'%20or%201=1--",
      '<script>',
    ];
    const bodies: unknown[] = [
      '',
      '{',
      'null',
      '[]',
      '7',
      '"x"',
      '{"__proto__":{"a":1}}',
      { persona: null },
      { persona: { name: {} } },
      { text: 'x'.repeat(9000) },
      { calls: 1e300 },
      { key: 7 },
      '['.repeat(5000),
      { persona: { name: 'a', lore: { entries: [{ keys: ['('], use_regex: true, content: '' }] } } },
    ];
    const paths = [
      '/api/personas/WORD/WORD',
      '/api/personas/own/WORD',
      '/api/personas/own/WORD/portrait',
      '/api/personas/gallery/WORD/export?to=WORD',
      '/api/runs/of/WORD',
      '/api/runs/of/WORD/report?score=WORD',
      '/api/runs/episodes?before=WORD&limit=WORD&status=WORD',
      '/api/runs/episodes?agent=WORD',
      '/api/runs/compare?a=WORD&b=WORD',
      '/api/create/scenes/WORD',
      '/api/models/keys/WORD',
      '/api/chats',
      '/api/chats/WORD',
      '/api/chats/WORD/say',
      '/api/chats/WORD/fork',
      '/api/chats?search=WORD',
      '/api/personas/sample',
      '/api/personas/check',
      '/api/create/persona',
      '/api/create/scene',
      '/api/create/scene/check',
      '/api/models/test',
      '/api/boards/trust',
      '/api/training',
      '/api/training/of/WORD?from=WORD',
      '/api/training/of/WORD/policy?at=WORD',
      '/api/improving',
      '/api/improving/of/WORD/WORD',
      '/api/fleet',
    ];
    for (let i = 0; i < 400; i++) {
      const path = dice.pick(paths).replaceAll('WORD', () => dice.pick(words));
      const method = dice.pick(['GET', 'POST', 'PUT', 'DELETE']);
      const body = method === 'GET' ? undefined : dice.pick(bodies);
      const answer = await studio.ask<{ error?: string }>(method, path, body);
      expect([method, path, body, answer.status < 500 || answer.status === 502]).toEqual([method, path, body, true]);
      if (answer.status >= 400) expect([method, path, answer.body.error]).toEqual([method, path, expect.stringMatching(/^[^\n]+\.$/)]);
    }
    const large = await studio.ask('POST', '/api/personas/import', new Uint8Array(9 * 2 ** 20));
    expect(large.status).toBe(413);
  });
});
