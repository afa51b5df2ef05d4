/** @file Aligned columns for terminal output. */

import type { Colours } from './colours.ts';
import { clip, pad, width, wrap } from './width.ts';

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** This column shrinks if the table is too wide for the screen: excess text is cut, or wrapped. */
  readonly flexible?: 'cut' | 'wrap';
}

export interface TextTableOptions {
  readonly colours: Colours;
  /** Screen columns; without them nothing is clipped. */
  readonly columns?: number | undefined;
}

const gap = '  ';

/** Rows under titles, two spaces apart; no line ends in spaces. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[], options: TextTableOptions): string {
  const widths = columns.map(({ title }, i) => Math.max(width(title), ...rows.map((row) => width(row[i] ?? ''))));
  if (options.columns !== undefined) shrink(columns, widths, options.columns);
  const line = (cells: readonly string[]) => {
    const parts = cells.map((cell, i) => (columns[i]?.flexible === 'wrap' ? wrap(cell, widths[i]!) : [clip(cell, widths[i]!)]));
    return Array.from({ length: Math.max(...parts.map((part) => part.length)) }, (_, row) =>
      parts
        .map((part, i) => pad(part[row] ?? '', widths[i]!, columns[i]?.align ?? 'left'))
        .join(gap)
        .trimEnd(),
    ).join('\n');
  };
  const head = columns.map(({ title }) => title);
  return [options.colours.faint(line(head)), ...rows.map(line)].join('\n');
}

/** Shrinks the widest flexible columns first, leaving each at least eight columns. */
function shrink(columns: readonly Column[], widths: number[], screen: number): void {
  let over = widths.reduce((sum, value) => sum + value, 0) + gap.length * (widths.length - 1) - screen;
  while (over > 0) {
    let widest = -1;
    for (const [i, column] of columns.entries())
      if (column.flexible !== undefined && widths[i]! > 8 && (widest < 0 || widths[i]! > widths[widest]!)) widest = i;
    if (widest < 0) return;
    widths[widest] = widths[widest]! - 1;
    over--;
  }
}
