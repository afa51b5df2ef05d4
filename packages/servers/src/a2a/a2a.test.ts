/** @file A persona that other agents call: its card, a stored conversation, and rejected requests. */

import { createAgent } from '@ludus-agents/agents/internal/kinds';
import { gallery } from '@ludus-agents/agents/internal/personas/index';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { type Agent, type Json, type JsonObject, scripted } from '@ludus-agents/kernel/internal/core/index';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { afterEach, describe, expect, it } from 'vitest';
import { closeTestServers, startTestServer, type TestServer, type TestServerOptions } from '../server.cases.ts';
import { type A2AOptions, a2aRoutes } from './routes.ts';

afterEach(closeTestServers);

function house(changes: Partial<A2AOptions> = {}, options: TestServerOptions = {}): Promise<TestServer> {
  return startTestServer({
    ...options,
    routes: (episodeHost) => [a2aRoutes({ episodeHost, version: '1.0.0', personas: gallery, ...changes })],
  });
}

async function rpc(url: string, body: Json | string): Promise<JsonObject> {
  const headers = { 'content-type': 'application/json', 'A2A-Version': '1.0' };
  return (await (
    await fetch(url, { method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) })
  ).json()) as JsonObject;
}

interface Said {
  readonly result: { readonly message: { contextId: string; role: string; messageId: string; parts: { text: string }[] } };
}

async function say(url: string, text: string, contextId?: string): Promise<Said['result']['message']> {
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text }], ...(contextId === undefined ? {} : { contextId }) };
  return ((await rpc(url, { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } })) as unknown as Said).result.message;
}

describe('a persona behind A2A', () => {
  it('has a card with its public facts and its endpoint', async () => {
    const { url } = await house();
    const card = (await (await fetch(`${url}/a2a/innkeeper/.well-known/agent-card.json`)).json()) as JsonObject;
    expect(card).toMatchObject({
      name: gallery['innkeeper']?.name,
      supportedInterfaces: [{ url: `${url}/a2a/innkeeper`, protocolBinding: 'JSONRPC' }],
    });
    const hidden = Object.values(gallery).flatMap(({ statements }) => statements.filter(({ visibility }) => visibility !== 'public'));
    const { agents } = (await (await fetch(`${url}/a2a`)).json()) as { agents: JsonObject[] };
    expect(agents).toHaveLength(Object.keys(gallery).length);
    for (const { text } of hidden) expect(JSON.stringify(agents)).not.toContain(JSON.stringify(text).slice(1, -1));
    expect((await fetch(`${url}/a2a/nobody/.well-known/agent-card.json`)).status).toBe(404);
  });

  it('answers in character, continues a known context, and records the conversation', async () => {
    const { url, log, store } = await house();
    const first = await say(`${url}/a2a/innkeeper`, 'Good evening! What do you do here?');
    expect(first).toMatchObject({ role: 'ROLE_AGENT', contextId: expect.stringMatching(/^[0-9a-f]{20}$/) });
    expect(first.parts[0]?.text).not.toBe('');
    const second = await say(`${url}/a2a/innkeeper`, 'And the rooms?', first.contextId);
    expect(second.contextId).toBe(first.contextId);
    const events = await log(first.contextId);
    expect(replay(await builtInEnvironment('chat'), events)).toBeNull();
    const words = events.flatMap((event) => (event.kind === 'action' ? [`${event.seat}: ${event.action.text}`] : []));
    expect(words).toEqual([
      'user: Good evening! What do you do here?',
      `character: ${first.parts[0]?.text}`,
      'user: And the rooms?',
      `character: ${second.parts[0]?.text}`,
    ]);
    expect(await store.episode(first.contextId)).toMatchObject({ run: 'a2a', cast: { user: 'a2a' } });
    // A context of the caller's own is its own conversation, and so is the same one with someone else.
    const ownEntry = await say(`${url}/a2a/innkeeper`, 'Hello', 'my-context');
    const other = await say(`${url}/a2a/noor`, 'Hello', 'my-context');
    expect([ownEntry.contextId, other.contextId]).toEqual(['my-context', 'my-context']);
    expect(await store.run('a2a')).not.toBeNull();
  });

  it('is played by the model of the server, which no caller can change', async () => {
    let spec: unknown;
    const parrot: Agent = scripted('parrot', ({ view }) => ({ text: `I heard ${view.seen.length}` }));
    const agent: typeof createAgent = async (input, seat, environment) => {
      if (seat === 'character') spec = input;
      return seat === 'character' ? parrot : createAgent(input, seat, environment);
    };
    const { url } = await house({ model: 'tiny' }, { episodeHost: { agent } });
    expect((await say(`${url}/a2a/innkeeper`, 'Hello')).parts[0]?.text).toContain('I heard');
    expect(spec).toMatchObject({ kind: 'llm', model: 'tiny', persona: { name: gallery['innkeeper']?.name } });
  });

  it('rejects invalid calls with the error codes of the protocol', async () => {
    const { url } = await house({ most: 1 });
    const at = `${url}/a2a/innkeeper`;
    const call = (method: string, params: Json) => rpc(at, { jsonrpc: '2.0', id: 7, method, params });
    const send = (message: Json) => call('SendMessage', { message });
    expect(await rpc(at, '{')).toMatchObject({ error: { code: -32700 } });
    expect(await rpc(at, [])).toMatchObject({ error: { code: -32600 } });
    expect(await call('Nothing', {})).toMatchObject({ id: 7, error: { code: -32601 } });
    expect(await call('GetTask', { id: 'none' })).toMatchObject({ error: { code: -32001 } });
    expect(await call('CancelTask', { id: 'none' })).toMatchObject({ error: { code: -32001 } });
    expect(await call('SubscribeToTask', { id: 'none' })).toMatchObject({ error: { code: -32001 } });
    expect(await call('CreateTaskPushNotificationConfig', { taskId: 'x', url: 'http://localhost' })).toMatchObject({
      error: { code: -32003 },
    });
    for (const message of [{}, { messageId: 'm', parts: [] }, { messageId: 'm', parts: [{ text: 'x' }], contextId: 'x'.repeat(256) }])
      expect(await send(message)).toMatchObject({ id: 7, error: { code: -32602 } });
    expect(await send({ messageId: 'm', parts: [{ url: 'http://x' }] })).toMatchObject({ error: { code: -32005 } });
    expect(await send({ messageId: 'm', parts: [{ text: 'x' }], taskId: 'none' })).toMatchObject({ error: { code: -32001 } });
    await say(at, 'Hello', 'a');
    expect(await send({ messageId: 'm', parts: [{ text: 'x' }], contextId: 'b' })).toMatchObject({
      error: { code: -32603, message: expect.stringContaining('capacity') },
    });
    // Anyone who says goodbye makes room.
    expect(await send({ messageId: 'm', parts: [{ text: '/quit' }], contextId: 'a' })).toMatchObject({ error: { code: -32603 } });
    expect((await say(at, 'Hello', 'b')).contextId).toBe('b');
    expect((await fetch(`${url}/a2a/nobody`, { method: 'POST', body: '{}' })).status).toBe(404);
    const old = await fetch(at, { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: {} }) });
    expect(await old.json()).toMatchObject({ error: { code: -32009 } });
  });

  it('is reachable from other machines only with the token', async () => {
    const { url, serving } = await house({}, { host: '0.0.0.0' });
    expect((await fetch(`${url}/a2a/innkeeper/.well-known/agent-card.json`)).status).toBe(401);
    expect((await fetch(`${url}/a2a/innkeeper`, { method: 'POST', body: '{}' })).status).toBe(401);
    const headers = { authorization: `Bearer ${serving.token}` };
    expect((await fetch(`${url}/a2a/innkeeper/.well-known/agent-card.json`, { headers })).status).toBe(200);
  });
});
