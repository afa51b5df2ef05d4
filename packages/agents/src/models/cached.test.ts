/** @file The cache: exact re-runs for nothing, whatever happens to its files, and one call for questions asked at once. */

import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Model, ModelCall, Prompt, Sampling } from '@ludus-agents/kernel/internal/core/index';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { turns } from '../../../../test/fixtures/until.ts';
import { cached, keyOf } from './cached.ts';
import { ModelFault } from './fault.ts';

const never = new AbortController().signal;
const prompt = (content: string): Prompt => ({ messages: [{ role: 'user', content }] });

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ludus-cache-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Counts its calls, and answers when it is released. */
function counting(id = 'm') {
  const state = { calls: 0, aborted: 0, gate: Promise.resolve() };
  const model: Model = {
    id,
    async complete(requestedPrompt, sampling, signal, onText): Promise<ModelCall> {
      const call = ++state.calls;
      signal.addEventListener('abort', () => state.aborted++);
      onText?.('answer ');
      await Promise.race([state.gate, new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))]);
      onText?.(String(call));
      const usage = { promptTokens: 2, completionTokens: 3 };
      return {
        model: id,
        prompt: requestedPrompt,
        text: `answer ${call}`,
        finish: 'stop',
        usage,
        cost: 0.5,
        milliseconds: 9,
        tokenIds: [sampling.seed ?? 0],
      };
    },
  };
  return { state, model };
}

const files = () => readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => statSync(join(folder, name)).isFile());

describe('cached call', () => {
  it('is returned exactly and for free, in another process too', async () => {
    const { model, state } = counting();
    const first = await cached(model, { folder }).complete(prompt('q'), { seed: 1 }, never);
    expect(first).toMatchObject({ text: 'answer 1', cost: 0.5 });
    const { milliseconds: _, ...same } = first;
    expect(await cached(model, { folder }).complete(prompt('q'), { seed: 1 }, never)).toEqual({ ...same, cost: 0, kept: true });
    expect(state.calls).toBe(1);
  });

  it('is keyed by model, prompt, and sampling only', async () => {
    const base = keyOf('m', prompt('q'), { seed: 1, temperature: 0.5 });
    expect(keyOf('m', prompt('q'), { temperature: 0.5, seed: 1 })).toBe(base);
    const others: [string, Prompt, Sampling][] = [
      ['n', prompt('q'), { seed: 1, temperature: 0.5 }],
      ['m', prompt('r'), { seed: 1, temperature: 0.5 }],
      ['m', { ...prompt('q'), tools: [] }, { seed: 1, temperature: 0.5 }],
      ['m', prompt('q'), { seed: 2, temperature: 0.5 }],
      ['m', prompt('q'), { seed: 1 }],
    ];
    expect(new Set([base, ...others.map((item) => keyOf(...item))]).size).toBe(6);
  });

  it('is delivered in one piece', async () => {
    const { model } = counting();
    const otherModel = cached(model, { folder });
    const messages: string[][] = [[], []];
    for (const pieces of messages) {
      await otherModel.complete(prompt('q'), {}, never, (piece) => pieces.push(piece));
    }
    expect(messages).toEqual([['answer ', '1'], ['answer 1']]);
  });

  it('is not stored for failures', async () => {
    let calls = 0;
    const failing: Model = {
      id: 'm',
      async complete() {
        throw new ModelFault(`failure ${++calls}`);
      },
    };
    const model = cached(failing, { folder });
    for (const speech of ['failure 1', 'failure 2']) await expect(model.complete(prompt('q'), {}, never)).rejects.toThrow(speech);
    expect(files()).toEqual([]);
  });
});

describe('damaged cache file', () => {
  const damages: [string, (text: string) => string][] = [
    ['empty', () => ''],
    ['truncated', (text) => text.slice(0, text.length / 2)],
    ['modified', (text) => text.replace('answer 1', 'answer 7')],
    ['an array', () => '[]'],
    ['without a checksum', (text) => JSON.stringify({ call: JSON.parse(text).call })],
    ['null', () => 'null'],
  ];
  it.each(damages)('is a cache miss: %s', async (_, damage) => {
    const { model, state } = counting();
    await cached(model, { folder }).complete(prompt('q'), {}, never);
    const path = join(folder, files()[0]!);
    const good = readFileSync(path, 'utf8');
    writeFileSync(path, damage(good));
    expect((await cached(model, { folder }).complete(prompt('q'), {}, never)).text).toBe('answer 2');
    // The miss has fixed the file.
    expect((await cached(model, { folder }).complete(prompt('q'), {}, never)).text).toBe('answer 2');
    expect(readFileSync(path, 'utf8')).toHaveLength(good.length);
    expect(state.calls).toBe(2);
  });

  it('does not lose the answer when the cache is not writable', async () => {
    const { model } = counting();
    const observations: string[] = [];
    writeFileSync(join(folder, 'file'), '');
    chmodSync(join(folder, 'file'), 0o444);
    const otherModel = cached(model, { folder: join(folder, 'file'), warn: (sentence) => observations.push(sentence) });
    expect((await otherModel.complete(prompt('q'), {}, never)).text).toBe('answer 1');
    expect(observations).toHaveLength(1);
    expect(observations[0]).toContain('An answer of m could not be saved in');
  });
});

describe('concurrent identical calls', () => {
  function held() {
    const { model, state } = counting();
    let open = () => {};
    state.gate = new Promise((resolve) => {
      open = resolve;
    });
    return { one: cached(model, { folder }), state, open: () => open() };
  }

  it('share one request that is charged once and streamed to every caller', async () => {
    const { one, state, open } = held();
    const messages: string[][] = [[], [], []];
    const calls = messages.map((pieces) => one.complete(prompt('q'), {}, never, (piece) => pieces.push(piece)));
    const other = one.complete(prompt('r'), {}, never);
    await expect.poll(() => state.calls).toBe(2);
    open();
    const answers = await Promise.all(calls);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.reduce((sum, { cost }) => sum + (cost ?? 0), 0)).toBe(0.5);
    expect(new Set(messages.map((pieces) => pieces.join(''))).size).toBe(1);
    expect(messages[0]?.join('')).toBe(answers[0]?.text);
    expect((await other).text).not.toBe(answers[0]?.text);
    expect(state.calls).toBe(2);
  });

  it('continue when one caller aborts, and stop when all do', async () => {
    const { one, state, open } = held();
    const controllers = [new AbortController(), new AbortController(), new AbortController()];
    const calls = controllers.map(({ signal }) => one.complete(prompt('q'), {}, signal));
    await expect.poll(() => state.calls).toBe(1);
    const gone = expect(calls[0]).rejects.toBe('leaving');
    controllers[0]?.abort('leaving');
    await gone;
    expect(state.aborted).toBe(0);
    open();
    expect((await calls[1])?.text).toBe('answer 1');
    expect((await calls[2])?.text).toBe('answer 1');

    const again = held();
    const two = [new AbortController(), new AbortController()];
    const both = two.map(({ signal }) => again.one.complete(prompt('z'), {}, signal));
    await expect.poll(() => again.state.calls).toBe(1);
    const left = Promise.all(both.map((call) => expect(call).rejects.toBe('leaving')));
    for (const controller of two) controller.abort('leaving');
    await left;
    expect(again.state.aborted).toBe(1);
    again.open();
    expect((await again.one.complete(prompt('z'), {}, never)).text).toBe('answer 2');
  });

  it('share a failure, and the next call tries again', async () => {
    let calls = 0;
    const failing: Model = {
      id: 'm',
      async complete() {
        calls++;
        await turns(3);
        throw new ModelFault('no');
      },
    };
    const model = cached(failing, { folder });
    const settled = await Promise.allSettled([model.complete(prompt('q'), {}, never), model.complete(prompt('q'), {}, never)]);
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(calls).toBe(1);
    await expect(model.complete(prompt('q'), {}, never)).rejects.toThrow('no');
    expect(calls).toBe(2);
  });
});
