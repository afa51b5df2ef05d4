/** @file Models by name: parsing of names, shared state, and available models. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Prompt } from '@ludus-agents/kernel/internal/core/index';
import { afterEach, describe, expect, it } from 'vitest';
import { json, type Move, type ScriptedServer, scriptedServer, whole } from '../../../../test/fixtures/scripted-server.ts';
import { turns, until } from '../../../../test/fixtures/until.ts';
import { createModel, modelKinds, modelsWith, reachable } from './index.ts';
import { parseModelName } from './kinds.ts';

const never = new AbortController().signal;
const hello: Prompt = { messages: [{ role: 'user', content: 'hello' }] };
let server: ScriptedServer | undefined;
afterEach(() => server?.close());
const serve = async (...moves: Move[]) => {
  server = await scriptedServer(...moves);
  return server;
};

describe('parseModelName', () => {
  it.each([
    ['fake', 'fake', ''],
    ['fake/a:b/c', 'fake', 'a:b/c'],
    ['openai/gpt-5.4-mini', 'openai', 'gpt-5.4-mini'],
    ['ollama/qwen3:0.6b', 'ollama', 'qwen3:0.6b'],
    ['gguf:./models/x.gguf', 'gguf', './models/x.gguf'],
    ['gguf/qwen3-0.6b', 'gguf', 'qwen3-0.6b'],
    ['anthropic/claude-sonnet-5', 'anthropic', 'claude-sonnet-5'],
    ['http://host:8000/v1#org/model', 'http://host:8000/v1', 'http://host:8000/v1#org/model'],
  ])('parses %s', (name, place, rest) => expect(parseModelName(name)).toMatchObject({ place, rest }));

  it.each([
    ['openai', 'Use, for example, openai/gpt-5.4-mini.'],
    ['ollama/', 'Use, for example, ollama/qwen3:0.6b.'],
    ['gguf:', 'Use, for example, gguf:qwen2.5-0.5b.'],
    ['toString', 'Unknown model "toString"'],
    ['', 'Unknown model ""'],
    ['http://host?key=1#m', 'must not contain a password or a query. Put'],
  ])('rejects "%s" with a usage hint', async (name, speech) => expect(createModel(name, { env: {} })).rejects.toThrow(speech));

  it('uses the listed model kinds', () =>
    expect(modelKinds.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['fake', 'openai', 'gguf', 'anthropic', 'http://…/v1#MODEL']),
    ));
});

describe('model provider', () => {
  it('uses the address and key from its environment variables', async () => {
    const { url, seen } = await serve(whole('hi'));
    const env = {
      OPENAI_BASE_URL: url,
      OPENAI_API_KEY: 'sk-openai',
      LUDUS_API_KEY: 'sk-ludus',
      LUDUS_API_URL: url,
      OLLAMA_HOST: url.replace('http://', '').replace('/v1', ''),
      LMSTUDIO_BASE_URL: url,
    };
    const models = modelsWith({ env });
    for (const name of ['openai/m', 'ollama/m', 'lmstudio/m', `${url}#m`]) {
      const call = await (await models(name)).complete(hello, {}, never);
      expect([call.model, call.text]).toEqual([name, 'hi']);
    }
    expect(seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer sk-openai', undefined, undefined, 'Bearer sk-ludus']);
  });

  it('openai requires a key', async () => {
    await expect(createModel('openai/m', { env: {} })).rejects.toThrow('Models named openai/… need an API key in OPENAI_API_KEY');
  });

  it('asks for a model name if the server offers several', async () => {
    const { url } = await serve(json(200, { data: [{ id: 'a' }, { id: 'b' }] }));
    await expect(createModel(url, { env: {} })).rejects.toThrow(`${url} offers 2 models (a, b). Use one of them as ${url}#MODEL.`);
    const empty = await serve(json(200, { data: [] }));
    await expect(createModel(empty.url, { env: {} })).rejects.toThrow(`${empty.url} offers no models.`);
  });

  it('rejects an agent name and suggests the model name', async () => {
    const refused = createModel('llm:ollama/qwen3:8b', { env: {} });
    await expect(refused).rejects.toMatchObject({ code: 'E_UNKNOWN_NAME', message: expect.stringContaining('use "ollama/qwen3:8b"') });
  });
});

describe('loaded model', () => {
  it('has a price: built-in, custom, free, or unknown', async () => {
    const { url } = await serve(whole('hi'));
    const env = { OPENAI_BASE_URL: url, OLLAMA_HOST: url.replace('/v1', '') };
    const cost = async (name: string, more = {}) => (await (await createModel(name, { env, ...more })).complete(hello, {}, never)).cost;
    // Three tokens of prompt and two of answer.
    expect(await cost('openai/gpt-5-mini')).toBeCloseTo((3 * 0.25 + 2 * 2) / 1e6, 15);
    expect(await cost('openai/unheard-of')).toBeNull();
    expect(await cost('ollama/m')).toBe(0);
    expect(await cost(`${url}#m`)).toBeNull();
    expect(await cost(`${url}#m`, { prices: { [`${url}#m`]: { prompt: 1e6, completion: 0 } } })).toBe(3);
    const folder = mkdtempSync(join(tmpdir(), 'ludus-names-'));
    writeFileSync(join(folder, 'prices.json'), '{"openai/gpt-5-mini":{"prompt":1e6,"completion":1e6}}');
    expect(await cost('openai/gpt-5-mini', { env: { ...env, LUDUS_PRICES: join(folder, 'prices.json') } })).toBe(5);
    rmSync(folder, { recursive: true });
  });

  it('is retried, recorded, cached, and shares one budget', async () => {
    const { url, seen } = await serve(json(503, {}), whole('hi'));
    const cache = mkdtempSync(join(tmpdir(), 'ludus-names-'));
    const retained: string[] = [];
    const models = modelsWith({
      env: {},
      cache,
      retries: { first: 1 },
      budget: { calls: 3 },
      record: ({ model, failure }) => void retained.push(failure ?? model),
    });
    const [a, b] = [await models(`${url}#a`), await models(`${url}#b`)];
    expect(await models(`${url}#a`)).toBe(a);
    for (let i = 0; i < 3; i++) expect((await a.complete(hello, {}, never)).text).toBe('hi');
    await b.complete(hello, {}, never);
    expect(seen).toHaveLength(3);
    await expect(b.complete({ messages: [] }, {}, never)).rejects.toThrow('The budget of 3 calls is spent');
    expect(seen).toHaveLength(3);
    expect(retained).toEqual([`${url}#a`, `${url}#a`, `${url}#a`, `${url}#b`, expect.stringContaining('budget')]);
    rmSync(cache, { recursive: true });
  });

  it('takes the answer cache and the token rate from the environment', async () => {
    const { url, seen } = await serve(whole('hi'));
    const folder = mkdtempSync(join(tmpdir(), 'ludus-names-'));
    const ask = async (env: Record<string, string>) => (await createModel(`${url}#m`, { env })).complete(hello, {}, never);
    for (let i = 0; i < 2; i++) expect((await ask({ LUDUS_ANSWERS: folder })).text).toBe('hi');
    expect(seen).toHaveLength(1);
    await expect(ask({ LUDUS_TOKENS_PER_MINUTE: 'few' })).rejects.toThrow(
      'LUDUS_TOKENS_PER_MINUTE must be a positive integer, but is "few".',
    );
    rmSync(folder, { recursive: true });
  });

  it('shares one rate limit with all models of its provider', async () => {
    let [running, most] = [0, 0];
    const { url } = await serve(async (response, observation, socket) => {
      most = Math.max(most, ++running);
      // The first waits for the second, and both for anyone who should not be there.
      await until(() => most === 2);
      await turns(50);
      running--;
      await whole('hi')(response, observation, socket);
    });
    for (const models of [modelsWith({ env: {}, pace: { concurrency: 2 } }), modelsWith({ env: { LUDUS_CALLS_AT_ONCE: '2' } })]) {
      most = 0;
      await Promise.all(['a', 'b', 'c', 'a', 'b', 'c'].map(async (name) => (await models(`${url}#${name}`)).complete(hello, {}, never)));
      expect(most).toBe(2);
    }
  });

  it('is created again after a failed attempt', async () => {
    const { url } = await serve(json(500, {}), json(200, { data: [{ id: 'only' }] }));
    const models = modelsWith({ env: {} });
    await expect(models(url)).rejects.toThrow('answered 500');
    expect((await models(url)).id).toBe(`${url}#only`);
  });
});

describe('reachable models', () => {
  it('answer one test question each', async () => {
    const { url, seen } = await serve(whole('yes\n'), json(401, { error: { message: 'no' } }));
    const env = { OPENAI_BASE_URL: url };
    const [fine] = await reachable(['openai/gpt-5-mini'], { env });
    expect(fine).toMatchObject({ name: 'openai/gpt-5-mini', ready: true, price: { prompt: 0.25 } });
    expect(fine?.about).toMatch(/^answered "yes" in \d+ ms for \$0\.00000\d$/);
    const rest = await reachable(['openai/x', 'nothing', 'fake/yes'], { env });
    expect(rest.map(({ ready }) => ready)).toEqual([false, false, true]);
    expect(rest.map(({ about }) => about)).toEqual([
      expect.stringContaining('openai/x answered 401: no.'),
      expect.stringContaining('Unknown model "nothing"'),
      expect.stringMatching(/^answered "yes" in \d+ ms for free$/),
    ]);
    expect(seen[0]?.body).toMatchObject({ max_tokens: 16 });
  });

  it('are listed without spending anything', async () => {
    const { url, seen } = await serve(json(200, { data: [{ id: 'a' }, { id: 'b' }, { id: 'c' }, { id: 'd' }] }));
    const env = { OPENAI_BASE_URL: url, OLLAMA_HOST: '127.0.0.1:9', LMSTUDIO_BASE_URL: 'http://127.0.0.1:9/v1' };
    const reaches = await reachable(undefined, { env, seconds: 1 });
    const about = (name: string) => reaches.find((reach) => reach.name === name);
    expect(about('fake')).toMatchObject({ ready: true });
    expect(about('openai/…')).toEqual({ name: 'openai/…', ready: true, models: ['a', 'b', 'c', 'd'], about: '4 offered, e.g. a, b, c' });
    expect(about('ollama/…')).toMatchObject({ ready: false });
    expect(about('anthropic/…')).toMatchObject({
      ready: false,
      about: 'no key in ANTHROPIC_API_KEY',
    });
    expect(about('gguf:…')?.about).toContain('node-llama-cpp');
    expect(seen.every(({ method }) => method === 'GET')).toBe(true);
    const [bare] = (await reachable(undefined, { env: {}, seconds: 0.2 })).filter(({ name }) => name === 'openai/…');
    expect(bare).toMatchObject({ ready: false, about: 'no key in OPENAI_API_KEY' });
  });
});
