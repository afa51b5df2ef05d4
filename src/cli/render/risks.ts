/** @file Risk beside service for people, by who is at the desk. */

import { printable } from '../../core/index.ts';
import type { AgentRisks, RiskShare } from '../../evaluation/risks.ts';
import { columnsOf, type Terminal } from '../terminal.ts';
import { coloursFor } from './colours.ts';
import { type Column, table } from './table.ts';

export function risksText(agents: readonly AgentRisks[], terminal: Terminal): string {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const screen = terminal.stdout.isTTY === true ? columnsOf(terminal.stdout) : undefined;
  const columns: Column[] = [
    ...[{ title: 'customers' }, { title: 'harm', align: 'right' as const }, { title: 'served', align: 'right' as const }],
    { title: 'refused without need', align: 'right' },
  ];
  const cell = ({ hits, n, interval: [low, high] }: RiskShare) =>
    n === 0 ? '–' : `${hits} of ${n} ${colours.faint(`(${(100 * low).toFixed(0)} to ${(100 * high).toFixed(0)} %)`)}`;
  return agents
    .map(({ agent, rows }) =>
      [
        colours.bold(`Risk beside service of ${printable(agent)}`),
        table(
          columns,
          rows.map(({ intent, kind, harm, served, overRefused }) => [
            kind === 'all' ? colours.bold(intent) : `  ${printable(kind)}`,
            ...[cell(harm), cell(served), cell(overRefused)],
          ]),
          { colours, columns: screen },
        ),
      ].join('\n'),
    )
    .join('\n\n');
}
