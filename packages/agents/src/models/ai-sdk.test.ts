/** @file Models of the AI SDK: against the SDK's own mock, whose types and shapes are the real ones. */

import type { Prompt } from '@ludus-agents/kernel/internal/core/index';
import { APICallError } from 'ai';
import { MockLanguageModelV4, simulateReadableStream } from 'ai/test';
import { describe, expect, it } from 'vitest';
import { aiModel, fromAISDK } from './ai-sdk.ts';

const never = new AbortController().signal;
const hello: Prompt = { messages: [{ role: 'user', content: 'hello' }] };
type Generated = Exclude<
  NonNullable<NonNullable<ConstructorParameters<typeof MockLanguageModelV4>[0]>['doGenerate']>,
  unknown[] | ((...args: never) => unknown)
>;
type StreamPart = Awaited<ReturnType<MockLanguageModelV4['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never;

const usage = (input: number | undefined, output: number | undefined, cacheRead?: number): Generated['usage'] => ({
  inputTokens: { total: input, noCache: undefined, cacheRead, cacheWrite: undefined },
  outputTokens: { total: output, text: output, reasoning: undefined },
});
type Finish = Generated['finishReason']['unified'];
const generated = (content: Generated['content'], finish: Finish = 'stop', used = usage(7, 3)): Generated => ({
  content,
  finishReason: { unified: finish, raw: undefined },
  usage: used,
  warnings: [],
});
const text = (words: string) => ({ type: 'text' as const, text: words });

describe('AI SDK model', () => {
  it("passes the whole prompt and all settings in the SDK's format", async () => {
    const mock = new MockLanguageModelV4({ provider: 'p', modelId: 'm', doGenerate: generated([text('hi')]) });
    const prompt: Prompt = {
      messages: [
        { role: 'system', content: 'Be.' },
        { role: 'user', content: 'Look.' },
        { role: 'assistant', content: '', toolCalls: [{ id: 'c1', name: 'look', arguments: { at: 1 } }] },
        { role: 'tool', content: 'a door', toolCallId: 'c1' },
        { role: 'assistant', content: 'I see a door.' },
      ],
      tools: [{ name: 'look', description: 'Looks.', parameters: { type: 'object' } }],
    };
    const schema = { type: 'object' };
    const call = await fromAISDK(mock).complete(prompt, { maxTokens: 5, temperature: 0.5, topP: 0.9, stop: ['.'], seed: 7, schema }, never);
    expect(call).toMatchObject({
      model: 'p/m',
      prompt,
      text: 'hi',
      finish: 'stop',
      usage: { promptTokens: 7, completionTokens: 3 },
      cost: null,
    });
    const { abortSignal, ...asked } = mock.doGenerateCalls[0]!;
    expect(abortSignal).toBeInstanceOf(AbortSignal);
    expect(asked).toEqual({
      prompt: [
        { role: 'system', content: 'Be.' },
        { role: 'user', content: [text('Look.')] },
        { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: { at: 1 } }] },
        { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'look', output: { type: 'text', value: 'a door' } }] },
        { role: 'assistant', content: [text('I see a door.')] },
      ],
      maxOutputTokens: 5,
      temperature: 0.5,
      topP: 0.9,
      stopSequences: ['.'],
      seed: 7,
      responseFormat: { type: 'json', schema },
      tools: [{ type: 'function', name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }],
    });
  });

  it.each<[Finish, string]>([
    ['stop', 'stop'],
    ['length', 'length'],
    ['content-filter', 'refused'],
    ['tool-calls', 'tool'],
    ['other', 'stop'],
  ])('maps the finish reason %s', async (finish, ours) => {
    const mock = new MockLanguageModelV4({
      doGenerate: generated([text('a'), { type: 'reasoning', text: 'hm' }, text('b')], finish, usage(10, 2, 8)),
    });
    expect(await fromAISDK(mock).complete(hello, {}, never)).toMatchObject({ text: 'ab', finish: ours, usage: { cachedTokens: 8 } });
  });

  it('parses tool calls', async () => {
    const toolCall = (toolCallId: string, input: string) => ({ type: 'tool-call' as const, toolCallId, toolName: 'go', input });
    const mock = new MockLanguageModelV4({
      doGenerate: generated([toolCall('1', '{"to":"north"}'), toolCall('2', '{"to":')], 'tool-calls'),
    });
    expect((await fromAISDK(mock).complete(hello, {}, never)).toolCalls).toEqual([
      { id: '1', name: 'go', arguments: { to: 'north' } },
      { id: '2', name: 'go', arguments: '{"to":' },
    ]);
  });

  it('notes the fields that it could not provide', async () => {
    const mock = new MockLanguageModelV4({ doGenerate: generated([text('12345678')], 'stop', usage(undefined, undefined)) });
    const call = await fromAISDK(mock).complete(hello, { tokens: true }, never);
    expect(call).not.toHaveProperty('tokenIds');
    expect(call).toMatchObject({
      usage: { promptTokens: 6, completionTokens: 2 },
      notes: [expect.stringContaining('does not return them'), expect.stringContaining('estimate')],
    });
  });

  const streaming = (chunks: StreamPart[]) =>
    new MockLanguageModelV4({ doStream: { stream: simulateReadableStream({ chunks, chunkDelayInMs: null }) } });
  const finish: StreamPart = { type: 'finish', usage: usage(7, 3), finishReason: { unified: 'stop', raw: undefined } };
  const said = (delta: string): StreamPart => ({ type: 'text-delta', id: '1', delta });

  it('streams text pieces to the listener', async () => {
    const mock = streaming([
      { type: 'stream-start', warnings: [] },
      said('Grü'),
      { type: 'reasoning-delta', id: '2', delta: 'hm' },
      said('ße'),
      finish,
    ]);
    const messages: string[] = [];
    const call = await fromAISDK(mock).complete(hello, {}, never, (piece) => messages.push(piece));
    expect([call.text, messages, call.usage]).toEqual(['Grüße', ['Grü', 'ße'], { promptTokens: 7, completionTokens: 3 }]);
  });

  it('throws when the stream breaks off or reports an error', async () => {
    await expect(fromAISDK(streaming([said('half')])).complete(hello, {}, never, () => {})).rejects.toThrow(
      'the connection closed in the middle of its answer',
    );
    const error: StreamPart = { type: 'error', error: new Error('overloaded') };
    await expect(fromAISDK(streaming([said('half'), error])).complete(hello, {}, never, () => {})).rejects.toThrow('failed: overloaded.');
  });
});

describe('AI SDK model failure', () => {
  const failing = (thrown: unknown) =>
    new MockLanguageModelV4({
      provider: 'p',
      modelId: 'm',
      doGenerate: async () => {
        throw thrown;
      },
    });

  it('keeps the status and retry delay, and drops the key and the request', async () => {
    process.env['LUDUS_TEST_KEY'] = 'sk-secret';
    const thrown = new APICallError({
      message: 'Invalid key sk-secret.',
      url: 'https://api',
      requestBodyValues: { headers: 'sk-secret' },
      statusCode: 429,
      responseHeaders: { 'retry-after': '3' },
    });
    const fault = await fromAISDK(failing(thrown), { keyFrom: 'LUDUS_TEST_KEY' })
      .complete(hello, {}, never)
      .catch((item: Error) => item);
    expect(fault).toMatchObject({ status: 429, retryAfter: 3000, boundary: 'model' });
    expect((fault as Error).message).toBe('p/m failed with 429: Invalid key [key].');
    expect((fault as Error).cause).toBeUndefined();
  });

  it('covers timeouts and cancellation', async () => {
    const hanging = new MockLanguageModelV4({
      doGenerate: ({ abortSignal }) =>
        new Promise((_, reject) => abortSignal?.addEventListener('abort', () => reject(new Error('aborted')))),
    });
    await expect(fromAISDK(hanging, { seconds: 0.05 }).complete(hello, {}, never)).rejects.toMatchObject({ status: 408 });
    const controller = new AbortController();
    const call = fromAISDK(hanging).complete(hello, {}, controller.signal);
    controller.abort('abort');
    await expect(call).rejects.toBe('abort');
  });

  it('names the missing provider package', async () => {
    await expect(aiModel('mistral', 'small')).rejects.toThrow(
      'Models named mistral/… need the package @ai-sdk/mistral, which is not installed. Run "npm install @ai-sdk/mistral".',
    );
  });
});
