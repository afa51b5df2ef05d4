/** @file The recording door, called by the official client: what goes through it, what is kept, and what goes wrong without harm. */

import type { ServerResponse } from 'node:http';
import OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import {
  delta,
  ending,
  json,
  type Move,
  type ScriptedServer,
  scriptedServer,
  stream,
  whole,
} from '../../../test/fixtures/scripted-server.ts';
import { Carried } from '../../company/carried.ts';
import { type ActionEvent, type EpisodeEvent, type Json, type ModelCall, nameOf, type Store } from '../../core/index.ts';
import { replay } from '../../engine/replay.ts';
import { relay } from '../../environments/relay.ts';
import { bodyOf as wireBody } from '../../models/openai.wire.ts';
import { choose, formats, plays } from '../../store/exports/index.ts';
import { chatsOf } from '../../store/exports/words.ts';
import { memoryStore } from '../../store/memory.ts';
import { type Serving, serve } from '../app.ts';
import { type ProxyOptions, promptHash, proxyDoors } from './door.ts';
import { readAsked } from './wire.ts';

let upstream: ScriptedServer | undefined;
let serving: Serving | undefined;
let store: Store;
let recorder: ReturnType<typeof proxyDoors>['recorder'];

afterEach(async () => {
  await serving?.close();
  await upstream?.close();
  serving = undefined;
  upstream = undefined;
});

/** A proxy in front of a server that does what it is told. */
async function open(moves: readonly Move[], options: Partial<ProxyOptions> & { tokens?: boolean; most?: number } = {}): Promise<string> {
  store = memoryStore();
  upstream = await scriptedServer(...moves);
  const { tokens, most, ...rest } = options;
  const behind = { url: upstream.url, keyFrom: 'KEY', env: { KEY: 'sk-upstream' }, ...(tokens === undefined ? {} : { tokens }) };
  const proxy = proxyDoors({ store, house: { cwd: '/nowhere' }, upstream: behind, ...rest });
  recorder = proxy.recorder;
  serving = await serve({ doors: proxy.doors, ...(most === undefined ? {} : { most }) });
  return serving.url;
}

const client = (url: string, path = '/v1', key = 'anything') => new OpenAI({ baseURL: `${url}${path}`, apiKey: key, maxRetries: 0 });
const ask = { model: 'policy', messages: [{ role: 'user' as const, content: 'hello' }] };
const withTokens = whole('hi', {
  token_ids: [10, 11],
  logprobs: {
    content: [
      { token: 'h', logprob: -0.1 },
      { token: 'i', logprob: -0.2 },
    ],
  },
});

/** Waits until everything is on record. */
async function settled(): Promise<readonly (readonly EpisodeEvent[])[]> {
  await recorder.close();
  return Promise.all((await store.episodes()).toReversed().map(({ id }) => store.events(id)));
}

const callsIn = (log: readonly EpisodeEvent[], seat = 'player'): readonly ModelCall[] =>
  log.flatMap((event) => (event.kind === 'action' && event.seat === seat ? (event.calls ?? []) : []));
const actionsIn = (log: readonly EpisodeEvent[]) =>
  log.filter((event): event is ActionEvent => event.kind === 'action' && event.seat !== 'world');

/** Waits until more can be written, or nobody reads any more. */
const drained = (response: ServerResponse) =>
  new Promise<void>((resolve) => {
    const go = () => {
      for (const name of ['drain', 'close']) response.off(name, go);
      resolve();
    };
    for (const name of ['drain', 'close']) response.once(name, go);
  });

/** Posts raw text. */
const post = (url: string, body: string, headers: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });

describe('a call', () => {
  it('goes through, is recorded with its tokens, and shows the caller only what it asked for', async () => {
    const url = await open([withTokens]);
    const answer = await client(url, '/r/exp/e/one/s/seller/v1').chat.completions.create({ ...ask, temperature: 0.5 });
    expect(answer.choices[0]?.message.content).toBe('hi');
    expect(answer.choices[0]?.logprobs).toBeNull();
    expect(answer.choices[0]).not.toHaveProperty('token_ids');
    expect(upstream?.seen[0]?.body).toMatchObject({ model: 'policy', temperature: 0.5, logprobs: true, return_token_ids: true });
    expect(upstream?.seen[0]?.headers.authorization).toBe('Bearer sk-upstream');
    const [log] = await settled();
    expect(replay(relay, log as readonly EpisodeEvent[])).toBeNull();
    const [call] = callsIn(log as readonly EpisodeEvent[], 'seller');
    expect(call).toMatchObject({
      model: `${upstream?.url}#policy`,
      text: 'hi',
      tokenIds: [10, 11],
      logprobs: [-0.1, -0.2],
      usage: { promptTokens: 3, completionTokens: 2 },
    });
    expect(await store.episode('exp.one')).toMatchObject({
      run: 'exp',
      environment: 'relay@1',
      status: 'over',
      cast: { world: 'proxy', seller: 'seller' },
    });
    expect(await store.run('exp')).toMatchObject({ work: { kind: 'proxy', upstream: upstream?.url } });
  });

  it('gives token ids and log-probabilities to who asks for them', async () => {
    const url = await open([withTokens]);
    const answer = await client(url).chat.completions.create({ ...ask, logprobs: true, ...({ return_token_ids: true } as object) });
    expect(answer.choices[0]?.logprobs?.content?.map(({ logprob }) => logprob)).toEqual([-0.1, -0.2]);
    expect(answer.choices[0]).toMatchObject({ token_ids: [10, 11] });
  });

  it('streams, piece by piece, and is recorded as one', async () => {
    const usage = 'data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2}}\n\n';
    const [stop, over] = ending.split(/(?=data: \[DONE\])/) as [string, string];
    const url = await open([stream([delta('Hel'), delta('lo '), delta('you'), stop, usage, over])]);
    const pieces: string[] = [];
    for await (const chunk of await client(url).chat.completions.create({ ...ask, stream: true })) {
      // Programs read choices[0] of every chunk: the usage that we asked for must not reach them.
      pieces.push((chunk.choices[0] as { delta: { content?: string } }).delta.content ?? '');
      expect(chunk.usage ?? null).toBeNull();
    }
    expect(pieces.join('')).toBe('Hello you');
    expect(pieces.length).toBeGreaterThan(2);
    expect(upstream?.seen[0]?.body).toMatchObject({ stream_options: { include_usage: true } });
    const [log] = await settled();
    expect(callsIn(log as readonly EpisodeEvent[])[0]).toMatchObject({
      text: 'Hello you',
      finish: 'stop',
      usage: { promptTokens: 7, completionTokens: 2 },
    });
  });

  it('shows the usage of a stream to who asks for it', async () => {
    const url = await open([stream([delta('a'), 'data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2}}\n\n', ending])]);
    const seen: unknown[] = [];
    for await (const chunk of await client(url).chat.completions.create({ ...ask, stream: true, stream_options: { include_usage: true } }))
      seen.push(chunk.usage);
    expect(seen).toContainEqual({ prompt_tokens: 7, completion_tokens: 2 });
  });

  const tools = [{ type: 'function' as const, function: { name: 'find', description: 'Finds.', parameters: { type: 'object' } } }];

  it('may call tools, and the talk goes on in the same episode', async () => {
    const called = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'find', arguments: '{"what": "it"}' } }],
    };
    const url = await open([json(200, { choices: [{ index: 0, message: called, finish_reason: 'tool_calls' }] }), whole('On the shelf.')]);
    const openai = client(url, '/r/t/e/1/v1');
    const first = await openai.chat.completions.create({ ...ask, tools });
    expect(first.choices[0]?.message.tool_calls?.[0]).toMatchObject({ id: 'c1', function: { name: 'find' } });
    const answered = { role: 'tool' as const, tool_call_id: 'c1', content: 'shelf' };
    await openai.chat.completions.create({ ...ask, tools, messages: [...ask.messages, first.choices[0]?.message as never, answered] });
    const [log] = await settled();
    expect(replay(relay, log as readonly EpisodeEvent[])).toBeNull();
    const told = (log as readonly EpisodeEvent[]).flatMap((event) =>
      event.kind === 'message' && event.to.includes('player') ? [event.text] : [],
    );
    expect(told).toEqual(['hello', 'shelf']);
    expect(chatsOf(log as readonly EpisodeEvent[], 'player').map(({ mask }) => mask)).toEqual([[0, 1, 0, 1]]);
    expect(callsIn(log as readonly EpisodeEvent[])[0]).toMatchObject({
      finish: 'tool',
      toolCalls: [{ id: 'c1', name: 'find', arguments: { what: 'it' } }],
    });
  });

  it('may stream its tool calls', async () => {
    const piece = (call: object) =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: null }] })}\n\n`;
    const last = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: [DONE]\n\n';
    const url = await open([
      stream([
        piece({ index: 0, id: 'c', function: { name: 'find', arguments: '{"a"' } }),
        piece({ index: 0, function: { arguments: ':1}' } }),
        last,
      ]),
    ]);
    let text = '';
    for await (const chunk of await client(url).chat.completions.create({ ...ask, tools, stream: true }))
      text += chunk.choices[0]?.delta.tool_calls?.[0]?.function?.arguments ?? '';
    expect(text).toBe('{"a":1}');
    const [log] = await settled();
    expect(actionsIn(log as readonly EpisodeEvent[])[0]?.calls?.[0]?.toolCalls).toEqual([{ id: 'c', name: 'find', arguments: { a: 1 } }]);
  });

  it('with several choices is several calls of one action', async () => {
    const choice = (index: number, content: string) => ({ index, message: { role: 'assistant', content }, finish_reason: 'stop' });
    const url = await open([json(200, { choices: [choice(0, 'a'), choice(1, 'b')], usage: { prompt_tokens: 1, completion_tokens: 2 } })]);
    await client(url).chat.completions.create({ ...ask, n: 2 });
    const [log] = await settled();
    expect(callsIn(log as readonly EpisodeEvent[]).map(({ text }) => text)).toEqual(['a', 'b']);
  });

  it('may be a plain completion', async () => {
    const choice = {
      index: 0,
      text: ' world',
      finish_reason: 'length',
      token_ids: [5],
      logprobs: { tokens: [' world'], token_logprobs: [-0.5] },
    };
    const url = await open([json(200, { choices: [choice], usage: { prompt_tokens: 1, completion_tokens: 1 } })]);
    const answer = await client(url).completions.create({ model: 'policy', prompt: 'hello' });
    expect(answer.choices[0]?.text).toBe(' world');
    expect(upstream?.seen[0]).toMatchObject({ url: '/v1/completions', body: { logprobs: 0 } });
    const [log] = await settled();
    expect(callsIn(log as readonly EpisodeEvent[])[0]).toMatchObject({ text: ' world', finish: 'length', tokenIds: [5], logprobs: [-0.5] });
  });

  it('is asked again without a field that the server does not know, and not with it after that', async () => {
    const refusal = json(400, { error: { message: 'unknown field return_token_ids' } });
    const url = await open([refusal, whole('one'), whole('two')]);
    await client(url).chat.completions.create(ask);
    await client(url).chat.completions.create(ask);
    expect(upstream?.seen.map(({ body }) => 'return_token_ids' in body)).toEqual([true, false, false]);
  });
});

describe('where a call belongs', () => {
  it('is said by path, by headers or by key', async () => {
    const url = await open([whole('hi')]);
    await client(url, '/r/run/e/path/s/a/v1').chat.completions.create(ask);
    const headers = { 'x-ludus-run': 'run', 'x-ludus-episode': 'header', 'x-ludus-seat': 'b' };
    await client(url).chat.completions.create(ask, { headers });
    const { response } = await client(url, '/v1', 'ludus:run/key/c').chat.completions.create(ask).withResponse();
    expect([response.headers.get('x-ludus-run'), response.headers.get('x-ludus-episode')]).toEqual(['run', 'key']);
    await settled();
    const records = await store.episodes();
    expect(records.map(({ id, run, cast }) => [id, run, Object.keys(cast)[1]]).sort()).toEqual([
      ['run.header', 'run', 'b'],
      ['run.key', 'run', 'c'],
      ['run.path', 'run', 'a'],
    ]);
  });

  it('is found by what was said before, where nothing else says it', async () => {
    const url = await open([whole('hi')]);
    const openai = client(url);
    const second = [...ask.messages, { role: 'assistant' as const, content: 'hi' }, { role: 'user' as const, content: 'more' }];
    const [a, b, c] = [
      await openai.chat.completions.create(ask).withResponse(),
      await openai.chat.completions.create({ ...ask, messages: second }).withResponse(),
      await openai.chat.completions.create({ ...ask, messages: [{ role: 'user', content: 'other' }] }).withResponse(),
    ];
    const ids = [a, b, c].map(({ response }) => response.headers.get('x-ludus-episode'));
    expect(ids[1]).toBe(ids[0]);
    expect(ids[2]).not.toBe(ids[0]);
    // What the answer says of its place puts any other call there, too.
    const place = { 'x-ludus-run': 'proxy', 'x-ludus-episode': ids[2] as string };
    await openai.chat.completions.create(ask, { headers: place });
    expect((await settled()).map((log) => callsIn(log).length)).toEqual([2, 2]);
  });

  it('can be one of several seats, whose words stay apart', async () => {
    const url = await open([whole('from the buyer'), whole('from the seller')]);
    const headers = { 'x-ludus-seats': 'buyer,seller' };
    await client(url, '/r/m/e/1/s/buyer/v1').chat.completions.create(ask, { headers });
    await client(url, '/r/m/e/1/s/seller/v1').chat.completions.create({ ...ask, messages: [{ role: 'user', content: 'from the buyer' }] });
    const ended = await post(`${url}/r/m/e/1/end`, '{"rewards":{"seller":2,"buyer":-1}}');
    expect(await ended.json()).toEqual({ episode: 'm.1', status: 'over', rewards: { seller: 2, buyer: -1 } });
    expect(await store.episode('m.1')).toMatchObject({ status: 'over', returns: { world: 0, buyer: -1, seller: 2 } });
    const reading = { filter: {}, split: { evalShare: 0, seed: 0 } };
    const [play] = await Array.fromAsync(plays(store, await choose(store, {}), reading));
    const rows = [
      ...((formats['openai']?.open()[0]?.rows(play as never, () => {}) ?? []) as Iterable<{
        messages: { content: string }[];
        mask: number[];
        reward: number;
      }>),
    ];
    expect(rows.map(({ messages, mask, reward }) => [messages.map(({ content }) => content), mask, reward])).toEqual([
      [['hello', 'from the buyer'], [0, 1], -1],
      [['from the buyer', 'from the seller'], [0, 1], 2],
    ]);
    expect((await post(`${url}/r/m/e/1/end`, '')).status).toBe(409);
    expect((await post(`${url}/r/m/e/1/s/buyer/v1/chat/completions`, JSON.stringify(ask))).status).toBe(409);
  });

  it('is refused where an episode is full', async () => {
    const url = await open([whole('hi')]);
    const { carried, events } = Carried.open({ seats: ['player'], cast: {}, world: 'proxy', about: {}, seed: 0 });
    const log = [...events];
    while (carried.left > 2) log.push(...carried.turn('player', [], { action: { text: '.' } }));
    await store.append('f.1', 0, log, 'f');
    const openai = client(url, '/r/f/e/1/v1');
    expect((await openai.chat.completions.create(ask)).choices).toHaveLength(1);
    await expect.poll(() => openai.chat.completions.create(ask).catch((error: { code: string }) => error.code)).toBe('episode_full');
    await settled();
    expect(replay(relay, await store.events('f.1'))).toBeNull();
    expect(await store.episode('f.1')).toMatchObject({ status: 'over' });
  });

  it('goes on after the door was closed and opened again', async () => {
    const url = await open([whole('one'), whole('two')]);
    await client(url, '/r/a/e/b/v1').chat.completions.create(ask);
    // Another recorder on the same store, as after a crash: the first one never ends its episodes.
    await expect.poll(async () => callsIn(await store.events('a.b'))).toHaveLength(1);
    const proxy = proxyDoors({ store, house: { cwd: '/nowhere' }, upstream: { url: (upstream as ScriptedServer).url } });
    const second = await serve({ doors: proxy.doors });
    const messages = [...ask.messages, { role: 'assistant' as const, content: 'one' }, { role: 'user' as const, content: 'next' }];
    await client(second.url, '/r/a/e/b/v1').chat.completions.create({ ...ask, messages });
    await second.close();
    const log = await store.events('a.b');
    expect(replay(relay, log)).toBeNull();
    expect(callsIn(log).map(({ text }) => text)).toEqual(['one', 'two']);
    const told = log.flatMap((event) => (event.kind === 'message' && event.to.includes('player') ? [event.text] : []));
    expect(told).toEqual(['hello', 'next']);
  });
});

describe('a recorded call', () => {
  it('rendered again has the same prompt, to the hash', async () => {
    const url = await open([whole('fine')]);
    const messages = [
      { role: 'system', content: 'Be kind.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'two ' },
          { type: 'text', text: 'parts' },
        ],
      },
      { role: 'assistant', content: null, tool_calls: [{ id: 'x', type: 'function', function: { name: 'find', arguments: '{"a": 1}' } }] },
      { role: 'tool', tool_call_id: 'x', content: 'ü\n"quoted"' },
      {
        role: 'assistant',
        content: 'so',
        tool_calls: [{ id: 'y', type: 'function', function: { name: 'find', arguments: '{"b":[1,null]}' } }],
      },
      { role: 'tool', tool_call_id: 'y', content: '' },
      { role: 'user', content: 'and?' },
    ];
    const tools = [
      { type: 'function', function: { name: 'find', description: 'Finds.', parameters: { type: 'object', properties: { a: {} } } } },
    ];
    const answer = await post(`${url}/r/h/e/1/v1/chat/completions`, JSON.stringify({ model: 'policy', messages, tools }));
    expect(answer.status).toBe(200);
    const [log] = await settled();
    const [action] = actionsIn(log as readonly EpisodeEvent[]) as [ActionEvent];
    const recorded = (action.action.data as { promptHash: string }).promptHash;
    const call = action.calls?.[0] as ModelCall;
    expect(promptHash(call.prompt as unknown as Json)).toBe(recorded);
    const body = wireBody('policy', { prompt: call.prompt, sampling: {}, streamed: false });
    expect(promptHash(readAsked('chat', body).prompt as unknown as Json)).toBe(recorded);
    // To the byte, where it was one text: calls with their blanks, and tools.
    const rendered = body['messages'] as { content: unknown; tool_calls?: unknown }[];
    expect(rendered.slice(3)).toEqual(messages.slice(3));
    expect(rendered[2]?.tool_calls).toEqual(messages[2]?.tool_calls);
    expect(body['tools']).toEqual(tools);
    // And another prompt has another.
    expect(promptHash({ messages: call.prompt.messages.slice(1) } as unknown as Json)).not.toBe(recorded);
  });
});

describe('models of the house', () => {
  it('are listed beside those of the server, and characters answer in their own words', async () => {
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
    expect((await settled()).every((log) => replay(relay, log) === null)).toBe(true);
    expect(upstream?.seen.every(({ url: path }) => path.endsWith('/models'))).toBe(true);
  });

  it('are played by a model where one is named', async () => {
    const { fakeModel } = await import('../../models/fake.ts');
    const model = fakeModel({ id: 'fake', answers: (prompt) => `I am ${/Cassian/.test(JSON.stringify(prompt)) ? 'Cassian' : 'nobody'}.` });
    const url = await open([whole('')], { house: { cwd: '/nowhere', model: 'fake', hands: { model: async () => model } } });
    const answer = await client(url).chat.completions.create({
      model: 'persona/villain',
      messages: [{ role: 'user', content: 'Who are you?' }],
    });
    expect(answer.choices[0]?.message.content).toContain('Cassian');
    expect(answer.usage?.prompt_tokens).toBeGreaterThan(20);
  });

  it('that are not there are refused in a sentence', async () => {
    const url = await open([whole('')]);
    await expect(client(url).chat.completions.create({ ...ask, model: 'persona/nobody' })).rejects.toThrow(
      'There is no character "nobody"',
    );
    await expect(client(url).chat.completions.create({ ...ask, model: 'local/none@best' })).rejects.toThrow('There is no training run');
  });
});

describe('what goes wrong', () => {
  const path = '/v1/chat/completions';

  it.each([
    ['', 'The body must be JSON'],
    ['[]', '"body" must be an object'],
    ['{}', '"model" must be the name of a model, but is missing.'],
    ['{"model":5}', '"model" must be the name of a model, but came as 5.'],
    ['{"model":"m"}', '"messages" must be a list of messages, but is missing.'],
    ['{"model":"m","messages":[]}', '"messages" must be a list of messages'],
    ['{"model":"m","messages":[{"role":"ghost"}]}', '"messages[0].role" must be one of'],
    ['{"model":"m","messages":[{"role":"user"}]}', '"messages[0].content" must be a text, but is missing.'],
    ['{"model":"m","messages":[{"role":"user","content":5}]}', '"messages[0].content" must be a text or a list of parts'],
    ['{"model":"m","messages":[{"role":"user","content":"x"}],"stream":"yes"}', '"stream" must be true or false'],
    ['{"model":"m","messages":[{"role":"user","content":"x"}],"temperature":"hot"}', '"temperature" must be a number'],
    ['{"model":"m","messages":[{"role":"user","content":"x"}],"tools":[{}]}', '"tools[0].function.name" must be the name'],
  ])('%j is refused before anybody is asked', async (body, sentence) => {
    const url = await open([whole('hi')]);
    const answer = await post(url + path, body);
    expect(answer.status).toBe(400);
    const { error } = (await answer.json()) as { error: { message: string; type: string } };
    expect(error.message).toContain(sentence);
    expect(error.type).toBe('invalid_request_error');
    expect(upstream?.seen).toEqual([]);
    expect(await store.episodes()).toEqual([]);
  });

  it('bad names, unknown seats and paths are refused', async () => {
    const url = await open([whole('hi')]);
    const said = async (at: string, headers = {}) => {
      const answer = await post(url + at, JSON.stringify(ask), headers);
      return [answer.status, ((await answer.json()) as { error: { message: string } }).error.message] as const;
    };
    expect(await said('/r/x/e/1/s/world/v1/chat/completions')).toEqual([400, expect.stringContaining('The name of a seat')]);
    expect(await said(path, { 'x-ludus-run': 'a b' })).toEqual([400, expect.stringContaining('The name of a run')]);
    expect(await said('/v1/embeddings')).toEqual([404, expect.stringContaining('There is no POST /v1/embeddings here')]);
    await client(url, '/r/x/e/1/s/a/v1').chat.completions.create(ask);
    expect(await said('/r/x/e/1/s/b/v1/chat/completions')).toEqual([409, expect.stringContaining('was opened with the seats a, not "b"')]);
    expect(await said('/r/x/e/2/end')).toEqual([404, 'There is no episode x.2.']);
    const paid = await post(`${url}/r/x/e/1/end`, '{"rewards":{"a":"much"}}');
    expect([paid.status, ((await paid.json()) as { error: { message: string } }).error.message]).toEqual([
      400,
      expect.stringContaining('must be numbers by seat'),
    ]);
  });

  it('a body that is too large is refused', async () => {
    const url = await open([whole('hi')], { most: 1000 });
    const answer = await post(url + path, JSON.stringify({ ...ask, messages: [{ role: 'user', content: 'x'.repeat(2000) }] }));
    expect(answer.status).toBe(413);
    expect(upstream?.seen).toEqual([]);
  });

  it('a server’s refusal reaches the caller as it is, and is a note in the log', async () => {
    const url = await open([
      json(429, { error: { message: 'slow down', code: 'rate_limit_exceeded' } }, { 'retry-after': '7' }),
      whole('hi'),
    ]);
    const openai = client(url, '/r/f/e/1/v1');
    await expect(openai.chat.completions.create(ask)).rejects.toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
    await openai.chat.completions.create(ask);
    const [log] = await settled();
    expect(replay(relay, log as readonly EpisodeEvent[])).toBeNull();
    expect((log as readonly EpisodeEvent[]).filter((event) => event.kind === 'message' && event.to.length === 0)).toMatchObject([
      { text: 'A call of player failed: slow down' },
    ]);
    expect(callsIn(log as readonly EpisodeEvent[])).toHaveLength(1);
  });

  it('a server that is not there is a 502 with a sentence', async () => {
    const url = await open([whole('hi')]);
    await upstream?.close();
    await expect(client(url).chat.completions.create(ask)).rejects.toMatchObject({ status: 502, code: 'upstream_unreachable' });
  });

  it('a server that sends nonsense is a 502', async () => {
    const url = await open([(response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('<html>')]);
    await expect(client(url).chat.completions.create(ask)).rejects.toMatchObject({ status: 502, code: 'upstream_unreadable' });
  });

  it('a server that dies in the middle ends the stream with the reason, and nothing is recorded as said', async () => {
    const dying: Move = async (response, _, socket) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(delta('Hel'));
      await new Promise((resolve) => setTimeout(resolve, 20));
      socket.destroy();
    };
    const url = await open([dying, whole('again')]);
    const openai = client(url, '/r/d/e/1/v1');
    const read = async () => {
      for await (const _ of await openai.chat.completions.create({ ...ask, stream: true }));
    };
    await expect(read()).rejects.toThrow('The answer broke off');
    await openai.chat.completions.create(ask);
    const [log] = await settled();
    expect(callsIn(log as readonly EpisodeEvent[]).map(({ text }) => text)).toEqual(['again']);
    expect(JSON.stringify(log)).toContain('A call of player failed');
  });

  it('a stream that ends without saying so broke off, too', async () => {
    const url = await open([stream([delta('Hel')])]);
    const read = async () => {
      for await (const _ of await client(url).chat.completions.create({ ...ask, stream: true }));
    };
    await expect(read()).rejects.toThrow('not whole');
  });

  it('a server that falls silent is let go', async () => {
    const url = await open([stream([delta('Hel')], { end: false })], { stallSeconds: 0.2 });
    const read = async () => {
      for await (const _ of await client(url).chat.completions.create({ ...ask, stream: true }));
    };
    await expect(read()).rejects.toThrow('silent');
    await expect.poll(() => upstream?.open()).toBe(0);
  });

  it('a caller that leaves in the middle of a stream takes nobody with it', async () => {
    const url = await open([stream([delta('a'), delta('b')], { end: false }), whole('still here')]);
    const leaving = new AbortController();
    const answer = await fetch(`${url}/r/l/e/1/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ ...ask, stream: true }),
      signal: leaving.signal,
    });
    await answer.body?.getReader().read();
    expect(upstream?.open()).toBe(1);
    leaving.abort();
    // The server is told, so that it need not go on for nobody.
    await expect.poll(() => upstream?.open()).toBe(0);
    await client(url, '/r/l/e/1/v1').chat.completions.create(ask);
    const [log] = await settled();
    expect(callsIn(log as readonly EpisodeEvent[]).map(({ text }) => text)).toEqual(['still here']);
    expect(JSON.stringify(log)).toContain('A call of player failed');
  });

  it('a caller that stops reading is let go, and the server is not read on', async () => {
    const flood: Move = async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const line = delta('x'.repeat(60_000));
      for (let i = 0; i < 2000 && !response.destroyed; i++) if (!response.write(line)) await drained(response);
      response.end();
    };
    const url = await open([flood], { stallSeconds: 0.3 });
    const answer = await fetch(url + path, { method: 'POST', body: JSON.stringify({ ...ask, stream: true }) });
    await answer.body?.getReader().read();
    await expect.poll(() => upstream?.open(), { timeout: 5000 }).toBe(0);
  });

  it('a store that fails stops its episode, and no other call is lost unseen', async () => {
    const url = await open([whole('hi')]);
    const failing = Object.assign(memoryStore(), { append: () => Promise.reject(new Error('the disk is full')) });
    const proxy = proxyDoors({ store: failing, house: { cwd: '/nowhere' }, upstream: { url: (upstream as ScriptedServer).url } });
    const second = await serve({ doors: proxy.doors });
    await client(second.url, '/r/s/e/1/v1').chat.completions.create(ask);
    await expect
      .poll(() =>
        client(second.url, '/r/s/e/1/v1')
          .chat.completions.create(ask)
          .catch((error: Error) => error.message),
      )
      .toContain('the disk is full');
    await second.close();
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });

  it('nobody beyond loopback is served without the token', async () => {
    upstream = await scriptedServer(whole('hi'));
    const proxy = proxyDoors({ store: memoryStore(), house: { cwd: '/nowhere' }, upstream: { url: upstream.url } });
    serving = await serve({ doors: proxy.doors, host: '0.0.0.0', token: 'secret' });
    const url = serving.url.replace('0.0.0.0', '127.0.0.1');
    await expect(client(url).chat.completions.create(ask)).rejects.toMatchObject({ status: 401 });
    expect((await client(url, '/v1', 'secret').chat.completions.create(ask)).choices[0]?.message.content).toBe('hi');
    const routed = new OpenAI({
      baseURL: `${url}/v1`,
      apiKey: 'ludus:a/b/c',
      maxRetries: 0,
      defaultHeaders: { 'x-ludus-token': 'secret' },
    });
    const { response } = await routed.chat.completions.create(ask).withResponse();
    expect(response.headers.get('x-ludus-episode')).toBe('b');
  });
});

describe('many calls', () => {
  it('in parallel keep their logs whole', async () => {
    const url = await open([stream([delta('one '), delta('two'), ending], { milliseconds: 0 })]);
    const openai = client(url);
    await Promise.all(
      Array.from({ length: 60 }, async (_, i) => {
        const headers = { 'x-ludus-episode': `e${i % 6}`, 'x-ludus-seat': `s${i % 2}`, 'x-ludus-seats': 's0,s1' };
        for await (const __ of await openai.chat.completions.create({ ...ask, stream: true }, { headers }));
      }),
    );
    const logs = await settled();
    expect(logs).toHaveLength(6);
    for (const log of logs) {
      expect(replay(relay, log)).toBeNull();
      expect(actionsIn(log)).toHaveLength(10);
      expect(actionsIn(log).every(({ action }) => action.text === 'one two')).toBe(true);
    }
    expect(nameOf(relay)).toBe('relay');
  });

  it('leave no episode open that nobody calls any more', async () => {
    const url = await open([whole('hi')], { idleSeconds: 0.1 });
    await client(url).chat.completions.create(ask);
    expect(recorder.size).toBe(1);
    await expect.poll(() => recorder.size).toBe(0);
    expect((await store.episodes())[0]?.status).toBe('over');
  });
});
