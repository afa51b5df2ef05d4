/** @file A list of any length: only the rows in sight exist. Rows may have any height, and growing at the end moves nothing. */

import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useRef } from 'react';

interface ListProps<T> {
  readonly items: readonly T[];
  readonly label: string;
  keyOf(item: T): string | number;
  row(item: T, index: number): ReactNode;
  /** What a row is likely to take, in pixels. */
  readonly height?: number;
  /** The row to keep in sight. */
  readonly at?: number | undefined;
  readonly className?: string;
}

export function List<T>({ items, label, keyOf, row, height = 64, at, className = '' }: ListProps<T>) {
  const frame = useRef<HTMLElement>(null);
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => frame.current,
    estimateSize: () => height,
    getItemKey: (index) => keyOf(items[index] as T),
    overscan: 8,
  });
  useEffect(() => {
    if (at !== undefined && at >= 0 && at < items.length) rows.scrollToIndex(at, { align: at === items.length - 1 ? 'end' : 'auto' });
  }, [at, items.length, rows]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section className={`list ${className}`} ref={frame} tabIndex={0} aria-label={label}>
      <ul style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ key, index, start }) => (
          <li
            key={key}
            data-index={index}
            ref={rows.measureElement}
            aria-setsize={items.length}
            aria-posinset={index + 1}
            style={{ transform: `translateY(${start}px)` }}
          >
            {row(items[index] as T, index)}
          </li>
        ))}
      </ul>
    </section>
  );
}
