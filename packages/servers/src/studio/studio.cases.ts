/** @file A studio for tests: a real server with its own store, and a caller that has its token. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json, Store } from '@ludus-agents/kernel/internal/core/index';
import { memoryStore } from '@ludus-agents/store/internal/memory';
import { type Serving, serve } from '../app.ts';
import type { EventShown } from './api.ts';
import { studioRoutes } from './index.ts';

export const token = 'a-token-for-tests-only';

export interface Opened {
  readonly serving: Serving;
  readonly store: Store;
  readonly cwd: string;
  /** The variables that the studio sees. */
  readonly env: Record<string, string | undefined>;
  get(path: string): Promise<{ readonly status: number; readonly body: Json }>;
  post(path: string, body?: unknown): Promise<{ readonly status: number; readonly body: Json }>;
  close(): Promise<void>;
}

/** Opens a studio; one that is handed a store and a folder takes up what an earlier one left there. */
export async function openStudio(before: { readonly store?: Store; readonly cwd?: string; readonly port?: number } = {}): Promise<Opened> {
  const store = before.store ?? memoryStore();
  const cwd = before.cwd ?? mkdtempSync(join(tmpdir(), 'ludus-studio-'));
  const env: Record<string, string | undefined> = {};
  const door = await studioRoutes({ store, place: { cwd, env }, token });
  const serving = await serve({ routes: [door], token, port: before.port ?? 0 });
  const call = async (path: string, init: RequestInit) => {
    const response = await fetch(`${serving.url}${path}`, { ...init, headers: { authorization: `Bearer ${token}` } });
    return { status: response.status, body: (await response.json()) as Json };
  };
  return {
    serving,
    store,
    cwd,
    env,
    get: (path) => call(path, {}),
    post: (path, body = {}) => call(path, { method: 'POST', body: JSON.stringify(body) }),
    async close() {
      await serving.close();
      if (before.cwd === undefined) rmSync(cwd, { recursive: true, force: true });
    },
  };
}

export interface Watched {
  readonly shown: readonly EventShown[];
  /** The number of the last event, as the stream gave it. */
  readonly last: number;
}

/** Reads an episode's stream until it ends, or until enough has come. */
export async function watch(
  { serving }: Pick<Opened, 'serving'>,
  path: string,
  {
    enough = Number.POSITIVE_INFINITY,
    after,
    onShown,
  }: { readonly enough?: number; readonly after?: number; readonly onShown?: () => void } = {},
): Promise<Watched> {
  const headers = { authorization: `Bearer ${token}`, ...(after === undefined ? {} : { 'last-event-id': String(after) }) };
  const response = await fetch(`${serving.url}${path}`, { headers });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  const visible: EventShown[] = [];
  let last = -1;
  let text = '';
  for await (const chunk of response.body as ReadableStream<Uint8Array>) {
    text += new TextDecoder().decode(chunk);
    const blocks = text.split('\n\n');
    text = blocks.pop() as string;
    for (const block of blocks) {
      const match = /^id: (\d+)\ndata: (.*)$/s.exec(block);
      if (match === null) continue;
      last = Number(match[1]);
      visible.push(JSON.parse(match[2]!) as EventShown);
    }
    if (visible.length > 0) onShown?.();
    // Anyone who stops reading hangs up.
    if (visible.length >= enough) break;
  }
  return { shown: visible, last };
}
