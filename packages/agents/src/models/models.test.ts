/** @file The fake model: answers, delays, failures, prices and cancellation, all from the seed. */

import type { Model, Prompt } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { type FakeModelOptions, fakeModel } from './fake.ts';
import { ModelFault } from './fault.ts';
import { createModel, modelKinds } from './index.ts';
import { tokensIn } from './tokens.ts';

const never = new AbortController().signal;
const prompt = (content: string): Prompt => ({ messages: [{ role: 'user', content }] });

/** What became of a hundred different calls: the text and its finish, or the status of the failure. */
async function outcomes(model: Model, calls = 100): Promise<string[]> {
  const out: string[] = [];
  for (let i = 0; i < calls; i++) {
    const item = await model.complete(prompt(`call ${i}`), {}, never).catch((thrown: ModelFault) => thrown);
    out.push(item instanceof ModelFault ? String(item.status) : `${item.text} ${item.finish}`);
  }
  return out;
}

describe('fake model answers', () => {
  it('cycle through a list', async () => {
    const model = fakeModel({ answers: ['a', 'b'] });
    expect((await outcomes(model, 3)).join()).toBe('a stop,b stop,a stop');
  });

  it('can come from a function of the prompt and a seeded generator', async () => {
    const model = fakeModel({ answers: ({ messages }, dice) => `${messages[0]?.content} ${dice.int(1000)}`, seed: 4 });
    const [first, again] = [await model.complete(prompt('x'), {}, never), await model.complete(prompt('x'), {}, never)];
    expect(first.text).toMatch(/^x \d+$/);
    expect(again.text).not.toBe(first.text);
    const twin = fakeModel({ answers: ({ messages }, dice) => `${messages[0]?.content} ${dice.int(1000)}`, seed: 4 });
    await twin.complete(prompt('something else before'), {}, never);
    expect((await twin.complete(prompt('x'), {}, never)).text).toBe(first.text);
  });

  it('respect stop words and the token limit', async () => {
    const model = fakeModel({ answers: ['one two three'] });
    expect(await model.complete(prompt('x'), { stop: [' two'] }, never)).toMatchObject({ text: 'one', finish: 'stop' });
    expect(await model.complete(prompt('x'), { maxTokens: 1 }, never)).toMatchObject({ text: 'one ', finish: 'length' });
  });
});

describe('fake model usage', () => {
  it('counts one token per four characters, plus four per message', async () => {
    expect([0, 1, 4, 5].map((length) => tokensIn('x'.repeat(length)))).toEqual([0, 1, 1, 2]);
    const { usage, cost } = await fakeModel({ answers: ['12345678'], price: { prompt: 1, completion: 10 } }).complete(
      prompt('12345'),
      {},
      never,
    );
    expect(usage).toEqual({ promptTokens: 6, completionTokens: 2 });
    expect(cost).toBeCloseTo(26e-6, 12);
    expect((await fakeModel({ answers: ['x'] }).complete(prompt(''), {}, never)).cost).toBe(0);
  });
});

describe('fake model failures', () => {
  const failures = { rateLimit: 0.1, server: 0.1, timeout: 0.1, truncated: 0.2 };
  const options: FakeModelOptions = { answers: () => 'abcdef', failures, seed: 2 };

  it('occur at the configured rates', async () => {
    const counts: Record<string, number> = {};
    for (const item of await outcomes(fakeModel(options), 2000)) counts[item] = (counts[item] ?? 0) + 1;
    expect(Object.keys(counts).sort()).toEqual(['408', '429', '500', 'abc length', 'abcdef stop']);
    // Five standard deviations of a binomial count.
    const near = (key: string, rate: number) => Math.abs((counts[key] ?? 0) - 2000 * rate) < 5 * Math.sqrt(2000 * rate * (1 - rate));
    expect([near('429', 0.1), near('500', 0.1), near('408', 0.1), near('abc length', 0.2), near('abcdef stop', 0.5)]).not.toContain(false);
  });

  it('are the same for the same seed, differ for another, and are redrawn on a retry', async () => {
    const once = await outcomes(fakeModel(options));
    expect(await outcomes(fakeModel(options))).toEqual(once);
    expect(await outcomes(fakeModel({ ...options, seed: 3 }))).not.toEqual(once);
    const model = fakeModel(options);
    expect([await outcomes(model), await outcomes(model)]).not.toEqual([once, once]);
  });

  it('do not depend on the order of the calls', async () => {
    const model = fakeModel(options);
    const order = Array.from({ length: 100 }, (_, i) => 99 - i);
    const back = await Promise.all(
      order.map((i) =>
        model.complete(prompt(`call ${i}`), {}, never).then(
          ({ text, finish }) => `${text} ${finish}`,
          (thrown) => String(thrown.status),
        ),
      ),
    );
    expect(back.reverse()).toEqual(await outcomes(fakeModel(options)));
  });

  it('do not occur unless configured, and rates must add up to at most 1', async () => {
    expect(new Set(await outcomes(fakeModel({ answers: ['x'] })))).toEqual(new Set(['x stop']));
    expect(() => fakeModel({ answers: ['x'], failures: { server: 0.7, timeout: 0.7 } })).toThrow('at most 1');
  });
});

describe('fake model latency', () => {
  it('equals the mean exactly without spread, also in the log', async () => {
    const call = await fakeModel({ answers: ['x'], latency: { mean: 5, spread: 0 } }).complete(prompt('x'), {}, never);
    expect(call.milliseconds).toBe(5);
  });

  it('is log-normal with the configured mean', async () => {
    const model = fakeModel({ answers: ['x'], latency: { mean: 0.2, spread: 0.5 }, seed: 1 });
    const times = await Promise.all(
      Array.from({ length: 2000 }, async (_, i) => (await model.complete(prompt(`${i}`), {}, never)).milliseconds as number),
    );
    const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
    // The standard error of 2,000 log-normals with σ = 0.5 is 1.2% of the mean.
    expect(mean).toBeGreaterThan(0.19);
    expect(mean).toBeLessThan(0.21);
    expect(Math.min(...times)).toBeGreaterThan(0);
  });

  it('is cut short by the signal', async () => {
    const controller = new AbortController();
    const model = fakeModel({ answers: ['x'], latency: { mean: 60_000, spread: 0 } });
    setImmediate(() => controller.abort());
    await expect(model.complete(prompt('x'), {}, controller.signal)).rejects.toThrow('abort');
    await expect(model.complete(prompt('x'), {}, controller.signal)).rejects.toThrow('abort');
  });
});

describe('createModel', () => {
  it('creates the fake model, with a fixed answer or a random move from the prompt', async () => {
    expect((await (await createModel('fake/[bet]')).complete(prompt('x'), {}, never)).text).toBe('[bet]');
    const fake = await createModel('fake');
    const texts = new Set<string>();
    for (let i = 0; i < 40; i++) texts.add((await fake.complete(prompt('say [check] or [bet]'), {}, never)).text);
    expect([...texts].sort()).toEqual(['[bet]', '[check]']);
    expect((await fake.complete(prompt('no move here'), {}, never)).text).toMatch(/^(Go on|I am listening|Tell me more)\.$/);
  });

  it('lists the available kinds when the name is unknown', async () => {
    expect(modelKinds.map(({ kind }) => kind)).toContain('fake');
    await expect(createModel('gpt-17')).rejects.toThrow('Unknown model "gpt-17". Use PROVIDER/MODEL (providers: fake, openai, ');
  });
});
