/** @file The OpenAI-compatible client against a scripted server: its requests, and its parsing. */

import { inspect } from 'node:util';
import type { Json, Prompt } from '@ludus-agents/kernel/internal/core/index';
import { afterEach, describe, expect, it } from 'vitest';
import { delta, ending, json, scriptedServer, stream, whole } from '../../../../test/fixtures/scripted-server.ts';
import { closeServer, faultOf, hello, key, never, serve } from './openai.cases.ts';
import { listOffered, openaiModel } from './openai.ts';

afterEach(closeServer);

describe('OpenAI-compatible request', () => {
  const schema: Json = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false };

  it('follows the chat completions API', async () => {
    const { ask, server } = await serve(whole('hi'));
    const prompt: Prompt = {
      messages: [
        { role: 'system', content: 'Be.' },
        { role: 'user', content: 'x', name: 'the <old> man' },
        { role: 'assistant', content: '', toolCalls: [{ id: 'c1', name: 'look', arguments: { at: 1 } }] },
        { role: 'tool', content: 'a door', toolCallId: 'c1' },
      ],
      tools: [{ name: 'look', description: 'Looks.', parameters: { type: 'object' } }],
    };
    await ask({ prompt, sampling: { maxTokens: 5, temperature: 0.5, topP: 0.9, stop: ['\n'], seed: 7, schema } });
    expect(server.seen[0]).toMatchObject({ method: 'POST', url: '/v1/chat/completions', headers: { authorization: `Bearer ${key}` } });
    expect(server.seen[0]?.body).toEqual({
      model: 'm',
      messages: [
        { role: 'system', content: 'Be.' },
        { role: 'user', content: 'x', name: 'the_old_man' },
        { role: 'assistant', content: '', tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } }] },
        { role: 'tool', content: 'a door', tool_call_id: 'c1' },
      ],
      tools: [{ type: 'function', function: { name: 'look', description: 'Looks.', parameters: { type: 'object' } } }],
      max_tokens: 5,
      temperature: 0.5,
      top_p: 0.9,
      stop: ['\n'],
      seed: 7,
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } },
    });
  });

  it.each(['reasoning_content', 'reasoning'])('separates and counts thinking returned in "%s"', async (field) => {
    const message = { role: 'assistant', content: 'hi', [field]: 'Who is this?' };
    const usage = { prompt_tokens: 3, completion_tokens: 9, completion_tokens_details: { reasoning_tokens: 7 } };
    const { ask, server } = await serve(json(200, { choices: [{ index: 0, message, finish_reason: 'stop' }], usage }));
    const call = await ask({ sampling: { reasoning: 'off' } });
    expect(call).toMatchObject({ text: 'hi', thinking: 'Who is this?', usage: { completionTokens: 9, thinkingTokens: 7 } });
    expect(server.seen[0]?.body).toMatchObject({ reasoning_effort: 'none' });
  });

  it('requests a strict schema only if every object in it is closed', async () => {
    const { ask, server } = await serve(whole('{}'));
    const open: Json[] = [
      { type: 'object', properties: { a: {} } },
      { type: 'array', items: { type: 'object' } },
      { ...(schema as object), required: [] },
    ];
    for (const item of open) await ask({ sampling: { schema: item } });
    expect(server.seen.map(({ body }) => JSON.stringify(body['response_format']).includes('"strict":true'))).toEqual([false, false, false]);
  });

  it('has no key by default and rejects a key with invalid characters without showing it', async () => {
    const { ask, server } = await serve(whole('hi'));
    await ask({ env: {} });
    expect(server.seen[0]?.headers.authorization).toBeUndefined();
    const bad = await ask({ env: { KEY: 'sk-secret\u2603' } }).catch((thrown: Error) => thrown);
    expect(String(bad)).toContain('The key in KEY has invalid characters');
    expect(inspect(bad)).not.toContain('sk-secret');
  });

  it('rejects addresses that contain secrets without showing them', () => {
    for (const baseURL of ['http://user:sk-secret@host/v1', 'http://host/v1?key=sk-secret', 'ftp://user:sk-secret@host']) {
      let text = '';
      try {
        openaiModel({ baseURL, model: 'm' });
      } catch (thrown) {
        text = inspect(thrown);
      }
      expect(text).toMatch(/must not contain|must start with/);
      expect(text).not.toContain('sk-secret');
    }
  });
});

describe('OpenAI-compatible response', () => {
  it('includes text, usage, and metadata of a whole answer', async () => {
    const usage = { prompt_tokens: 9, completion_tokens: 4, prompt_tokens_details: { cached_tokens: 8 } };
    const { ask } = await serve(json(200, { choices: [{ message: { content: 'hi' }, finish_reason: 'length' }], usage }));
    const call = await ask();
    const { milliseconds, ...rest } = call;
    expect(milliseconds).toBeGreaterThanOrEqual(0);
    expect(rest).toEqual({
      model: 'test/m',
      prompt: hello,
      text: 'hi',
      finish: 'length',
      usage: { promptTokens: 9, completionTokens: 4, cachedTokens: 8 },
      cost: null,
    });
  });

  it.each([
    ['stop', {}, 'stop'],
    ['length', {}, 'length'],
    ['content_filter', {}, 'refused'],
    ['tool_calls', { tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{' } }] }, 'tool'],
    ['stop', { content: null, refusal: 'I will not.' }, 'refused'],
  ])('maps the finish reason %s %o to %s', async (finish_reason, message, finish) => {
    const { ask } = await serve(whole('', { finish_reason, message: { content: 'x', ...message } }));
    expect((await ask()).finish).toBe(finish);
  });

  it('includes tool calls and keeps arguments that are not JSON as text', async () => {
    const call = (name: string, text: unknown) => ({ id: `id-${name}`, function: { name, arguments: text } });
    const { ask } = await serve(
      whole('', { message: { content: null, tool_calls: [call('a', '{"x":1}'), call('b', '{"x":'), call('c', '')] } }),
    );
    expect((await ask()).toolCalls).toEqual([
      { id: 'id-a', name: 'a', arguments: { x: 1 } },
      { id: 'id-b', name: 'b', arguments: '{"x":' },
      { id: 'id-c', name: 'c', arguments: {} },
    ]);
  });

  it('is read from a stream cut at any character, line, or event', async () => {
    const text = `: ping\r\n\r\n${delta('Grü').replaceAll('\n', '\r\n')}${delta('ße 😀')}${ending}`;
    const bytes = new TextEncoder().encode(text);
    const { ask, server } = await serve(stream([...bytes].map((byte) => Uint8Array.of(byte))));
    const messages: string[] = [];
    const call = await ask({ onText: (piece) => messages.push(piece) });
    expect([call.text, messages.join(''), call.finish]).toEqual(['Grüße 😀', 'Grüße 😀', 'stop']);
    expect(messages).toEqual(['Grü', 'ße 😀']);
    expect(server.seen[0]?.body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  });

  it('includes tool calls and usage from a stream', async () => {
    const piece = (tool_calls: unknown) => delta('', { delta: { tool_calls } });
    const usage = 'data: {"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":6}}\n\n';
    const { ask } = await serve(
      stream([
        piece([{ index: 0, id: 'c0', function: { name: 'look', arguments: '' } }]),
        piece([{ index: 1, id: 'c1', function: { name: 'go', arguments: '{"to":' } }]),
        piece([{ index: 0, function: { arguments: '{"at":2}' } }]),
        piece([{ index: 1, function: { arguments: '"north"}' } }]),
        delta('', { finish_reason: 'tool_calls' }),
        usage,
        'data: [DONE]\n\n',
      ]),
    );
    expect(await ask({ onText: () => {} })).toMatchObject({
      finish: 'tool',
      toolCalls: [
        { id: 'c0', name: 'look', arguments: { at: 2 } },
        { id: 'c1', name: 'go', arguments: { to: 'north' } },
      ],
      usage: { promptTokens: 5, completionTokens: 6 },
    });
  });

  it('accepts a whole answer when a stream was requested', async () => {
    const { ask } = await serve(whole('all at once'));
    const messages: string[] = [];
    expect((await ask({ onText: (piece) => messages.push(piece) })).text).toBe('all at once');
    expect(messages).toEqual(['all at once']);
  });

  it('estimates the usage when the server omits it, and notes the estimate', async () => {
    const { ask, told } = await serve(json(200, { choices: [{ message: { content: '12345678' } }] }));
    expect(await ask()).toMatchObject({ usage: { promptTokens: 6, completionTokens: 2 }, notes: [expect.stringContaining('estimate')] });
    expect(told).toEqual(['test/m: The server counted no tokens, so the usage is an estimate.']);
  });

  it('lists the available models', async () => {
    const server = await scriptedServer(json(200, { data: [{ id: 'a' }, { id: 'b' }, {}] }));
    expect(await listOffered({ baseURL: `${server.url}/` }, never)).toEqual(['a', 'b']);
    expect(server.seen[0]).toMatchObject({ method: 'GET', url: '/v1/models' });
    await server.close();
  });
});

describe('token ids and logprobs', () => {
  const logprobs = (...entries: object[]) => ({ logprobs: { content: entries } });
  const both = { token_ids: [10, 11], ...logprobs({ token: 'h', logprob: -0.1 }, { token: 'i', logprob: -0.2 }) };
  const request = { sampling: { tokens: true } };

  it('are read in the format of vLLM, one per token', async () => {
    const choice = { message: { content: 'hi' }, finish_reason: 'stop', ...both };
    const { ask, server } = await serve(
      json(200, { prompt_token_ids: [1, 2], choices: [choice], usage: { prompt_tokens: 2, completion_tokens: 2 } }),
    );
    const call = await ask(request);
    expect(call).toMatchObject({ promptTokenIds: [1, 2], tokenIds: [10, 11], logprobs: [-0.1, -0.2] });
    expect(call.notes).toBeUndefined();
    expect(server.seen[0]?.body).toMatchObject({ logprobs: true, return_token_ids: true });
  });

  it('are read from a stream, one per token', async () => {
    const one = (id: number, logprob: number) => delta('x', { token_ids: [id], ...logprobs({ logprob }) });
    const first = one(5, -1).replace('{"choices"', '{"prompt_token_ids":[3,4],"choices"');
    const { ask } = await serve(stream([first, one(6, -2), ending]));
    expect(await ask({ ...request, onText: () => {} })).toMatchObject({ promptTokenIds: [3, 4], tokenIds: [5, 6], logprobs: [-1, -2] });
  });

  it('are read from the logprobs field, as in llama.cpp and vLLM', async () => {
    const entries = [
      logprobs({ id: 7, logprob: -1 }, { id: 0, logprob: -2 }),
      logprobs({ token: 'token_id:7', logprob: -1 }, { token: 'token_id:0', logprob: -2 }),
    ];
    for (const entry of entries) {
      const { ask, server } = await serve(whole('hi', entry));
      expect(await ask(request)).toMatchObject({ tokenIds: [7, 0], logprobs: [-1, -2] });
      await server.close();
    }
  });

  it.each([
    ['fewer logprobs than ids', { token_ids: [1, 2, 3], ...logprobs({ logprob: -1 }) }, '3 ids and 1 logprobs'],
    ['ids without logprobs', { token_ids: [1, 2] }, '2 ids and 0 logprobs'],
    ['logprobs without ids', logprobs({ token: 'h', logprob: -1 }), '0 ids and 1 logprobs'],
    ['an id missing in the middle', logprobs({ id: 1, logprob: -1 }, { logprob: -1 }), '1 ids and 2 logprobs'],
    ['a logprob that is not a number', { token_ids: [1], ...logprobs({ logprob: null }) }, '1 ids and 1 logprobs'],
    ['missing data', {}, '0 ids and 0 logprobs'],
  ])('are omitted with a warning for %s', async (_, more, speech) => {
    const { ask, told } = await serve(whole('hi', more));
    const call = await ask(request);
    expect(call).not.toHaveProperty('tokenIds');
    expect(call).not.toHaveProperty('logprobs');
    expect(call.notes?.[0]).toContain(speech);
    expect(told[0]).toContain(speech);
  });

  it('are read only when requested', async () => {
    const { ask } = await serve(whole('hi', both));
    expect(await ask()).not.toHaveProperty('tokenIds');
  });
});

describe('unsupported parameter', () => {
  const unknown = (field: string) => json(400, { error: { message: `Unrecognized request argument supplied: ${field}` } });

  it('is omitted from then on, with a note in each call and one warning', async () => {
    const server = await scriptedServer(unknown('return_token_ids'), unknown('logprobs'), whole('one'), whole('two'), whole('three'));
    const observations: string[] = [];
    const model = openaiModel({ baseURL: server.url, model: 'm', warn: (item) => observations.push(item) });
    const calls = [await model.complete(hello, { tokens: true }, never), await model.complete(hello, { tokens: true }, never)];
    for (const { notes } of calls) expect(notes?.slice(0, 2).join(' ')).toMatch(/"return_token_ids".*"logprobs"/);
    expect(observations).toHaveLength(3);
    expect(server.seen.map(({ body }) => ['return_token_ids' in body, 'logprobs' in body])).toEqual([
      [true, true],
      [false, true],
      [false, false],
      [false, false],
    ]);
    expect(await model.complete(hello, {}, never)).not.toHaveProperty('notes');
    await server.close();
  });

  it('is renamed when the server suggests another name', async () => {
    const { ask, server } = await serve(
      json(400, {
        error: { message: "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead." },
      }),
      whole('ok'),
    );
    expect(await ask({ sampling: { maxTokens: 9 } })).not.toHaveProperty('notes');
    expect(server.seen[1]?.body).toMatchObject({ max_completion_tokens: 9 });
    expect(server.seen[1]?.body).not.toHaveProperty('max_tokens');
  });

  it('fails the call if it is required', async () => {
    const { ask, server } = await serve(json(400, { error: { message: 'messages: too long' } }));
    expect(await faultOf(ask({ sampling: { temperature: 1 } }))).toMatchObject({ status: 400 });
    const stubborn = unknown('temperature');
    await server.close();
    const again = await serve(stubborn);
    expect((await faultOf(again.ask({ sampling: { temperature: 1 } }))).status).toBe(400);
    expect(again.server.seen).toHaveLength(2);
  });
});
