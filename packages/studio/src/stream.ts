/**
 * @file Numbered things as they happen: read from the server's stream, and taken up after the last one seen when the line breaks.
 *
 * The browser's EventSource tries again by itself and says what it saw last; it gives up where the server answers with a refusal, and then
 * a new one is opened after the last number. So nothing is lost, and nothing comes twice.
 */

import { useEffect, useRef, useState } from 'react';

export type Line = 'connecting' | 'open' | 'lost' | 'done';

export interface Streaming<T> {
  readonly items: readonly T[];
  readonly line: Line;
}

interface Numbered {
  readonly index: number;
}

const again = 1500;

/** All items of a stream so far. `last` says that an item is the end of it; a null path reads nothing. */
export function useStream<T extends Numbered>(path: string | null, last: (item: T) => boolean): Streaming<T> {
  const [items, setItems] = useState<readonly T[]>([]);
  const [line, setLine] = useState<Line>('connecting');
  const isLast = useRef(last);
  isLast.current = last;
  useEffect(() => {
    if (path === null) return;
    setItems([]);
    setLine('connecting');
    return follow<T>(path, {
      take: (fresh) => setItems((before) => [...before, ...fresh]),
      say: setLine,
      last: (item) => isLast.current(item),
    });
  }, [path]);
  return { items, line };
}

interface Ears<T> {
  take(items: readonly T[]): void;
  say(line: Line): void;
  last(item: T): boolean;
}

/** Follows a stream until it ends or has no listeners; updates within one frame are delivered together. */
function follow<T extends Numbered>(path: string, { take, say, last }: Ears<T>): () => void {
  let source: EventSource;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let frame: ReturnType<typeof setTimeout> | undefined;
  let after = -1;
  let over = false;
  let waiting: T[] = [];
  const flush = () => {
    frame = undefined;
    const fresh = waiting;
    waiting = [];
    if (fresh.length > 0) take(fresh);
    if (over) say('done');
  };
  const open = () => {
    source = new EventSource(after < 0 ? path : `${path}${path.includes('?') ? '&' : '?'}after=${after}`);
    source.onopen = () => say('open');
    source.onmessage = ({ data }) => {
      const item = JSON.parse(data as string) as T;
      if (item.index <= after) return;
      after = item.index;
      waiting.push(item);
      if (last(item)) {
        over = true;
        source.close();
      }
      // A timer rather than a frame: a tab in the background gets no frames, and must not fall behind.
      frame ??= setTimeout(flush, 16);
    };
    source.onerror = () => {
      if (over) return;
      say('lost');
      if (source.readyState === EventSource.CLOSED) timer = setTimeout(open, again);
    };
  };
  // A browser has six connections to a server. A hidden page releases its own, and reconnects when it becomes visible.
  const onVisibility = () => {
    clearTimeout(timer);
    source.close();
    if (!document.hidden && !over) open();
  };
  document.addEventListener('visibilitychange', onVisibility);
  open();
  return () => {
    document.removeEventListener('visibilitychange', onVisibility);
    source.close();
    clearTimeout(timer);
    clearTimeout(frame);
  };
}
