/** @file Tables and checks of a survey for terminal output. */

import { printable } from '@ludus-agents/kernel/internal/core/index';
import { percent } from '@ludus-agents/societies/internal/surveys/check-sentences';
import type { ItemTable } from '@ludus-agents/societies/internal/surveys/tables';
import { columnsOf, type Terminal, tableWidth } from '../terminal.ts';
import { coloursFor } from './colours.ts';
import { type Column, table } from './table.ts';
import { wrap } from './width.ts';

/** Shares with their intervals, item by item. */
export function tablesText(tables: readonly ItemTable[], terminal: Terminal): string {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const columns: readonly Column[] = [
    { title: 'item', flexible: 'cut' },
    { title: 'answer', flexible: 'cut' },
    { title: 'share', align: 'right' },
    { title: '95% interval' },
    { title: 'people', align: 'right' },
  ];
  const rows = tables.flatMap(({ item, wave, group, n, few, shares, mean }) => {
    const name = printable([item, wave, group].filter((part) => part !== null).join(' · '));
    if (shares.length === 0) return [[colours.cyan(name), colours.faint(few ? 'too few answers' : 'nobody'), '', '', String(n)]];
    const lines = shares.map(({ label, value, interval }, i) => [
      i === 0 ? colours.cyan(name) : '',
      printable(label),
      percent(value),
      `${percent(interval[0])} to ${percent(interval[1])}`,
      i === 0 ? String(n) : '',
    ]);
    if (mean === null) return lines;
    return [
      ...lines,
      ['', colours.faint('mean'), mean.value.toFixed(2), `${mean.interval[0].toFixed(2)} to ${mean.interval[1].toFixed(2)}`, ''],
    ];
  });
  return table(columns, rows, { colours, columns: tableWidth(terminal) });
}

/** The results of the checks, and the changes between waves, if any. */
export function checksText(lines: readonly string[], changes: readonly string[], terminal: Terminal): string {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const width = Math.min(100, columnsOf(terminal.stdout));
  const wrapped = (list: readonly string[]) => list.flatMap((line) => wrap(printable(line), width));
  return [
    colours.bold('Checks of the instrument'),
    ...wrapped(lines),
    ...(changes.length === 0 ? [] : ['', colours.bold('From wave to wave'), ...wrapped(changes)]),
  ].join('\n');
}
