/** @file What a change cost each agent, for people: what was paid before it, what was lost, and how much of that came back how soon. */

import type { AgentAdaptation } from '@ludus-agents/evaluation/internal/adaptation';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import { columnsOf, type Terminal } from '../terminal.ts';
import { coloursFor } from './colours.ts';
import { type Column, table } from './table.ts';
import { wrap } from './width.ts';

const legend =
  'Drop: the last five steps before the change minus the first three after it. Recovered: how much of the loss was regained in the last five steps. Returned: episodes that again earned nine tenths of the earlier reward, and after how many steps.';

export function adaptationText(rows: readonly AgentAdaptation[], terminal: Terminal): string {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const width = Math.min(100, columnsOf(terminal.stdout));
  const right = (title: string): Column => ({ title, align: 'right' });
  const columns = [
    { title: 'scene' },
    { title: 'agent' },
    right('before'),
    right('drop'),
    right('made good'),
    right('came back'),
    right('steps'),
  ];
  const points = (value: number) => (100 * value).toFixed(1).replace('-', '−');
  const cells = rows.map(({ agent, scene, episodes, before, drop, recovery, cameBack, steps }) => [
    printable(scene),
    printable(agent),
    points(before),
    points(drop),
    recovery === null ? '–' : `${points(recovery)}%`,
    `${cameBack} of ${episodes}`,
    steps === null ? '–' : steps.toFixed(1),
  ]);
  return [table(columns, cells, { colours }), ...wrap(legend, width).map(colours.faint)].join('\n');
}
