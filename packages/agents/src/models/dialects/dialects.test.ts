/** @file Anthropic's messages, Gemini and OpenAI's responses, against a server with their manners: the same call of ours through all three. */

import type { Prompt, Sampling } from '@ludus-agents/kernel/internal/core/index';
import { afterEach, describe, expect, it } from 'vitest';
import { type DialectServer, dialectServer, type Said } from '../../../../../test/fixtures/dialect-servers.ts';
import { createModel } from '../index.ts';

const never = new AbortController().signal;
let server: DialectServer | undefined;
afterEach(() => server?.close());

const names = ['anthropic/claude-sonnet-5', 'google/gemini-3.5-flash', 'responses/gpt-5.4-mini'] as const;
const talk: Prompt = {
  messages: [
    { role: 'system', content: 'Be.' },
    { role: 'assistant', content: 'Welcome.' },
    { role: 'user', content: 'one' },
    { role: 'user', content: 'two' },
  ],
};

async function ask(
  name: string,
  said: Said | ((body: unknown) => Said),
  options: { sampling?: Sampling; prompt?: Prompt; heard?: string[] } = {},
) {
  server = await dialectServer(typeof said === 'function' ? said : () => said);
  const keys = { ANTHROPIC_API_KEY: 'k', GEMINI_API_KEY: 'k', OPENAI_API_KEY: 'k' };
  const env = { ...keys, ANTHROPIC_BASE_URL: server.url, GEMINI_BASE_URL: server.url, OPENAI_BASE_URL: server.url };
  const model = await createModel(name, { env, retries: { tries: 1 } });
  const { heard } = options;
  return model.complete(
    options.prompt ?? talk,
    options.sampling ?? {},
    never,
    heard === undefined ? undefined : (piece) => heard.push(piece),
  );
}

describe.each(names)('%s', (name) => {
  it('returns text, usage, and separate thinking, whether whole or streamed', async () => {
    const statement = { text: 'Good evening, stranger.', thinking: 'Who is this?' };
    const sampling = { maxTokens: 5, temperature: 1.4, topP: 0.9, stop: ['\n\n'], seed: 7 };
    const whole = await ask(name, statement, { sampling });
    expect(whole).toMatchObject({
      text: statement.text,
      thinking: statement.thinking,
      finish: 'stop',
      usage: { promptTokens: 45, completionTokens: 7, cachedTokens: 30 },
    });
    expect(whole.cost).toBeGreaterThan(0);
    await server?.close();
    const messages: string[] = [];
    const streamed = await ask(name, statement, { sampling, heard: messages });
    expect(messages.join('')).toBe(statement.text);
    expect(messages.length).toBeGreaterThan(1);
    expect({ ...streamed, milliseconds: 0 }).toEqual({ ...whole, milliseconds: 0 });
  });

  it('constrains answers to choices and returns the bare move', async () => {
    const sampling = { choices: ['[bet]', '[check]'], maxTokens: 20 };
    const anthropic = name.startsWith('anthropic');
    const statement: Said = anthropic ? { tool: { name: 'answer', input: { move: '[bet]' } } } : { text: '{"move":"[bet]"}' };
    const call = await ask(name, statement, { sampling });
    expect(call).toMatchObject({ text: '[bet]', finish: 'stop' });
    expect(call.notes).toContain('The answer was constrained to the given choices by a schema.');
    expect(call.toolCalls).toBeUndefined();
    expect(JSON.stringify(server?.seen[0]?.body)).toContain('"enum":["[bet]","[check]"]');
  });

  it('calls tools and receives their results', async () => {
    const tools = [{ name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } }];
    const call = await ask(name, { tool: { name: 'look', input: { at: 1 } } }, { prompt: { ...talk, tools } });
    expect(call).toMatchObject({ finish: 'tool', toolCalls: [{ name: 'look', arguments: { at: 1 } }] });
    await server?.close();
    const messages = [
      ...talk.messages,
      { role: 'assistant' as const, content: '', toolCalls: call.toolCalls ?? [] },
      { role: 'tool' as const, content: 'a door', toolCallId: call.toolCalls?.[0]?.id ?? '' },
    ];
    expect((await ask(name, { text: 'A door.' }, { prompt: { messages, tools } })).text).toBe('A door.');
    expect(JSON.stringify(server?.seen[0]?.body)).toContain('a door');
  });

  it('reports refusals as a finish reason and stops at the token limit', async () => {
    expect(await ask(name, { end: 'refused' })).toMatchObject({
      finish: 'refused',
      text: expect.stringMatching(/refused|blocked|cannot/),
    });
    await server?.close();
    expect(await ask(name, { text: 'Once upon', end: 'length' })).toMatchObject({ finish: 'length', text: 'Once upon' });
  });

  it('fails on a broken stream or an invalid key, which the error never shows', async () => {
    await expect(ask(name, { text: 'Once upon a time', end: 'cut' }, { heard: [] })).rejects.toThrow(
      'closed the connection in the middle of its answer.',
    );
    server = await dialectServer(() => ({ text: 'x' }));
    const env = { ANTHROPIC_API_KEY: 'wrong', GEMINI_API_KEY: 'wrong', OPENAI_API_KEY: 'wrong' };
    const at = { ANTHROPIC_BASE_URL: server.url, GEMINI_BASE_URL: server.url, OPENAI_BASE_URL: server.url };
    const model = await createModel(name, { env: { ...env, ...at }, retries: { tries: 1 } });
    await expect(model.complete(talk, {}, never)).rejects.toThrow(/answered 400: (?!.*wrong)/);
  });

  it('passes on the reasoning effort', async () => {
    await ask(name, { text: 'x' }, { sampling: { reasoning: 'high', maxTokens: 100 } });
    const body = JSON.stringify(server?.seen[0]?.body);
    expect(body).toMatch(/"effort":"high"|"budget_tokens":16384|"thinkingBudget":24576/);
  });

  it('requires an API key', async () => {
    await expect(createModel(name, { env: {} })).rejects.toThrow(/need an API key\. Set \w+/);
  });
});

describe('dialect peculiarity', () => {
  it('a prompt that Gemini blocks counts as a refusal without an answer', async () => {
    expect(await ask('google/gemini-3.5-flash', { end: 'blocked' })).toMatchObject({
      finish: 'refused',
      text: 'The prompt was refused: PROHIBITED_CONTENT.',
    });
  });

  it('Anthropic reports overload mid-stream as a temporary failure', async () => {
    await expect(ask('anthropic/claude-sonnet-5', { text: 'Once', end: 'overloaded' }, { heard: [] })).rejects.toMatchObject({
      status: 529,
    });
  });

  it('notes settings that a dialect does not support', async () => {
    const sampling = { seed: 3, stop: ['x'], maxTokens: 5 };
    expect((await ask('responses/gpt-5.4-mini', { text: 'y' }, { sampling })).notes).toEqual([
      'The server does not support "stop", so it was omitted.',
      'The server does not support "seed", so it was omitted.',
      'The server does not support a limit below 16, so that limit was used.',
    ]);
  });
});
