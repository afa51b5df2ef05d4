/** @file Attacks from behind the recording proxy: a model's server that answers with anything. The proxy says what broke, and serves the next call. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { delta, ending, json, type Move } from '../fixtures/scripted-server.ts';
import { type HostileProxy, hostileProxy, pieces, stillRelays } from './upstream.cases.ts';

let proxy: HostileProxy;
beforeAll(async () => {
  proxy = await hostileProxy();
});
afterAll(() => proxy.close());

const event = (data: string) => `data: ${data}\n\n`;
const choice = (fields: object) => event(JSON.stringify({ choices: [fields] }));

/** Each is followed by more, in the same write and in others: nothing may be written to a caller after the end. */
const broken: readonly (readonly [string, string])[] = [
  ['null', event('null')],
  ['a number', event('5')],
  ['a text', event('"x"')],
  ['a list', event('[]')],
  ['invalid JSON', event('{')],
  ['a truncated choice', event('{"choices":[{"index":0,"delta":{"content":"x"}')],
  ['thousands of levels', event('['.repeat(6000))],
  ['a deeply nested field', event(`{"choices":[],"x":${'['.repeat(3000)}${']'.repeat(3000)}}`)],
  ['a choice with a huge number', choice({ index: 2_000_000_000, delta: { content: 'x' } })],
  ['a choice with a negative number', choice({ index: -1, delta: { content: 'x' } })],
  ['a choice with a fractional number', choice({ index: 0.5, delta: { content: 'x' } })],
  ['a tool call with a huge number', choice({ index: 0, delta: { tool_calls: [{ index: 2_000_000_000, function: { name: 'x' } }] } })],
  ['a tool call with a negative number', choice({ index: 0, delta: { tool_calls: [{ index: -1, function: { name: 'x' } }] } })],
  ['an error from the server', event('{"error":{"message":"overloaded"}}')],
];

describe('a stream from a broken or hostile server', () => {
  it.each(broken)('ends with an error, not with [DONE], after %s', async (_, attack) => {
    for (const messages of [
      [attack + attack + delta('late') + ending],
      [attack, attack, delta('late'), ending],
      [delta('a'), attack + ending],
    ]) {
      const { status, text } = await proxy.call(pieces(messages));
      expect(status).toBe(200);
      expect(text).toContain('upstream_broke_off');
      expect(text).not.toContain('[DONE]');
    }
    await stillRelays(proxy);
  });

  it.each([
    ['nothing', []],
    ['only comments', [': hello\n\n', ':\n\n']],
    ['only an end marker', ['data: [DONE]\n\n']],
    ['events without data', ['event: x\n\nid: 5\n\n']],
    ['choices that are null', [event('{"choices":null}'), event('{"choices":null}')]],
    ['no choices', [event('{"choices":[]}')]],
    ['choices without content', [event('{"choices":[null,5,"x"]}')]],
    ['bytes that are not text', [Buffer.from([0xff, 0xfe, 0x00, 0x0a, 0x0a])]],
    ['text without an end', [delta('half')]],
    ['a line without an end', ['data: {"choices":[{"delta":{"content":"']],
  ] as [string, (string | Buffer)[]][])('ends with an error if it contains %s', async (_, messages) => {
    expect((await proxy.call(pieces(messages))).text).toContain('upstream_broke_off');
    await stillRelays(proxy);
  });

  it('is cut off if a line never ends', async () => {
    const endless: Move = async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const gone = new Promise<boolean>((resolve) => response.on('close', () => resolve(true)));
      const piece = Buffer.alloc(2 ** 20, 0x78);
      const write = () => new Promise<boolean>((resolve) => response.write(piece, () => resolve(false)));
      while (!(await Promise.race([gone, write()])));
    };
    expect((await proxy.call(endless)).text).toContain('bytes without ending the event');
    await stillRelays(proxy);
  });

  it('ends with an error when its connection is reset before, during, or after the answer', async () => {
    const before: Move = (_, __, socket) => void socket.resetAndDestroy();
    expect((await proxy.call(before)).status).toBe(502);
    expect((await proxy.call(pieces([delta('a')], true))).text).toContain('upstream_broke_off');
    expect((await proxy.call(pieces([], true))).text).toMatch(/upstream_(broke_off|unreachable)/);
    await stillRelays(proxy);
  });

  it('is not requested again after a reset, because the call would be charged twice', async () => {
    const before = proxy.asked();
    for (let i = 0; i < 20; i++) {
      await stillRelays(proxy);
      expect((await proxy.call(pieces([delta('a')], true))).text).toContain('upstream_broke_off');
    }
    await stillRelays(proxy);
    expect(proxy.asked() - before).toBe(41);
  });

  it('does not affect other calls when its caller disconnects', async () => {
    const left = Promise.withResolvers<void>();
    const stop = new AbortController();
    const talk: Move = (response) => {
      response.on('close', () => left.resolve());
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(delta('first'), () => stop.abort());
    };
    await expect(proxy.call(talk, true, stop.signal)).rejects.toThrow();
    await left.promise;
    await stillRelays(proxy);
  });
});

describe('a whole answer from a broken or hostile server', () => {
  const text =
    (body: string, headers: Record<string, string> = {}): Move =>
    (response) => {
      response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(body);
    };

  it.each([
    ...['', 'null', '5', '[]', '{', '{}', '{"choices":null}', '{"choices":[]}', '{"choices":{}}', '['.repeat(6000), '<html>'],
    ...['{"choices":[{"index":2000000000}]}', '{"choices":[{"message":{"tool_calls":[{"index":2000000000,"function":{"name":"x"}}]}}]}'],
  ])('is reported as unreadable: %j', async (body) => {
    const { status, text: observation } = await proxy.call(text(body), false);
    expect([status, observation]).toEqual([502, expect.stringContaining('upstream_unreadable')]);
    await stillRelays(proxy);
  });

  it('is an error if it breaks off', async () => {
    const torn: Move = (response, _, socket) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"choices":', () => socket.resetAndDestroy());
    };
    expect((await proxy.call(torn, false)).status).toBe(502);
    await stillRelays(proxy);
  });

  it.each([200, 204, 301, 400, 401, 429, 500, 599])('is an error with status %i and an unreadable body', async (status) => {
    const { status: statusCode } = await proxy.call(
      (response) => void response.writeHead(status).end(status === 204 ? undefined : '\u0000'),
      false,
    );
    expect(statusCode).toBeGreaterThanOrEqual(400);
    await stillRelays(proxy);
  });

  it('is passed on if it is valid (control)', async () => {
    const right = json(200, { choices: [{ index: 0, message: { content: 'hi' }, finish_reason: 'stop' }] });
    expect((await proxy.call(right, false)).text).toContain('"hi"');
  });
});

describe('a request to the proxy', () => {
  it.each(['', '{', 'null', '[]', '['.repeat(6000), '{"model":5}', '{"model":"m","messages":null}', '{"model":"m","messages":[null]}'])(
    'is rejected with a body like %j',
    async (body) => {
      for (const path of ['/v1/chat/completions', '/v1/completions', '/r/a/e/1/s/b/v1/chat/completions', '/r/a/e/nowhere/end']) {
        const response = await fetch(`${proxy.serving.url}${path}`, { method: 'POST', body });
        expect([400, 404]).toContain(response.status);
        await response.text();
      }
      await stillRelays(proxy);
    },
  );

  it('keeps deeply nested tool-call arguments as text', async () => {
    const call = { id: 'x', type: 'function', function: { name: 'f', arguments: `${'['.repeat(6000)}${']'.repeat(6000)}` } };
    const messages = [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'x', content: 'b' },
    ];
    await proxy.call(pieces([delta('fine'), ending]));
    const body = JSON.stringify({ model: 'm', stream: true, messages });
    const response = await fetch(`${proxy.serving.url}/v1/chat/completions`, { method: 'POST', body });
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('[DONE]')]);
    await stillRelays(proxy);
  });
});
