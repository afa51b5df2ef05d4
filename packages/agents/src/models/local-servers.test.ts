/** @file Models of local servers with their quirks: context sizes, and ways to enforce a choice. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type ModelServer, modelServer, type ServerKind } from '../../../../test/fixtures/model-servers.ts';
import { hostedContext, thinksByName } from './contexts.ts';
import { choiceGrammar, choiceIn } from './enforcement.ts';
import { createModel } from './index.ts';
import { parseModelName } from './kinds.ts';
import { isStuck, unstuck } from './repetition.ts';
import { testModel } from './test-model.ts';

const never = new AbortController().signal;
const moves = ['[check]', '[bet "5"]'];
const ask = { messages: [{ role: 'user' as const, content: 'Which?' }] };
let server: ModelServer | undefined;
afterEach(() => server?.close());

const serve = async (kind: ServerKind, say?: Parameters<typeof modelServer>[1]) => {
  server = await modelServer(kind, say);
  const name = kind === 'ollama' || kind === 'lmstudio' ? `${kind}/m` : `${server.url}#m`;
  const env = { OLLAMA_HOST: server.url.replace('/v1', ''), LMSTUDIO_BASE_URL: server.url };
  return { server, name, env, model: await createModel(name, { env }) };
};

describe('context length', () => {
  it.each<[ServerKind, number | undefined]>([
    ['vllm', 8192],
    ['llama.cpp', 2048],
    ['ollama', 4096],
    ['lmstudio', 4096],
    ['mlx', undefined],
  ])('of %s is %s', async (kind, context) => {
    const { model, server } = await serve(kind);
    expect(await model.context?.()).toBe(context);
    const requestedLength = server.seen.length;
    expect(await model.context?.()).toBe(context);
    // Found once, remembered, and never by a call that costs something.
    expect(server.seen).toHaveLength(requestedLength);
    expect(server.seen.some(({ path }) => path.includes('completions'))).toBe(false);
  });

  it('set by LUDUS_CONTEXT overrides everything else', async () => {
    const { name, server } = await serve('vllm');
    expect(await (await createModel(name, { env: { LUDUS_CONTEXT: '1024' } })).context?.()).toBe(1024);
    await expect(createModel(name, { env: { LUDUS_CONTEXT: 'much' } })).rejects.toThrow('LUDUS_CONTEXT must be an integer');
    expect(server.seen).toEqual([]);
  });

  it('of hosted models is read from a table', () => {
    expect(hostedContext('gpt-4o-mini')).toBe(128_000);
    expect(hostedContext('anthropic/claude-sonnet-5')).toBe(200_000);
    expect(hostedContext('some-model-of-mine')).toBeUndefined();
    expect(['qwen3:0.6b', 'openai/gpt-5-mini', 'o3'].every(thinksByName)).toBe(true);
    expect(['gpt-4o', 'Qwen3-4B-Instruct-2507', 'tinyllama', 'llama-3.2-1b'].some(thinksByName)).toBe(false);
  });
});

describe('table in docs/reference/models.md', () => {
  const rows = readFileSync(join(import.meta.dirname, '../../../../docs/reference/models.md'), 'utf8').split('\n');
  it.each<[ServerKind, string, string, string]>([
    ['vllm', 'vLLM', 'structured_outputs', '`max_model_len` in `/v1/models`'],
    ['old-vllm', 'vLLM', 'guided_choice', '`max_model_len` in `/v1/models`'],
    ['llama.cpp', 'llama.cpp', 'grammar', '`/props`'],
    ['ollama', 'Ollama', 'response_format', '`/api/ps`, else `/api/show`, at most 4,096'],
    ['lmstudio', 'LM Studio', 'response_format', '`/api/v1/models`, as loaded'],
  ])('matches the behavior of the %s server', async (kind, title, field, context) => {
    const { model, server } = await serve(kind);
    await model.context?.();
    const call = await model.complete(ask, { choices: moves, maxTokens: 16 }, never);
    expect(moves).toContain(call.text);
    const [, , from, current] = (rows.find((row) => row.startsWith(`| ${title} |`)) as string).split('|').map((cell) => cell.trim());
    expect(from).toBe(context);
    expect(current).toContain(field);
    expect(field in (server.seen.at(-1)?.body ?? {})).toBe(true);
    for (const path of context.match(/\/[\w/]+/g) ?? []) expect(server.seen.map((item) => item.path)).toContain(path);
  });
});

describe('answer choices', () => {
  it.each<[ServerKind, string, string]>([
    ['vllm', 'structured_outputs', 'a choice that the server enforces'],
    ['old-vllm', 'guided_choice', 'a guided choice that the server enforces'],
    ['llama.cpp', 'grammar', 'a grammar'],
    ['ollama', 'response_format', 'a schema'],
    ['lmstudio', 'response_format', 'a schema'],
  ])('are enforced by %s through %s, detected by a probe and remembered', async (kind, field, words) => {
    const { model, server } = await serve(kind);
    const call = await model.complete(ask, { choices: moves }, never);
    expect(call.text).toBe('[check]');
    expect(call.notes).toContain(`The answer was constrained to the given choices by ${words}.`);
    const chats = () => server.seen.filter(({ path }) => path === '/v1/chat/completions');
    expect(chats().at(-1)?.body).toHaveProperty(field);
    const before = chats().length;
    await model.complete(ask, { choices: moves }, never);
    expect(chats()).toHaveLength(before + 1);
  });

  it('are ignored by some servers: the probe detects it, and the answer is used as written', async () => {
    const { model, server } = await serve('mlx');
    const call = await model.complete(ask, { choices: moves }, never);
    expect(call.text).toBe('Tuesday, of course.');
    expect(call.notes).toContain('The server cannot constrain answers to choices, so the answer is used as written.');
    expect(server.seen.at(-1)?.body).not.toHaveProperty('response_format');
  });

  it('are escaped in grammars, and unwrapped only when the answer is one of them', () => {
    expect(choiceGrammar(['[bet "5"]', 'a\\b\n'])).toBe('root ::= "[bet \\"5\\"]" | "a\\\\b\\n"');
    expect(choiceIn('{"move":"[check]"}', 'schema', moves)).toBe('[check]');
    expect(choiceIn('{"move":"[fold]"}', 'schema', moves)).toBe('{"move":"[fold]"}');
    expect(choiceIn(' [check]\n', 'grammar', moves)).toBe('[check]');
  });
});

describe('repetition loop', () => {
  it('is detected, and the answer keeps the repeated piece once', () => {
    const stuck = `I do${' not'.repeat(40)}`;
    expect(isStuck(stuck)).toBe(true);
    expect(unstuck(stuck)).toBe('I do not');
    expect(isStuck('Well, well, well. The river comes up in spring and goes down in autumn, and so do the guests of this house.')).toBe(
      false,
    );
    expect(isStuck(`Menu\n${'-'.repeat(100)}`)).toBe(false);
    expect(isStuck('no '.repeat(10))).toBe(false);
  });
});

describe('model name', () => {
  it('may be the path of a GGUF file without a prefix', () => {
    for (const name of ['/models/x.gguf', './x.GGUF', 'x.gguf', `x.gguf#sha256=${'0'.repeat(64)}`])
      expect(parseModelName(name)).toMatchObject({ place: 'gguf', rest: name });
    expect(parseModelName('gguf:x.gguf')).toMatchObject({ place: 'gguf', rest: 'x.gguf' });
  });
});

describe('testModel', () => {
  it('reports the context length and the supported constraint', async () => {
    const { server, env } = await serve('ollama');
    let clock = 0;
    const modelTest = await testModel('ollama/m', { env, now: () => (clock += 500) });
    expect(modelTest).toEqual({
      name: 'ollama/m',
      ready: true,
      about: 'answered "Tuesday, of course."',
      latency: 500,
      tokensPerSecond: 6,
      context: 4096,
      choices: true,
      schema: true,
      logprobs: false,
      scores: false,
    });
    expect(server.seen.filter(({ path }) => path === '/v1/chat/completions').every(({ body }) => Number(body['max_tokens']) <= 64)).toBe(
      true,
    );
    expect(await testModel('mlx/none')).toMatchObject({ ready: false, latency: null, scores: false });
  });
});
