/** @file Attacks on sessions of OpenEnv and MCP with tokens of others: no token takes over another's session, spends on it, or uses up all sessions. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { scripted } from '@ludus-agents/kernel/internal/core/index';
import type { AccessScope } from '@ludus-agents/servers/internal/access';
import { type Serving, serve } from '@ludus-agents/servers/internal/app';
import { openCatalogue } from '@ludus-agents/servers/internal/environment-catalogue';
import { EpisodeHost } from '@ludus-agents/servers/internal/episode-host';
import { mcpRoutes } from '@ludus-agents/servers/internal/mcp/routes';
import { openEnvRoutes } from '@ludus-agents/servers/internal/openenv/routes';
import { createToken, markToken, readTokens, revokeToken, tokenFinder, tokensFile } from '@ludus-agents/servers/internal/tokens';
import { memoryStore } from '@ludus-agents/store/internal/open-store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';

let cwd: string;
let serving: Serving;
/** Calls of the agent that stands for a paid model. */
let payment = 0;
const ids: Record<string, string> = {};
const tokens: Record<string, string> = {};

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'ludus-sessions-'));
  const file = tokensFile(cwd);
  for (const [name, scopes] of Object.entries({ a: ['play'], b: ['play'], rich: ['play', 'spend'], greedy: ['play'] } as const)) {
    const { record, token } = createToken(file, { scopes, lifetime: null }, 0);
    ids[name] = record.id;
    tokens[name] = token;
  }
  const store = memoryStore();
  const { environments } = await openCatalogue(undefined, cwd, Trust.commandLine);
  const model = scripted('llm:paid', ({ ask, rng }) => {
    payment++;
    return { text: rng.pick(ask.choices ?? ['x']) };
  });
  const agent = async () => model;
  const episodeHost = new EpisodeHost({ environments, agent, store, allow: ['llm:paid'] });
  const routes = [openEnvRoutes({ episodeHost, most: 40 }).door, mcpRoutes({ episodeHost, store, version: '1', most: 40 })];
  serving = await serve({ routes, tokens: tokenFinder(file, () => 1) });
});

afterAll(async () => {
  await serving.close();
  rmSync(cwd, { recursive: true, force: true });
});

interface Reply {
  readonly status: number;
  readonly body: Record<string, never> & {
    readonly done?: boolean;
    readonly detail?: string;
    readonly error?: unknown;
    readonly result?: unknown;
  };
}

async function post(path: string, who: string, body: unknown): Promise<Reply> {
  const headers = {
    authorization: `Bearer ${tokens[who]}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const response = await fetch(`${serving.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  // MCP answers as an event stream with one event.
  return { status: response.status, body: JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) };
}

const world = '/openenv/kuhn-poker';
const reset = (who: string, episode: string, more = {}) => post(`${world}/reset`, who, { episode_id: episode, seed: 1, ...more });
const step = (who: string, episode: string) => post(`${world}/step`, who, { episode_id: episode, action: { message: '[check]' } });
const rpc = (who: string, method: string, params: unknown, path = `${world}/mcp`) =>
  post(path, who, { jsonrpc: '2.0', id: 1, method, params });

describe('an OpenEnv session', () => {
  it('does not exist for another token, at any address or protocol', async () => {
    expect((await reset('a', 'run-1')).status).toBe(200);
    expect((await step('b', 'run-1')).status).toBe(404);
    const state = (who: string) =>
      fetch(`${serving.url}${world}/state?episode_id=run-1`, { headers: { authorization: `Bearer ${tokens[who]}` } });
    expect([(await state('a')).status, (await state('b')).status]).toEqual([200, 404]);
    for (const key of ['http/kuhn-poker/run-1', `http/${ids['a']}/kuhn-poker/run-1`])
      for (const path of [`${world}/mcp`, '/openenv/tic-tac-toe/mcp']) {
        expect((await rpc('b', 'tools/call', { session_id: key, name: 'look', arguments: {} }, path)).body.error).toBeDefined();
        expect((await rpc('b', 'openenv/session/close', { session_id: key }, path)).body.error).toBeDefined();
      }
    // The same name by another token is another episode, and the first is still where it was.
    expect((await reset('b', 'run-1', { seed: 2 })).status).toBe(200);
    expect((await step('a', 'run-1')).status).toBe(200);
  });

  it('over JSON-RPC belongs to its token', async () => {
    const session = (await rpc('a', 'openenv/session/create', {})).body.result as unknown as { session_id: string };
    const call = (who: string) => rpc(who, 'tools/call', { session_id: session.session_id, name: 'look', arguments: {} });
    expect((await call('b')).body.error).toMatchObject({ message: expect.stringContaining('Unknown session_id') });
    expect((await call('a')).body.result).toBeDefined();
    expect((await rpc('b', 'openenv/session/close', session)).body.error).toBeDefined();
    expect((await rpc('a', 'openenv/session/close', session)).body.result).toMatchObject({ closed: true });
  });

  it('denies spending to a token without that scope, on reset and on step', async () => {
    const opponents = { opponents: 'llm:paid', seat: 'first' };
    expect((await reset('a', 'rich-1', opponents)).body.detail).toContain('needs a token with the scope spend');
    expect((await reset('rich', 'rich-1', opponents)).status).toBe(200);
    const before = payment;
    for (const again of [1, 2]) {
      expect((await step('a', 'rich-1')).status).toBe(404);
      expect((await reset('a', `rich-1`, again === 1 ? opponents : { ...opponents, seed: 9 })).body.detail).toContain('scope spend');
    }
    expect(payment).toBe(before);
    expect((await step('rich', 'rich-1')).status).toBe(200);
    expect(payment).toBeGreaterThan(before);
    // A token that loses the scope meanwhile spends nothing more.
    expect((await reset('rich', 'rich-2', opponents)).status).toBe(200);
    const spent = payment;
    changeScopes('rich', ['play']);
    expect((await step('rich', 'rich-2')).body.detail).toContain('scope spend');
    expect((await reset('rich', 'rich-2', opponents)).body.detail).toContain('scope spend');
    expect(payment).toBe(spent);
    changeScopes('rich', ['play', 'spend']);
  });

  it('over a socket ends when its token is revoked', async () => {
    const socket = new WebSocket(`${serving.url.replace('http', 'ws')}${world}/ws`, {
      headers: { authorization: `Bearer ${tokens['b']}` },
    });
    await new Promise((resolve) => socket.once('open', resolve));
    const ask = (data: unknown) =>
      new Promise<{ type: string; data: { message?: string } }>((resolve) => {
        socket.once('message', (text) => resolve(JSON.parse(String(text))));
        socket.send(JSON.stringify(data));
      });
    expect((await ask({ type: 'reset', data: { seed: 1 } })).type).toBe('observation');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    revokeToken(tokensFile(cwd), ids['b']!, 2);
    expect(await ask({ type: 'step', data: { message: '[check]' } })).toMatchObject({
      type: 'error',
      data: { message: expect.stringContaining('was revoked') },
    });
    await closed;
  });

  it('counts toward a limit per token, so that one token cannot take every session', async () => {
    const opened: number[] = [];
    for (let i = 0; i < 14; i++) opened.push((await reset('greedy', `g-${i}`)).status);
    expect(opened.filter((status) => status === 200)).toHaveLength(10);
    expect((await reset('greedy', 'g-99')).body.detail).toContain('10 of the 10 sessions that one token may have');
    expect((await reset('a', 'still-room')).status).toBe(200);
  });
});

describe('an MCP episode', () => {
  const tool = async (who: string, name: string, args: object) =>
    (await post('/mcp', who, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } })).body as unknown as {
      result: { isError?: boolean; structuredContent?: { episode: string }; content: { text: string }[] };
    };

  it('can be played, read, and resigned only by the token that started it', async () => {
    const begun = await tool('a', 'look', { world: 'kuhn-poker', seed: 1 });
    const episode = begun.result.structuredContent?.episode ?? '';
    expect(episode).not.toBe('');
    for (const [name, args] of Object.entries({ act: { message: '[check]' }, look: {}, rules: {}, resign: {} }))
      expect((await tool('rich', name, { episode, ...args })).result).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining('not found') }],
      });
    expect((await tool('a', 'act', { episode, message: '[check]' })).result.isError).not.toBe(true);
  });

  it('that costs money checks the spend scope at every answer', async () => {
    const begun = await tool('rich', 'look', { world: 'kuhn-poker', seed: 1, seat: 'first', opponents: 'llm:paid' });
    const episode = begun.result.structuredContent?.episode ?? '';
    const before = payment;
    changeScopes('rich', ['play']);
    expect((await tool('rich', 'act', { episode, message: '[check]' })).result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('scope spend') }],
    });
    expect(payment).toBe(before);
    changeScopes('rich', ['play', 'spend']);
    expect((await tool('rich', 'act', { episode, message: '[check]' })).result.isError).not.toBe(true);
    expect(payment).toBeGreaterThan(before);
  });
});

function changeScopes(who: string, scopes: readonly AccessScope[]): void {
  const file = tokensFile(cwd);
  const records = readTokens(file);
  const changed = records.map((record) => (record.id === ids[who] ? markToken(file, { ...record, scopes }) : record));
  writeFileSync(file, JSON.stringify(changed));
}
