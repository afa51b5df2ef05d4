/** @file Pictures on every wire: the same message of ours, as each server wants it. */

import type { ImagePart, Prompt } from '@ludus-agents/kernel/internal/core/index';
import { MockLanguageModelV4 } from 'ai/test';
import { describe, expect, it } from 'vitest';
import { fromAISDK } from './ai-sdk.ts';
import { seesByName } from './contexts.ts';
import { anthropicDialect } from './dialects/anthropic.ts';
import { geminiDialect } from './dialects/gemini.ts';
import { responsesDialect } from './dialects/responses.ts';
import { bodyOf } from './openai.wire.ts';
import { promptTokens } from './tokens.ts';

const image: ImagePart = { media: 'image/png', data: 'iVBORw0K', width: 300, height: 250, alt: 'a board' };
const prompt: Prompt = {
  messages: [
    { role: 'system', content: 'Be.' },
    { role: 'user', content: 'Look.', images: [image] },
  ],
};
const request = { model: 'm', prompt, sampling: {}, schema: undefined, streamed: false };
const url = 'data:image/png;base64,iVBORw0K';

describe('image in a prompt', () => {
  it('follows the text of its message, in the format of each server', async () => {
    const image_url = { type: 'image_url', image_url: { url } };
    expect(bodyOf('m', request)['messages']).toEqual([
      { role: 'system', content: 'Be.' },
      { role: 'user', content: [{ type: 'text', text: 'Look.' }, image_url] },
    ]);
    const source = { type: 'base64', media_type: 'image/png', data: 'iVBORw0K' };
    expect(anthropicDialect.body(request)['messages']).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look.' },
          { type: 'image', source },
        ],
      },
    ]);
    expect(geminiDialect.body(request)['contents']).toEqual([
      { role: 'user', parts: [{ text: 'Look.' }, { inlineData: { mimeType: 'image/png', data: 'iVBORw0K' } }] },
    ]);
    expect(responsesDialect.body(request)['input']).toContainEqual({
      role: 'user',
      content: [
        { type: 'input_text', text: 'Look.' },
        { type: 'input_image', image_url: url },
      ],
    });
    const mock = new MockLanguageModelV4({
      doGenerate: {
        content: [{ type: 'text', text: 'a board' }],
        finishReason: { unified: 'stop', raw: undefined },
        usage: {
          inputTokens: { total: 1, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
          outputTokens: { total: 1, text: 1, reasoning: undefined },
        },
        warnings: [],
      },
    });
    await fromAISDK(mock).complete(prompt, {}, new AbortController().signal);
    expect(mock.doGenerateCalls[0]!.prompt[1]).toEqual({
      role: 'user',
      content: [
        { type: 'text', text: 'Look.' },
        { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'iVBORw0K' } },
      ],
    });
  });

  it('counts tokens by its size, and leaves messages without images unchanged', () => {
    expect(promptTokens(prompt) - promptTokens({ messages: prompt.messages.map(({ images: _, ...rest }) => rest) })).toBe(100);
    const plain = { ...request, prompt: { messages: [{ role: 'user' as const, content: 'Look.' }] } };
    expect(bodyOf('m', plain)['messages']).toEqual([{ role: 'user', content: 'Look.' }]);
  });

  it('is accepted only by models whose name suggests vision', () => {
    for (const name of [
      'gpt-4o-mini',
      'claude-sonnet-5',
      'gemini-3.5-flash',
      'Qwen2.5-VL-7B-Instruct',
      'kimi-vl-a3b',
      'llava:7b',
      'gemma3:4b',
    ])
      expect(seesByName(name), name).toBe(true);
    for (const name of ['tinyllama', 'qwen3-0.6b', 'llama3.2:3b', 'mistral-7b', 'gemma3:1b', 'deepseek-r1', 'o3-mini', 'gpt-oss-20b'])
      expect(seesByName(name), name).toBe(false);
  });
});
