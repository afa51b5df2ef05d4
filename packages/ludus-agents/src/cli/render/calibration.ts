/** @file The calibration of agents for people: what they bet, how often they won, and by how much that differs. */

import type { AgentCalibration } from '@ludus-agents/evaluation/internal/calibration';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import type { Terminal } from '../terminal.ts';
import { coloursFor } from './colours.ts';
import { type Column, table } from './table.ts';

export function calibrationText(agents: readonly AgentCalibration[], terminal: Terminal): string {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const right = (title: string): Column => ({ title, align: 'right' });
  const columns = [
    { title: 'bets of' },
    right('debates'),
    right('first'),
    right('last'),
    right('won'),
    right('Brier'),
    right('error by tens'),
  ];
  const percent = (value: number) => `${value.toFixed(1)}%`;
  const rows = agents.map(({ agent, debates, opening, closing, won, brier, ece }) => [
    printable(agent),
    String(debates),
    percent(opening),
    percent(closing),
    percent(100 * won),
    brier.toFixed(3),
    ece.toFixed(3),
  ]);
  return [
    table(columns, rows, { colours }),
    colours.faint('An agent that always says 50 has a Brier score of 0.250. Two honest sides add up to 100.'),
  ].join('\n');
}
