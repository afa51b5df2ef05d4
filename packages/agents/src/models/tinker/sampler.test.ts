import type { Model, Prompt } from '@ludus-agents/kernel/internal/core/index';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TinyModel } from '../../../../../test/fixtures/tinker-model.ts';
import { TinkerServer } from '../../../../../test/fixtures/tinker-server.ts';
import type { Codec } from '../codec.ts';
import { createModel } from '../index.ts';
import { tinkerModel } from './sampler.ts';

const end = 256;
const codec: Codec = {
  encode: ({ messages }) => messages.flatMap(({ content }) => [...Buffer.from(`${content}\n`, 'latin1')]),
  answer: (_, text) => [...Buffer.from(text, 'latin1')],
  decode: (tokens) => Buffer.from(tokens).toString('latin1'),
  stop: [end],
};
const prompt: Prompt = { messages: [{ role: 'user', content: 'bet or check?' }] };
const choices = ['bet', 'check', 'bet five'];
const never = new AbortController().signal;
const server = new TinkerServer();
let model: Model;

beforeAll(async () => {
  await server.start();
  model = await tinkerModel({ id: 'tinker:test', url: server.url, codec, env: {}, first: 4, most: 100 });
});
afterAll(() => server.close());

/** What the server's base model gives an answer with its end, added up by hand. */
function chanceOf(text: string): number {
  const row = [...codec.encode(prompt), ...Buffer.from(text, 'latin1'), end];
  const from = codec.encode(prompt).length;
  return new TinyModel()
    .logprobs({ input: row.slice(0, -1), target: row.slice(1) })
    .slice(from - 1)
    .reduce((sum, value) => sum + value, 0);
}

describe('model on a Tinker server', () => {
  it('scores given answers including their end token', async () => {
    const { logprobs, call } = await model.score!(prompt, choices, never);
    choices.forEach((text, i) => {
      expect(logprobs[i]).toBeCloseTo(chanceOf(text), 9);
    });
    expect(call.text).toBe(choices[logprobs.indexOf(Math.max(...logprobs))]);
    expect(await model.context?.()).toBe(4096);
  });

  it('samples from choices by their scores at the given temperature', async () => {
    const draw = (seed: number, temperature: number) => model.complete(prompt, { choices, seed, temperature }, never);
    const calls = await Promise.all(Array.from({ length: 60 }, (_, seed) => draw(seed, 4)));
    const weights = choices.map((text) => Math.exp(chanceOf(text) / 4));
    const total = weights.reduce((sum, value) => sum + value, 0);
    choices.forEach((text, i) => {
      const share = calls.filter((call) => call.text === text).length / calls.length;
      const expected = weights[i]! / total;
      expect(Math.abs(share - expected)).toBeLessThan(4 * Math.sqrt((expected * (1 - expected)) / calls.length) + 0.02);
    });
    expect(calls[0]!.notes?.[0]).toMatch(/The answer was constrained to the given choices by/);
    const best = choices.toSorted((a, b) => chanceOf(b) - chanceOf(a))[0];
    expect((await draw(1, 0)).text).toBe(best);
    expect((await draw(5, 4)).text).toBe(calls[5]!.text);
  });

  it('generates freely without choices and stops at a stop text', async () => {
    const free = await model.complete(prompt, { seed: 3, maxTokens: 12 }, never);
    expect(choices).not.toContain(free.text);
    expect(free.promptTokenIds).toEqual(codec.encode(prompt));
    expect(free.logprobs).toHaveLength(free.tokenIds!.length);
    const cut = await model.complete(prompt, { seed: 3, maxTokens: 12, stop: [free.text.slice(4, 6)] }, never);
    expect(cut).toMatchObject({ text: free.text.slice(0, 4), finish: 'stop' });
    expect(cut.tokenIds).toBeUndefined();
  });

  it('continues after the server restarts, and never trains', async () => {
    server.forget();
    expect((await model.complete(prompt, { choices, seed: 1 }, never)).text).toMatch(/^(?:bet|check|bet five)$/);
    expect(server.models).toBe(0);
    expect(server.problems).toEqual([]);
  });

  it('is loaded by name, and rejects unknown models and servers without a tokenizer', async () => {
    await expect(createModel(`tinker:${server.url}#nobody`)).rejects.toThrow('has no model "nobody". Available: tiny/bigram');
    await expect(createModel(`tinker:${server.url}#tiny/bigram`)).rejects.toThrow('does not say which tokenizer tiny/bigram uses');
    await expect(createModel('tinker:')).rejects.toThrow('"tinker:" does not name a model. Use, for example,');
  });
});
