/** @file A studio to knock at with any method, any body and any headers. */

import type { Json } from '@ludus-agents/kernel/internal/core/index';
import { type Opened, openStudio as opened, token } from './studio.cases.ts';

export interface Answered<T = Json> {
  readonly status: number;
  readonly body: T;
  readonly headers: Headers;
}

export interface OpenStudio extends Opened {
  /** Asks with the token: a body that is not text and no bytes goes as JSON. */
  ask<T = Json>(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answered<T>>;
}

export async function openStudio(): Promise<OpenStudio> {
  const studio = await opened();
  return {
    ...studio,
    async ask<T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
      const raw = typeof body === 'string' || body instanceof Uint8Array;
      const response = await fetch(`${studio.serving.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, ...headers },
        ...(body === undefined ? {} : { body: raw ? (body as string) : JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, body: (isJson(text) ? JSON.parse(text) : text) as T, headers: response.headers };
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
