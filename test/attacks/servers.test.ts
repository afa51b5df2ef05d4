/** @file Attacks on any server: openings, frames and bodies that are wrong in every way. After each of them the same server still serves. */

import { closeTestServers, startTestServer, type TestServer } from '@ludus-agents/servers/internal/server.cases';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { farewell, frame, goodbye, hostOf, opening, overWire, raw, stillServes } from './server.cases.ts';

let house: TestServer;
beforeAll(async () => {
  house = await startTestServer({ most: 100_000 });
});
afterAll(closeTestServers);

describe('a WebSocket handshake', () => {
  const paths = [
    ...['//', '///', '//[', '//[::', '/%', '/%E0%A4', '*', '/?', '/?token=%E0%A4%A', '/#', '/openenv//ws', '/openenv/%00/ws'],
    ...['/openenv/../ws', '/openenv/constructor/ws', '/openenv/__proto__/ws', '/openenv/tic-tac-toe/ws/', '/\\', '//evil.example/ws'],
    ...[
      'http://[/ws',
      'http://%/ws',
      'ws:',
      'a',
      `/${'a'.repeat(8000)}`,
      `/?${'&'.repeat(8000)}`,
      '/\u00ff',
      '/openenv/tic-tac-toe/nothing',
    ],
  ];
  it.each(paths)('is rejected at %j without affecting other clients', async (path) => {
    const answer = await raw(house.url, opening(path, { host: hostOf(house.url) }));
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
    await stillServes(house.url);
  });

  it('is rejected at the same path when a client library sends it', async () => {
    const refused = new Promise<string>((resolve) => {
      const socket = new WebSocket(`${house.ws}//`);
      socket.on('error', (error) => resolve(error.message));
      socket.on('open', () => resolve('open'));
    });
    expect(await refused).toContain('404');
    await stillServes(house.url);
  });

  it.each([
    ['no host', { host: '' }],
    ['a host that is not a name', { host: 'a b' }],
    ['half an address', { host: '[' }],
    ['the host of another site', { host: 'evil.example' }],
    ['its own host as the user name of another', { host: '127.0.0.1@evil.example' }],
    ['its own host as a prefix of another', { host: '127.0.0.1.evil.example' }],
    ['a foreign origin', { origin: 'https://evil.example' }],
    ['an origin that is not an address', { origin: 'http://[' }],
    ['an origin without a name', { origin: 'null' }],
    ['no key', { 'sec-websocket-key': '' }],
    ['a short key', { 'sec-websocket-key': 'x' }],
    ['an unsupported version', { 'sec-websocket-version': '99' }],
    ['an invalid protocol', { 'sec-websocket-protocol': ',,,' }],
  ])('is rejected with %s', async (_, headers) => {
    const answer = await raw(house.url, opening('/openenv/tic-tac-toe/ws', { host: hostOf(house.url), ...headers }));
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
    await stillServes(house.url);
  });

  it('does not stop the server when the client disconnects during or right after it', async () => {
    const whole = opening('/openenv/tic-tac-toe/ws', { host: hostOf(house.url) });
    for (const length of [1, 20, whole.length - 2, whole.length]) await raw(house.url, whole.slice(0, length), true);
    await stillServes(house.url);
  });

  it('is accepted if it is valid (control)', async () => {
    const answer = raw(
      house.url,
      Buffer.concat([Buffer.from(opening('/openenv/tic-tac-toe/ws', { host: hostOf(house.url) })), goodbye, farewell]),
    );
    expect(await answer).toMatch(/^HTTP\/1\.1 101 /);
  });
});

describe('WebSocket frames', () => {
  const text = (content: string, options = {}) => frame(Buffer.from(content), options);
  const at = (path = '/openenv/tic-tac-toe/ws') => `${house.ws}${path}`;

  it.each(['['.repeat(6000), '{"a":'.repeat(6000), `{"type":"reset","data":{"task":${'['.repeat(3000)}${']'.repeat(3000)}}}`])(
    'are rejected if their JSON is nested thousands of levels deep (%#)',
    async (content) => {
      for (const path of ['/openenv/tic-tac-toe/ws', '/openenv/tic-tac-toe/mcp']) {
        expect((await overWire(at(path), [text(content)], { enough: 1 }))[0]).toMatch(/INVALID_JSON|Parse error/);
      }
      await stillServes(house.url);
    },
  );

  it.each([
    ['null', 'VALIDATION_ERROR'],
    ['[]', 'VALIDATION_ERROR'],
    ['5', 'VALIDATION_ERROR'],
    ['""', 'VALIDATION_ERROR'],
    ['', 'INVALID_JSON'],
    ['{"type":null}', 'UNKNOWN_TYPE'],
    ['{"type":{"a":1}}', 'UNKNOWN_TYPE'],
    ['{"type":"__proto__"}', 'UNKNOWN_TYPE'],
    ['{"type":"constructor"}', 'UNKNOWN_TYPE'],
    ['{"type":"reset","data":{"opponents":"scripted:nobody"}}', 'EXECUTION_ERROR'],
    ['{"type":"reset","data":{"opponents":{"kind":"scripted","name":5}}}', 'EXECUTION_ERROR'],
    ['{"type":"reset","data":{"opponents":{"O":null}}}', 'EXECUTION_ERROR'],
    ['{"type":"reset","data":{"opponents":{"kind":"random","name":"\\u0000"}}}', 'EXECUTION_ERROR'],
    ['{"type":"reset","data":{"opponents":{"kind":"random","name":"\\ud800"}}}', 'EXECUTION_ERROR'],
    ['{"type":"reset","data":{"seed":1e999}}', 'VALIDATION_ERROR'],
    ['{"type":"step","data":{"message":"[0]"}}', 'EXECUTION_ERROR'],
    ['{"type":"mcp","data":null}', 'VALIDATION_ERROR'],
  ])('containing %j are answered with %s', async (content, code) => {
    expect((await overWire(at(), [text(content), goodbye]))[0]).toContain(code);
    await stillServes(house.url);
  });

  it.each([
    ['an oversized message', [text('x'.repeat(100_001))], 1009],
    ['an impossible length', [text('x', { claims: 2 ** 52 })], 1009],
    ['text that is not UTF-8', [frame(Buffer.from([0xff, 0xfe, 0xfd]))], 1007],
    ['a frame without a mask', [text('{}', { masked: false })], 1002],
    ['an unknown opcode', [text('{}', { opcode: 3 })], 1002],
    ['a continuation of nothing', [text('{}', { opcode: 0 })], 1002],
    ['a ping that is too long', [frame(Buffer.alloc(126), { opcode: 9 })], 1002],
    ['a close with half a code', [frame(Buffer.from([3]), { opcode: 8 })], 1002],
    [
      'fragments that are too large in total',
      [...Array(3).keys()].map((i) => text('x'.repeat(50_000), { opcode: i === 0 ? 1 : 0, final: false })),
      1009,
    ],
  ] as [string, Buffer[], number][])('close only their own socket if malformed: %s', async (_, frames, code) => {
    expect((await overWire(at(), frames)).at(-1)).toBe(code);
    await stillServes(house.url);
  });

  it('are read as text if binary or fragmented', async () => {
    const reset = Buffer.from('{"type":"reset","data":{"seed":1}}');
    expect((await overWire(at(), [frame(reset, { opcode: 2 }), goodbye]))[0]).toContain('You are X');
    const pieces = [
      frame(reset.subarray(0, 9), { final: false }),
      frame(Buffer.alloc(0), { opcode: 9 }),
      frame(reset.subarray(9), { opcode: 0 }),
    ];
    expect((await overWire(at(), [...pieces, goodbye]))[0]).toContain('You are X');
  });

  it('do not stop the server when a socket closes during a frame or an episode', async () => {
    const head = Buffer.from(opening('/openenv/tic-tac-toe/ws', { host: hostOf(house.url) }));
    const reset = text('{"type":"reset","data":{"seed":1}}');
    for (const bytes of [reset, reset.subarray(0, 5), Buffer.concat([reset, text('{"type":"step"').subarray(0, 9)])])
      await raw(house.url, Buffer.concat([head, bytes]), true);
    await stillServes(house.url);
  });

  it('get an error if their session fails, without affecting other sessions', async () => {
    const broken = await startTestServer({
      episodeHost: { agent: () => Promise.reject(Object.assign(Object.create(null), { toString: null })) as never },
    });
    const statements = await overWire(`${broken.ws}/openenv/kuhn-poker/ws`, [text('{"type":"reset","data":{}}'), goodbye]);
    expect(statements[0]).toContain('Something went wrong on the server');
    expect((await fetch(`${broken.url}/health`)).status).toBe(200);
  });
});

describe('malformed request bodies', () => {
  const post = (path: string, body: string, headers: Record<string, string> = {}) =>
    fetch(`${house.url}${path}`, { method: 'POST', body, headers }).then(
      async (response) => [response.status, await response.text()] as const,
    );

  it.each([
    '[',
    'null',
    '5',
    '"x"',
    '['.repeat(6000),
    '{"a":'.repeat(9000),
    '\u0000',
    '{"seed":"x"}',
    '{"opponents":{"kind":"scripted","name":[]}}',
  ])('are answered with a client error (%#)', async (body) => {
    for (const path of ['reset', 'step']) {
      const [status] = await post(`/openenv/tic-tac-toe/${path}`, body);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(500);
    }
    await stillServes(house.url);
  });

  it('are rejected when too large, with or without a content length', async () => {
    expect((await post('/openenv/tic-tac-toe/reset', 'x'.repeat(100_001)))[0]).toBe(413);
    const head = `POST /openenv/tic-tac-toe/reset HTTP/1.1\r\nhost: ${hostOf(house.url)}\r\nconnection: close\r\n`;
    const chunk = `${(60_000).toString(16)}\r\n${'x'.repeat(60_000)}\r\n`;
    expect(await raw(house.url, `${head}transfer-encoding: chunked\r\n\r\n${chunk}${chunk}0\r\n\r\n`)).toMatch(/^HTTP\/1\.1 413 /);
    await stillServes(house.url);
  });

  it.each([
    ['two lengths', 'content-length: 2\r\ncontent-length: 3\r\n\r\n{}'],
    ['a length and chunks', 'content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n{}'],
    ['a length that is not a number', 'content-length: x\r\n\r\n{}'],
    ['invalid chunks', 'transfer-encoding: chunked\r\n\r\nzz\r\n'],
    ['a header without a name', ': x\r\n\r\n'],
    ['headers without an end', `${'x: y\r\n'.repeat(3000)}\r\n`],
  ])('are rejected with %s', async (_, rest) => {
    const head = `POST /openenv/tic-tac-toe/reset HTTP/1.1\r\nhost: ${hostOf(house.url)}\r\nconnection: close\r\n`;
    expect(await raw(house.url, head + rest)).toMatch(/^HTTP\/1\.1 4\d\d /);
    await stillServes(house.url);
  });

  it('do not stop the server when they end too early', async () => {
    const head = `POST /openenv/tic-tac-toe/reset HTTP/1.1\r\nhost: ${hostOf(house.url)}\r\ncontent-length: 1000\r\n\r\n`;
    for (const message of ['', '{', '{"seed": 1}']) await raw(house.url, head + message, true);
    await stillServes(house.url);
  });

  it.each([
    'GET // HTTP/1.1',
    'GET http://[/ HTTP/1.1',
    'GET /%E0 HTTP/1.1',
    'GET * HTTP/1.1',
    'OPTIONS * HTTP/1.1',
    'BREW / HTTP/1.1',
    'TRACE /openenv HTTP/1.1',
  ])('do not stop the server after "%s"', async (line) => {
    const answer = await raw(house.url, `${line}\r\nhost: ${hostOf(house.url)}\r\nconnection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 (200|4\d\d) /);
    await stillServes(house.url);
  });
});
