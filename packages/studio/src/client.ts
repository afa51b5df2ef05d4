/** @file What the server knows, as a page holds it: read, read again, and asked to do something. */

import { useCallback, useEffect, useRef, useState } from 'react';
import { type Answer, address, connection, get, type Path, type Refused, send, type Wanted } from './requests.ts';

export { address, get, listen, post, put, remove, upload } from './requests.ts';

export type Loaded<T> =
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly status: number; readonly error: string }
  /** `stale` where the last try to read it again failed. */
  | { readonly state: 'ready'; readonly data: T; readonly stale: boolean };

export interface Loading<T> {
  readonly loaded: Loaded<T>;
  readonly reload: () => void;
}

/** Milliseconds after which a server that did not answer is asked again. */
const again = 1000;

/** Says when this part of the page is no longer shown. */
export function useLeaving(): { readonly current: AbortController } {
  const leave = useRef(new AbortController());
  useEffect(() => {
    const here = new AbortController();
    leave.current = here;
    return () => here.abort();
  }, []);
  return leave;
}

/** Reads now, whenever this tab becomes visible, and at the interval that `read` returns: milliseconds until the next time, or nothing. */
export function keepReading(read: (leave: AbortSignal) => Promise<number | undefined>): () => void {
  const leave = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let reading = false;
  const next = async () => {
    if (reading) return;
    clearTimeout(timer);
    reading = true;
    const wait = await read(leave.signal);
    reading = false;
    if (wait !== undefined && !leave.signal.aborted) timer = setTimeout(next, wait);
  };
  const onVisibility = () => {
    if (!document.hidden && timer !== undefined) void next();
  };
  document.addEventListener('visibilitychange', onVisibility);
  void next();
  return () => {
    document.removeEventListener('visibilitychange', onVisibility);
    leave.abort();
    clearTimeout(timer);
  };
}

/** What a route answers, asked again until the server answers at all; `gone` hears of every try that met no server. */
export async function getOnceBack<P extends Path<'GET'>>(
  path: P,
  wanted: Wanted<'GET', P>,
  signal: AbortSignal,
  gone: (refused: Refused) => void,
): Promise<Answer<'GET', P>> {
  for (;;) {
    try {
      return await get(path, wanted, signal);
    } catch (thrown) {
      if (signal.aborted || (thrown as Refused).status !== 0) throw thrown;
      gone(thrown as Refused);
    }
    await new Promise((resolve) => setTimeout(resolve, again));
  }
}

/** The response of a route, read again at an interval while the page is visible; null reads nothing. */
export function useApi<P extends Path<'GET'>>(route: P, wanted: Wanted<'GET', P> | null, every?: number): Loading<Answer<'GET', P>> {
  type T = Answer<'GET', P>;
  const path = wanted === null ? null : address(route, wanted);
  const [{ of, loaded }, setRead] = useState<{ readonly of: string | null; readonly loaded: Loaded<T> }>({
    of: null,
    loaded: { state: 'loading' },
  });
  const [round, setRound] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `round` is how a reload is asked for.
  useEffect(() => {
    if (path === null) return;
    const setLoaded = (next: (before: Loaded<T>) => Loaded<T>) =>
      setRead((before) => ({ of: path, loaded: next(before.of === path ? before.loaded : { state: 'loading' }) }));
    return keepReading(async (leave) => {
      try {
        if (document.hidden && every !== undefined) return every;
        const data = await send<T>(path, { signal: leave });
        if (leave.aborted) return undefined;
        setLoaded(() => ({ state: 'ready', data, stale: false }));
      } catch (thrown) {
        if (leave.aborted) return undefined;
        const { status = 0, message } = thrown as Refused;
        setLoaded((before) => (before.state === 'ready' ? { ...before, stale: true } : { state: 'failed', status, error: message }));
        // A server that does not answer is asked again until it does, whatever page this is.
        if (status === 0) return Math.min(every ?? again, again);
      }
      return every;
    });
  }, [path, every, round]);
  // What was read at another address is never shown at this one, not even for a moment.
  return { loaded: of === path ? loaded : { state: 'loading' }, reload: useCallback(() => setRound((before) => before + 1), []) };
}

/** Something that is done on the server when a person asks for it: whether it is under way, and what went wrong. */
export function useAction(): {
  readonly busy: boolean;
  readonly error: string | null;
  readonly run: (work: () => Promise<unknown>) => void;
} {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const [isLost, setLost] = useState(false);
  // A server that is back makes the sentence about its absence wrong.
  useEffect(() => {
    if (!isLost) return;
    const clear = () => {
      setLost(false);
      setError(null);
    };
    connection.addEventListener('back', clear);
    return () => connection.removeEventListener('back', clear);
  }, [isLost]);
  const run = useCallback((work: () => Promise<unknown>) => {
    setBusy(true);
    setError(null);
    work()
      .catch((thrown: unknown) => {
        setError((thrown as Error).message);
        setLost((thrown as Partial<Refused>).status === 0);
      })
      .finally(() => setBusy(false));
  }, []);
  return { busy, error, run };
}
