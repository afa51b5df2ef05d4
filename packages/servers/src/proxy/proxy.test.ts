import { bodyOf as wireBody } from '@ludus-agents/agents/internal/models/openai.wire';
import { relay } from '@ludus-agents/environments/internal/relay';
import { RelayEpisode } from '@ludus-agents/evaluation/internal/conversations/relay-episode';
import type { ActionEvent, EpisodeEvent, Json, ModelCall } from '@ludus-agents/kernel/internal/core/index';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { choose, formats, plays } from '@ludus-agents/store/internal/exports/index';
import { chatsOf } from '@ludus-agents/store/internal/exports/words';
import { afterEach, describe, expect, it } from 'vitest';
import { delta, ending, json, type ScriptedServer, stream, whole } from '../../../../test/fixtures/scripted-server.ts';
import { serve } from '../app.ts';
import { actionsIn, ask, awaitRecords, callsIn, client, closeProxy, desk, open, post, withTokens } from './proxy.cases.ts';
import { promptHash, proxyRoutes } from './routes.ts';
import { readAsked } from './wire.ts';

afterEach(closeProxy);

describe('a proxied call', () => {
  it('is forwarded and recorded with its tokens, and the caller sees only the requested fields', async () => {
    const url = await open([withTokens]);
    const answer = await client(url, '/r/exp/e/one/s/seller/v1').chat.completions.create({ ...ask, temperature: 0.5 });
    expect(answer.choices[0]?.message.content).toBe('hi');
    expect(answer.choices[0]?.logprobs).toBeNull();
    expect(answer.choices[0]).not.toHaveProperty('token_ids');
    expect(desk.upstream?.seen[0]?.body).toMatchObject({ model: 'policy', temperature: 0.5, logprobs: true, return_token_ids: true });
    expect(desk.upstream?.seen[0]?.headers.authorization).toBe('Bearer sk-upstream');
    const [log] = await awaitRecords();
    expect(replay(relay, log as readonly EpisodeEvent[])).toBeNull();
    const [call] = callsIn(log as readonly EpisodeEvent[], 'seller');
    expect(call).toMatchObject({
      model: `${desk.upstream?.url}#policy`,
      text: 'hi',
      tokenIds: [10, 11],
      logprobs: [-0.1, -0.2],
      usage: { promptTokens: 3, completionTokens: 2 },
    });
    expect(await desk.store.episode('exp.one')).toMatchObject({
      run: 'exp',
      environment: 'relay@1',
      status: 'over',
      cast: { world: 'proxy', seller: 'policy' },
    });
    expect(await desk.store.run('exp')).toMatchObject({ work: { kind: 'proxy', upstream: desk.upstream?.url } });
  });

  it('returns token ids and log probabilities on request', async () => {
    const url = await open([withTokens]);
    const answer = await client(url).chat.completions.create({ ...ask, logprobs: true, ...({ return_token_ids: true } as object) });
    expect(answer.choices[0]?.logprobs?.content?.map(({ logprob }) => logprob)).toEqual([-0.1, -0.2]);
    expect(answer.choices[0]).toMatchObject({ token_ids: [10, 11] });
  });

  it('streams in pieces and is recorded as one call', async () => {
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
    expect(desk.upstream?.seen[0]?.body).toMatchObject({ stream_options: { include_usage: true } });
    const [log] = await awaitRecords();
    expect(callsIn(log as readonly EpisodeEvent[])[0]).toMatchObject({
      text: 'Hello you',
      finish: 'stop',
      usage: { promptTokens: 7, completionTokens: 2 },
    });
  });

  it('shows the usage of a stream on request', async () => {
    const url = await open([stream([delta('a'), 'data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2}}\n\n', ending])]);
    const observations: unknown[] = [];
    for await (const chunk of await client(url).chat.completions.create({ ...ask, stream: true, stream_options: { include_usage: true } }))
      observations.push(chunk.usage);
    expect(observations).toContainEqual({ prompt_tokens: 7, completion_tokens: 2 });
  });

  const tools = [{ type: 'function' as const, function: { name: 'find', description: 'Finds.', parameters: { type: 'object' } } }];

  it('can call tools, and the conversation continues in the same episode', async () => {
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
    const [log] = await awaitRecords();
    expect(replay(relay, log as readonly EpisodeEvent[])).toBeNull();
    const observations = (log as readonly EpisodeEvent[]).flatMap((event) =>
      event.kind === 'message' && event.to.includes('player') ? [event.text] : [],
    );
    expect(observations).toEqual(['hello', 'shelf']);
    expect(chatsOf({ events: log as readonly EpisodeEvent[] }, 'player').map(({ mask }) => mask)).toEqual([[0, 1, 0, 1]]);
    expect(callsIn(log as readonly EpisodeEvent[])[0]).toMatchObject({
      finish: 'tool',
      toolCalls: [{ id: 'c1', name: 'find', arguments: { what: 'it' } }],
    });
  });

  it('can stream its tool calls', async () => {
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
    const [log] = await awaitRecords();
    expect(actionsIn(log as readonly EpisodeEvent[])[0]?.calls?.[0]?.toolCalls).toEqual([{ id: 'c', name: 'find', arguments: { a: 1 } }]);
  });

  it('with several choices is recorded as several calls of one action', async () => {
    const choice = (index: number, content: string) => ({ index, message: { role: 'assistant', content }, finish_reason: 'stop' });
    const url = await open([json(200, { choices: [choice(0, 'a'), choice(1, 'b')], usage: { prompt_tokens: 1, completion_tokens: 2 } })]);
    await client(url).chat.completions.create({ ...ask, n: 2 });
    const [log] = await awaitRecords();
    const calls = callsIn(log as readonly EpisodeEvent[]);
    expect(calls.map(({ text, usage }) => [text, usage.completionTokens])).toEqual([
      ['a', 2],
      ['b', 0],
    ]);
  });

  it('can be a plain completion', async () => {
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
    expect(desk.upstream?.seen[0]).toMatchObject({ url: '/v1/completions', body: { logprobs: 0 } });
    const [log] = await awaitRecords();
    expect(callsIn(log as readonly EpisodeEvent[])[0]).toMatchObject({ text: ' world', finish: 'length', tokenIds: [5], logprobs: [-0.5] });
  });

  it('is retried without a field that the server rejects, which is then no longer sent', async () => {
    const refusal = json(400, { error: { message: 'unknown field return_token_ids' } });
    const url = await open([refusal, whole('one'), whole('two')]);
    await client(url).chat.completions.create(ask);
    await client(url).chat.completions.create(ask);
    expect(desk.upstream?.seen.map(({ body }) => 'return_token_ids' in body)).toEqual([true, false, false]);
  });
});

describe('the episode of a call', () => {
  it('is given by path, headers, or key', async () => {
    const url = await open([whole('hi')]);
    await client(url, '/r/run/e/path/s/a/v1').chat.completions.create(ask);
    const headers = { 'x-ludus-run': 'run', 'x-ludus-episode': 'header', 'x-ludus-seat': 'b', 'x-ludus-agent': 'my agent' };
    await client(url).chat.completions.create(ask, { headers });
    const { response } = await client(url, '/v1', 'ludus:run/key/c').chat.completions.create(ask).withResponse();
    expect([response.headers.get('x-ludus-run'), response.headers.get('x-ludus-episode')]).toEqual(['run', 'key']);
    await awaitRecords();
    const records = await desk.store.episodes();
    expect(records.map(({ id, run, cast }) => [id, run, ...Object.entries(cast)[1]!]).sort()).toEqual([
      ['run.header', 'run', 'b', 'my agent'],
      ['run.key', 'run', 'c', 'policy'],
      ['run.path', 'run', 'a', 'policy'],
    ]);
  });

  it('is found by the previous messages otherwise', async () => {
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
    const place = { 'x-ludus-run': 'proxy', 'x-ludus-episode': ids[2]! };
    await openai.chat.completions.create(ask, { headers: place });
    expect((await awaitRecords()).map((log) => callsIn(log).length)).toEqual([2, 2]);
  });

  it('can have several seats with separate messages', async () => {
    const url = await open([whole('from the buyer'), whole('from the seller')]);
    const headers = { 'x-ludus-seats': 'buyer,seller' };
    await client(url, '/r/m/e/1/s/buyer/v1').chat.completions.create(ask, { headers });
    await client(url, '/r/m/e/1/s/seller/v1').chat.completions.create({ ...ask, messages: [{ role: 'user', content: 'from the buyer' }] });
    const ended = await post(`${url}/r/m/e/1/end`, '{"rewards":{"seller":2,"buyer":-1}}');
    expect(await ended.json()).toEqual({ episode: 'm.1', status: 'over', rewards: { seller: 2, buyer: -1 } });
    expect(await desk.store.episode('m.1')).toMatchObject({ status: 'over', returns: { world: 0, buyer: -1, seller: 2 } });
    const reading = { filter: {}, split: { evalShare: 0, seed: 0 } };
    const [play] = await Array.fromAsync(plays(desk.store, await choose(desk.store, {}), reading));
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

  it('rejects further calls when full', async () => {
    const url = await open([whole('hi')]);
    const { carried, events } = RelayEpisode.open({ seats: ['player'], cast: {}, world: 'proxy', about: {}, seed: 0 });
    const log = [...events];
    while (carried.left > 2) log.push(...carried.turn('player', [], { action: { text: '.' } }));
    await desk.store.append('f.1', 0, log, 'f');
    const openai = client(url, '/r/f/e/1/v1');
    expect((await openai.chat.completions.create(ask)).choices).toHaveLength(1);
    await expect.poll(() => openai.chat.completions.create(ask).catch((error: { code: string }) => error.code)).toBe('episode_full');
    await awaitRecords();
    expect(replay(relay, await desk.store.events('f.1'))).toBeNull();
    expect(await desk.store.episode('f.1')).toMatchObject({ status: 'over' });
  });

  it('continues after the proxy was closed and reopened', async () => {
    const url = await open([whole('one'), whole('two')]);
    await client(url, '/r/a/e/b/v1').chat.completions.create(ask);
    // Another recorder on the same store, as after a crash: the first one never ends its episodes.
    await expect.poll(async () => callsIn(await desk.store.events('a.b'))).toHaveLength(1);
    const proxy = proxyRoutes({ store: desk.store, local: { cwd: '/nowhere' }, upstream: { url: (desk.upstream as ScriptedServer).url } });
    const second = await serve({ routes: proxy.routes, noToken: true });
    const messages = [...ask.messages, { role: 'assistant' as const, content: 'one' }, { role: 'user' as const, content: 'next' }];
    await client(second.url, '/r/a/e/b/v1').chat.completions.create({ ...ask, messages });
    await second.close();
    const log = await desk.store.events('a.b');
    expect(replay(relay, log)).toBeNull();
    expect(callsIn(log).map(({ text }) => text)).toEqual(['one', 'two']);
    const observations = log.flatMap((event) => (event.kind === 'message' && event.to.includes('player') ? [event.text] : []));
    expect(observations).toEqual(['hello', 'next']);
  });
});

describe('a recorded call', () => {
  it('renders to the same prompt, by hash', async () => {
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
    const [log] = await awaitRecords();
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
