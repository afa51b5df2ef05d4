/** @file The stage and its seats: streams without loss, secrets kept, forks that replay, people waited for, and hostile requests refused. */

import { mkdtempSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import type { Explanation } from '@ludus-agents/evaluation/internal/explain';
import { type EpisodeEvent, type JsonObject, viewOf } from '@ludus-agents/kernel/internal/core/index';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { memoryStore } from '@ludus-agents/store/internal/memory';
import { afterEach, describe, expect, it } from 'vitest';
import { fc } from '../../../../../test/fixtures/property.ts';
import type { ActionDetail, EpisodeShown, EventShown } from '../api.ts';
import { type Opened, openStudio, token, watch } from '../studio.cases.ts';
import { poker } from './episodes.cases.ts';

let studio: Opened;

afterEach(() => studio?.close());

async function begin(wanted: JsonObject): Promise<string> {
  const { status, body } = await studio.post('/api/play', wanted);
  expect(body).toHaveProperty('episode');
  expect(status).toBe(200);
  return (body as { episode: string }).episode;
}

/** A request with any Host header, which fetch does not send. */
function request(
  url: string,
  path: string,
  headers: Record<string, string>,
): Promise<{ status: number; headers: IncomingMessage['headers'] }> {
  return new Promise((resolve, reject) => {
    get(`${url}${path}`, { headers }, (response) => {
      response.resume();
      resolve({ status: response.statusCode ?? 0, headers: response.headers });
    }).on('error', reject);
  });
}

describe('a studio episode', () => {
  it('is stored, streamed completely with its event numbers, and replays', async () => {
    studio = await openStudio();
    const id = await begin(poker);
    const { shown, last } = await watch(studio, `/api/episodes/${id}/stream`);
    const log = await studio.store.events(id);
    expect(shown.map(({ index }) => index)).toEqual(log.map((_, i) => i));
    expect(last).toBe(log.length - 1);
    expect(log.at(-1)).toMatchObject({ kind: 'end', reason: 'over' });
    expect(replay(await builtInEnvironment('kuhn-poker'), log)).toBeNull();
    const { body } = await studio.get(`/api/episodes/${id}`);
    expect(body).toMatchObject({ status: 'over', seats: ['first', 'second'], live: false, run: 'studio' });
  });

  it('resumes its stream after the last received event', async () => {
    studio = await openStudio();
    const id = await begin({ ...poker, pace: 5 });
    const whole = (await watch(studio, `/api/episodes/${id}/stream`)).shown;
    for (const after of [-1, 0, 1, Math.floor(whole.length / 2), whole.length - 2])
      expect((await watch(studio, `/api/episodes/${id}/stream`, { after })).shown).toEqual(whole.slice(after + 1));
  });

  it('shows a seat exactly its view, without the task, the seed, or other hands', async () => {
    studio = await openStudio();
    const id = await begin(poker);
    const log = await studio.store.events(id);
    for (const seat of ['first', 'second']) {
      const { shown } = await watch(studio, `/api/episodes/${id}/stream?seat=${seat}`);
      const messages = shown.flatMap(({ event }) => (event.kind === 'message' ? [event] : []));
      expect(messages).toEqual(viewOf(log, seat).seen.filter(({ kind }) => kind === 'message'));
      expect(shown[0]?.event).toMatchObject({ kind: 'start', task: null, seed: 0 });
      expect(shown.every(({ event }) => event.kind !== 'action' || event.seat === seat)).toBe(true);
      expect(shown.every(({ event }) => event.kind !== 'turn' || event.asks.every((ask) => ask.seat === seat))).toBe(true);
      for (const { picture } of shown)
        if (picture?.kind === 'table' && picture !== shown.at(-1)?.picture)
          for (const hand of picture.hands) expect(hand.card === null).toBe(hand.seat !== seat);
    }
    expect((await studio.get(`/api/episodes/${id}/stream?seat=third`)).status).toBe(400);
  });

  it('can be watched while another process plays it into the store', async () => {
    studio = await openStudio();
    const start = { kind: 'start', environment: 'chat@1', task: {}, seed: 0, seats: ['user'], cast: { user: 'somebody' } } as const;
    await studio.store.append('elsewhere', 0, [start]);
    const begun = Promise.withResolvers<void>();
    const watching = watch(studio, '/api/episodes/elsewhere/stream', { onShown: begun.resolve });
    await begun.promise;
    await studio.store.append('elsewhere', 1, [{ kind: 'message', to: ['user'], text: 'Hello.' }]);
    await studio.store.append('elsewhere', 2, [{ kind: 'end', reason: 'over', returns: { user: 0 }, penalties: { user: 0 }, turns: 0 }]);
    expect((await watching).shown.map(({ event }) => event.kind)).toEqual(['start', 'message', 'end']);
  });

  it('is scored by rules on request once it has ended', async () => {
    studio = await openStudio();
    const id = await begin({ environment: 'kuhn-poker', seed: 4, cast: { first: 'human', second: 'scripted:bold' } });
    expect((await studio.post(`/api/episodes/${id}/score`)).status).toBe(400);
    const turn = (await studio.store.events(id)).findLastIndex(({ kind }) => kind === 'turn');
    expect((await studio.post(`/api/episodes/${id}/answer`, { seat: 'first', text: '[bet]', turn })).status).toBe(200);
    await watch(studio, `/api/episodes/${id}/stream`);
    const { body } = await studio.post(`/api/episodes/${id}/score`);
    const names = (body as unknown as EpisodeShown).scores.map(({ name }) => name);
    expect(names).toContain('return');
  });
});

describe('an explanation', () => {
  it('asks the agent again without parts, plays out other moves, and explains invalid requests', async () => {
    studio = await openStudio();
    const id = await begin(poker);
    await watch(studio, `/api/episodes/${id}/stream`);
    const log = await studio.store.events(id);
    const at = log.findIndex((event) => event.kind === 'action');
    const { body } = await studio.post(`/api/episodes/${id}/explain`, { at, samples: 1 });
    const { seat, did, parts, moves } = body as unknown as Explanation;
    const event = log[at] as Extract<EpisodeEvent, { kind: 'action' }>;
    expect([seat, did, parts.length > 0, moves.some(({ made }) => made)]).toEqual([event.seat, event.action.text, true, true]);
    expect(await studio.store.statuses('studio')).toHaveProperty('size', 1);
    const late = await studio.post(`/api/episodes/${id}/explain`, { at: log.length });
    expect([late.status, late.body]).toEqual([400, { error: expect.stringContaining('No action at or after event') }]);
  });
});

describe('a fork', () => {
  it('keeps earlier events, changes the requested one, and is listed by its parent', async () => {
    studio = await openStudio();
    const id = await begin(poker);
    await watch(studio, `/api/episodes/${id}/stream`);
    const log = await studio.store.events(id);
    const at = log.findIndex((event, i) => i > 8 && event.kind === 'action');
    const actionEvent = log[at] as Extract<EpisodeEvent, { kind: 'action' }>;
    const other =
      actionEvent.action.text === '[bet]'
        ? '[check]'
        : actionEvent.action.text === '[check]'
          ? '[bet]'
          : actionEvent.action.text === '[call]'
            ? '[fold]'
            : '[call]';
    const wanted = [
      { at, answer: other },
      { at, seed: 99 },
      { at, cast: { second: 'random' } },
    ];
    for (const body of wanted) {
      const { body: begun } = await studio.post(`/api/episodes/${id}/fork`, body);
      const branch = (begun as { episode: string }).episode;
      await watch(studio, `/api/episodes/${branch}/stream`);
      const now = await studio.store.events(branch);
      expect(now.slice(1, at)).toEqual(log.slice(1, at));
      expect(replay(await builtInEnvironment('kuhn-poker'), now)).toBeNull();
      if ('answer' in body) expect(now[at]).toMatchObject({ kind: 'action', seat: actionEvent.seat, action: { text: other } });
    }
    const { branches } = (await studio.get(`/api/episodes/${id}`)).body as unknown as EpisodeShown;
    expect(branches.map((branch) => branch.at)).toEqual([at, at, at]);
  });

  it('is rejected with an explanation if nothing can be forked', async () => {
    studio = await openStudio();
    const id = await begin(poker);
    await watch(studio, `/api/episodes/${id}/stream`);
    for (const body of [
      {},
      { at: 0 },
      { at: 1e6 },
      { at: 1, answer: '[bet]' },
      { at: 4, cast: { first: 'nobody' } },
      { at: 4, cast: [] },
      { at: 4, seed: -1 },
    ]) {
      const { status, body: said } = await studio.post(`/api/episodes/${id}/fork`, body);
      expect([status, (said as { error: string }).error], JSON.stringify(body)).toEqual([400, expect.stringMatching(/\.$/)]);
    }
  });
});

describe('a person in a seat', () => {
  const table = { environment: 'tic-tac-toe', seed: 1, cast: { X: 'human', O: 'scripted:minimax' } };

  /** Answers every turn with the first move that is offered, until the game is over. */
  async function playOn(id: string): Promise<readonly EventShown[]> {
    for (;;) {
      const record = (await studio.get(`/api/episodes/${id}`)).body as unknown as EpisodeShown;
      if (record.status !== 'running') return (await watch(studio, `/api/episodes/${id}/stream?seat=X`)).shown;
      const log = await studio.store.events(id);
      const turn = log.findLastIndex(({ kind }) => kind === 'turn');
      const turnEvent = log[turn] as Extract<EpisodeEvent, { kind: 'turn' }>;
      if (turnEvent.asks[0]?.seat !== 'X' || log.slice(turn).some(({ kind }) => kind === 'action')) continue;
      const text = turnEvent.asks[0].choices?.[0] as string;
      await studio.post(`/api/episodes/${id}/answer`, { seat: 'X', text, turn });
    }
  }

  it('is waited for, plays to the end, and cannot answer twice', async () => {
    studio = await openStudio();
    const id = await begin(table);
    const { body } = await studio.get('/api/home');
    expect(body).toMatchObject({ running: [{ episode: id, waiting: ['X'] }] });
    const [turn] = (await studio.store.events(id)).flatMap(({ kind }, i) => (kind === 'turn' ? [i] : []));
    const say = (text: string, at = turn) => studio.post(`/api/episodes/${id}/answer`, { seat: 'X', text, turn: at });
    expect((await say('somewhere')).body).toEqual({ error: expect.stringContaining('is not a move here') });
    expect((await say('[4]', 999)).status).toBe(400);
    expect((await say('4')).status).toBe(200);
    expect((await say('0')).status).toBe(400);
    const visible = await playOn(id);
    expect(visible.at(-1)?.event).toMatchObject({ kind: 'end', reason: 'over' });
    expect(visible.at(-1)?.picture).toMatchObject({ kind: 'grid', columns: 3, rows: 3 });
  });

  it('finds the game unchanged after the server restarts', async () => {
    const store = memoryStore();
    const cwd = mkdtempSync(join(tmpdir(), 'ludus-studio-'));
    studio = await openStudio({ store, cwd });
    const id = await begin(table);
    const [turn] = (await store.events(id)).flatMap(({ kind }, i) => (kind === 'turn' ? [i] : []));
    await studio.post(`/api/episodes/${id}/answer`, { seat: 'X', text: '[0]', turn });
    await studio.close();
    const before = await store.events(id);
    expect(before.at(-1)?.kind).not.toBe('end');
    studio = await openStudio({ store, cwd });
    expect(((await studio.get(`/api/episodes/${id}`)).body as unknown as EpisodeShown).live).toBe(true);
    await playOn(id);
    const log = await store.events(id);
    expect(log.slice(0, before.length)).toEqual(before);
    expect(replay(await builtInEnvironment('tic-tac-toe'), log)).toBeNull();
  });

  it('can speak plain text in environments with a speech format', async () => {
    studio = await openStudio();
    const id = await begin({ environment: 'social-scene', seed: 1, cast: { ada: 'human' } });
    const turn = (await studio.store.events(id)).findLastIndex(({ kind }) => kind === 'turn');
    const statement = await studio.post(`/api/episodes/${id}/answer`, { seat: 'ada', text: 'Good "evening", Ben', turn });
    expect(statement.status).toBe(200);
    const { shown } = await watch(studio, `/api/episodes/${id}/stream`, { enough: turn + 2 });
    expect(shown[turn + 1]?.event).toMatchObject({ kind: 'action', seat: 'ada', action: { text: '[speak "Good ’evening’, Ben"]' } });
  });

  it('can leave, which the log records', async () => {
    studio = await openStudio();
    const id = await begin(table);
    await studio.post(`/api/episodes/${id}/stop`);
    expect((await studio.store.events(id)).at(-1)).toMatchObject({ kind: 'end', reason: 'abort' });
  });
});

describe('hostile requests', () => {
  it('are answered with a status below 500 and one sentence, for any content', async () => {
    studio = await openStudio();
    const id = await begin(poker);
    const paths = fc.oneof(
      fc.string({ maxLength: 60 }).map((text) => `/api/episodes/${encodeURIComponent(text)}`),
      fc.string({ maxLength: 30 }).map((text) => `/api/episodes/${id}/events/${encodeURIComponent(text)}`),
      fc.string({ maxLength: 30 }).map((text) => `/api/episodes/${id}/stream?after=${encodeURIComponent(`x${text}`)}`),
      fc.string({ maxLength: 30 }).map((text) => `/api/episodes/${id}/stream?seat=${encodeURIComponent(`x${text}`)}`),
      fc.string({ maxLength: 30 }).map((text) => `/api/environments/${encodeURIComponent(text)}`),
      fc.string({ maxLength: 30 }).map((text) => `/api/environments/dilemma?task=${encodeURIComponent(`{${text}`)}`),
      fc.integer().map((number) => `/api/episodes/${id}/events/${number}`),
    );
    await fc.assert(
      fc.asyncProperty(paths, async (path) => {
        const { status, body } = await studio.get(path);
        expect(status, path).toBeLessThan(500);
        if (status >= 400) expect((body as { error?: string } | null)?.error, path).toEqual(expect.any(String));
      }),
      { numRuns: 120, seed: 8 },
    );
    const bodies = fc.oneof(
      fc.jsonValue(),
      fc.dictionary(fc.constantFrom('at', 'cast', 'seed', 'answer', 'seat', 'text', 'turn', 'environment', 'task', 'pace'), fc.jsonValue()),
    );
    const doors = fc.constantFrom(
      `/api/episodes/${id}/fork`,
      `/api/episodes/${id}/answer`,
      '/api/play',
      '/api/demos/nothing',
      `/api/episodes/${id}/nothing`,
    );
    await fc.assert(
      fc.asyncProperty(doors, bodies, async (path, body) => {
        const { status } = await studio.post(path, body);
        expect(status, `${path} ${JSON.stringify(body)}`).toBeLessThan(500);
      }),
      { numRuns: 150, seed: 9 },
    );
  });

  it('are rejected without a valid token, from another site, and if too large', async () => {
    studio = await openStudio();
    const { url } = studio.serving;
    const at = async (path: string, init: RequestInit = {}) => (await fetch(`${url}${path}`, init)).status;
    expect(await at('/api/home')).toBe(401);
    expect(await at('/api/home', { headers: { authorization: 'Bearer wrong' } })).toBe(401);
    expect(await at('/?token=wrong', { redirect: 'manual' })).toBe(401);
    expect(await at('/api/play', { method: 'POST', body: '{}' })).toBe(401);
    const foreign = { authorization: `Bearer ${token}`, origin: 'https://evil.example' };
    expect(await at('/api/play', { method: 'POST', body: JSON.stringify(poker), headers: foreign })).toBe(403);
    const huge = { method: 'POST', body: 'x'.repeat(9 * 2 ** 20), headers: { authorization: `Bearer ${token}` } };
    expect(await at('/api/play', huge)).toBe(413);
    expect(await studio.store.episodes()).toEqual([]);
    for (const path of ['/assets/..%2f..%2fpackage.json', '/assets/%2e%2e%2fpackage.json', '/assets/.built'])
      expect(await at(path), path).toBe(404);
  });

  it('run no file that an imported log names as its environment', async () => {
    studio = await openStudio();
    const file = join(studio.cwd, 'world.mjs');
    writeFileSync(file, 'globalThis.ranFromLog = true; export const world = { id: "x", task() {}, seats() {}, start() {}, step() {} };');
    for (const environment of ['./world.mjs', file]) {
      const start = { kind: 'start', environment, task: {}, seed: 0, seats: ['a'], cast: { a: 'random' } } as const;
      const id = environment === file ? 'absolute' : 'relative';
      await studio.store.append(id, 0, [start, { kind: 'end', reason: 'over', returns: { a: 0 }, penalties: { a: 0 }, turns: 0 }]);
      expect((await studio.get(`/api/episodes/${id}`)).body).toMatchObject({ environment, castable: [] });
      expect((await watch(studio, `/api/episodes/${id}/stream`)).shown.length).toBe(2);
      expect((await studio.post(`/api/episodes/${id}/fork`, { at: 1 })).status).toBe(400);
    }
    expect((globalThis as { ranFromLog?: boolean }).ranFromLog).toBeUndefined();
    // Anyone who has the token may play it, and then it does run: had it run before, it would have been seen.
    await studio.post('/api/play', { environment: './world.mjs', cast: {} });
    expect((globalThis as { ranFromLog?: boolean }).ranFromLog).toBe(true);
  });

  it('cannot obtain a session: its code works once, and its cookie only at one host name', async () => {
    studio = await openStudio();
    const { url } = studio.serving;
    const response = await fetch(`${url}/?token=${token}`, { redirect: 'manual' });
    expect([response.status, response.headers.get('set-cookie')]).toEqual([302, null]);
    const address = new URL(response.headers.get('location') ?? '');
    expect(address.hostname).toMatch(/^ludus-[0-9a-f]{32}\.localhost$/);
    expect(address.href).not.toContain(token);
    const at = (path: string, headers: Record<string, string>) => request(url, path, headers);
    const entered = await at(address.pathname + address.search, { host: address.host });
    expect([entered.status, entered.headers.location]).toEqual([302, '/']);
    const [cookie = ''] = entered.headers['set-cookie'] ?? [];
    expect(cookie).toMatch(/^ludus-session=[\w-]{32}; Path=\/; HttpOnly; SameSite=Strict$/);
    const secret = cookie.split(';', 1)[0]!;
    expect(secret).not.toContain(token);
    expect((await at('/api/home', { host: address.host, cookie: secret })).status).toBe(200);
    // The code is spent, and the session is for one host name.
    expect((await at(address.pathname + address.search, { host: address.host })).status).toBe(401);
    expect((await at('/api/home', { cookie: secret })).status).toBe(401);
    // Where a page of another site had the link, the page leads on by itself: a redirect would come without the strict cookie.
    const again = new URL((await fetch(`${url}/?token=${token}`, { redirect: 'manual' })).headers.get('location') ?? '');
    const followed = await at(again.pathname + again.search, { host: again.host, 'sec-fetch-site': 'cross-site' });
    expect([followed.status, followed.headers.location, followed.headers['cache-control']]).toEqual([200, undefined, 'no-store']);
    expect(followed.headers['set-cookie']?.[0]).toMatch(/^ludus-session=.*HttpOnly; SameSite=Strict/);
    // A browser that does not resolve names below localhost stays where it is.
    const plain = await fetch(`${url}/?token=${token}&host=plain`, { redirect: 'manual' });
    expect(plain.headers.get('set-cookie')).toMatch(/^ludus-session=.*HttpOnly; SameSite=Strict/);
    expect(response.headers.get('content-security-policy')).toContain("script-src 'self';");
    const answer = await fetch(`${studio.serving.url}/api/home`, { headers: { authorization: `Bearer ${token}` } });
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  });
});

describe('an invited player', () => {
  it('is a gallery character by name, played from its card or by a model', async () => {
    studio = await openStudio();
    const scene = { environment: 'social-scene', seed: 1, cast: { ada: 'persona:beatrix', ben: 'persona:tomas llm:fake' } };
    const id = await begin(scene);
    await watch(studio, `/api/episodes/${id}/stream`);
    const visibleBody = (await studio.get(`/api/episodes/${id}`)).body as unknown as EpisodeShown;
    expect(visibleBody.faces).toMatchObject({ ada: { name: 'Beatrix Hollow' }, ben: { name: 'Tomas Quill' } });
    const log = await studio.store.events(id);
    const spoken = log.findIndex((event) => event.kind === 'action' && event.seat === 'ben');
    const { body } = await studio.get(`/api/episodes/${id}/events/${spoken}`);
    const { calls, inside } = body as unknown as ActionDetail;
    expect(calls[0]?.model).toBe('fake');
    expect(inside?.raw).toMatchObject({ kind: 'mind/1' });
    const again = log.findIndex((event, i) => i > spoken && event.kind === 'action' && event.seat === 'ben');
    const next = (await studio.get(`/api/episodes/${id}/events/${again}`)).body as unknown as ActionDetail;
    const text = next.calls[0]?.prompt.messages.map(({ role, content }) => `${role}: ${content}`).join('\n\n') as string;
    const before = calls
      .at(-1)
      ?.prompt.messages.map(({ role, content }) => `${role}: ${content}`)
      .join('\n\n') as string;
    const stable = next.calls[0]?.stableCharacters as number;
    expect(stable).toBeGreaterThan(100);
    expect(text.slice(0, stable)).toBe(before.slice(0, stable));
    expect(text[stable]).not.toBe(before[stable]);
  });

  it('is rejected if it is outside the folder or does not exist', async () => {
    studio = await openStudio();
    for (const [wanted, why] of [
      [{ environment: '../elsewhere/world.ts', cast: {} }, 'outside the folder'],
      [{ environment: '/etc/world.ts', cast: {} }, 'outside the folder'],
      [{ environment: 'shogi', cast: {} }, 'Unknown environment "shogi"'],
      [{ environment: 'social-scene', cast: { ada: 'persona:nobody' } }, 'Unknown persona "nobody"'],
      [{ environment: 'kuhn-poker', cast: { first: 'persona:beatrix' } }, 'in a social scene'],
      [{ environment: 'kuhn-poker', cast: { third: 'random' } }, 'no seat "third"'],
      [{ environment: 'kuhn-poker', cast: {}, task: { rounds: -1 } }, '"rounds" must be'],
    ] as const) {
      const { status, body } = await studio.post('/api/play', wanted);
      expect([status, (body as { error: string }).error]).toEqual([400, expect.stringContaining(why)]);
    }
    expect(await studio.store.episodes()).toEqual([]);
  });
});
