/**
 * @file The client against a real language model in its own process: the server in test/fixtures/tiny-llama, on weights that this file
 * writes, and on stories260K where it is available. There, ids and logprobs are compared with what llama.cpp computes from the same file.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Model, rng } from '@ludus-agents/kernel/internal/core/index';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Precision, type Tensor, writeGguf } from '../../../../test/fixtures/tiny-llama/gguf.ts';
import { Llama } from '../../../../test/fixtures/tiny-llama/llama.ts';
import { createModel } from './index.ts';

const root = join(import.meta.dirname, '../../../..');
const stories = join(root, '..', 'shared', 'data', 'models', 'stories260K', 'stories260K-f16.gguf');
const never = new AbortController().signal;
const prompt = (content: string) => ({ messages: [{ role: 'user' as const, content }] });

/** A Llama of two layers with weights from dice: it babbles, but by the same rules as a large one. */
function babbler(precision: Precision): Uint8Array {
  const [width, inner, layers] = [32, 64, 2];
  const pieces = [
    '<unk>',
    '<s>',
    '</s>',
    ...Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`),
    '▁',
    'a',
    'b',
    '▁a',
    'ab',
    '▁ab',
  ];
  const tensors = new Map<string, Tensor>();
  const add = (name: string, ...shape: number[]) => {
    const dice = rng(5, name);
    const size = shape.reduce((product, value) => product * value, 1);
    tensors.set(`${name}.weight`, { shape, data: Float32Array.from({ length: size }, () => (shape.length === 1 ? 1 : dice.next() - 0.5)) });
  };
  add('token_embd', width, pieces.length);
  add('output', width, pieces.length);
  add('output_norm', width);
  for (let layer = 0; layer < layers; layer++) {
    for (const norm of ['attn_norm', 'ffn_norm']) add(`blk.${layer}.${norm}`, width);
    for (const square of ['attn_q', 'attn_output']) add(`blk.${layer}.${square}`, width, width);
    for (const grouped of ['attn_k', 'attn_v']) add(`blk.${layer}.${grouped}`, width, width / 2);
    for (const wide of ['ffn_gate', 'ffn_up']) add(`blk.${layer}.${wide}`, width, inner);
    add(`blk.${layer}.ffn_down`, inner, width);
  }
  const metadata = {
    'general.architecture': 'llama',
    'llama.context_length': 128,
    'llama.embedding_length': width,
    'llama.block_count': layers,
    'llama.feed_forward_length': inner,
    'llama.attention.head_count': 4,
    'llama.attention.head_count_kv': 2,
    'llama.attention.layer_norm_rms_epsilon': 0.00001,
    'tokenizer.ggml.model': 'llama',
    'tokenizer.ggml.tokens': pieces,
    'tokenizer.ggml.scores': pieces.map((_, i) => -i - 0.5),
    'tokenizer.ggml.bos_token_id': 1,
    'tokenizer.ggml.eos_token_id': 2,
  };
  return writeGguf(metadata, tensors, precision);
}

const folder = mkdtempSync(join(tmpdir(), 'ludus-llama-'));
const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill();
  rmSync(folder, { recursive: true });
});

/** Starts a server process and gives its model by address alone: it offers only one. */
async function start(file: string): Promise<Model> {
  const child = spawn(process.execPath, [join(root, 'test', 'fixtures', 'tiny-llama', 'server.ts'), file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const [port] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  return createModel(`http://127.0.0.1:${Number(String(port))}/v1`, { retries: { tries: 1 }, env: {} });
}

describe('model with random weights', () => {
  let model: Model;
  const file = join(folder, 'babbler.gguf');
  beforeAll(async () => {
    writeFileSync(file, babbler('f16'));
    model = await start(file);
  });

  it('is found by the address of its server', () => expect(model.id).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1#tiny-llama$/));

  it('returns one token id and logprob per token, which match the weights', async () => {
    const call = await model.complete(prompt('abab'), { maxTokens: 20, seed: 1, tokens: true }, never);
    const llama = new Llama(readFileSync(file));
    expect(call.promptTokenIds).toEqual(llama.encode('abab'));
    expect(call.tokenIds).toHaveLength(20);
    expect(llama.decode(call.tokenIds as number[])).toBe(call.text);
    expect(call).toMatchObject({
      finish: 'length',
      usage: { promptTokens: llama.encode('abab').length, completionTokens: 20 },
      cost: null,
    });
    let next = new Float64Array();
    for (const id of call.promptTokenIds as number[]) next = llama.read(id) as Float64Array<ArrayBuffer>;
    for (const [i, id] of (call.tokenIds as number[]).entries()) {
      expect(call.logprobs?.[i]).toBeCloseTo(next[id] as number, 10);
      next = llama.read(id) as Float64Array<ArrayBuffer>;
    }
    expect(next.reduce((sum, value) => sum + Math.exp(value), 0)).toBeCloseTo(1, 10);
  });

  it('streams the same text that it returns whole, and repeats it for the same seed', async () => {
    const sampling = { maxTokens: 30, seed: 4, tokens: true };
    const messages: string[] = [];
    const strip = ({ milliseconds: _, ...call }: Awaited<ReturnType<Model['complete']>>) => call;
    const streamed = strip(await model.complete(prompt('ab é'), sampling, never, (piece) => messages.push(piece)));
    const whole = strip(await model.complete(prompt('ab é'), sampling, never));
    // A byte that completes no character shows at the end of a whole answer, and never in a stream.
    expect({ ...streamed, text: '' }).toEqual({ ...whole, text: '' });
    expect(whole.text.startsWith(streamed.text.replace(/\ufffd+$/, ''))).toBe(true);
    expect(messages.join('')).toBe(streamed.text);
    expect(messages.length).toBeGreaterThan(5);
    expect((await model.complete(prompt('ab é'), { ...sampling, seed: 5 }, never)).tokenIds).not.toEqual(whole.tokenIds);
  });

  it('stops when aborted and answers the next call', async () => {
    const controller = new AbortController();
    const call = model.complete(prompt('a'), { maxTokens: 100 }, controller.signal, () => controller.abort('abort'));
    await expect(call).rejects.toBe('abort');
    expect((await model.complete(prompt('a'), { maxTokens: 1 }, never)).usage.completionTokens).toBe(1);
  });

  it('answers concurrent calls, each with its seed', async () => {
    const calls = await Promise.all(
      Array.from({ length: 8 }, (_, seed) => model.complete(prompt('a'), { maxTokens: 5, seed, tokens: true }, never)),
    );
    expect(new Set(calls.map(({ tokenIds }) => tokenIds?.join())).size).toBeGreaterThan(6);
    const again = await model.complete(prompt('a'), { maxTokens: 5, seed: 3, tokens: true }, never);
    expect(again.tokenIds).toEqual(calls[3]?.tokenIds);
  });
});

describe('storage formats of weights', () => {
  it('give nearly the same probabilities', () => {
    const [exact, halves, bytes] = (['f32', 'f16', 'q8_0'] as const).map((precision) => {
      const llama = new Llama(babbler(precision));
      return [...llama.encode('ab')].map((id) => llama.read(id)).at(-1) as Float64Array;
    }) as [Float64Array, Float64Array, Float64Array];
    const apart = (a: Float64Array, b: Float64Array) => Math.max(...a.map((value, i) => Math.abs(Math.exp(value) - Math.exp(b[i]!))));
    expect(apart(exact, halves)).toBeLessThan(1e-4);
    expect(apart(exact, bytes)).toBeLessThan(5e-3);
    expect(apart(exact, bytes)).toBeGreaterThan(0);
  });
});

/** What llama.cpp (through node-llama-cpp 3.22) gives for stories260K, greedily after "Once upon a time": ids, and the first ten logprobs. */
const reference = {
  ids: [
    432, 383, 286, 261, 376, 298, 315, 421, 395, 317, 426, 338, 401, 396, 267, 337, 410, 408, 419, 292, 411, 322, 265, 282, 295, 433, 426,
    385, 328, 432,
  ],
  logprobs: [-0.03203, -0.06846, -0.01595, -0.00078, -0.4926, -0.44425, -0.00483, -0.00067, -0.01893, -0.07682],
};

describe.skipIf(!existsSync(stories))('stories260K (skipped where ../shared/data/models does not hold it)', () => {
  it('matches the story from llama.cpp', async () => {
    const model = await start(stories);
    const call = await model.complete(prompt('Once upon a time'), { maxTokens: 30, temperature: 0, tokens: true }, never);
    expect(call.text).toBe(', there was a little girl named Lily. She loved to play outside in the park. One day,');
    expect(call.promptTokenIds).toEqual([1, 403, 407, 261, 378]);
    expect(call.tokenIds).toEqual(reference.ids);
    for (const [i, logprob] of reference.logprobs.entries()) expect(Math.abs((call.logprobs?.[i] as number) - logprob)).toBeLessThan(0.003);
  });
});
