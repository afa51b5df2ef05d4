/** @file How the studio's page reads answers, against a server that stops in the middle of one. */

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { address, post, readableError, send } from '@ludus-agents/studio/internal/requests';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { until } from './fixtures/until.ts';

const answers: ServerResponse[] = [];
const server = createServer((_, answer) => {
  answers.push(answer);
  answer.writeHead(200, { 'content-type': 'application/json' });
  answer.write('{"status":');
});
let place = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  place = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** An answer that has begun. */
async function begun(signal?: AbortSignal): Promise<{ readonly told: Promise<unknown>; readonly answer: ServerResponse }> {
  const before = answers.length;
  const read = vi.spyOn(Response.prototype, 'json');
  const observation = send(place, signal === undefined ? {} : { signal });
  observation.catch(() => {});
  // The page has the head and begins to read the rest.
  await until(() => answers.length > before && read.mock.calls.length > 0);
  read.mockRestore();
  return { told: observation, answer: answers.at(-1) as ServerResponse };
}

describe('a partial response', () => {
  it('rejects when the request is aborted', async () => {
    const leave = new AbortController();
    const { told } = await begun(leave.signal);
    leave.abort();
    await expect(told).rejects.toThrow(/abort/i);
  });

  it('rejects when the server disconnects', async () => {
    const { told, answer } = await begun();
    answer.destroy();
    await expect(told).rejects.toThrow('interrupted');
  });

  it('resolves once it is complete', async () => {
    const { told, answer } = await begun();
    answer.end('"over"}');
    expect(await told).toEqual({ status: 'over' });
  });
});

describe('an address', () => {
  it('escapes any run name', () => {
    const names = ['a/b', 'index', 'what? #1', 'kuhn%2F1', ':run', 'ü', '../..'];
    for (const run of names) {
      const { pathname, search, hash } = new URL(address('/api/runs/of/:run/report', { param: { run }, query: {} }), 'http://127.0.0.1');
      expect(pathname.split('/').map(decodeURIComponent)).toEqual(['', 'api', 'runs', 'of', run, 'report']);
      expect(search + hash).toBe('');
    }
  });

  it('omits empty parameters', () => {
    expect(address('/api/runs/compare', { query: { a: 'x&y', b: '1 2', run: '' } })).toBe('/api/runs/compare?a=x%26y&b=1+2');
  });
});

it('shows the user what is wrong with a field, not with a request', () => {
  expect(readableError('The body: name must be letters, but got "a b".')).toBe('Name must be letters, but got "a b".');
  expect(readableError('The body must be JSON.')).toBe('The body must be JSON.');
  expect(readableError(undefined)).toBe(undefined);
});

describe('the types of studio requests', () => {
  it('cover every route with its parameters and its response', () => {
    // Never called: `tsc` reads it, and an error that is expected and does not come is one.
    const calls = [
      async () => (await post('/api/play', { json: { environment: 'leduc', cast: {} } })).episode satisfies string,
      // @ts-expect-error: there is no such route.
      () => post('/api/plays', { json: {} }),
      // @ts-expect-error: it is read, not posted.
      () => post('/api/home'),
      // @ts-expect-error: a field that the route does not know.
      () => post('/api/play', { json: { environment: 'leduc', cast: {}, sed: 1 } }),
      // @ts-expect-error: a field is missing.
      () => post('/api/episodes/:id/answer', { param: { id: 'e' }, json: { seat: 'X', text: 'a' } }),
      // @ts-expect-error: a parameter of the path is missing.
      () => address('/api/runs/of/:run', {}),
      // @ts-expect-error: a parameter that the route does not read.
      () => address('/api/runs/of/:run/report', { param: { run: 'r' }, query: { scroe: 'return' } }),
      // @ts-expect-error: the answer has no such field.
      async () => (await post('/api/play', { json: { environment: 'leduc', cast: {} } })).epsiode,
    ];
    expect(calls).toHaveLength(8);
  });
});
