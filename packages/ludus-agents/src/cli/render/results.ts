/** @file The results of a run as a table: the mean of every agent with its interval, and of every seat of an agent with several. */

import type { RunResults } from '@ludus-agents/evaluation/internal/results';
import type { Standing } from '@ludus-agents/evaluation/internal/scoring/evaluation/index';
import { figure, span, unscoredText } from '@ludus-agents/evaluation/internal/scoring/report/index';
import { scopeText } from '@ludus-agents/evaluation/internal/scoring/statistics/verdict';
import { count, formatGrouped } from '@ludus-agents/kernel/internal/core/format';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import { columnsOf, type Terminal, tableWidth } from '../terminal.ts';
import { type Colours, coloursFor } from './colours.ts';
import { type Column, table } from './table.ts';
import { wrap } from './width.ts';

export function resultsTable({ score, points, standings, seats, unscored }: RunResults, terminal: Terminal): string {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const valued = standings.agents.filter(({ values }) => values > 0);
  if (valued.length === 0) return colours.faint(unscored === 0 ? 'No episode has ended yet.' : unscoredText(unscored, score));
  const screen = tableWidth(terminal);
  const cells = (of: Counted) => [
    figure(of.value, points),
    colours.faint(span(of.interval, points)),
    formatGrouped(of.tasks),
    formatGrouped(of.episodes),
    missingCell(of.missing, colours),
  ];
  const agentRows = valued.map((of) => [printable(of.agent), ...cells(of)]);
  const seatRows = seats.map((of) => [printable(of.scene), printable(of.agent), printable(of.seat), ...cells(of)]);
  const repeated = valued.some(({ tasks, episodes }) => episodes > tasks) ? '; episodes include repeats of a task' : '';
  const note = `By ${score}${points ? ', in points of 100' : ''}. 95% intervals cover ${scopeText(standings.over, standings.tasks)}${repeated}.`;
  return [
    table([{ title: 'agent', flexible: 'cut' }, ...estimateColumns], agentRows, { colours, columns: screen }),
    ...(seats.length === valued.length
      ? []
      : [
          '',
          table(
            [{ title: 'scene' }, { title: 'agent', flexible: 'cut' }, { title: 'seat', flexible: 'cut' }, ...estimateColumns],
            seatRows,
            {
              ...{ colours, columns: screen },
            },
          ),
        ]),
    '',
    ...wrap(printable(note), Math.min(100, columnsOf(terminal.stdout))).map(colours.faint),
  ].join('\n');
}

/** "200 of 200 episodes ended, 20 tasks"; an imported or open-ended run has no planned number. */
export function endedText({ ended, planned, tasks }: { readonly ended: number; readonly planned: number; readonly tasks: number }): string {
  const of = planned > ended ? `${formatGrouped(ended)} of ${count(planned, 'episode')}` : count(ended, 'episode');
  return `${of} ended${tasks === 0 ? '' : ` · ${count(tasks, 'task')}`}`;
}

type Counted = Pick<Standing, 'value' | 'interval' | 'tasks' | 'episodes' | 'missing'>;

const estimateColumns: readonly Column[] = [
  { title: 'mean', align: 'right' },
  { title: '95%', align: 'right' },
  { title: 'tasks', align: 'right' },
  { title: 'episodes', align: 'right' },
  { title: 'missing', align: 'right' },
];

export function missingCell(missing: number, colours: Colours): string {
  return missing === 0 ? colours.faint('0') : colours.yellow(formatGrouped(missing));
}
