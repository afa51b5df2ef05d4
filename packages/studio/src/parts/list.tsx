/** @file A list of any length: only the rows in sight exist. Rows may have any height, and growing at the end moves nothing. */

import { useVirtualizer } from '@tanstack/react-virtual';
import { type PointerEvent, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { useSaving } from '../share.ts';

interface ListProps<T> {
  readonly items: readonly T[];
  readonly label: string;
  keyOf(item: T): string | number;
  row(item: T, index: number): ReactNode;
  /** What a row is likely to take, in pixels. */
  readonly height?: number;
  /** The row to bring into sight. */
  readonly at?: number | undefined;
  /** Stay at the end as the list grows, as long as the reader has not gone up. */
  readonly follow?: boolean;
  readonly className?: string;
}

/** Nearer to the end than this is at the end. */
const near = 48;
/** Milliseconds within which scrolling is the work of the hand that moved. */
const handful = 600;

export function List<T>({ items, label, keyOf, row, height = 64, at, follow = false, className = '' }: ListProps<T>) {
  const frame = useRef<HTMLElement>(null);
  const { away, back, ...hands } = useHands(frame);
  const isSaving = useSaving();
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => frame.current,
    estimateSize: () => height,
    getItemKey: (index) => keyOf(items[index]!),
    overscan: 8,
  });
  useEffect(() => {
    if (at !== undefined && at >= 0) rows.scrollToIndex(at, { align: 'auto' });
  }, [at, rows]);
  useEffect(() => {
    if (follow && !away && items.length > 0) rows.scrollToIndex(items.length - 1, { align: 'end' });
  }, [follow, away, items.length, rows]);
  return (
    <div className={`list ${className}`}>
      <section
        className="frame"
        ref={frame}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        tabIndex={0}
        aria-label={label}
        {...hands}
      >
        <ul style={isSaving ? {} : { height: rows.getTotalSize() }}>
          {(isSaving ? wholeList(items, keyOf) : rows.getVirtualItems()).map(({ key, index, start }) => (
            <li
              key={key}
              data-index={index}
              ref={rows.measureElement}
              aria-setsize={items.length}
              aria-posinset={index + 1}
              style={{ transform: `translateY(${start}px)` }}
            >
              {row(items[index]!, index)}
            </li>
          ))}
        </ul>
      </section>
      {follow && away ? (
        <button type="button" className="latest" onClick={back}>
          ↓ Latest
        </button>
      ) : null}
    </div>
  );
}

/** Every row, for a page that is saved. */
function wholeList<T>(items: readonly T[], keyOf: (item: T) => string | number) {
  return items.map((item, index) => ({ key: keyOf(item), index, start: 0 }));
}

/** Whether the reader has gone away from the end. Rows that turn out higher than thought scroll too; only a hand means it. */
function useHands(frame: RefObject<HTMLElement | null>) {
  const [away, setAway] = useState(false);
  const handled = useRef(0);
  const handle = () => {
    handled.current = performance.now();
  };
  const onScroll = () => {
    const box = frame.current;
    if (box === null) return;
    const left = box.scrollHeight - box.scrollTop - box.clientHeight;
    if (left <= near) setAway(false);
    else if (performance.now() - handled.current < handful) setAway(true);
  };
  const onPointerMove = ({ buttons }: PointerEvent) => {
    if (buttons > 0) handle();
  };
  return {
    away,
    back: () => setAway(false),
    onScroll,
    onPointerMove,
    onPointerDown: handle,
    onWheel: handle,
    onTouchMove: handle,
    onKeyDown: handle,
  };
}
