/** @file Calls through the proxy carry prices, and count against a budget: what could exceed it is refused before it is sent. */

import { BudgetCounter } from '@ludus-agents/kernel/internal/core/index';
import { afterEach, describe, expect, it } from 'vitest';
import { delta, ending, json, stream, whole } from '../../../../test/fixtures/scripted-server.ts';
import { ProxyCharges } from './charges.ts';
import { ask, awaitRecords, callsIn, client, closeProxy, desk, open } from './proxy.cases.ts';
import { readAsked } from './wire.ts';

afterEach(closeProxy);

const prices = { policy: { prompt: 2, completion: 10 } };
const never = new AbortController().signal;

describe('a call through the proxy', () => {
  it('costs the price of its model, streamed or not, and is unpriced if the price is unknown', async () => {
    const usage = 'data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2}}\n\n';
    const [stop, over] = ending.split(/(?=data: \[DONE\])/) as [string, string];
    const url = await open([whole('hi'), stream([delta('hi'), stop, usage, over]), whole('hi')], { prices });
    await client(url).chat.completions.create(ask);
    for await (const _ of await client(url).chat.completions.create({ ...ask, stream: true }));
    await client(url).chat.completions.create({ ...ask, model: 'other' });
    const calls = (await awaitRecords()).flatMap((log) => callsIn(log));
    const costs = new Map(calls.map(({ usage: { promptTokens }, model, cost }) => [`${model.split('#')[1]} ${promptTokens}`, cost]));
    expect(costs.get('policy 3')).toBeCloseTo((3 * 2 + 2 * 10) / 1e6, 12);
    expect(costs.get('policy 7')).toBeCloseTo((7 * 2 + 2 * 10) / 1e6, 12);
    expect(costs.get('other 3')).toBeNull();
  });

  it('is rejected before it is sent if it could exceed the budget', async () => {
    const budget = new BudgetCounter({ calls: 2 });
    const url = await open([whole('one'), json(400, { error: { message: 'no such tool' } }), whole('never')], { prices, budget });
    await client(url).chat.completions.create({ ...ask, max_tokens: 5 });
    await expect(client(url).chat.completions.create({ ...ask, max_tokens: 5 })).rejects.toThrow(/no such tool/);
    const refused = await client(url)
      .chat.completions.create({ ...ask, max_tokens: 5 })
      .catch((thrown: unknown) => thrown);
    expect(refused).toMatchObject({ status: 429, code: 'insufficient_quota' });
    expect(desk.upstream?.seen).toHaveLength(2);
    // What a server refuses is a call, but costs nothing.
    expect(budget.spent).toMatchObject({ calls: 2, tokens: 5, unpriced: 0 });
    expect(budget.spent.money).toBeCloseTo((3 * 2 + 2 * 10) / 1e6, 12);
  });

  it('gets a token limit if the budget needs one, and is rejected if money is limited without a price', async () => {
    const budget = new BudgetCounter({ money: 1 });
    const url = await open([whole('one')], { prices, budget });
    await client(url).chat.completions.create(ask);
    expect(desk.upstream?.seen[0]?.body).toMatchObject({ max_tokens: 1024 });
    await expect(client(url).chat.completions.create({ ...ask, model: 'other', max_tokens: 5 })).rejects.toMatchObject({ status: 429 });
    expect(desk.upstream?.seen).toHaveLength(1);
    const [call] = (await awaitRecords()).flatMap((log) => callsIn(log));
    expect(call?.notes?.join(' ')).toMatch(/tokens\. The server returned no token ids with/);
  });

  it('has a limit field in every dialect, which bounds every answer', async () => {
    const limits = async (url: string, dialect: 'messages' | 'responses' | 'gemini' | undefined, body: object = {}) => {
      const request = { ...readAsked('chat', { ...ask, ...body }), ...(dialect === undefined ? {} : { dialect }) };
      const budget = new BudgetCounter({ tokens: 1_000_000 });
      const { asked: proxyRequest } = await new ProxyCharges({ url, budget }).admit(request, never);
      return { sent: proxyRequest.body, tokens: budget.tokens };
    };
    expect((await limits('https://api.openai.com/v1', undefined)).sent).toMatchObject({ max_completion_tokens: 1024 });
    expect((await limits('https://api.openai.com/v1', 'responses')).sent).toMatchObject({ max_output_tokens: 1024 });
    expect((await limits('https://api.anthropic.com/v1', 'messages')).sent).toMatchObject({ max_tokens: 1024 });
    expect((await limits('http://x/v1', 'gemini')).sent).toMatchObject({ generationConfig: { maxOutputTokens: 1024 } });
    const [item, four] = [await limits('http://x/v1', undefined), await limits('http://x/v1', undefined, { n: 4 })];
    expect(four.tokens - item.tokens).toBeGreaterThanOrEqual(3 * 1024);
  });

  it('is counted for characters that a local model plays', async () => {
    const budget = new BudgetCounter({ calls: 1 });
    const url = await open([], { budget, local: { cwd: '/nowhere', model: 'fake' } });
    const spoken = { model: 'persona/innkeeper', messages: [{ role: 'user' as const, content: 'hello' }] };
    await client(url).chat.completions.create(spoken);
    expect(budget.calls).toBe(1);
    await expect(client(url).chat.completions.create(spoken)).rejects.toMatchObject({ status: 429, code: 'insufficient_quota' });
  });

  it('uses a price only at the address of its provider', () => {
    const cost = (url: string, model: string) => {
      const request = { ...readAsked('chat', ask), model };
      const call = {
        model,
        prompt: request.prompt,
        text: '',
        finish: 'stop',
        usage: { promptTokens: 1e6, completionTokens: 0 },
        cost: null,
      } as const;
      return new ProxyCharges({ url }).priced([call], request)[0]?.cost;
    };
    expect(cost('https://api.openai.com/v1', 'gpt-4.1')).toBe(2);
    expect(cost('http://localhost:8000/v1', 'gpt-4.1')).toBeNull();
  });
});
