/** @file Sequences over one model: which one a call gets, and how many tokens are read, counted to the token; then with a real model. */

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Model, rng } from '@ludus-agents/kernel/internal/core/index';
import { afterAll, describe, expect, it } from 'vitest';
import { readGguf, type Tensor, writeGguf } from '../../../../test/fixtures/tiny-llama/gguf.ts';
import { turns } from '../../../../test/fixtures/until.ts';
import { optionalPackagePath } from '../runtimes/optional-package.ts';
import { ggufModel } from './gguf.ts';
import { type LaneSequence, Lanes } from './gguf-lanes.ts';
import { createModel } from './index.ts';

/**
 * A sequence that holds tokens and counts what it reads; its state goes through a file as JSON. As in the library, a file that cannot be loaded leaves
 * the tokens of before in the engine while the list of them is empty, and what is read next is then refused.
 */
class Counted implements LaneSequence {
  contextTokens: number[] = [];
  /** Tokens in the engine that the list does not know of. */
  unknown = 0;
  tokenMeter = { usedInputTokens: 0 };
  failing = false;
  /** Looked at before a file is loaded. */
  onLoad = async (_path: string): Promise<void> => {};
  async adaptStateToTokens(tokens: readonly number[]) {
    let at = 0;
    while (at < this.contextTokens.length && this.contextTokens[at] === tokens[at]) at++;
    this.contextTokens.length = at;
  }
  async evaluateWithoutGeneratingNewTokens(tokens: readonly number[]) {
    await turns(2);
    if (this.unknown > 0) throw new Error('Eval has failed');
    this.tokenMeter.usedInputTokens += tokens.length;
    this.contextTokens.push(...tokens);
  }
  async saveStateToFile(path: string) {
    if (this.failing) throw new Error('the disk is full');
    writeFileSync(path, JSON.stringify(this.contextTokens));
  }
  async loadStateFromFile(path: string) {
    this.unknown = this.contextTokens.length;
    this.contextTokens = [];
    await this.onLoad(path);
    this.contextTokens = JSON.parse(readFileSync(path, 'utf8'));
    this.unknown = 0;
  }
  async clearHistory() {
    this.contextTokens = [];
  }
}

function pool(many: number) {
  const sequences = Array.from({ length: many }, () => new Counted());
  const lanes = new Lanes(sequences.map((sequence) => ({ sequence })));
  /** A call: reads what is missing of a prompt and writes an answer. Gives the tokens it read, and where. */
  const call = (prompt: readonly number[], answer: readonly number[] = [999]) =>
    lanes.use(prompt, async ({ sequence }, read) => {
      await sequence.adaptStateToTokens(prompt.slice(0, -1));
      await sequence.evaluateWithoutGeneratingNewTokens(prompt.slice(sequence.contextTokens.length));
      expect(sequence.contextTokens).toEqual(prompt);
      sequence.contextTokens.push(...answer);
      return { read: read(), at: sequences.indexOf(sequence) };
    });
  return { sequences, call };
}

const range = (from: number, length: number) => Array.from({ length }, (_, i) => from + i);

describe('GGUF sequence pool', () => {
  it('removes files left by a killed process', async () => {
    const left = mkdtempSync(join(tmpdir(), 'ludus-states-999999999-'));
    const { call } = pool(2);
    for (const i of [1, 2]) await call([...range(0, 100), ...range(1000 * i, 100)]);
    expect(existsSync(left)).toBe(false);
  });

  it('reads a shared prefix once for simultaneous prompts and twice for sequential ones', async () => {
    const rules = range(0, 500);
    const prompts = range(0, 8).map((i) => [...rules, ...range(1000 * (i + 1), 10)]);
    const together = pool(8);
    const matches = await Promise.all(prompts.map((prompt) => together.call(prompt)));
    expect(matches.map(({ read }) => read)).toEqual([510, 10, 10, 10, 10, 10, 10, 10]);
    expect(new Set(matches.map(({ at }) => at)).size).toBe(8);
    const apart = pool(8);
    const reads: number[] = [];
    for (const prompt of prompts) reads.push((await apart.call(prompt)).read);
    expect(reads.reduce((sum, read) => sum + read, 0)).toBeLessThanOrEqual(2 * 500 + 8 * 10);
  });

  it('continues each conversation in its sequence', async () => {
    const { call } = pool(4);
    const rules = range(0, 300);
    const talks = range(0, 4).map((i) => [...rules, ...range(1000 * (i + 1), 50)]);
    const first = await Promise.all(talks.map((talk) => call(talk, [7, 8, 9])));
    // Asked in another order, each finds its own.
    for (const i of [2, 0, 3, 1]) {
      const match = await call([...talks[i]!, 7, 8, 9, 5000 + i]);
      expect(match).toEqual({ read: 1, at: first[i]!.at });
    }
  });

  it('branches without losing the original conversation', async () => {
    const { call } = pool(3);
    const talk = range(0, 400);
    const { at } = await call(talk);
    const branch = [...talk.slice(0, 200), ...range(5000, 20)];
    const match = await call(branch);
    expect(match.read).toBe(20);
    expect(match.at).not.toBe(at);
    expect(await call([...talk, 999, 1, 2])).toEqual({ read: 2, at });
  });

  it('answers a repeated prompt in the same sequence', async () => {
    const { call } = pool(3);
    const first = await call(range(0, 20), range(500, 40));
    expect(await call(range(0, 20), [1])).toEqual({ read: 1, at: first.at });
  });

  it('reads the prompt again when a state could not be saved', async () => {
    const { call, sequences } = pool(4);
    for (const sequence of sequences) sequence.failing = true;
    const matches = await Promise.all(range(0, 4).map((i) => call([...range(0, 200), 1000 + i])));
    expect(matches.map(({ read }) => read)).toEqual([201, 201, 201, 201]);
  });

  it('reads the whole prompt when a state could not be loaded, and clears the sequence', async () => {
    const { call, sequences } = pool(2);
    await Promise.all([1, 2].map((i) => call([...range(0, 200), ...range(1000 * i, 10)])));
    for (const i of [3, 4]) await call(range(10_000 * i, 50));
    const lost: string[] = [];
    for (const sequence of sequences)
      sequence.onLoad = async (path) => {
        lost.push(path);
        rmSync(path);
      };
    expect((await call([...range(0, 200), ...range(5000, 10)])).read).toBe(210);
    expect(lost).toHaveLength(1);
  });

  it('keeps a state file that a waiting call needs, however many calls follow', async () => {
    const { call, sequences } = pool(4);
    const pair = (from: number) => Promise.all([1, 2].map((i) => call([...range(from, 200), ...range(1000 * i, 10)])));
    await pair(0);
    for (const i of [3, 4, 5, 6]) await call(range(10_000 * i, 50));
    const waits = Promise.withResolvers<string>();
    const gate = Promise.withResolvers<void>();
    for (const sequence of sequences)
      sequence.onLoad = async (path) => {
        sequence.onLoad = async () => {};
        waits.resolve(path);
        await gate.promise;
      };
    const waiting = call([...range(0, 200), ...range(7000, 10)]);
    const path = await waits.promise;
    for (const sequence of sequences) sequence.onLoad = async () => {};
    // More beginnings than are kept.
    for (const i of range(1, 6)) await pair(100_000 * i);
    expect(existsSync(path)).toBe(true);
    gate.resolve();
    expect((await waiting).read).toBe(10);
  });

  it('keeps few state files for any prompts', async () => {
    const { call } = pool(4);
    const dice = rng(3, 'prompts');
    const before = readdirSync(tmpdir()).filter((name) => name.startsWith('ludus-states-'));
    for (let i = 0; i < 60; i++)
      await Promise.all(range(0, 4).map(() => call([...range(1000 * dice.int(6), 150 + dice.int(200)), 7, dice.int(99)])));
    for (const name of readdirSync(tmpdir()).filter((item) => item.startsWith('ludus-states-') && !before.includes(item)))
      expect(readdirSync(join(tmpdir(), name)).length).toBeLessThanOrEqual(5);
  });
});

const stories = join(import.meta.dirname, '../../../../../shared/data/models/stories260K/stories260K-f16.gguf');
const able = optionalPackagePath('node-llama-cpp') !== null && existsSync(stories);

describe.skipIf(!able)('real GGUF model (skipped without node-llama-cpp or ../shared/data/models)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ludus-lanes-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const never = new AbortController().signal;
  const rules =
    'Once upon a time there was a little girl named Lily. She loved to play in the park with her red ball every sunny day. '.repeat(2);
  const prompt = (i: number) => ({ messages: [{ role: 'user' as const, content: `${rules}${['Tom', 'Sam', 'Ann', 'Max'][i]} came.` }] });
  const greedy = { maxTokens: 12, temperature: 0 };

  it('scores answers the same with a shared prefix as without, and reads fewer tokens', async () => {
    const [alone, model] = (await Promise.all([1, 4].map((sequences) => ggufModel({ path: stories, sequences, threads: 1 })))) as [
      Model,
      Model,
    ];
    const shared = await Promise.all(range(0, 4).map((i) => model.complete(prompt(i), greedy, never)));
    const read = shared.map(({ usage }) => usage.promptTokens - (usage.cachedTokens ?? 0));
    expect(Math.min(...read.slice(1).map((n) => read[0]! / n))).toBeGreaterThan(3);
    // Sums over other companies differ in their last digits, so greedy words may differ where two are as good; chances do not.
    const texts = ['is about all', 'just like the ball', 'She was happy'];
    const choiceScores = await Promise.all(range(0, 4).map((i) => model.score!(prompt(i), texts, never)));
    for (const i of range(0, 4)) {
      const { logprobs } = await alone.score!(prompt(i), texts, never);
      logprobs.forEach((value, j) => {
        expect(Math.abs(value - choiceScores[i]!.logprobs[j]!)).toBeLessThan(0.2);
      });
    }
  });

  it('applies an adapter only under the name that includes it', async () => {
    const { tensors } = readGguf(readFileSync(stories));
    const dice = rng(1, 'adapter');
    const result = new Map<string, Tensor>();
    for (const [name, { shape }] of tensors) {
      if (!/attn_[qv]\.weight$/.test(name)) continue;
      const [from, to] = shape as [number, number];
      const random = (...size: [number, number]) => ({
        shape: size,
        data: Float32Array.from({ length: size[0] * size[1] }, () => dice.next() - 0.5),
      });
      result.set(`${name}.lora_a`, random(from, 4));
      result.set(`${name}.lora_b`, random(4, to));
    }
    const adapter = join(folder, 'adapter.gguf');
    const about = { 'general.architecture': 'llama', 'general.type': 'adapter', 'adapter.type': 'lora', 'adapter.lora.alpha': 16.5 };
    writeFileSync(adapter, writeGguf(about, result, 'f32'));
    const env = { LUDUS_SEQUENCES: '1', LUDUS_THREADS: '1' };
    const base = await createModel(`gguf:${stories}`, { env });
    const before = (await base.complete(prompt(0), greedy, never)).text;
    const tuned = await createModel(`${stories}+${adapter}`, { env });
    expect(tuned.id).toBe(`gguf:${stories}+${adapter}`);
    expect((await tuned.complete(prompt(0), greedy, never)).text).not.toBe(before);
    expect((await base.complete(prompt(0), greedy, never)).text).toBe(before);
    await expect(createModel(`${stories}+${folder}/none.gguf`, { env })).rejects.toThrow('No GGUF file at');
  });
});
