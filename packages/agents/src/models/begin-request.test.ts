/** @file Requests to model servers over real sockets: packed replies, redirects, addresses, kept sockets, TLS. */

import { execFile, execFileSync } from 'node:child_process';
import dns from 'node:dns';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createRawServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { withAttempt } from '@ludus-agents/kernel/internal/core/budget-scope';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { turns, until } from '../../../../test/fixtures/until.ts';
import { exchange, type HttpRequest } from './http.ts';
import { faultOf, never } from './openai.cases.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  for (const close of closing.splice(0)) close();
});

async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  await once(server.listen(0, host), 'listening');
  closing.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

const serving = async (answer: RequestListener) => `http://127.0.0.1:${await listen(createServer(answer))}`;

/** A server below HTTP, which does with each piece of a request what it is told to. */
async function servingRaw(hear: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createRawServer((socket) => {
    sockets.add(socket);
    socket.on('data', () => hear(socket)).on('error', () => {});
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  closing.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

function ask(url: string, more: Partial<HttpRequest> = {}): Promise<string> {
  return exchange({ name: 'test/m', url, body: '{}', key: 'sk-secret', signal: never, ...more }, (answer) => answer.text());
}

describe('compressed response', () => {
  it.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['gzip, BR', (text: string) => brotliCompressSync(gzipSync(text))],
    ['identity', (text: string) => Buffer.from(text)],
  ])('is decompressed: %s', async (packing, pack) => {
    const url = await serving((_, response) => void response.writeHead(200, { 'content-encoding': packing }).end(pack('{"said":"ü"}')));
    expect(await ask(url)).toBe('{"said":"ü"}');
  });

  it('is streamed piece by piece', async () => {
    const packer = (await import('node:zlib')).createGzip();
    const url = await serving((_, response) => {
      packer.pipe(response.writeHead(200, { 'content-encoding': 'gzip' }));
      packer.write('first');
      packer.flush();
    });
    const messages: string[] = [];
    const call = exchange({ name: 'test/m', url, signal: never }, async (answer) => {
      for await (const piece of answer.chunks()) messages.push(Buffer.from(piece).toString());
    });
    await until(() => messages.length === 1);
    packer.end('second');
    await call;
    expect(messages).toEqual(['first', 'second']);
  });

  it('is limited by its decompressed size', async () => {
    const url = await serving((_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(1e6))));
    expect(await faultOf(ask(url, { mostBytes: 100_000 }))).toMatchObject({ status: 413 });
  });

  it('is a fault if corrupt, truncated, or in an unknown encoding', async () => {
    const answers: [string, Buffer, string][] = [
      ['gzip', Buffer.from('{"said":"plain"}'), 'test/m could not be reached: its answer is compressed in an unsupported way.'],
      ['gzip', gzipSync('x'.repeat(1000)).subarray(0, 20), 'test/m could not be reached: the connection broke off.'],
      [
        'constructor',
        Buffer.from('?'),
        'test/m could not be reached: its answer is compressed with "constructor", but only gzip, deflate, and br are supported.',
      ],
      [
        Array(900).fill('gzip').join(),
        Buffer.from('?'),
        'test/m could not be reached: its answer is compressed 900 times, but at most 3 are supported.',
      ],
      [
        'zip',
        Buffer.from('?'),
        'test/m could not be reached: its answer is compressed with "zip", but only gzip, deflate, and br are supported.',
      ],
    ];
    for (const [packing, body, message] of answers) {
      const url = await serving((_, response) => void response.writeHead(200, { 'content-encoding': packing }).end(body));
      expect((await faultOf(ask(url))).message).toBe(message);
    }
  });

  it('is decompressed for error statuses, and may be empty', async () => {
    const url = await serving(
      (_, response) => void response.writeHead(429, { 'content-encoding': 'gzip' }).end(gzipSync('{"error":"slow"}')),
    );
    expect((await faultOf(ask(url))).message).toBe('test/m answered 429: slow.');
    const empty = await serving((_, response) => void response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': '0' }).end());
    expect(await ask(empty)).toBe('');
  });
});

describe('redirect', () => {
  it.each([
    [307, '{}', 'POST /there {} sk-secret'],
    [308, '{}', 'POST /there {} sk-secret'],
    [302, undefined, 'GET /there  sk-secret'],
  ])('with status %i within one server is followed', async (status, body, observation) => {
    const url = await serving(async (request, response) => {
      const text = (await request.setEncoding('utf8').toArray()).join('');
      if (request.url === '/here') response.writeHead(status, { location: '/there' }).end('elsewhere');
      else response.end(`${request.method} ${request.url} ${text} ${request.headers.authorization?.slice(7)}`);
    });
    expect(await ask(`${url}/here`, { body: body as string })).toBe(observation);
  });

  it.each([
    [307, 'to another server', 'http://elsewhere.invalid/v1'],
    [307, 'to another port', 'http://127.0.0.1:1/v1'],
    [301, 'that would turn a POST into a GET', '/there'],
    [307, 'in a loop', '/here'],
    [307, 'to an invalid address', 'http://:/'],
  ])('with status %i %s is rejected', async (status, _, location) => {
    let requests = 0;
    const url = await serving((__, response) => {
      requests++;
      response.writeHead(status, { location }).end();
    });
    expect(await faultOf(ask(`${url}/here`))).toMatchObject({ status, message: expect.stringContaining(`redirects to ${location}`) });
    expect(requests).toBe(location === '/here' ? 6 : 1);
  });
});

describe('server address', () => {
  it('can be IPv6', async () => {
    const port = await listen(
      createServer((request, response) => void response.end(request.headers.host)),
      '::1',
    );
    expect(await ask(`http://[::1]:${port}/v1`)).toBe(`[::1]:${port}`);
  });

  it('falls back to the resolved address that accepts connections', async () => {
    const port = await listen(
      createServer((_, response) => void response.end('six')),
      '::1',
    );
    const both = [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ];
    // biome-ignore lint/suspicious/noExplicitAny: `lookup` has six signatures.
    vi.spyOn(dns, 'lookup').mockImplementation(((_: string, __: unknown, found: any) => found(null, both)) as any);
    expect(await ask(`http://localhost:${port}/`)).toBe('six');
    expect((await faultOf(ask('http://localhost:1/'))).message).toContain('connection refused (is the server running?)');
  });

  it.each([
    ['http://127.0.0.1:99999/', 'sk-secret', 'invalid address'],
    ['http://127.0.0.1:1/', 'sk-secret…', 'its key has a character that cannot be sent'],
    ['http://127.0.0.1:1/', 'sk-secret\nsk-secret', 'its key has a character that cannot be sent'],
  ])('%s with the key %j is a permanent fault', async (url, key, message) => {
    expect(await faultOf(ask(url, { key }))).toMatchObject({ isLasting: true, message: expect.stringContaining(message) });
  });
});

describe('server connection', () => {
  const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

  it('is reopened within the call if the server has closed it', async () => {
    const message = new Map<Socket, number>();
    const port = await servingRaw((socket) => {
      message.set(socket, (message.get(socket) ?? 0) + 1);
      if (message.get(socket) === 1) socket.write(ok);
      else socket.resetAndDestroy();
    });
    expect(await ask(`http://127.0.0.1:${port}/`)).toBe('ok');
    await turns(3);
    expect(await ask(`http://127.0.0.1:${port}/`)).toBe('ok');
    expect([...message.values()]).toEqual([2, 1]);
  });

  it.each([
    ['after a pause', 2000, 0],
    ['right after a reply', 0, 1],
  ])('a kept one that is reset %s (%d ms) counts %d more requests', async (_, pause, expected) => {
    let requests = 0;
    const port = await servingRaw((socket) => void (++requests === 2 ? socket.resetAndDestroy() : socket.write(ok)));
    let repeats = 0;
    const attempt = { used: true, again: async () => void repeats++ };
    const now = 1_000_000;
    for (let i = 0; i < 2; i++) {
      vi.spyOn(performance, 'now').mockReturnValue(now + i * pause);
      await withAttempt(attempt, () => ask(`http://127.0.0.1:${port}/`));
      await turns(3);
    }
    expect([requests, repeats]).toEqual([3, expected]);
  });

  it.each([
    ['a chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel'],
    ['the last chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n'],
    ['a body of known length', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello'],
    ['headers', 'HTTP/1.1 200 OK\r\nContent-'],
  ])('is reported as broken when it ends in the middle of %s', async (_, speech) => {
    const port = await servingRaw((socket) => void socket.end(speech));
    expect((await faultOf(ask(`http://127.0.0.1:${port}/`))).message).toBe('test/m could not be reached: the connection broke off.');
  });

  it('reports a server that speaks another protocol', async () => {
    const port = await servingRaw((socket) => void socket.end('SSH-2.0-OpenSSH_9.6\r\n'));
    expect(await faultOf(ask(`http://127.0.0.1:${port}/`))).toMatchObject({
      isLasting: true,
      message: expect.stringContaining('does not speak HTTP'),
    });
    const plain = await serving((_, response) => void response.end());
    expect(await faultOf(ask(plain.replace('http:', 'https:')))).toMatchObject({
      isLasting: true,
      message: expect.stringContaining('does not speak TLS'),
    });
  });

  it('can be aborted or time out while it is being established', async () => {
    // A server that never answers the first words of TLS.
    let greeted = 0;
    const port = await servingRaw(() => void greeted++);
    const leaving = new AbortController();
    const call = ask(`https://127.0.0.1:${port}/`, { signal: leaving.signal });
    const left = expect(call).rejects.toThrow('I am leaving.');
    await until(() => greeted === 1);
    leaving.abort(new Error('I am leaving.'));
    await left;
    expect(await faultOf(ask(`https://127.0.0.1:${port}/`, { seconds: 0.05 }))).toMatchObject({ status: 408 });
  });
});

const hasOpenssl = (() => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

describe.runIf(hasOpenssl)('TLS', () => {
  it('trusts a private CA only through NODE_EXTRA_CA_CERTS, and the error says so', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ludus-tls-'));
    closing.push(() => rmSync(folder, { recursive: true, force: true }));
    const [keyFile, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
    const words = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=model.test -addext subjectAltName=IP:127.0.0.1 -keyout ${keyFile} -out ${certificate}`;
    execFileSync('openssl', words.split(' '), { stdio: 'ignore' });
    const server = createSecureServer(
      { key: readFileSync(keyFile), cert: readFileSync(certificate) },
      (_, response) => void response.end('ok'),
    );
    const port = await listen(server as unknown as Server);
    expect(await faultOf(ask(`https://127.0.0.1:${port}/`))).toMatchObject({
      isLasting: true,
      message: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
    });
    // Node reads the variable when it starts.
    const program = `const { exchange } = await import(${JSON.stringify(join(import.meta.dirname, 'http.ts'))});
      const request = { name: 'm', url: process.argv[1], signal: new AbortController().signal };
      console.log(await exchange(request, (answer) => answer.text()).catch((fault) => fault.message));`;
    const asking = (host: string) =>
      promisify(execFile)(process.execPath, ['--input-type=module', '-e', program, `https://${host}:${port}/`], {
        env: { ...process.env, NODE_EXTRA_CA_CERTS: certificate },
      });
    expect((await asking('127.0.0.1')).stdout).toBe('ok\n');
    expect((await asking('localhost')).stdout).toBe('m could not be reached: its certificate is for another host.\n');
  });
});
