/** @file Success by rule of the policy and by attribute of the customers, for people: what goes worst stands first. */

import type { AgentGroups } from '@ludus-agents/desk/internal/case-groups';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import { type Terminal, tableWidth } from '../terminal.ts';
import { coloursFor } from './colours.ts';
import { type Column, table } from './table.ts';

export function caseGroupsText(agents: readonly AgentGroups[], terminal: Terminal): string {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const screen = tableWidth(terminal);
  const columns: Column[] = [{ title: 'by' }, { title: '' }, { title: 'passed', align: 'right' }, { title: '95%', align: 'right' }];
  return agents
    .map(({ agent, groups }) => {
      const rows = groups.map(({ of, group, passes, n, interval: [low, high] }) => [
        ...[of, printable(group.replace(/^\s*[-*]\s*/, '').slice(0, 70)), `${passes} of ${n}`],
        colours.faint(`${(100 * low).toFixed(0)} to ${(100 * high).toFixed(0)}%`),
      ]);
      return [
        colours.bold(`Passed by ${printable(agent)}, by what cases have in common`),
        table(columns, rows, { colours, columns: screen }),
      ].join('\n');
    })
    .join('\n\n');
}
