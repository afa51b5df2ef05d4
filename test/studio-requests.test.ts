/** @file How the studio's page reads answers, against a server that stops in the middle of one. */

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { get } from '../studio/src/requests.ts';
import { until } from './fixtures/until.ts';

const answers: ServerResponse[] = [];
const server = createServer((_, answer) => {
  answers.push(answer);
  answer.writeHead(200, { 'content-type': 'application/json' });
  answer.write('{"status":');
});
let address = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** An answer that has begun. */
async function begun(signal?: AbortSignal): Promise<{ readonly told: Promise<unknown>; readonly answer: ServerResponse }> {
  const before = answers.length;
  const read = vi.spyOn(Response.prototype, 'json');
  const told = get(address, signal);
  told.catch(() => {});
  // The page has the head and begins to read the rest.
  await until(() => answers.length > before && read.mock.calls.length > 0);
  read.mockRestore();
  return { told, answer: answers.at(-1) as ServerResponse };
}

describe('half an answer', () => {
  it('is none where nobody wants the rest', async () => {
    const leave = new AbortController();
    const { told } = await begun(leave.signal);
    leave.abort();
    await expect(told).rejects.toThrow(/abort/i);
  });

  it('is none where the server broke off', async () => {
    const { told, answer } = await begun();
    answer.destroy();
    await expect(told).rejects.toThrow('broke off');
  });

  it('is an answer once it is whole', async () => {
    const { told, answer } = await begun();
    answer.end('"over"}');
    expect(await told).toEqual({ status: 'over' });
  });
});
