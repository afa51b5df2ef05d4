/** @file Bots on other wires: an ACP agent of the official library, a tool of an MCP server, a WebSocket, and answers in pieces over HTTP. */

import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EpisodeEvent, Json, JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { botServices, callsIn, closeServers, converse, seatBot, startServer, textsIn } from './bot.cases.ts';
import { closeBots } from './open-bots.ts';

const sockets: WebSocketServer[] = [];
afterEach(async () => {
  await closeBots();
  await closeServers();
  for (const webSocketServer of sockets.splice(0)) {
    for (const client of webSocketServer.clients) client.terminate();
    await new Promise((resolve) => webSocketServer.close(resolve));
  }
});

const cwd = mkdtempSync(join(tmpdir(), 'ludus-wires-'));
const bot = (settings: JsonObject) => ({ name: 'peer', kind: 'bot', settings });

function program(name: string, text: string): readonly string[] {
  const file = join(cwd, name);
  writeFileSync(file, text);
  return [process.execPath, file];
}

function faultIn(log: readonly EpisodeEvent[]): string {
  const last = log.at(-1);
  return last?.kind === 'end' ? (last.fault?.message ?? '') : '';
}

describe('ACP bot', () => {
  const library = import.meta.resolve('@agentclientprotocol/sdk');
  const agent = program(
    'agent.mjs',
    `import { agent, ndJsonStream, PROTOCOL_VERSION } from ${JSON.stringify(library)};
import { Readable, Writable } from 'node:stream';
let turn = 0;
agent({ name: 'sample' })
  .onRequest('initialize', () => ({ protocolVersion: PROTOCOL_VERSION, agentCapabilities: {} }))
  .onRequest('session/new', () => ({ sessionId: 'one' }))
  .onRequest('session/prompt', async ({ params, client }) => {
    const { sessionId } = params;
    const say = (update) => client.notify('session/update', { sessionId, update });
    const text = params.prompt[0].text;
    if (text === 'die') process.exit(3);
    await say({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'SECRET THOUGHT' } });
    await say({ sessionUpdate: 'tool_call', toolCallId: 't' + turn, title: 'look', name: 'get_order', kind: 'read', status: 'pending', rawInput: { order: 'B-1' } });
    const { outcome } = await client.request('session/request_permission', { sessionId, toolCall: { toolCallId: 't' + turn, title: 'look' },
      options: [{ optionId: 'no', name: 'No', kind: 'reject_once' }, { optionId: 'yes', name: 'Yes', kind: 'allow_once' }] });
    await say({ sessionUpdate: 'tool_call_update', toolCallId: 't' + turn, status: 'completed' });
    for (const piece of [++turn + ' ', outcome.optionId + ' ', text]) await say({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: piece } });
    return { stopReason: 'end_turn' };
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
`,
  );
  const services = () => botServices({ cwd });

  it('converses with an agent of the official library, hides thoughts, and logs calls', async () => {
    const log = await converse(await seatBot(`bot:acp:${agent.join(' ')}`, services()), 'Hello', 'Again');
    expect(faultIn(log)).toBe('');
    expect(textsIn(log)).toEqual(['1 yes Hello', '2 yes Again']);
    expect(JSON.stringify(log)).not.toContain('SECRET THOUGHT');
    expect(callsIn(log)[0]).toMatchObject({
      toolCalls: [{ name: 'get_order', arguments: { order: 'B-1' } }],
      notes: ['It asked for permission for look, which was granted.'],
    });
  });

  it('reports a readable error when the agent dies or cannot be started', async () => {
    const seated = await seatBot(bot({ via: 'acp', command: agent }), services());
    expect(faultIn(await converse(seated, 'die'))).toContain('ended with code 3');
    const missing = await seatBot(bot({ via: 'acp', command: ['/nowhere/agent'] }), services());
    expect(faultIn(await converse(missing, 'a'))).toContain('could not be run');
  });
});

describe('MCP tool bot', () => {
  const server = import.meta.resolve('@modelcontextprotocol/server');
  const stdio = import.meta.resolve('@modelcontextprotocol/server/stdio');
  const command = program(
    'mcp.mjs',
    `import { McpServer } from ${JSON.stringify(server)};
import { StdioServerTransport } from ${JSON.stringify(stdio)};
import { z } from ${JSON.stringify(import.meta.resolve('zod'))};
const server = new McpServer({ name: 'bot', version: '1' });
let turn = 0;
server.registerTool('ask', { inputSchema: z.object({ prompt: z.string(), session_id: z.string() }) }, async ({ prompt, session_id }) =>
  prompt === 'fail' ? { isError: true, content: [{ type: 'text', text: 'no stock' }] } : { content: [{ type: 'text', text: ++turn + ' ' + prompt + ' ' + session_id.length }] });
server.registerTool('other', { inputSchema: z.object({}) }, async () => ({ content: [] }));
await server.connect(new StdioServerTransport());
`,
  );

  it('passes messages under the argument names of its tool', async () => {
    const services = botServices({ cwd });
    const log = await converse(await seatBot(bot({ via: 'mcp', command, tool: 'ask' }), services), 'a', 'b', 'fail');
    expect(textsIn(log)).toEqual(['1 a 36', '2 b 36']);
    expect(faultIn(log)).toBe('The bot peer failed: no stock');
  });
});

describe('WebSocket bot', () => {
  async function listen(answer: (frame: JsonObject, send: (value: Json) => void, hangUp: () => void) => void): Promise<string> {
    const http = createServer((_, response) => response.writeHead(404).end());
    const server = new WebSocketServer({ server: http });
    sockets.push(server);
    server.on('connection', (socket) =>
      socket.on('message', (data) =>
        answer(
          JSON.parse(String(data)) as JsonObject,
          (value) => socket.send(JSON.stringify(value)),
          () => socket.terminate(),
        ),
      ),
    );
    server.on('close', () => http.close());
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    return `ws://127.0.0.1:${(http.address() as AddressInfo).port}`;
  }

  it('opens one connection per conversation and ignores frames without text', async () => {
    const url = await listen((frame, send) => {
      send({ type: 'typing' });
      send({ reply: `Re: ${frame['message']}`, tool_calls: [{ name: 'x', arguments: {} }] });
    });
    const log = await converse(await seatBot(`bot:${url}/chat`), 'a', 'b');
    expect(textsIn(log)).toEqual(['Re: a', 'Re: b']);
    expect(callsIn(log)[0]?.toolCalls).toEqual([{ id: '0', name: 'x', arguments: {} }]);
  });

  it('supports field mappings, an opening message, and pieces up to a final frame', async () => {
    const frames: JsonObject[] = [];
    const url = await listen((frame, send) => {
      frames.push(frame);
      if (frame['op'] === 'begin') return send({ id: 'S-1' });
      for (const out of ['Good ', 'day']) send({ body: { out } });
      send({ end: true });
    });
    const settings = {
      ...{ url, request: { op: 'say', in: '{message}', of: '{session}' }, reply: 'body.out', done: 'end', session: 'id' },
      ...{ open: { request: { op: 'begin' } } },
    };
    expect(textsIn(await converse(await seatBot(bot(settings)), 'a'))).toEqual(['Good day']);
    expect(frames.slice(0, 2)).toEqual([{ op: 'begin' }, { op: 'say', in: 'a', of: 'S-1' }]);
  });

  it('reports closed connections and refused connections', async () => {
    const url = await listen((_, __, hangUp) => hangUp());
    expect(faultIn(await converse(await seatBot(bot({ url })), 'a'))).toContain('The bot peer hung up');
    expect(faultIn(await converse(await seatBot(bot({ url: 'ws://127.0.0.1:1/x' })), 'a'))).toContain('The bot peer broke off');
  });
});

describe('streamed answer', () => {
  it('is joined from OpenAI, Responses, Messages, and custom deltas, and from texts at a path', async () => {
    const streams: Readonly<Record<string, readonly string[]>> = {
      '/own': ['{"delta":"Good "}', '{"delta":"day"}'],
      '/responses': [
        '{"type":"response.reasoning_summary_text.delta","delta":"Hm"}',
        '{"type":"response.output_text.delta","delta":"Good "}',
        '{"type":"response.output_text.delta","delta":"day"}',
        '{"type":"response.output_text.done","text":"Good day"}',
      ],
      '/messages': [
        '{"type":"message_start","message":{"content":[]}}',
        '{"type":"content_block_delta","delta":{"type":"thinking_delta","thinking":"Hm"}}',
        '{"type":"content_block_delta","delta":{"type":"text_delta","text":"Good "}}',
        '{"type":"content_block_delta","delta":{"type":"text_delta","text":"day"}}',
        '{"type":"message_delta","delta":{"stop_reason":"end_turn"}}',
      ],
    };
    const { url } = await startServer(({ path }, response) => {
      const events = path.endsWith('/chat/completions')
        ? ['{"choices":[{"delta":{"content":"Good "}}]}', '{"choices":[{"delta":{"content":"day"}}]}', '[DONE]']
        : (streams[path] ?? ['{"d":{"t":"One "}}', '{"d":{"t":"two"}}']);
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(events.map((event) => `data: ${event}\n\n`).join(''));
      return undefined;
    });
    expect(textsIn(await converse(await seatBot(`bot:openai:${url}/v1#m`), 'a'))).toEqual(['Good day']);
    expect(textsIn(await converse(await seatBot(bot({ url: `${url}/x`, reply: 'd.t' })), 'a'))).toEqual(['One two']);
    for (const path of Object.keys(streams))
      expect(textsIn(await converse(await seatBot(`bot:${url}${path}`), 'a')), path).toEqual(['Good day']);
  });
});
