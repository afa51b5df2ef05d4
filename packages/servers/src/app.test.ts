/** @file Which callers are admitted, which are not, and checks that endpoints don't have to repeat. */

import { request } from 'node:http';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { Hono } from 'hono';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { isLoopback } from './access.ts';
import { type HttpRoutes, NotFound, type ServeOptions, type Serving, serve } from './app.ts';
import { BrowserSessions } from './browser-sessions.ts';

let serving: Serving | undefined;
afterEach(async () => {
  await serving?.close();
  serving = undefined;
});

function echo(changes: Partial<HttpRoutes> = {}): HttpRoutes {
  const app = new Hono();
  app.get('/hello', (call) => call.text('hello'));
  app.get('/fault', () => {
    throw new Fault('input', 'Expected a seat, but none came.');
  });
  app.get('/nothing', () => {
    throw new NotFound('Episode "x" not found.');
  });
  app.get('/bug', () => {
    throw new Error('secret detail');
  });
  app.post('/say', async (call) => call.json({ said: await call.req.json() }));
  const socket = (path: string) =>
    path === '/ws' ? (webSocket: WebSocket) => webSocket.on('message', (data) => webSocket.send(`${data}`)) : null;
  return { path: '/echo', app, socket, ...changes };
}

async function open(options: Partial<ServeOptions> = {}): Promise<Serving> {
  serving = await serve({ routes: [echo()], noToken: options.host === undefined, ...options });
  return serving;
}

/** Sends a request whose headers fetch would not let us choose. */
function ask(url: string, headers: Record<string, string>, method = 'GET', body = ''): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const clientRequest = request(url, { method, headers }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode as number, text }));
    });
    clientRequest.on('error', reject);
    clientRequest.end(body);
  });
}

/** How a WebSocket's opening ends: "open" or the status it was refused with. */
function knock(url: string, headers: Record<string, string> = {}): Promise<string> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url.replace('http', 'ws'), { headers });
    socket.on('open', () => {
      socket.close();
      resolve('open');
    });
    socket.on('error', (error) => resolve(error.message));
  });
}

describe('a server on loopback', () => {
  it('accepts programs and reports its health', async () => {
    const { url, token } = await open();
    expect(token).toBeNull();
    expect(await (await fetch(`${url}/echo/hello`)).text()).toBe('hello');
    expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: 'healthy' });
    const response = await fetch(`${url}/echo/say`, { method: 'POST', body: '{"a":1}' });
    expect(await response.json()).toEqual({ said: { a: 1 } });
    expect(await knock(`${url}/echo/ws`)).toBe('open');
  });

  it('keeps a connection open for a minute between requests', async () => {
    const { url } = await open();
    expect((await fetch(`${url}/health`)).headers.get('keep-alive')).toBe('timeout=60');
  });

  it('rejects pages of other sites and spoofed host names', async () => {
    const { url } = await open();
    const { host } = new URL(url);
    const foreign = { origin: 'https://evil.example' };
    expect((await ask(`${url}/echo/say`, foreign, 'POST', '{}')).status).toBe(403);
    expect((await ask(`${url}/echo/say`, { origin: `http://${host}` }, 'POST', '{}')).status).toBe(200);
    expect((await ask(`${url}/echo/hello`, { host: 'evil.example' })).status).toBe(403);
    expect(await knock(`${url}/echo/ws`, foreign)).toContain('403');
    expect(await knock(`${url}/echo/nowhere`)).toContain('404');
  });

  it('requires the token in a header on guarded routes, not in a cookie', async () => {
    const { url, token } = await open({ routes: [echo({ guarded: true, needs: (path) => (path === '/hello' ? null : ['play']) })] });
    expect((await ask(`${url}/echo/hello`, {})).status).toBe(200);
    expect((await ask(`${url}/echo/fault`, {})).status).toBe(401);
    expect((await ask(`${url}/echo/say`, {}, 'POST', '{}')).status).toBe(401);
    const basic = `Basic ${Buffer.from(`ludus:${token}`).toString('base64')}`;
    for (const headers of [{ authorization: basic }, { authorization: `Bearer ${token}` }, { 'x-ludus-token': `${token}` }])
      expect((await ask(`${url}/echo/say`, headers, 'POST', '{}')).status).toBe(200);
    expect((await ask(`${url}/echo/say`, { cookie: `a=b; ludus-token=${token}; ludus-session=${token}` }, 'POST', '{}')).status).toBe(401);
    expect((await ask(`${url}/echo/say`, { authorization: 'Bearer wrong' }, 'POST', '{}')).status).toBe(401);
    expect(await knock(`${url}/echo/ws`)).toContain('401');
    expect(await knock(`${url}/echo/ws`, { authorization: `Bearer ${token}` })).toBe('open');
  });

  it('explains client errors in one sentence and hides internal errors', async () => {
    const { url } = await open({ most: 1000 });
    const at = async (path: string, init?: RequestInit) => {
      const response = await fetch(`${url}${path}`, init);
      return [response.status, ((await response.json()) as { error: string }).error];
    };
    expect(await at('/echo/fault')).toEqual([400, 'Expected a seat, but none came.']);
    expect(await at('/echo/nothing')).toEqual([404, 'Episode "x" not found.']);
    expect((await at('/echo/bug')).join()).not.toContain('secret');
    expect((await at('/echo/bug'))[0]).toBe(500);
    expect((await at('/elsewhere'))[0]).toBe(404);
    expect((await at('/echo/say', { method: 'POST', body: '{' }))[0]).toBe(400);
    expect((await at('/echo/say', { method: 'POST', body: 'x'.repeat(1001) }))[0]).toBe(413);
  });

  it('reports that a port is already in use', async () => {
    const { url } = await open();
    await expect(serve({ routes: [], port: Number(new URL(url).port) })).rejects.toThrow('is taken already');
  });
});

describe('a server beyond loopback', () => {
  it('requires the token on every route, guarded or not', async () => {
    const { url, token } = await open({ host: '0.0.0.0' });
    expect(token).not.toBeNull();
    expect((await ask(`${url}/echo/hello`, {})).status).toBe(401);
    expect((await ask(`${url}/health`, {})).status).toBe(200);
    expect((await ask(`${url}/echo/hello`, { authorization: `Bearer ${token}` })).status).toBe(200);
    expect(await knock(`${url}/echo/ws`)).toContain('401');
  });

  it('accepts a browser redirected with a one-time code', async () => {
    const sessions = new BrowserSessions();
    const page = new Hono();
    page.get('/', (call) => call.text(sessions.redeem(call.req.query('code') ?? '', sessions.host) ?? 'nothing'));
    const { url } = await open({ host: '0.0.0.0', routes: [{ path: '/', app: page, needs: () => null, sessions }] });
    const code = sessions.issueCode();
    expect((await ask(`${url}/?code=guessed`, {})).status).toBe(401);
    expect((await ask(`${url}/other?code=${code}`, {})).status).toBe(401);
    expect((await fetch(`${url}/?code=${code}`, { method: 'POST' })).status).toBe(401);
    expect((await ask(`${url}/?code=${code}`, {})).status).toBe(200);
    expect((await ask(`${url}/?code=${code}`, {})).status).toBe(401);
  });

  it('recognizes loopback addresses', () => {
    expect(['localhost', '127.0.0.1', '127.8.9.1', '::1', '[::1]', 'a.localhost'].every(isLoopback)).toBe(true);
    expect(['0.0.0.0', '::', '10.0.0.1', 'example.com', '127.0.0.1.example.com', ''].some(isLoopback)).toBe(false);
  });
});
