/** @file Who may do what at every door: each route with each kind of token, and tokens that are good for nothing any more. */

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgent } from '@ludus-agents/agents/internal/kinds';
import { gallery } from '@ludus-agents/agents/internal/personas/index';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { a2aRoutes } from '@ludus-agents/servers/internal/a2a/routes';
import type { AccessScope } from '@ludus-agents/servers/internal/access';
import { type Serving, serve } from '@ludus-agents/servers/internal/app';
import { auditFile, openAuditLog } from '@ludus-agents/servers/internal/audit-log';
import { openCatalogue } from '@ludus-agents/servers/internal/environment-catalogue';
import { EpisodeHost } from '@ludus-agents/servers/internal/episode-host';
import { mcpRoutes } from '@ludus-agents/servers/internal/mcp/routes';
import { openEnvRoutes } from '@ludus-agents/servers/internal/openenv/routes';
import { proxyRoutes } from '@ludus-agents/servers/internal/proxy/routes';
import { studioRoutes } from '@ludus-agents/servers/internal/studio/index';
import { createToken, revokeToken, rotateToken, tokenFinder, tokensFile } from '@ludus-agents/servers/internal/tokens';
import { memoryStore } from '@ludus-agents/store/internal/open-store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { json, type ScriptedServer, scriptedServer } from '../fixtures/scripted-server.ts';
import { warningsDuring } from './server.cases.ts';

const ownerToken = 'the-token-that-the-owner-knows';
const start = Date.UTC(2026, 0, 1);
let now = start;

let cwd: string;
let serving: Serving;
let upstream: ScriptedServer;
/** Tokens by what they may do. */
const tokens: Record<string, string> = {};

/** Every door on one port, as `ludus serve all` has them, under a clock of our own. */
beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'ludus-tokens-'));
  const file = tokensFile(cwd);
  for (const scope of ['read', 'play', 'spend', 'admin'] as AccessScope[])
    tokens[scope] = createToken(file, { scopes: [scope], lifetime: null }, now).token;
  upstream = await scriptedServer(json(200, { choices: [{ index: 0, message: { content: 'hi' }, finish_reason: 'stop' }] }));
  const store = memoryStore();
  const { environments } = await openCatalogue(undefined, cwd, Trust.commandLine);
  const episodeHost = new EpisodeHost({ environments, agent: createAgent, store, allow: ['llm:*'] });
  const place = { cwd, env: {} };
  const opened = [
    openEnvRoutes({ episodeHost }).door,
    mcpRoutes({ episodeHost, store, version: '1', admin: createAgent }),
    a2aRoutes({ episodeHost, version: '1', personas: gallery }),
    ...proxyRoutes({ store, local: { cwd }, upstream: { url: upstream.url } }).routes,
    await studioRoutes({ store, place, token: ownerToken }),
  ];
  // The clock of the limits stands still but where a test moves it, so that the burst is all there is.
  const rate = { perSecond: 1000, burst: 100_000, now: () => now };
  serving = await serve({
    routes: opened,
    token: ownerToken,
    tokens: tokenFinder(file, () => now),
    audit: openAuditLog(auditFile(cwd)),
    rate,
  });
});

afterAll(async () => {
  await serving.close();
  await upstream.close();
  rmSync(cwd, { recursive: true, force: true });
});

/** What becomes of a request: "in", or the status that it was turned away with. */
async function outcome(route: string, token: string | null): Promise<'in' | 401 | 403> {
  // Anyone who guesses is slowed down; every guess of these tests comes after a quiet minute.
  now += 60_000;
  const [method, path] = route.split(' ') as [string, string];
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
  const status = method === 'SOCKET' ? await knock(path, headers) : await statusOf(method, path, headers);
  return status === 401 || status === 403 ? status : 'in';
}

async function statusOf(method: string, path: string, headers: Record<string, string>): Promise<number> {
  const body = method === 'POST' ? JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x' }], jsonrpc: '2.0' }) : null;
  const message = { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const response = await fetch(`${serving.url}${path}`, { method, headers: message, body, redirect: 'manual' });
  await response.body?.cancel();
  return response.status;
}

function knock(path: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve) => {
    const socket = new WebSocket(`${serving.url.replace('http', 'ws')}${path}`, { headers });
    socket.on('open', () => {
      socket.close();
      resolve(101);
    });
    socket.on('unexpected-response', (_, response) => {
      response.destroy();
      resolve(response.statusCode ?? 0);
    });
    socket.on('error', () => {});
  });
}

/** Each route, and the scopes of which one is enough; "anybody" for what needs no token. Admin is enough everywhere. */
const routes: readonly (readonly [string, readonly string[]])[] = [
  ['GET /health', ['anybody']],
  ['GET /', ['anybody']],
  ['GET /icon.svg', ['anybody']],
  ['GET /assets/x.js', ['anybody']],
  ['GET /api/home', ['read']],
  ['GET /api/environments', ['read']],
  ['GET /api/runs', ['read']],
  ['GET /api/runs/episodes', ['read']],
  ['GET /api/episodes/x', ['read']],
  ['GET /api/episodes/x/stream', ['read']],
  ['GET /api/personas', ['read']],
  ['GET /api/training', ['read']],
  ['GET /api/models', ['read']],
  ['GET /%61pi/home', ['read']],
  ['POST /api/episodes', []],
  ['POST /api/episodes/x/answer', []],
  ['POST /api/training', []],
  ['POST /api/improving', []],
  ['DELETE /api/personas/own/x', []],
  ['POST /', []],
  ['GET /openenv/tic-tac-toe/schema', ['read', 'play']],
  ['GET /openenv/tic-tac-toe/metadata', ['read', 'play']],
  ['GET /openenv/tic-tac-toe/state', ['read', 'play']],
  ['GET /openenv/tic-tac-toe/openapi.json', ['read', 'play']],
  ['GET /openenv/tic-tac-toe/health', ['read', 'play']],
  ['POST /openenv/tic-tac-toe/reset', ['play']],
  ['POST /openenv/tic-tac-toe/step', ['play']],
  ['POST /openenv/tic-tac-toe/mcp', ['play']],
  ['SOCKET /openenv/tic-tac-toe/ws', ['play']],
  ['SOCKET /openenv/tic-tac-toe/mcp', ['play']],
  ['POST /mcp', ['read', 'play', 'spend']],
  ['GET /mcp', ['read', 'play', 'spend']],
  ['GET /a2a', ['read', 'play', 'spend']],
  ['GET /a2a/innkeeper/.well-known/agent-card.json', ['read', 'play', 'spend']],
  ['POST /a2a/innkeeper', ['play']],
  ['GET /v1/models', ['read', 'play', 'spend']],
  ['POST /v1/chat/completions', ['spend']],
  ['POST /v1/completions', ['spend']],
  ['POST /r/a/e/1/s/b/v1/chat/completions', ['spend']],
  ['POST /r/a/e/1/end', ['play', 'spend']],
];

describe('the scope of a token', () => {
  it.each(routes)('grants access to %s for %j', async (route, enough) => {
    const anybody = enough.includes('anybody');
    expect(await outcome(route, null)).toBe(anybody ? 'in' : 401);
    expect(await outcome(route, 'a wrong one')).toBe(anybody ? 'in' : 401);
    expect(await outcome(route, ownerToken)).toBe('in');
    expect(await outcome(route, tokens['admin']!)).toBe('in');
    for (const scope of ['read', 'play', 'spend'])
      expect([scope, await outcome(route, tokens[scope]!)]).toEqual([scope, anybody || enough.includes(scope) ? 'in' : 403]);
  });

  const rpc = async (method: string, params: object, token: string) => {
    const response = await fetch(`${serving.url}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    return response.text();
  };

  it('determines the available MCP tools and access to transcripts', async () => {
    const listed = async (scope: string) => {
      const observation = await rpc('tools/list', {}, tokens[scope]!);
      return ['look', 'act', 'run', 'score'].filter((name) => observation.includes(`"name":"${name}"`));
    };
    expect(await listed('read')).toEqual([]);
    expect(await listed('play')).toEqual(['look', 'act']);
    expect(await listed('spend')).toEqual(['run', 'score']);
    expect(await listed('admin')).toEqual(['look', 'act', 'run', 'score']);
    const played = await rpc('tools/call', { name: 'look', arguments: { world: 'kuhn-poker', seed: 1 } }, tokens['play']!);
    const id = /Episode (\w+)/.exec(played)?.[1] as string;
    await rpc('tools/call', { name: 'resign', arguments: { episode: id } }, tokens['play']!);
    const read = (scope: string) => rpc('resources/read', { uri: `ludus://episodes/${id}` }, tokens[scope]!);
    expect(await read('read')).toContain('kuhn-poker');
    for (const scope of ['play', 'spend']) expect(await read(scope)).toContain('not found');
    await new Promise((resolve) => setImmediate(resolve));
    expect(readFileSync(auditFile(cwd), 'utf8')).toContain(`"call":"resources/read ludus://episodes/${id}"`);
  });

  it('determines access to opponents that cost money', async () => {
    const reset = async (scope: string) => {
      const response = await fetch(`${serving.url}/openenv/tic-tac-toe/reset`, {
        method: 'POST',
        headers: { authorization: `Bearer ${tokens[scope]}` },
        body: JSON.stringify({ opponents: 'llm:openai/gpt-5' }),
      });
      return response.text();
    };
    expect(await reset('play')).toContain('needs a token with the scope spend');
    expect(await reset('admin')).not.toContain('scope spend');
  });
});

describe('a read-only link', () => {
  it('opens no other route, and nothing of the studio beyond its page', async () => {
    const link = createToken(tokensFile(cwd), { scopes: ['admin'], lifetime: null, shows: { of: 'run', id: 'x' } }, now).token;
    const refused = routes.filter(([, enough]) => !enough.includes('anybody'));
    const outcomes = await Promise.all(refused.map(async ([route]) => [route, await outcome(route, link)]));
    expect(outcomes.filter(([, result]) => result !== 403)).toEqual([]);
  });
});

describe('a token', () => {
  const route = 'GET /api/home';
  const file = () => tokensFile(cwd);

  it('is accepted in every form that a client can send', async () => {
    const token = tokens['read']!;
    const at = (path: string, headers: Record<string, string>) => fetch(`${serving.url}${path}`, { headers }).then(({ status }) => status);
    expect(await at('/api/home', { authorization: `Bearer ${token}` })).toBe(200);
    expect(await at('/api/home', { authorization: `Basic ${Buffer.from(`ludus:${token}`).toString('base64')}` })).toBe(200);
    expect(await at('/api/home', { 'x-ludus-token': token })).toBe(200);
    expect(await at('/api/home', { cookie: `ludus-session=${token}; ludus-token=${token}` })).toBe(401);
    expect(await at(`/api/home?token=${token}`, {})).toBe(200);
    expect(await knock(`/openenv/tic-tac-toe/ws?token=${tokens['play']}`, {})).toBe(101);
    // One that is wrong does not spoil one that is right: a key may say where a call belongs.
    expect(await at('/api/home', { authorization: 'Bearer ludus:run/episode', 'x-ludus-token': token })).toBe(200);
  });

  it('expires to the millisecond and works again after rotation', async () => {
    const { token, record } = createToken(file(), { scopes: ['read'], lifetime: 600_000 }, now);
    now = record.created + 600_000 - 60_000 - 1;
    expect(await outcome(route, token)).toBe('in');
    now = record.created + 600_000 - 60_000;
    expect(await outcome(route, token)).toBe(401);
    const rotated = rotateToken(file(), record.id, now);
    expect(rotated.record).toMatchObject({ id: record.id, scopes: ['read'], expires: now + 600_000 });
    expect(await outcome(route, token)).toBe(401);
    expect(await outcome(route, rotated.token)).toBe('in');
  });

  it('is rejected permanently by a running server once revoked', async () => {
    const { token, record } = createToken(file(), { scopes: ['admin'], lifetime: null }, now);
    expect(await outcome(route, token)).toBe('in');
    revokeToken(file(), record.id, now);
    expect(await outcome(route, token)).toBe(401);
    expect(() => rotateToken(file(), record.id, now)).toThrow('is revoked');
    expect(() => revokeToken(file(), 'nothing', now)).toThrow('Token "nothing" not found');
  });

  it('is saved as a hash in a private file, and a broken file admits only the owner', async () => {
    const text = readFileSync(file(), 'utf8');
    for (const token of Object.values(tokens)) expect(text).not.toContain(token.slice(6));
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    for (const broken of ['', '{}', '[null]', `[${text}]`, '['.repeat(9000)]) {
      writeFileSync(file(), broken);
      expect([broken.slice(0, 9), await outcome(route, tokens['read']!)]).toEqual([broken.slice(0, 9), 401]);
      expect(await outcome(route, ownerToken)).toBe('in');
    }
    writeFileSync(file(), text);
    expect(await outcome(route, tokens['read']!)).toBe('in');
  });

  it('does not appear in the audit log or in server output', async () => {
    const wrong = 'a-secret-of-somebody-else';
    const warnings = await warningsDuring(async () => {
      for (const input of [wrong, ownerToken, tokens['play']!])
        for (const path of ['/mcp', '/openenv/tic-tac-toe/reset', '/nothing'])
          await fetch(`${serving.url}${path}?token=${input}`, { method: 'POST', body: '{', headers: { authorization: `Bearer ${input}` } });
    });
    await new Promise((resolve) => setImmediate(resolve));
    const log = readFileSync(auditFile(cwd), 'utf8');
    for (const secret of [wrong, ownerToken, ...Object.values(tokens)]) {
      expect(log).not.toContain(secret);
      expect(warnings).not.toContain(secret);
    }
    const lines = log
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const last = lines.filter(({ path }) => path === '/openenv/tic-tac-toe/reset').slice(-3);
    expect(last.map(({ who, did, status }) => [who, did, status])).toEqual([
      ['nobody', 'POST', 401],
      ['owner', 'POST', 422],
      [expect.stringMatching(/^[0-9a-f]{8}$/), 'POST', 422],
    ]);
    expect(statSync(auditFile(cwd)).mode & 0o777).toBe(0o600);
  });
});

describe('rate limits', () => {
  it('slow down a caller that guesses tokens, but not a valid token at the same address', async () => {
    now += 600_000;
    const at = (token: string) => fetch(`${serving.url}/api/home`, { headers: { authorization: `Bearer ${token}` } });
    const observations: number[] = [];
    for (let i = 0; i < 40; i++) observations.push((await at(`guess ${i}`)).status);
    expect(observations).toEqual([...Array(30).fill(401), ...Array(10).fill(429)]);
    const turned = await at('one more guess');
    expect([turned.status, turned.headers.get('retry-after')]).toEqual([429, '1']);
    expect((await at(tokens['read']!)).status).toBe(200);
    now += 1000;
    expect((await at('a late guess')).status).toBe(401);
  });

  it('apply to each token separately', async () => {
    let clock = 0;
    const limited = await serve({
      routes: [
        openEnvRoutes({
          episodeHost: new EpisodeHost({
            environments: (await openCatalogue(undefined, cwd, Trust.commandLine)).environments,
            agent: createAgent,
            store: null,
          }),
        }).door,
      ],
      token: ownerToken,
      tokens: tokenFinder(tokensFile(cwd), () => now),
      rate: { perSecond: 1, burst: 3, now: () => clock },
    });
    const at = async (token: string) => (await fetch(`${limited.url}/openenv/tic-tac-toe/schema?token=${token}`)).status;
    const [read, play] = [tokens['read']!, tokens['play']!];
    expect([await at(read), await at(read), await at(read), await at(read)]).toEqual([200, 200, 200, 429]);
    expect(await at(play)).toBe(200);
    clock += 999;
    expect(await at(read)).toBe(429);
    clock += 1;
    expect(await at(read)).toBe(200);
    expect((await fetch(`${limited.url}/health`)).status).toBe(200);
    await limited.close();
  });
});
