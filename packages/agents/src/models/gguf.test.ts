/** @file Models inside the process: files found, downloaded and checked; chats told to node-llama-cpp's shape, and to the package itself where it is installed. */

import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Prompt } from '@ludus-agents/kernel/internal/core/index';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { type Move, type ScriptedServer, scriptedServer } from '../../../../test/fixtures/scripted-server.ts';
import { turns } from '../../../../test/fixtures/until.ts';
import { optionalPackagePath } from '../runtimes/optional-package.ts';
import { curatedModels } from './curated.ts';
import { ggufModel } from './gguf.ts';
import type { LlamaLibrary } from './gguf-load.ts';
import { createModel } from './index.ts';
import { cacheFolder, findGguf } from './local.ts';

const never = new AbortController().signal;
const folder = mkdtempSync(join(tmpdir(), 'ludus-gguf-'));
afterAll(() => rmSync(folder, { recursive: true }));
let server: ScriptedServer | undefined;
afterEach(() => server?.close());

describe('GGUF file', () => {
  const bytes = Buffer.from(`GGUF${'x'.repeat(100_000)}`);
  const sha = createHash('sha256').update(bytes).digest('hex');
  const file: Move = (response) => void response.writeHead(200, { 'content-length': String(bytes.length) }).end(bytes);
  const serve = async (...moves: Move[]) => {
    server = await scriptedServer(...moves);
    return { server, url: `${server.url}/tiny.gguf`, env: { LUDUS_CACHE: mkdtempSync(join(folder, 'cache-')) } };
  };
  const kept = (env: { LUDUS_CACHE: string }) => readdirSync(join(env.LUDUS_CACHE, 'models'));

  it('is found by path, and verified if a hash is given', async () => {
    const path = join(folder, 'here.gguf');
    writeFileSync(path, bytes);
    expect(await findGguf(path)).toBe(path);
    expect(await findGguf(`${path}#sha256=${sha.toUpperCase()}`)).toBe(path);
    await expect(findGguf(`${path}#sha256=${'0'.repeat(64)}`)).rejects.toThrow(`expected ${'0'.repeat(64)}, got ${sha}`);
    await expect(findGguf(`${path}#sha256=12`)).rejects.toThrow('64 hex digits');
    await expect(findGguf(join(folder, 'none.gguf'))).rejects.toThrow(`or one of ${Object.keys(curatedModels).join(', ')}.`);
  });

  it('is downloaded once, with progress', async () => {
    const { server, url, env } = await serve(file);
    const progress: [number, number | null][] = [];
    const path = await findGguf(`${url}#sha256=${sha}`, { env, onProgress: (...item) => progress.push(item) });
    expect(progress.at(-1)).toEqual([bytes.length, bytes.length]);
    expect(await findGguf(`${url}#sha256=${sha}`, { env })).toBe(path);
    expect(server.seen).toHaveLength(1);
    expect(path.startsWith(env.LUDUS_CACHE) && path.endsWith('-tiny.gguf')).toBe(true);
    expect(await findGguf(url, { env })).not.toBe(path);
  });

  it.each<[string, Move, string]>([
    ['have another hash', file, '. It is not the expected file.'],
    ['are not GGUF', (response) => void response.end('<html>sign in</html>'), 'not GGUF'],
    ['are missing', (response) => void response.writeHead(404).end(), 'it answered 404'],
    ['are empty', (response) => void response.end(), 'it sent 0 bytes'],
  ])('leaves no partial file when downloads %s', async (_, move, speech) => {
    const { url, env } = await serve(move);
    await expect(findGguf(`${url}#sha256=${'0'.repeat(64)}`, { env })).rejects.toThrow(speech);
    expect(kept(env)).toEqual([]);
  });

  it('is cached in the folder set by the environment variable', () => {
    expect(cacheFolder({ LUDUS_CACHE: '/somewhere' })).toBe('/somewhere');
    expect(cacheFolder({})).toMatch(/[/\\]\.cache[/\\]ludus$/);
  });
});

/** A library that answers what it is given, and remembers what it was given. */
function library(
  reply: { response?: string; stopReason?: string; functionCalls?: object[]; fullResponse?: unknown[]; thought?: number } = {},
) {
  const inputs: { history: unknown; options: Record<string, unknown>; running: number }[] = [];
  const loads: unknown[] = [];
  let running = 0;
  const meter = { usedInputTokens: 0 };
  class LlamaChat {
    chatWrapper = {
      generateContextState: ({ chatHistory }: { chatHistory: unknown }) => ({
        contextText: { tokenize: () => Array.from({ length: JSON.stringify(chatHistory).length }, (_, i) => i) },
      }),
    };
    async generateResponse(history: unknown, options: Record<string, unknown>) {
      inputs.push({ history: structuredClone(history), options, running: ++running });
      await turns(3);
      meter.usedInputTokens += 10;
      (options['onToken'] as (tokens: number[]) => void)([1, 2]);
      if (reply.thought) (options['onResponseChunk'] as (chunk: object) => void)({ type: 'segment', tokens: Array(reply.thought).fill(0) });
      (options['onTextChunk'] as ((text: string) => void) | undefined)?.('hi');
      running--;
      return { response: 'hi', ...reply, metadata: { stopReason: reply.stopReason ?? 'eogToken' } };
    }
  }
  const library = {
    LlamaChat,
    getLlama: async (options: unknown) => {
      loads.push(options);
      return {
        loadModel: async (item: unknown) => {
          loads.push(item);
          return {
            trainContextSize: 600,
            tokenizer: null,
            tokenize: (text: string) => text.split(' ').map((_, i) => i),
            createContext: async (context: unknown) => {
              loads.push(context);
              return { getSequence: () => ({ tokenMeter: meter }) };
            },
          };
        },
        createGrammarForJsonSchema: async (schema: unknown) => ({ grammar: schema }),
      };
    },
  } as unknown as LlamaLibrary;
  return { library, given: inputs, loads };
}

describe('GGUF chat', () => {
  it('is passed in the format of node-llama-cpp', async () => {
    const { library: fake, given, loads } = library();
    const model = await ggufModel({ path: 'm.gguf', library: fake });
    const prompt: Prompt = {
      messages: [
        { role: 'system', content: 'Be.' },
        { role: 'user', content: 'one' },
        { role: 'user', content: 'two' },
        { role: 'assistant', content: 'Let me look.', toolCalls: [{ id: 'c', name: 'look', arguments: { at: 1 } }] },
        { role: 'tool', content: 'a door', toolCallId: 'c' },
        { role: 'user', content: 'and?' },
      ],
    };
    const heard: string[] = [];
    const call = await model.complete(
      prompt,
      { maxTokens: 7, temperature: 0, seed: 3, stop: ['\n'], schema: { type: 'object' } },
      never,
      (item) => heard.push(item),
    );
    expect(given[0]?.history).toEqual([
      { type: 'system', text: 'Be.' },
      { type: 'user', text: 'one\n\ntwo' },
      { type: 'model', response: ['Let me look.', { type: 'functionCall', name: 'look', params: { at: 1 }, result: 'a door' }] },
      { type: 'user', text: 'and?' },
      { type: 'model', response: [] },
    ]);
    expect(given[0]?.options).toMatchObject({
      maxTokens: 7,
      temperature: 0,
      seed: 3,
      customStopTriggers: ['\n'],
      grammar: { grammar: { type: 'object' } },
    });
    const promptTokens = JSON.stringify(given[0]?.history).length;
    expect(call).toMatchObject({
      model: 'gguf:m.gguf',
      text: 'hi',
      finish: 'stop',
      cost: 0,
      usage: { promptTokens, completionTokens: 2, cachedTokens: promptTokens - 11 },
    });
    expect(heard).toEqual(['hi']);
    expect(loads).toMatchObject([
      { build: 'never', maxThreads: expect.any(Number) },
      { modelPath: 'm.gguf' },
      { contextSize: 600, threads: expect.any(Number) },
    ]);
  });

  it('calls tools, stops at the limit, and notes that token ids are missing', async () => {
    const tools = [{ name: 'go', description: 'Goes.', parameters: { type: 'object' } }];
    const calling = await ggufModel({
      path: 'm',
      library: library({ response: '', stopReason: 'functionCalls', functionCalls: [{ functionName: 'go', params: { to: 1 } }] }).library,
    });
    const call = await calling.complete({ messages: [{ role: 'user', content: 'x' }], tools }, { tokens: true }, never);
    expect(call).toMatchObject({
      finish: 'tool',
      toolCalls: [{ id: 'call_0', name: 'go', arguments: { to: 1 } }],
      notes: [expect.stringContaining('does not return them')],
    });
    expect((await ggufModel({ path: 'm', library: library().library })).tokens?.('one two three')).toBe(3);
    const long = await ggufModel({ path: 'm', library: library({ stopReason: 'maxTokens' }).library });
    expect((await long.complete({ messages: [] }, {}, never)).finish).toBe('length');
  });

  it('runs as many calls at once as there are sequences', async () => {
    for (const [sequences, most] of [
      [1, 1],
      [2, 2],
      [8, 4],
    ] as const) {
      const { library: fake, given } = library();
      const model = await ggufModel({ path: 'm', library: fake, sequences });
      await Promise.all(Array.from({ length: 4 }, () => model.complete({ messages: [{ role: 'user', content: 'x' }] }, {}, never)));
      expect(Math.max(...given.map((item) => item.running))).toBe(most);
    }
  });

  it('loads a file once for all users, and an adapter in a separate context', async () => {
    const { library: fake, loads } = library();
    const request = { library: fake, sequences: 2, threads: 1 };
    await Promise.all([ggufModel({ path: 'm', ...request }), ggufModel({ path: 'm', ...request })]);
    const tuned = await ggufModel({ path: 'm', adapters: ['a.gguf'], ...request });
    expect(tuned.id).toBe('gguf:m+a.gguf');
    expect(loads).toMatchObject([
      { maxThreads: 1 },
      { modelPath: 'm' },
      { sequences: 2 },
      { sequences: 2, lora: { adapters: [{ filePath: 'a.gguf' }] } },
    ]);
  });

  it('separates thinking from the answer and counts its tokens', async () => {
    const thought = { type: 'segment', segmentType: 'thought', text: 'Hm.' };
    const model = await ggufModel({ path: 'm', library: library({ fullResponse: [thought, 'hi'], thought: 3 }).library });
    const call = await model.complete({ messages: [] }, {}, never);
    expect(call).toMatchObject({ text: 'hi', thinking: 'Hm.', usage: { completionTokens: 5, thinkingTokens: 3 } });
  });

  it('rejects prompts that exceed the context window instead of cutting them', async () => {
    const { library: fake, given } = library();
    const model = await ggufModel({ path: 'm', library: fake, contextSize: 100 });
    await expect(model.complete({ messages: [{ role: 'user', content: 'x'.repeat(200) }] }, {}, never)).rejects.toThrow(
      'gguf:m has a context window of 100 tokens, but the prompt alone has',
    );
    expect(given).toEqual([]);
  });

  it('requires a file that loads', async () => {
    const broken = { ...library().library, getLlama: async () => Promise.reject(new Error('no binary for this machine')) };
    await expect(ggufModel({ path: 'm', library: broken })).rejects.toThrow('m could not be loaded: no binary for this machine');
  });
});

const stories = join(import.meta.dirname, '../../../../../shared/data/models/stories260K/stories260K-f16.gguf');
const installed = optionalPackagePath('node-llama-cpp') !== null;

describe('node-llama-cpp', () => {
  it.skipIf(installed)('is named in an error when missing', async () => {
    await expect(ggufModel({ path: stories })).rejects.toMatchObject({ code: 'E_RUNTIME_MISSING', details: { runtime: 'llama' } });
  });

  it.skipIf(installed)('is required before anything is downloaded', async () => {
    server = await scriptedServer((response) => void response.end('GGUF'));
    await expect(createModel(`gguf:${server.url}/x.gguf`, { env: { LUDUS_CACHE: folder } })).rejects.toMatchObject({
      code: 'E_RUNTIME_MISSING',
    });
    expect(server.seen).toEqual([]);
  });

  it.skipIf(installed)('is required for the local model, too', async () => {
    await expect(createModel('local', { env: { LUDUS_CACHE: folder } })).rejects.toMatchObject({ code: 'E_RUNTIME_MISSING' });
  });

  it.skipIf(!installed || !existsSync(stories))('completes a story (skipped without the package or ../shared/data/models)', async () => {
    const model = await ggufModel({ path: stories });
    const prompt: Prompt = { messages: [{ role: 'user', content: 'Once upon a time' }] };
    const heard: string[] = [];
    const call = await model.complete(prompt, { maxTokens: 20, temperature: 0 }, never, (piece) => heard.push(piece));
    expect(call).toMatchObject({ finish: 'length', usage: { completionTokens: 20 } });
    expect(heard.join('')).toBe(call.text);
    const again = await model.complete(prompt, { maxTokens: 20, temperature: 0 }, never);
    expect(again.text).toBe(call.text);
    expect(again.usage.cachedTokens).toBeGreaterThan(0);
  });
});
