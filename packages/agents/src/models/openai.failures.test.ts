/** @file Every way in which a server can fail its client, and a client can leave its server. The key never shows. */

import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { delta, json, type Move, stream, whole } from '../../../../test/fixtures/scripted-server.ts';
import { turns } from '../../../../test/fixtures/until.ts';
import { closeServer, faultOf, key, serve } from './openai.cases.ts';

afterEach(async () => {
  vi.useRealTimers();
  await closeServer();
});

describe('OpenAI client', () => {
  it.each([
    ['seconds', { 'retry-after': '7' }, 7000],
    ['milliseconds', { 'retry-after-ms': '70' }, 70],
    ['no header', {}, undefined],
    ['an invalid header', { 'retry-after': 'soon' }, undefined],
  ])('reads the retry delay of a 429: %s', async (_, headers, retryAfter) => {
    const { ask } = await serve(json(429, { error: { message: 'Slow down.' } }, headers as Record<string, string>));
    const fault = await faultOf(ask());
    expect(fault).toMatchObject({ status: 429, retryAfter, message: 'test/m answered 429: Slow down.' });
  });

  it('reads the retry delay of a 429: a date', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2030, 0, 1, 12, 0, 0) });
    const { ask } = await serve((response) => {
      response.writeHead(429, { 'retry-after': new Date(Date.UTC(2030, 0, 1, 12, 0, 30)).toUTCString() }).end();
    });
    expect((await faultOf(ask())).retryAfter).toBe(30_000);
  });

  it.each([
    [500, '{"error":"model crashed"}', 'test/m answered 500: model crashed.'],
    [503, '', 'test/m answered 503: no reason given.'],
    [502, '<html><head><title>502 Bad Gateway</title></head></html>', 'test/m answered 502: an HTML page titled "502 Bad Gateway".'],
    [422, '{"detail":"no such field"}', 'test/m answered 422: no such field.'],
    [404, '{"message":"no model m"}', 'test/m answered 404: no model m. Check the address and the name of the model.'],
    [400, 'x'.repeat(1000), `test/m answered 400: ${'x'.repeat(300)}….`],
  ])('reports the message of the server with a %i', async (status, body, message) => {
    const { ask } = await serve((response) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    });
    expect(await faultOf(ask())).toMatchObject({ status, message });
  });

  it('names the variable of a rejected key and masks the key in the message', async () => {
    const quoting = [key, encodeURIComponent(key), JSON.stringify(key)].join(' and ');
    const { ask } = await serve(json(401, { error: { message: `Incorrect API key provided: ${quoting}` } }));
    const fault = await faultOf(ask());
    expect(fault.message).toContain('provided: [key] and [key] and "[key]". Check the key in KEY.');
  });

  it('masks the key in an error inside an answer', async () => {
    const { ask } = await serve(
      json(200, { error: { message: `bad key ${key}` } }),
      stream([`data: {"error":${JSON.stringify(`bad ${key}`)}}\n\n`]),
    );
    expect((await faultOf(ask())).message).toBe('test/m failed: bad key [key]');
    expect((await faultOf(ask({ onText: () => {} }))).message).toBe('test/m failed: bad [key]');
  });

  it('does not follow a redirect to another server', async () => {
    const { ask, server } = await serve((response) => {
      response.writeHead(307, { location: 'http://elsewhere.invalid/v1' }).end();
    });
    expect(await faultOf(ask())).toMatchObject({
      status: 307,
      message: expect.stringContaining('redirects to http://elsewhere.invalid/v1'),
    });
    expect(server.seen).toHaveLength(1);
  });

  it('reports a refused connection', async () => {
    const { ask, server } = await serve(whole('x'));
    await server.close();
    const fault = await faultOf(ask());
    expect(fault.status).toBeUndefined();
    expect(fault.message).toBe('test/m could not be reached: connection refused (is the server running?).');
  });

  it('reports a connection reset before and in the middle of an answer', async () => {
    const before = await serve((_, __, socket) => void socket.destroy());
    expect((await faultOf(before.ask())).message).toBe('test/m could not be reached: the connection broke off.');
    await before.server.close();
    const middle = await serve((response, _, socket) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"choices":', () => socket.destroy());
    });
    expect(await faultOf(middle.ask())).toMatchObject({ status: undefined, message: expect.stringContaining('broke off') });
  });

  it.each([
    ['ends without its end marker', [delta('half')], 'closed the connection in the middle of its answer.'],
    ['ends inside an event', [delta('half'), 'data: {"choices":[{"del'], 'closed the connection in the middle of its answer.'],
    ['is empty', [''], 'closed the connection in the middle of its answer.'],
    ['has broken JSON', ['data: {"choices":[}\n\n'], 'JSON that does not parse'],
    ['reports an error', [delta('half'), 'data: {"error":{"message":"out of memory","code":500}}\n\n'], 'failed: out of memory'],
    ['has no choices', ['data: {"hello":1}\n\n'], 'without choices'],
  ])('reports a stream that %s', async (_, pieces, speech) => {
    const { ask } = await serve(stream(pieces));
    expect((await faultOf(ask({ onText: () => {} }))).message).toContain(speech);
  });

  it('accepts a stream with either end marker', async () => {
    for (const end of ['data: [DONE]\n\n', delta('', { finish_reason: 'stop' })]) {
      const { ask, server } = await serve(stream([delta('x'), end]));
      expect((await ask({ onText: () => {} })).text).toBe('x');
      await server.close();
    }
  });

  it.each([
    ['malformed JSON', 'application/json', '{"choices":', undefined, 'JSON that does not parse'],
    ['an HTML page', 'text/html', '<html>Welcome</html>', 200, 'text/html instead of JSON'],
    ['plain text', 'text/plain', 'hello', 200, 'text/plain instead of JSON'],
    ['JSON of another shape', 'application/json', '{"hello":1}', 200, 'without choices'],
    ['an array', 'application/json', '[1]', 200, 'without choices'],
    ['null', 'application/json', 'null', 200, 'without choices'],
  ])('reports %s', async (_, type, body, status, speech) => {
    const { ask } = await serve((response) => {
      response.writeHead(200, { 'content-type': type }).end(body);
    });
    expect(await faultOf(ask())).toMatchObject({ status, message: expect.stringContaining(speech) });
  });

  it('parses JSON despite a wrong content type', async () => {
    const { ask } = await serve((response) => {
      response.writeHead(200, { 'content-type': 'text/plain' }).end('{"choices":[{"message":{"content":"ok"}}]}');
    });
    expect((await ask()).text).toBe('ok');
  });

  it('times out if the server never answers', async () => {
    const { ask } = await serve(() => {});
    expect(await faultOf(ask({ seconds: 0.1 }))).toMatchObject({ status: 408, message: 'test/m did not finish within 0.1 s.' });
  });

  it('times out if a stream goes silent', async () => {
    const { ask } = await serve(stream([delta('half')], { end: false }));
    expect(await faultOf(ask({ idleSeconds: 0.1, onText: () => {} }))).toMatchObject({
      status: 408,
      message: expect.stringContaining('sent nothing for'),
    });
  });

  it('times out if a server drips data forever, whether whole or streamed', async () => {
    const drip: Move = async (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      for (; !response.destroyed; await turns()) response.write(' ');
    };
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { ask } = await serve(drip);
    let fault: Error | undefined;
    void faultOf(ask({ seconds: 300, idleSeconds: 200 })).then((modelFault) => {
      fault = modelFault;
    });
    // Between two seconds of this clock the server drips many times.
    for (; fault === undefined; await turns()) await vi.advanceTimersByTimeAsync(1000);
    expect(fault.message).toContain('did not finish within 300 s');
  });

  it('rejects a huge answer with or without a content length', async () => {
    const flood: Move = (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = () => {
        while (!response.destroyed && response.write(' '.repeat(65_536)));
        response.once('drain', more);
      };
      more();
    };
    const announced: Move = (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '999999999' });
      response.write('{');
    };
    for (const move of [flood, announced]) {
      const { ask, server } = await serve(move);
      expect(await faultOf(ask({ mostBytes: 1_000_000 }))).toMatchObject({
        status: 413,
        message: expect.stringContaining('more than 1000000 bytes'),
      });
      await expect.poll(server.open).toBe(0);
      await server.close();
    }
  });
});

describe('aborting a call', () => {
  it('in the middle of a stream closes the socket', async () => {
    const { ask, server } = await serve(stream([delta('one'), delta('two')], { end: false }));
    const controller = new AbortController();
    const messages: string[] = [];
    const call = ask({
      signal: controller.signal,
      onText: (piece) => {
        messages.push(piece);
        if (piece === 'two') controller.abort(new Error('enough'));
      },
    });
    await expect(call).rejects.toThrow('enough');
    expect(messages).toEqual(['one', 'two']);
    await expect.poll(server.open).toBe(0);
  });

  it('before an answer closes the socket, and before the request sends nothing', async () => {
    const { ask, server } = await serve(() => {});
    const controller = new AbortController();
    const call = ask({ signal: controller.signal });
    await expect.poll(() => server.seen.length).toBe(1);
    controller.abort('abort');
    await expect(call).rejects.toBe('abort');
    await expect.poll(server.open).toBe(0);
    await expect(ask({ signal: controller.signal })).rejects.toBe('abort');
    expect(server.seen).toHaveLength(1);
  });

  it('leaves no event listener behind', async () => {
    const { ask } = await serve(whole('x'));
    const controller = new AbortController();
    for (let i = 0; i < 3; i++) await ask({ signal: controller.signal });
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });
});
