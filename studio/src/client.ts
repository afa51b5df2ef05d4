/** @file Speaks to the server: JSON in, JSON out, and every failure as one sentence. */

import { useCallback, useEffect, useRef, useState } from 'react';

/** What the server refused, in its words; status 0 where it did not answer at all. */
export class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return send<T>(path, signal === undefined ? {} : { signal });
}

export async function post<T>(path: string, body: unknown = {}): Promise<T> {
  return send<T>(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
}

/** For what is neither JSON nor a POST: a file that is dropped, something that is taken away. */
export async function send<T>(path: string, init: RequestInit): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, { ...init, credentials: 'same-origin' });
  } catch (thrown) {
    if (init.signal?.aborted === true) throw thrown;
    throw new Refused(0, 'The server does not answer. Is it still running?');
  }
  const body: unknown = await response.json().catch(() => null);
  if (response.ok) return body as T;
  throw new Refused(response.status, (body as { error?: string } | null)?.error ?? `The server answered ${response.status}.`);
}

export type Loaded<T> =
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly status: number; readonly error: string }
  /** `stale` where the last try to read it again failed. */
  | { readonly state: 'ready'; readonly data: T; readonly stale: boolean };

export interface Loading<T> {
  readonly loaded: Loaded<T>;
  readonly reload: () => void;
}

/** What is at a path, read again every so many milliseconds while somebody looks; null reads nothing. */
export function useApi<T>(path: string | null, every?: number): Loading<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>({ state: 'loading' });
  const [round, setRound] = useState(0);
  const shown = useRef<string | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `round` is how a reload is asked for.
  useEffect(() => {
    if (path === null) return;
    const leave = new AbortController();
    if (shown.current !== path) setLoaded({ state: 'loading' });
    shown.current = path;
    const read = async () => {
      if (document.hidden && every !== undefined) return;
      try {
        const data = await get<T>(path, leave.signal);
        setLoaded({ state: 'ready', data, stale: false });
      } catch (thrown) {
        if (leave.signal.aborted) return;
        const { status = 0, message } = thrown as Refused;
        setLoaded((before) => (before.state === 'ready' ? { ...before, stale: true } : { state: 'failed', status, error: message }));
      }
    };
    void read();
    const timer = every === undefined ? undefined : setInterval(read, every);
    return () => {
      leave.abort();
      clearInterval(timer);
    };
  }, [path, every, round]);
  return { loaded, reload: useCallback(() => setRound((before) => before + 1), []) };
}

/** Something that is done on the server when a person asks for it: whether it is under way, and what went wrong. */
export function useAction(): {
  readonly busy: boolean;
  readonly error: string | null;
  readonly run: (work: () => Promise<unknown>) => void;
} {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const run = useCallback((work: () => Promise<unknown>) => {
    setBusy(true);
    setError(null);
    work()
      .catch((thrown: unknown) => setError((thrown as Error).message))
      .finally(() => setBusy(false));
  }, []);
  return { busy, error, run };
}
