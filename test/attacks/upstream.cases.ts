/** @file A recording proxy in front of a model's server that answers each call as it is told. */

import type { Store } from '@ludus-agents/kernel/internal/core/index';
import { type Serving, serve } from '@ludus-agents/servers/internal/app';
import { proxyRoutes } from '@ludus-agents/servers/internal/proxy/routes';
import { memoryStore } from '@ludus-agents/store/internal/open-store';
import { expect } from 'vitest';
import { delta, ending, type Move, type ScriptedServer, scriptedServer } from '../fixtures/scripted-server.ts';

export interface HostileProxy {
  readonly serving: Serving;
  readonly store: Store;
  /** How many requests the server behind it has seen. */
  readonly asked: () => number;
  /** Calls the model once, with this for an answer of its server. */
  call(move: Move, streamed?: boolean, signal?: AbortSignal): Promise<{ readonly status: number; readonly text: string }>;
  close(): Promise<void>;
}

export async function hostileProxy(): Promise<HostileProxy> {
  let move: Move = () => {};
  const upstream: ScriptedServer = await scriptedServer((...inputs) => move(...inputs));
  const store = memoryStore();
  const { routes } = proxyRoutes({ store, local: { cwd: '/nowhere' }, upstream: { url: upstream.url } });
  const serving = await serve({ routes, noToken: true });
  return {
    serving,
    store,
    asked: () => upstream.seen.length,
    async call(next, streamed = true, signal) {
      move = next;
      const body = JSON.stringify({ model: 'm', stream: streamed, messages: [{ role: 'user', content: 'hello' }] });
      const response = await fetch(`${serving.url}/v1/chat/completions`, { method: 'POST', body, signal: signal ?? null });
      return { status: response.status, text: await response.text() };
    },
    async close() {
      await serving.close();
      await upstream.close();
    },
  };
}

/** An event stream in as many writes as there are pieces; the connection is reset after them where `torn`. */
export function pieces(all: readonly (string | Buffer)[], torn = false): Move {
  return async (response, _, socket) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const piece of all) await new Promise<void>((resolve) => response.write(piece, () => resolve()));
    if (torn) socket.resetAndDestroy();
    else response.end();
  };
}

/** The proxy lives, and the next call with a right answer is answered rightly. */
export async function stillRelays({ serving, call }: HostileProxy): Promise<void> {
  const health = await fetch(`${serving.url}/health`);
  expect([health.status, await health.json()]).toEqual([200, { status: 'healthy' }]);
  const { status, text } = await call(pieces([delta('fine'), ending]));
  expect([status, text]).toEqual([200, expect.stringMatching(/fine[\s\S]*\[DONE\]/)]);
}
