/** @file Failures at the recording endpoint that affect no other caller: bad input, large bodies, slow and leaving callers, servers that die. */

import { relay } from '@ludus-agents/environments/internal/relay';
import type { EpisodeEvent } from '@ludus-agents/kernel/internal/core/index';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { memoryStore } from '@ludus-agents/store/internal/memory';
import OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import { delta, json, type Move, type ScriptedServer, scriptedServer, stream, whole } from '../../../../test/fixtures/scripted-server.ts';
import { turns } from '../../../../test/fixtures/until.ts';
import { serve } from '../app.ts';
import { ask, awaitDrain, awaitRecords, callsIn, client, closeProxy, desk, open, post } from './proxy.cases.ts';
import { proxyRoutes } from './routes.ts';

afterEach(closeProxy);

describe('the proxy on failure', () => {
  const path = '/v1/chat/completions';

  it.each([
    ['', 'The body must be JSON'],
    ['[]', '"body" must be an object'],
    ['{}', '"model" must be the name of a model, but is missing.'],
    ['{"model":5}', '"model" must be the name of a model, but got 5.'],
    ['{"model":"m"}', '"messages" must be a list of messages, but is missing.'],
    ['{"model":"m","messages":[]}', '"messages" must be a list of messages'],
    ['{"model":"m","messages":[{"role":"ghost"}]}', '"messages[0].role" must be one of'],
    ['{"model":"m","messages":[{"role":"user"}]}', '"messages[0].content" must be a string, but is missing.'],
    ['{"model":"m","messages":[{"role":"user","content":5}]}', '"messages[0].content" must be a string or a list of parts,'],
    ['{"model":"m","messages":[{"role":"user","content":"x"}],"stream":"yes"}', '"stream" must be true or false'],
    ['{"model":"m","messages":[{"role":"user","content":"x"}],"temperature":"hot"}', '"temperature" must be a number'],
    ['{"model":"m","messages":[{"role":"user","content":"x"}],"tools":[{}]}', '"tools[0].function.name" must be the name'],
  ])('rejects %j before calling the model server', async (body, sentence) => {
    const url = await open([whole('hi')]);
    const answer = await post(url + path, body);
    expect(answer.status).toBe(400);
    const { error } = (await answer.json()) as { error: { message: string; type: string } };
    expect(error.message).toContain(sentence);
    expect(error.type).toBe('invalid_request_error');
    expect(desk.upstream?.seen).toEqual([]);
    expect(await desk.store.episodes()).toEqual([]);
  });

  it('rejects invalid names, unknown seats, and unknown paths', async () => {
    const url = await open([whole('hi')]);
    const said = async (at: string, headers = {}) => {
      const answer = await post(url + at, JSON.stringify(ask), headers);
      return [answer.status, ((await answer.json()) as { error: { message: string } }).error.message] as const;
    };
    expect(await said('/r/x/e/1/s/world/v1/chat/completions')).toEqual([400, expect.stringContaining('Invalid seat')]);
    expect(await said(path, { 'x-ludus-run': 'a b' })).toEqual([400, expect.stringContaining('Invalid run')]);
    expect(await said('/v1/embeddings')).toEqual([404, expect.stringContaining('Not found: POST /v1/embeddings')]);
    await client(url, '/r/x/e/1/s/a/v1').chat.completions.create(ask);
    expect(await said('/r/x/e/1/s/b/v1/chat/completions')).toEqual([409, expect.stringContaining('was opened with the seats a, not "b"')]);
    expect(await said('/r/x/e/2/end')).toEqual([404, 'Episode x.2 not found.']);
    const response = await post(`${url}/r/x/e/1/end`, '{"rewards":{"a":"much"}}');
    expect([response.status, ((await response.json()) as { error: { message: string } }).error.message]).toEqual([
      400,
      expect.stringContaining('must be numbers by seat'),
    ]);
  });

  it('rejects a body that is too large', async () => {
    const url = await open([whole('hi')], { most: 1000 });
    const answer = await post(url + path, JSON.stringify({ ...ask, messages: [{ role: 'user', content: 'x'.repeat(2000) }] }));
    expect(answer.status).toBe(413);
    expect(desk.upstream?.seen).toEqual([]);
  });

  it('forwards an error of the model server unchanged and notes it in the log', async () => {
    const url = await open([
      json(429, { error: { message: 'slow down', code: 'rate_limit_exceeded' } }, { 'retry-after': '7' }),
      whole('hi'),
    ]);
    const openai = client(url, '/r/f/e/1/v1');
    await expect(openai.chat.completions.create(ask)).rejects.toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
    await openai.chat.completions.create(ask);
    const [log] = await awaitRecords();
    expect(replay(relay, log as readonly EpisodeEvent[])).toBeNull();
    expect((log as readonly EpisodeEvent[]).filter((event) => event.kind === 'message' && event.to.length === 0)).toMatchObject([
      { text: 'A call of player failed: slow down' },
    ]);
    expect(callsIn(log as readonly EpisodeEvent[])).toHaveLength(1);
  });

  it('returns 502 with an explanation if the model server is unreachable', async () => {
    const url = await open([whole('hi')]);
    await desk.upstream?.close();
    await expect(client(url).chat.completions.create(ask)).rejects.toMatchObject({ status: 502, code: 'upstream_unreachable' });
  });

  it('returns 502 if the model server sends nonsense', async () => {
    const url = await open([(response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('<html>')]);
    await expect(client(url).chat.completions.create(ask)).rejects.toMatchObject({ status: 502, code: 'upstream_unreadable' });
  });

  it('ends a stream with the reason if the server dies midway, and records no answer', async () => {
    const dying: Move = async (response, _, socket) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      await new Promise((resolve) => response.write(delta('Hel'), resolve));
      await turns(20);
      socket.destroy();
    };
    const url = await open([dying, whole('again')]);
    const openai = client(url, '/r/d/e/1/v1');
    const read = async () => {
      for await (const _ of await openai.chat.completions.create({ ...ask, stream: true }));
    };
    await expect(read()).rejects.toThrow('The answer broke off');
    await openai.chat.completions.create(ask);
    const [log] = await awaitRecords();
    expect(callsIn(log as readonly EpisodeEvent[]).map(({ text }) => text)).toEqual(['again']);
    expect(JSON.stringify(log)).toContain('A call of player failed');
  });

  it('treats a stream without an end marker as broken off', async () => {
    const url = await open([stream([delta('Hel')])]);
    const read = async () => {
      for await (const _ of await client(url).chat.completions.create({ ...ask, stream: true }));
    };
    await expect(read()).rejects.toThrow('incomplete');
  });

  it('disconnects from a silent model server', async () => {
    const url = await open([stream([delta('Hel')], { end: false })], { stallSeconds: 0.2 });
    const read = async () => {
      for await (const _ of await client(url).chat.completions.create({ ...ask, stream: true }));
    };
    await expect(read()).rejects.toThrow('The answer broke off: the server sent nothing');
    await expect.poll(() => desk.upstream?.open()).toBe(0);
  });

  it('is unaffected by a caller that leaves in the middle of a stream', async () => {
    const url = await open([stream([delta('a'), delta('b')], { end: false }), whole('still here')]);
    const leaving = new AbortController();
    const answer = await fetch(`${url}/r/l/e/1/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ ...ask, stream: true }),
      signal: leaving.signal,
    });
    await answer.body?.getReader().read();
    expect(desk.upstream?.open()).toBe(1);
    leaving.abort();
    // The server is informed, so that it can stop.
    await expect.poll(() => desk.upstream?.open()).toBe(0);
    await client(url, '/r/l/e/1/v1').chat.completions.create(ask);
    const [log] = await awaitRecords();
    expect(callsIn(log as readonly EpisodeEvent[]).map(({ text }) => text)).toEqual(['still here']);
    expect(JSON.stringify(log)).toContain('A call of player failed: the client disconnected');
  });

  it('stops reading from the server when the caller stops reading', async () => {
    const flood: Move = async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const line = delta('x'.repeat(60_000));
      for (let i = 0; i < 2000 && !response.destroyed; i++) if (!response.write(line)) await awaitDrain(response);
      response.end();
    };
    const url = await open([flood], { stallSeconds: 0.3 });
    const answer = await fetch(url + path, { method: 'POST', body: JSON.stringify({ ...ask, stream: true }) });
    await answer.body?.getReader().read();
    await expect.poll(() => desk.upstream?.open()).toBe(0);
  });

  it('stops the episode of a failing store and reports the cause to later calls', async () => {
    const url = await open([whole('hi')]);
    const failing = Object.assign(memoryStore(), { append: () => Promise.reject(new Error('the disk is full')) });
    const proxy = proxyRoutes({ store: failing, local: { cwd: '/nowhere' }, upstream: { url: (desk.upstream as ScriptedServer).url } });
    const second = await serve({ routes: proxy.routes, noToken: true });
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

  it('requires the token beyond loopback', async () => {
    desk.upstream = await scriptedServer(whole('hi'));
    const proxy = proxyRoutes({ store: memoryStore(), local: { cwd: '/nowhere' }, upstream: { url: desk.upstream.url } });
    desk.serving = await serve({ routes: proxy.routes, host: '0.0.0.0', token: 'secret' });
    const url = desk.serving.url.replace('0.0.0.0', '127.0.0.1');
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
