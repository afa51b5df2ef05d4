/** @file The faults of agents for people: how often each was found, and the words of one example. */

import type { AgentFaults } from '@ludus-agents/desk/internal/found-faults';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import { columnsOf, type Terminal, tableWidth } from '../terminal.ts';
import { coloursFor } from './colours.ts';
import { type Column, table } from './table.ts';
import { wrap } from './width.ts';

export function faultsText(agents: readonly AgentFaults[], terminal: Terminal): string {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const screen = tableWidth(terminal);
  const width = Math.min(100, columnsOf(terminal.stdout));
  const percent = (value: number) => `${(100 * value).toFixed(1)}%`;
  const columns: Column[] = [{ title: 'fault' }, { title: 'found in', align: 'right' }, { title: '95%', align: 'right' }, { title: '' }];
  return agents
    .map(({ agent, faults, wordsOnly, conversations, unchecked }) => {
      const rows = faults.map(({ fault, hits, n, interval, found }) => [
        found ? colours.red(fault) : fault,
        `${hits} of ${n}`,
        colours.faint(`${percent(interval[0])} to ${percent(interval[1])}`),
        found ? colours.red('found') : colours.faint('not found'),
      ]);
      const examples = faults
        .filter(({ found }) => found)
        .flatMap(({ fault, examples: [first] }) =>
          first === undefined ? [] : [`${fault}, answer ${(first.turn ?? 0) + 1} of ${first.episode}: ${first.note}: “${first.quote}”`],
        );
      const text =
        wordsOnly === 0
          ? 'Its actions were observed through its calls.'
          : `Judged by words only in ${wordsOnly} of ${conversations} conversations: it shows neither calls nor records, so whether something was done, done twice or done to another record could be checked only by asking afterwards.`;
      const blind = unchecked.length === 0 ? [] : wrap(`Could not be checked in any conversation: ${unchecked.join(', ')}.`, width);
      return [
        colours.bold(`Faults of ${printable(agent)}`),
        table(columns, rows, { colours, columns: screen }),
        ...examples.flatMap((line) => wrap(printable(line), width)),
        ...wrap(text, width).map(colours.faint),
        ...blind.map(colours.faint),
      ].join('\n');
    })
    .join('\n\n');
}
