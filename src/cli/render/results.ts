/** @file What a run came to, as a table: for every environment, seat and agent the mean return with its standard error. */

import { formatGrouped, formatSigned } from '../../core/format.ts';
import { printable } from '../../core/index.ts';
import type { RunResult } from '../../evaluation/results.ts';
import { type Terminal, tableWidth } from '../terminal.ts';
import { coloursFor } from './colours.ts';
import { tintAmount } from './episode.ts';
import { type Column, table } from './table.ts';

export function resultsTable(results: readonly RunResult[], terminal: Terminal): string {
  const colours = coloursFor(terminal.stdout, terminal.env);
  if (results.length === 0) return colours.faint('No episode has ended yet.');
  const rows = results.map(({ environment, seat, agent, episodes, mean, error }) => [
    printable(environment),
    printable(agent),
    printable(seat),
    formatGrouped(episodes),
    tintAmount(colours, mean),
    error === null ? '' : colours.faint(`± ${formatSigned(error).replace('+', '')}`),
  ]);
  const columns: readonly Column[] = [
    { title: 'environment' },
    { title: 'agent', flexible: 'cut' },
    { title: 'seat', flexible: 'cut' },
    { title: 'episodes', align: 'right' },
    { title: 'mean return', align: 'right' },
    { title: '' },
  ];
  return table(columns, rows, { colours, columns: tableWidth(terminal) });
}
