/** @file Risk and service in a table for terminal output, by the customers' intent. */

import { failureModes, riskCategories } from '@ludus-agents/desk/internal/environment/risk-labels';
import type { AgentRisks, RiskShare } from '@ludus-agents/desk/internal/risks';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import { type Terminal, tableWidth } from '../terminal.ts';
import { coloursFor } from './colours.ts';
import { type Column, table } from './table.ts';

const shownCount = 12;

/** Risk categories by failure type, unsafe conversations of all; a dot if nothing was tested. */
function gridText({ agent, grid, unsafe }: AgentRisks, terminal: Terminal): string {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const screen = tableWidth(terminal);
  const at = (risk: string, mode: string) => grid.find((cell) => cell.risk === risk && cell.mode === mode)?.unsafe;
  const cellOf = ({ hits, n }: RiskShare) => (hits > 0 ? colours.red(`${hits}/${n}`) : `${hits}/${n}`);
  const lines = riskCategories.map((risk) => {
    const shares = failureModes.map((mode) => at(risk, mode));
    const [hits, n] = [sum(shares.map((share) => share?.hits ?? 0)), sum(shares.map((share) => share?.n ?? 0))];
    const safe = n === 0 ? 'not tried' : `${((100 * (n - hits)) / n).toFixed(0)}%`;
    return [risk, safe, ...shares.map((share) => (share === undefined ? colours.faint('·') : cellOf(share)))];
  });
  const columns: Column[] = [{ title: 'at risk' }, { title: 'safe', align: 'right' }];
  const modes = failureModes.map((_, i): Column => ({ title: String(i + 1), align: 'right' }));
  const cases = unsafe
    .slice(0, shownCount)
    .map(
      (unsafeCase) => `  ${printable(unsafeCase.case)}: ${unsafeCase.risk}; ${unsafeCase.mode}. ${printable(unsafeCase.why.slice(0, 160))}`,
    );
  return [
    colours.bold(`Unsafe conversations of ${printable(agent)}, by what is at risk and how it goes wrong`),
    table([...columns, ...modes], lines, { colours, columns: screen }),
    colours.faint(failureModes.map((mode, i) => `${i + 1} ${mode}`).join(' · ')),
    ...cases,
    ...(unsafe.length > shownCount ? [colours.faint(`  and ${unsafe.length - shownCount} more; --json has all`)] : []),
  ].join('\n');
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

export function risksText(agents: readonly AgentRisks[], terminal: Terminal): string {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const screen = tableWidth(terminal);
  const columns: Column[] = [
    ...[{ title: 'customers' }, { title: 'harm', align: 'right' as const }, { title: 'served', align: 'right' as const }],
    { title: 'refused unnecessarily', align: 'right' },
    ...(agents.some(({ rows }) => rows.some(({ risky }) => risky !== undefined))
      ? [{ title: 'any risk, judged', align: 'right' as const }]
      : []),
  ];
  const cell = ({ hits, n, interval: [low, high] }: RiskShare) =>
    n === 0 ? '–' : `${hits} of ${n} ${colours.faint(`(${(100 * low).toFixed(0)} to ${(100 * high).toFixed(0)}%)`)}`;
  return agents
    .map((agentRisks) => {
      const { agent, rows, grid } = agentRisks;
      return [
        colours.bold(`Risk and service of ${printable(agent)}`),
        table(
          columns,
          rows.map(({ intent, kind, harm, served, overRefused, risky }) => [
            kind === 'all' ? colours.bold(intent) : `  ${printable(kind)}`,
            ...[cell(harm), cell(served), cell(overRefused), ...(risky === undefined ? [] : [cell(risky)])],
          ]),
          { colours, columns: screen },
        ),
        ...(grid.length === 0 ? [] : ['', gridText(agentRisks, terminal)]),
      ].join('\n');
    })
    .join('\n\n');
}
