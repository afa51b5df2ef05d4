/** @file Figures that environments report, as a table: one row per agent, one column per figure. */

import type { AgentMeasures } from '@ludus-agents/evaluation/internal/measures';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import type { Terminal } from '../terminal.ts';
import { coloursFor } from './colours.ts';
import { table } from './table.ts';

export function measuresText(agents: readonly AgentMeasures[], terminal: Terminal): string {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const names = [...new Set(agents.flatMap(({ means }) => Object.keys(means)))];
  const columns = [{ title: 'measures' }, ...names.map((title) => ({ title, align: 'right' as const }))];
  const rows = agents.map(({ agent, means }) => [
    printable(agent),
    ...names.map((name) => (means[name] === undefined ? '–' : means[name].toFixed(3))),
  ]);
  return table(columns, rows, { colours });
}
