/** @file What bots show of their deeds: posted calls, spans, an MCP server in between, and records before and after. */

import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { type EpisodeEvent, type Json, type JsonObject, scripted } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { afterEach, describe, expect, it } from 'vitest';
import { createAgentLoader } from '../kinds.ts';
import { botServices, closeServers, startServer } from './bot.cases.ts';
import { changesBetween } from './hooks.ts';
import { closeBots } from './open-bots.ts';
import type { BotFunction } from './session.ts';

afterEach(async () => {
  await closeBots();
  await closeServers();
});

/** A conversation at the sample desk about an order that may be canceled. */
async function atDesk(bot: BotFunction, hooks: JsonObject): Promise<{ outcome: JsonObject; events: readonly EpisodeEvent[] }> {
  const desk = await builtInEnvironment('desk');
  const spec = { name: 'b', kind: 'bot', settings: { file: 'x', hooks } };
  const agent = await createAgentLoader({ bot: () => botServices({ bot }) })(spec, 'agent', desk);
  const customer = scripted('customer', desk.scripts?.['customer'] as never);
  const events = await Array.fromAsync(play(desk, { agent, customer }, { task: { case: 'cancel-pending' }, seed: 3 }));
  const note = events.findLast((event) => event.kind === 'message' && event.text.startsWith('outcome'));
  return { outcome: ((note as { data?: JsonObject } | undefined)?.data?.['outcome'] ?? {}) as JsonObject, events };
}

const words = (message: string) => (message.includes('status') ? 'It is cancelled.' : 'Order B-1001 has been cancelled.');
const post = (url: string, body: Json) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
const call = { name: 'cancel_order', arguments: { order: 'B-1001' } };

describe('reported tool calls', () => {
  it('are judged by the end state, and no calls means that nothing was changed', async () => {
    const told: BotFunction = async (message, { hooks }) => {
      if (!message.includes('status')) await post(`${hooks}/calls`, call);
      return words(message);
    };
    expect((await atDesk(told, { port: 0 })).outcome).toMatchObject({ reward: 1, judged: 'reported calls', state: true });
    const liar = await atDesk((message) => words(message), { port: 0 });
    expect(liar.outcome).toMatchObject({ reward: 0, judged: 'reported calls', state: false });
    expect(JSON.stringify(liar.outcome['problems'])).toContain('but was not changed');
  });

  it('are read from OpenTelemetry GenAI spans, except failed ones', async () => {
    const span = (order: string, failed: boolean) => ({
      ...{ name: 'execute_tool cancel_order', startTimeUnixNano: '5', status: failed ? { code: 2 } : {} },
      attributes: [
        { key: 'gen_ai.operation.name', value: { stringValue: 'execute_tool' } },
        { key: 'gen_ai.tool.name', value: { stringValue: 'cancel_order' } },
        { key: 'gen_ai.tool.call.arguments', value: { stringValue: JSON.stringify({ order }) } },
      ],
    });
    const traced: BotFunction = async (message, { hooks }) => {
      const spans = [span('B-1002', true), span('B-1001', false), { name: 'chat m', attributes: [] }];
      if (!message.includes('status'))
        await post(`${hooks}/v1/traces`, { resourceSpans: [{ scopeSpans: [{ spans }] }] } as unknown as Json);
      return words(message);
    };
    expect((await atDesk(traced, { port: 0 })).outcome).toMatchObject({ reward: 1, judged: 'reported calls' });
  });

  it('are rejected for unknown sessions and invalid formats', async () => {
    const answers: string[] = [];
    const asking: BotFunction = async (message, { hooks = '', session }) => {
      const base = hooks.slice(0, -session.length - 1);
      const ask = async (path: string, body: Json, type = 'application/json') => {
        const response = await fetch(`${base}${path}`, { method: 'POST', headers: { 'content-type': type }, body: JSON.stringify(body) });
        answers.push(`${response.status} ${await response.text()}`);
      };
      if (message.includes('status')) return words(message);
      await ask('/calls', { ...call, session: 'other' });
      await ask(`/${crypto.randomUUID()}/calls`, call);
      await ask('/v1/traces', {}, 'application/x-protobuf');
      await ask('/elsewhere', {});
      await ask('/calls', { ...call, session });
      return words(message);
    };
    expect((await atDesk(asking, { port: 0 })).outcome).toMatchObject({ reward: 1 });
    expect(answers.map((text) => text.slice(0, 3))).toEqual(['404', '404', '415', '404', '200']);
    expect(answers[4]).toContain('"taken":1');
  });
});

describe('MCP proxy between a bot and its tools', () => {
  it('forwards calls unchanged and counts those that succeed', async () => {
    const server = await startServer(({ path, body }, response) => {
      if (path !== '/mcp') return void response.writeHead(404).end();
      const { id, params } = body as { id: number; params: { arguments: { order: string } } };
      const isError = params.arguments.order === 'B-9';
      if (isError) return { jsonrpc: '2.0', id, result: { isError, content: [] } };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(
        `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'ok' }] } })}\n\n`,
      );
      return undefined;
    });
    const observations: string[] = [];
    const bot: BotFunction = async (message, { hooks }) => {
      if (!message.includes('status'))
        for (const [id, order] of ['B-9', 'B-1001'].entries()) {
          const params = { name: 'cancel_order', arguments: { order } };
          observations.push(await (await post(`${hooks}/mcp`, { jsonrpc: '2.0', id, method: 'tools/call', params })).text());
        }
      return words(message);
    };
    expect((await atDesk(bot, { mcp: `${server.url}/mcp` })).outcome).toMatchObject({ reward: 1, judged: 'reported calls' });
    expect(observations[1]).toContain('event: message');
  });
});

describe('records of a bot', () => {
  it('are read before and after the episode to detect claims without action', async () => {
    let status = 'pending';
    const server = await startServer(({ path }, response) =>
      path.startsWith('/state?s=') ? { orders: [{ id: 'B-1001', status, extra: 1 }], log: {} } : void response.writeHead(404).end(),
    );
    const state = `${server.url}/state?s={session}`;
    const honest: BotFunction = (message) => {
      status = 'cancelled';
      return words(message);
    };
    expect((await atDesk(honest, { state })).outcome).toMatchObject({
      ...{ reward: 1, judged: 'its records', state: true },
      changes: { 'orders/B-1001': { status: 'cancelled' } },
    });
    status = 'pending';
    const lied = await atDesk((message) => words(message), { state });
    expect(lied.outcome).toMatchObject({ reward: 0, judged: 'its records', state: false });
    const failed = await atDesk((message) => words(message), { state: `${server.url}/nothing` });
    expect(failed.events.at(-1)).toMatchObject({ reason: 'error', fault: { message: expect.stringContaining('answered 404') } });
  });

  it('are compared by column, including new and deleted records and ids of any form', () => {
    const before = { a: { x: { n: 1, m: 2 }, y: { n: 1 } } };
    const after = { a: { x: { n: 1, m: 3 } }, b: { 'p/q': { id: 'p/q', n: 4 } } };
    expect(changesBetween(before, after)).toEqual({ 'a/x': { m: 3 }, 'a/y': null, 'b/p/q': { n: 4 } });
    expect(changesBetween(before, before)).toEqual({});
  });
});
