/** @file Read-only links against every route of the API: each link opens the routes of its object, and all other routes reject it. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EpisodeEvent, Store } from '@ludus-agents/kernel/internal/core/index';
import { putMarks } from '@ludus-agents/store/internal/marks';
import { memoryStore } from '@ludus-agents/store/internal/open-store';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { SharedPage } from '../access.ts';
import { type HttpRoutes, type Serving, serve } from '../app.ts';
import { createToken, readTokens, revokeToken, tokenFinder, tokensFile } from '../tokens.ts';
import { studioRoutes } from './index.ts';

const ownerToken = 'the-token-that-the-owner-knows';
const cwd = mkdtempSync(join(tmpdir(), 'ludus-links-'));
let [now, store]: [number, Store] = [1_900_000_000_000, memoryStore()];
let routes: HttpRoutes;
let serving: Serving;

/** An episode of two agents in a run. */
async function play(run: string, id: string): Promise<void> {
  const events: readonly EpisodeEvent[] = [
    { kind: 'start', environment: 'chat@1', task: {}, seed: 1, seats: ['guard', 'caller'], cast: { guard: 'ann', caller: 'ben' } },
    { kind: 'turn', asks: [{ seat: 'guard' }] },
    { kind: 'action', seat: 'guard', action: { text: `Words of ${id}.` } },
    { kind: 'end', reason: 'over', returns: { guard: 1, caller: 0 }, penalties: {}, turns: 1 },
  ];
  await store.append(id, 0, events, run);
}

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now });
  for (const run of ['shared', 'other']) {
    const ann = { name: 'ann', kind: 'llm', settings: { prompt: 'secret-plans' } };
    const plan = { name: run, environments: [], seeds: [], casts: [{ guard: ann }] };
    await store.putRun({ id: run, plan, episodes: 2 });
    for (const at of [1, 2]) await play(run, `${run}-${at}`);
  }
  await putMarks(store, 'episode', 'shared-1', { note: 'a note of the owner' });
  routes = await studioRoutes({ store, place: { cwd, env: {} }, token: ownerToken });
  // Wrong tokens are counted with a fake clock that advances on each read, so guesses are not slowed down here.
  let looks = 0;
  const rate = { perSecond: 1000, burst: 100_000, now: () => 60_000 * looks++ };
  serving = await serve({ routes: [routes], token: ownerToken, tokens: tokenFinder(tokensFile(cwd), () => now), rate });
});

afterAll(async () => {
  vi.useRealTimers();
  await serving.close();
  rmSync(cwd, { recursive: true, force: true });
});

const ask = (path: string, token: string, init: RequestInit = {}) =>
  fetch(`${serving.url}${path}`, { redirect: 'manual', ...init, headers: { authorization: `Bearer ${token}`, ...init.headers } });

async function createLink(shows: object): Promise<{ readonly token: string; readonly id: string }> {
  const response = await ask('/api/share', ownerToken, { method: 'POST', body: JSON.stringify(shows) });
  const created = (await response.json()) as { readonly token: string; readonly id: string; readonly error?: string };
  expect(created.error).toBeUndefined();
  return created;
}

async function statusOf(method: string, path: string, token: string): Promise<number> {
  const body = method === 'GET' || method === 'HEAD' ? {} : { body: '{}' };
  const response = await ask(path, token, { method, ...body });
  await response.body?.cancel();
  return response.status;
}

const comparison: SharedPage = { of: 'comparison', a: 'shared', b: 'other', run: '', score: '' };
const links: readonly SharedPage[] = [{ of: 'run', id: 'shared' }, { of: 'episode', id: 'shared-1' }, comparison];

/** What each kind of link opens; nothing else in the API may. */
const opened: Readonly<Record<SharedPage['of'], readonly string[]>> = {
  run: [
    ...['/api/runs/of/shared', '/api/runs/of/shared/report', '/api/comments/run/shared', '/api/runs/episodes?run=shared&limit=200&search='],
    ...['/api/training/of/shared', '/api/training/of/shared/policy'],
    ...['shared-1', 'shared-2'].flatMap((id) => [
      ...[`/api/episodes/${id}`, `/api/episodes/${id}/stream`, `/api/episodes/${id}/events/2`, `/api/comments/episode/${id}`],
    ]),
  ],
  episode: ['/api/episodes/shared-1', '/api/episodes/shared-1/stream', '/api/episodes/shared-1/events/2', '/api/comments/episode/shared-1'],
  comparison: [
    '/api/runs/compare?a=shared&b=other&run=&score=&over=seeds',
    '/api/runs/cases?before=shared&after=other',
    `/api/comments/comparison/${encodeURIComponent('["shared","other",""]')}`,
  ],
};

/** Values for the parameters in the paths of routes: shared, unshared, and mixed ones. */
const names = ['shared', 'other', 'shared-1', 'other-1', 'shared-', 'run', 'episode', 'shared%2F..%2Fother'];

/** Every route of the studio's API, once, as "GET /api/runs". */
const apiRoutes = () =>
  new Set(routes.app.routes.flatMap(({ path, method }) => (path.startsWith('/api') && method !== 'ALL' ? [`${method} ${path}`] : [])));

function fill(path: string): readonly string[] {
  const [, parameter] = /(:\w+)/.exec(path) ?? [];
  return parameter === undefined ? [path] : names.flatMap((name) => fill(path.replace(parameter, name)));
}

describe('a read-only link', () => {
  it.each(links)('opens the routes for what it shows: $of', async (shows) => {
    const { token } = await createLink(shows);
    const outcomes = await Promise.all(opened[shows.of].map(async (path) => [path, await statusOf('GET', path, token)] as const));
    expect(outcomes.filter(([, status]) => status === 403 || status === 401)).toEqual([]);
    expect(outcomes.filter(([, status]) => status === 200).length).toBeGreaterThanOrEqual(Math.min(4, outcomes.length));
  });

  it.each(links)('is rejected by every other route, name, and method: $of', async (shows) => {
    const { token } = await createLink(shows);
    const own = new Set(opened[shows.of].map((path) => path.split('?', 1)[0]));
    const tries = [...apiRoutes()].flatMap((route) => {
      const [method, path] = route.split(' ') as [string, string];
      // What is read is tried with every name; what could be changed, with the shared one first, and by other methods too.
      if (method === 'GET') return fill(path).map((filled) => [method, filled] as const);
      const [filled = path] = fill(path);
      return ['POST', 'PUT', 'DELETE', 'PATCH'].map((other) => [other, filled] as const);
    });
    expect(tries.length).toBeGreaterThan(400);
    const outside: string[] = [];
    for (const [method, path] of tries) {
      if (method === 'GET' && own.has(path)) continue;
      if ((await statusOf(method, path, token)) !== 403) outside.push(`${method} ${path}`);
    }
    expect(outside).toEqual([]);
  });

  it('opens no other runs, searches, notes, or partial names through query parameters', async () => {
    const [run, episode, compared] = await Promise.all(links.map(async (shows) => (await createLink(shows)).token));
    const refused: readonly (readonly [string | undefined, string])[] = [
      [run, '/api/runs/episodes'],
      [run, '/api/runs/episodes?run=other'],
      [run, '/api/runs/episodes?run=shared&run=other'],
      [run, '/api/runs/episodes?run=other&run=shared'],
      [run, '/api/runs/episodes?run=shared&search=words'],
      [run, '/api/runs/episodes?run=shared&tag=x'],
      [run, '/api/runs/episodes?run=shared&star=1'],
      [run, '/api/runs/compare?a=shared&b=other'],
      [run, '/api/episodes/other-1'],
      [run, '/api/episodes/shared'],
      [episode, '/api/episodes/shared'],
      [episode, '/api/runs/episodes?run=shared'],
      [episode, '/api/%65pisodes/shared-2'],
      [compared, '/api/runs/compare?a=shared&b=other&run=shared'],
      [compared, '/api/runs/compare?a=shared&b=other&score=privacy'],
      [compared, '/api/runs/compare?a=other&b=shared'],
      [compared, '/api/runs/compare?a=shared&b=other&a=ann'],
      [compared, '/api/runs/cases?before=shared&after=shared'],
      [compared, '/api/runs/of/shared'],
    ];
    const outcomes = await Promise.all(refused.map(async ([token, path]) => [path, await statusOf('GET', path, token ?? '')]));
    expect(outcomes.filter(([, status]) => status !== 403)).toEqual([]);
  });

  it('reveals no plans, other episodes, local agents, or notes of the owner', async () => {
    const { token } = await createLink({ of: 'run', id: 'shared' });
    const read = async (path: string) => (await ask(path, token)).text();
    expect(await read('/api/runs/of/shared')).not.toContain('secret-plans');
    expect(await read('/api/runs/of/shared/report')).not.toContain('secret-plans');
    expect(await read('/api/runs/episodes?run=shared')).not.toContain('a note of the owner');
    const alone = JSON.parse(await read('/api/episodes/shared-1')) as Record<string, unknown>;
    expect(alone).toMatchObject({ id: 'shared-1', fork: null, branches: [], castable: [], table: null, people: [], marks: {} });
    // The owner still sees all of it.
    expect(await (await ask('/api/runs/of/shared', ownerToken)).text()).toContain('secret-plans');
    expect(await (await ask('/api/runs/episodes?run=shared', ownerToken)).text()).toContain('a note of the owner');
  });

  it('is created, listed, and revoked only by the owner, and rejected once revoked or expired', async () => {
    const { token, id } = await createLink({ of: 'episode', id: 'shared-2', days: 2 });
    const reader = createToken(tokensFile(cwd), { scopes: ['read', 'play', 'spend'], lifetime: null }, now).token;
    for (const other of [token, reader]) {
      expect(await statusOf('GET', '/api/share', other)).toBe(403);
      expect(await statusOf('POST', '/api/share', other)).toBe(403);
      expect(await statusOf('POST', '/api/share/revoke', other)).toBe(403);
    }
    const list = (await (await ask('/api/share', ownerToken)).json()) as readonly { readonly id: string }[];
    expect(list[0]).toMatchObject({ id, shows: { of: 'episode', id: 'shared-2' } });
    expect(JSON.stringify(list)).not.toContain(token);
    expect(await statusOf('GET', '/api/episodes/shared-2', token)).toBe(200);
    await ask('/api/share/revoke', ownerToken, { method: 'POST', body: JSON.stringify({ id }) });
    expect(await statusOf('GET', '/api/episodes/shared-2', token)).toBe(401);
    const short = await createLink({ of: 'episode', id: 'shared-2', days: 2 });
    now += 3 * 86_400_000;
    expect(await statusOf('GET', '/api/episodes/shared-2', short.token)).toBe(401);
    now -= 3 * 86_400_000;
    for (const wrong of [
      { of: 'run', id: 'nothing' },
      { of: 'episode', id: 'shared' },
      { of: 'comparison' },
      { of: 'run', id: 'shared', days: 0 },
      { of: 'store' },
    ])
      expect((await ask('/api/share', ownerToken, { method: 'POST', body: JSON.stringify(wrong) })).status).toBeGreaterThanOrEqual(400);
  });

  it('cannot be widened by editing its file, because its signature covers what it shows', async () => {
    const { token, id } = await createLink({ of: 'episode', id: 'shared-1' });
    const file = tokensFile(cwd);
    const before = readFileSync(file, 'utf8');
    const widened = readTokens(file).map((record) => (record.id === id ? { ...record, shows: { of: 'run', id: 'other' } } : record));
    writeFileSync(file, JSON.stringify(widened));
    expect(await statusOf('GET', '/api/runs/of/other', token)).toBe(401);
    const freed = readTokens(file).map(({ shows: _, ...record }) => (record.id === id ? { ...record, scopes: ['admin'] } : record));
    writeFileSync(file, JSON.stringify(freed));
    expect(await statusOf('GET', '/api/runs', token)).toBe(401);
    writeFileSync(file, before);
  });

  it('opens the studio, unlike a program token, with a session that ends with the link', async () => {
    const file = tokensFile(cwd);
    const { token, id } = await createLink({ of: 'comparison', a: 'ann', b: 'ben', run: 'shared', score: '' });
    for (const scope of ['read', 'play', 'spend'] as const) {
      const program = createToken(file, { scopes: [scope], lifetime: null }, now).token;
      expect((await fetch(`${serving.url}/?token=${program}&host=plain`, { redirect: 'manual' })).status).toBe(401);
    }
    const entered = await fetch(`${serving.url}/?token=${token}&host=plain`, { redirect: 'manual' });
    const cookie = entered.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
    expect(entered.status).toBe(302);
    const visit = (path: string) => fetch(`${serving.url}${path}`, { headers: { cookie } });
    expect((await visit('/api/runs')).status).toBe(403);
    expect((await visit('/api/runs/compare?a=ann&b=ben&run=shared')).status).not.toBe(403);
    revokeToken(file, id, now);
    expect((await visit('/api/runs/compare?a=ann&b=ben&run=shared')).status).toBe(401);
  });

  it('stops the stream of a running episode when it is revoked', async () => {
    await store.append('live-1', 0, (await store.events('shared-1')).slice(0, 2), 'shared');
    const { token, id } = await createLink({ of: 'episode', id: 'live-1' });
    const response = await ask('/api/episodes/live-1/stream', token);
    const reader = response.body!.getReader();
    await reader.read();
    revokeToken(tokensFile(cwd), id, now);
    while (!(await reader.read()).done);
    expect((await ask('/api/episodes/live-1/stream', token)).status).toBe(401);
  });
});
