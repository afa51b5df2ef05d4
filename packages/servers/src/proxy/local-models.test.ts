import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { relay } from '@ludus-agents/environments/internal/relay';
import { nameOf } from '@ludus-agents/kernel/internal/core/index';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { memoryStore } from '@ludus-agents/store/internal/memory';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { amount } from '../../../../test/fixtures/amount.ts';
import { delta, ending, json, stream, whole } from '../../../../test/fixtures/scripted-server.ts';
import { actionsIn, ask, awaitRecords, client, closeProxy, desk, open, post } from './proxy.cases.ts';

afterEach(closeProxy);

describe('models of this process', () => {
  it('are listed with those of the server, and characters answer with their scripted lines', async () => {
    const url = await open([json(200, { object: 'list', data: [{ id: 'policy', object: 'model' }] })]);
    const openai = client(url);
    const names = (await Array.fromAsync(await openai.models.list())).map(({ id }) => id);
    expect(names).toEqual(expect.arrayContaining(['policy', 'persona/innkeeper', 'persona/villain']));
    expect((await openai.models.retrieve('persona/innkeeper')).owned_by).toBe('ludus');
    const answer = await openai.chat.completions.create({
      model: 'persona/innkeeper',
      messages: [{ role: 'user', content: 'What do you pour here?' }],
    });
    const text = answer.choices[0]?.message.content as string;
    expect(text.length).toBeGreaterThan(0);
    let streamed = '';
    for await (const chunk of await openai.chat.completions.create({
      model: 'persona/innkeeper',
      messages: [{ role: 'user', content: 'What do you pour here?' }],
      stream: true,
    }))
      streamed += chunk.choices[0]?.delta.content ?? '';
    expect(streamed).toBe(text);
    const responses = openai.responses.stream({ model: 'persona/innkeeper', input: 'What do you pour here?' });
    expect(await responses.finalResponse()).toMatchObject({ status: 'completed', output_text: text });
    expect((await awaitRecords()).every((log) => replay(relay, log) === null)).toBe(true);
    expect(desk.upstream?.seen.every(({ url: path }) => path.endsWith('/models'))).toBe(true);
  });

  it('are played by the named model', async () => {
    const { fakeModel } = await import('@ludus-agents/agents/internal/models/fake');
    const model = fakeModel({ id: 'fake', answers: (prompt) => `I am ${/Cassian/.test(JSON.stringify(prompt)) ? 'Cassian' : 'nobody'}.` });
    const url = await open([whole('')], { local: { cwd: '/nowhere', model: 'fake', services: { model: async () => model } } });
    const answer = await client(url).chat.completions.create({
      model: 'persona/villain',
      messages: [{ role: 'user', content: 'Who are you?' }],
    });
    expect(answer.choices[0]?.message.content).toContain('Cassian');
    expect(answer.usage?.prompt_tokens).toBeGreaterThan(20);
  });

  it('answer under their configured names, with enforced choices and no call to the server', async () => {
    const { fakeModel } = await import('@ludus-agents/agents/internal/models/fake');
    const requests: unknown[] = [];
    const model = fakeModel({ id: 'fake', answers: () => 'I bet.' });
    const saved = {
      ...model,
      complete: (...words: Parameters<typeof model.complete>) => {
        requests.push(words[1].choices);
        return model.complete(...words);
      },
    };
    const named = 'tinker:http://127.0.0.1:8000#tiny';
    const local = { cwd: '/nowhere', models: [named], services: { model: async () => saved } };
    const url = await open([json(200, { object: 'list', data: [] })], { local });
    const openai = client(url);
    expect((await Array.fromAsync(await openai.models.list())).map(({ id }) => id)).toContain(named);
    const chat = (more: object) => openai.chat.completions.create({ messages: ask.messages, model: named, ...more });
    const answer = await chat({ structured_outputs: { choice: ['[bet]', '[check]'] } });
    expect(answer).toMatchObject({ model: named, choices: [{ message: { content: 'I bet.' } }] });
    await chat({});
    expect(requests).toEqual([['[bet]', '[check]'], undefined]);
    expect(desk.upstream?.seen.every(({ url: path }) => path.endsWith('/models'))).toBe(true);
    // A name that was not given is not loaded, whatever it names.
    await openai.chat.completions.create({ ...ask, model: 'gguf:/etc/passwd' }).catch(() => null);
    expect(requests).toHaveLength(2);
  });

  it('return one answer per call, and reject requests for several', async () => {
    const url = await open([]);
    const apiPromise = client(url).chat.completions.create({ ...ask, model: 'persona/innkeeper', n: 2 });
    await expect(apiPromise).rejects.toThrow(
      '400 A model of this server returns one answer per call, but 2 were requested. Call it again for another.',
    );
  });

  it('are rejected with an explanation if unknown', async () => {
    const url = await open([whole('')]);
    await expect(client(url).chat.completions.create({ ...ask, model: 'persona/nobody' })).rejects.toThrow('Unknown character "nobody"');
    await expect(client(url).chat.completions.create({ ...ask, model: 'local/none@best' })).rejects.toThrow('No training run at');
  });
});

describe('many calls', () => {
  it('in parallel keep their logs complete', async () => {
    const url = await open([stream([delta('one '), delta('two'), ending])]);
    const openai = client(url);
    await Promise.all(
      Array.from({ length: 60 }, async (_, i) => {
        const headers = { 'x-ludus-episode': `e${i % 6}`, 'x-ludus-seat': `s${i % 2}`, 'x-ludus-seats': 's0,s1' };
        for await (const __ of await openai.chat.completions.create({ ...ask, stream: true }, { headers }));
      }),
    );
    const logs = await awaitRecords();
    expect(logs).toHaveLength(6);
    for (const log of logs) {
      expect(replay(relay, log)).toBeNull();
      expect(actionsIn(log)).toHaveLength(10);
      expect(actionsIn(log).every(({ action }) => action.text === 'one two')).toBe(true);
    }
    expect(nameOf(relay)).toBe('relay');
  });

  it('streamed in sequence leak no memory', async () => {
    // A store that forgets, so that what stays is the door's own.
    const forgetful = Object.assign(memoryStore(), { append: async () => {}, episode: async () => null });
    const url = await open([stream([delta('one '), delta('two'), ending])], { store: forgetful });
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const one = async (episode: number) => {
      const answer = await post(`${url}/r/m/e/${episode}/v1/chat/completions`, JSON.stringify({ ...ask, stream: true }));
      expect(await answer.text()).toContain('[DONE]');
      await post(`${url}/r/m/e/${episode}/end`, '');
    };
    const made = async (rounds: number) => {
      for (let i = 0; i < rounds; i++) await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map((seat) => one(8 * i + seat)));
      desk.upstream?.seen.splice(0);
      collect();
      return process.memoryUsage().heapUsed / 2 ** 20;
    };
    const before = await made(amount(5, 15));
    // Ten kilobytes for each of 320 calls, or forty for each of 80, would be seen.
    expect((await made(amount(10, 40))) - before).toBeLessThan(3);
    expect(desk.recorder.size).toBe(0);
  });

  it('leave no abandoned episode open', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    const url = await open([whole('hi')], { idleSeconds: 20 });
    await client(url).chat.completions.create(ask);
    expect(desk.recorder.size).toBe(1);
    await vi.advanceTimersByTimeAsync(60_000);
    vi.useRealTimers();
    await expect.poll(() => desk.recorder.size).toBe(0);
    expect((await desk.store.episodes())[0]?.status).toBe('over');
  });
});
