/** @file The cases that an agent did not pass: each with its answer, and with what is wrong with that. */

import type { CaseResult } from '@ludus-agents/evaluation/internal/cases/case-results';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import { type Terminal, tableWidth } from '../terminal.ts';
import { coloursFor } from './colours.ts';
import { table } from './table.ts';

const mostShown = 20;

export function caseResultsText(results: readonly CaseResult[], terminal: Terminal): string {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const short = (text: string, most: number) => printable(text.length > most ? `${text.slice(0, most)}…` : text).replaceAll('\n', ' ');
  return [...Map.groupBy(results, ({ agent }) => agent)]
    .map(([agent, tried]) => {
      const failed = tried.filter(({ failure }) => failure !== null);
      const title = colours.bold(`${printable(agent)} passed ${tried.length - failed.length} of ${count(tried.length, 'case')}`);
      if (failed.length === 0) return title;
      const columns = [{ title: 'failed case' }, { title: 'passed', align: 'right' as const }, { title: 'answer' }, { title: 'why' }];
      const rows = failed
        .slice(0, mostShown)
        .map(({ case: name, passed, tries, failure }) => [
          short(name, 50),
          `${passed} of ${tries}`,
          short(failure?.answer ?? '', 40),
          short(failure?.reason ?? '', 60),
        ]);
      const more = failed.length > mostShown ? [colours.faint(`and ${failed.length - mostShown} more; --json lists all`)] : [];
      return [title, table(columns, rows, { colours, columns: tableWidth(terminal) }), ...more].join('\n');
    })
    .join('\n\n');
}
