/** @file The proxy in other dialects: requests go on as they came, answers come back as they were, and the record is the same for all. */

import { EventStream } from '@ludus-agents/agents/internal/models/sse';
import type { ModelCall } from '@ludus-agents/kernel/internal/core/index';
import { afterEach, describe, expect, it } from 'vitest';
import { json } from '../../../../test/fixtures/scripted-server.ts';
import { DialectCollector, streamIn, wholeIn } from './dialect-answers.ts';
import { dialectOf, readDialect } from './dialects.ts';
import { awaitRecords, callsIn, closeProxy, desk, open, post } from './proxy.cases.ts';

afterEach(closeProxy);

const messages = {
  model: 'm',
  system: 'Be brief.',
  max_tokens: 9,
  messages: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }],
};
const responses = { model: 'm', instructions: 'Be brief.', max_output_tokens: 9, input: 'hello' };
const gemini = {
  systemInstruction: { parts: [{ text: 'Be brief.' }] },
  contents: [{ role: 'user', parts: [{ text: 'hello' }] }],
  generationConfig: { maxOutputTokens: 9 },
};

const thoughtful = {
  messages: {
    content: [
      { type: 'thinking', thinking: 'hm' },
      { type: 'text', text: 'hi' },
    ],
    stop_reason: 'end_turn',
    usage: { input_tokens: 3, output_tokens: 2 },
  },
  responses: {
    output: [
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] },
      { type: 'message', content: [{ type: 'output_text', text: 'hi' }] },
    ],
    status: 'completed',
    usage: { input_tokens: 3, output_tokens: 2, output_tokens_details: { reasoning_tokens: 1 } },
  },
  gemini: {
    candidates: [{ content: { parts: [{ text: 'hm', thought: true }, { text: 'hi' }] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 1, thoughtsTokenCount: 1 },
  },
};

const cases = [
  ['messages', '/v1/messages', '/messages', messages, 'x-api-key'],
  ['responses', '/v1/responses', '/responses', responses, 'authorization'],
  ['gemini', '/v1beta/models/m:generateContent', '/models/m:generateContent', gemini, 'x-goog-api-key'],
] as const;

async function recorded(): Promise<ModelCall> {
  const [log] = await awaitRecords();
  return callsIn(log!)[0]!;
}

describe('the proxy', () => {
  it.each(cases)('forwards %s and separates reasoning in the record', async (dialect, path, behind, body, header) => {
    const url = await open([json(200, thoughtful[dialect])]);
    const reply = await post(`${url}${path}`, JSON.stringify(body));
    expect([reply.status, await reply.json()]).toEqual([200, thoughtful[dialect]]);
    const [observation] = desk.upstream!.seen;
    expect(observation!.url.endsWith(behind)).toBe(true);
    expect(observation!.body).toEqual(body);
    expect(String(observation!.headers[header])).toContain('sk-upstream');
    const call = await recorded();
    expect(call).toMatchObject({ text: 'hi', thinking: 'hm', finish: 'stop', usage: { promptTokens: 3, completionTokens: 2 } });
    expect(call.prompt.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'hello' },
    ]);
  });

  it.each(cases)('writes answers of local models in %s, whole and streamed', async (dialect, path, _, body) => {
    const proxyRequest = readDialect(dialect, body, path.split('/').at(-1));
    expect(proxyRequest).toMatchObject({ model: 'm', streamed: false, sampling: { maxTokens: 9 } });
    for (const finish of ['stop', 'length'] as const) {
      const usage = { promptTokens: 3, completionTokens: 2 };
      const call: ModelCall = { model: 'm', prompt: proxyRequest.prompt, text: 'hi there', finish, usage, cost: 0 };
      const [whole, streamed] = [
        new DialectCollector(proxyRequest, 'x', await dialectOf(dialect)),
        new DialectCollector(proxyRequest, 'x', await dialectOf(dialect)),
      ];
      whole.takeWhole(wholeIn[dialect](proxyRequest, call));
      for (const data of new EventStream().push(Buffer.from(streamIn(dialect, proxyRequest, call)))) streamed.take(JSON.parse(data));
      expect(streamed.done).toBe(true);
      for (const dialectCollector of [whole, streamed])
        expect(dialectCollector.calls()).toMatchObject([{ text: 'hi there', finish, usage }]);
    }
  });

  it('records a refusal as an answer', async () => {
    const refused = { content: [], stop_reason: 'refusal', usage: { input_tokens: 3, output_tokens: 0 } };
    const url = await open([json(200, refused)]);
    expect((await post(`${url}/v1/messages`, JSON.stringify(messages))).status).toBe(200);
    expect(await recorded()).toMatchObject({ finish: 'refused' });
  });

  it('forwards a stream byte for byte, including event names', async () => {
    const events = [
      { type: 'message_start', message: { usage: { input_tokens: 3, output_tokens: 0 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hi' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'max_tokens' }, usage: { output_tokens: 2 } },
      { type: 'message_stop' },
    ];
    const text = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
    const url = await open([(response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text)]);
    const reply = await post(`${url}/v1/messages`, JSON.stringify({ ...messages, stream: true }));
    expect(await reply.text()).toBe(text);
    expect(await recorded()).toMatchObject({ text: 'hi', finish: 'length', usage: { promptTokens: 3, completionTokens: 2 } });
  });

  it('rejects an empty request with an explanation', async () => {
    const url = await open([]);
    const reply = await post(`${url}/v1/messages`, JSON.stringify({ ...messages, messages: [] }));
    expect([reply.status, await reply.json()]).toMatchObject([
      400,
      { type: 'error', error: { message: expect.stringContaining('"messages"') } },
    ]);
    expect((await post(`${url}/v1beta/models/m:countTokens`, JSON.stringify(gemini))).status).toBe(404);
  });
});
