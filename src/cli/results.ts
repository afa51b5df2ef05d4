/** @file What a run came to, as a table: for every world, seat and agent the mean return with its standard error. */

import { grouped, signed } from '../company/amounts.ts';
import type { Result } from '../company/results.ts';
import { printable } from '../core/index.ts';
import { inkFor } from './ink.ts';
import { tinted } from './scene.ts';
import { type Column, table } from './table.ts';
import { columnsOf, type Terminal } from './terminal.ts';

export function resultsTable(results: readonly Result[], terminal: Terminal): string {
  const ink = inkFor(terminal.stdout, terminal.env);
  if (results.length === 0) return ink.faint('No episode has ended yet.');
  const rows = results.map(({ environment, seat, agent, episodes, mean, error }) => [
    printable(environment),
    printable(agent),
    printable(seat),
    grouped(episodes),
    tinted(ink, mean),
    error === null ? '' : ink.faint(`± ${signed(error).replace('+', '')}`),
  ]);
  const columns: readonly Column[] = [
    { title: 'environment' },
    { title: 'agent', flexible: 'cut' },
    { title: 'seat', flexible: 'cut' },
    { title: 'episodes', align: 'right' },
    { title: 'mean return', align: 'right' },
    { title: '' },
  ];
  return table(columns, rows, { ink, columns: terminal.stdout.isTTY === true ? columnsOf(terminal.stdout) : undefined });
}
