/** @file A studio to knock at: a real server over a store in memory, in a folder of its own. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json, Store } from '../../core/index.ts';
import { memoryStore } from '../../store/index.ts';
import { serve } from '../app.ts';
import { studioDoor } from './index.ts';

export interface Answered<T = Json> {
  readonly status: number;
  readonly body: T;
  readonly headers: Headers;
}

export interface OpenStudio {
  readonly store: Store;
  readonly cwd: string;
  readonly env: Record<string, string | undefined>;
  readonly url: string;
  readonly token: string;
  /** Asks with the token: a body that is no text and no bytes goes as JSON. */
  ask<T = Json>(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answered<T>>;
  close(): Promise<void>;
}

export async function openStudio(): Promise<OpenStudio> {
  const cwd = mkdtempSync(join(tmpdir(), 'ludus-studio-'));
  const env: Record<string, string | undefined> = {};
  const store = memoryStore();
  const token = 'a-token-for-tests-only';
  const serving = await serve({ doors: [await studioDoor({ store, place: { cwd, env }, token })], token });
  return {
    ...{ store, cwd, env, url: serving.url, token },
    async ask<T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
      const raw = typeof body === 'string' || body instanceof Uint8Array;
      const response = await fetch(`${serving.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, ...headers },
        ...(body === undefined ? {} : { body: raw ? (body as string) : JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, body: (isJson(text) ? JSON.parse(text) : text) as T, headers: response.headers };
    },
    async close() {
      await serving.close();
      await store.close();
      rmSync(cwd, { recursive: true, force: true });
    },
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
