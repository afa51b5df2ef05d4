/** @file Tables and checks of a survey for people. */

import { printable } from '../../core/index.ts';
import type { Instrument } from '../../environments/survey/instrument.ts';
import type { InstrumentChecks } from '../../surveys/checks.ts';
import type { ItemTable } from '../../surveys/tables.ts';
import { columnsOf, type Terminal } from '../terminal.ts';
import { coloursFor } from './colours.ts';
import { type Column, table } from './table.ts';
import { wrap } from './width.ts';

export function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

/** Shares with their intervals, item by item. */
export function tablesText(tables: readonly ItemTable[], terminal: Terminal): string {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const columns: readonly Column[] = [
    { title: 'item', flexible: 'cut' },
    { title: 'answer', flexible: 'cut' },
    { title: 'share', align: 'right' },
    { title: '95 % interval' },
    { title: 'people', align: 'right' },
  ];
  const rows = tables.flatMap(({ item, group, n, few, shares, mean }) => {
    const name = printable(group === null ? item : `${item} · ${group}`);
    if (shares.length === 0) return [[colours.cyan(name), colours.faint(few ? 'too few to say' : 'nobody'), '', '', String(n)]];
    const lines = shares.map(({ label, value, interval }, i) => [
      i === 0 ? colours.cyan(name) : '',
      printable(label),
      percent(value),
      `${percent(interval[0])} to ${percent(interval[1])}`,
      i === 0 ? String(n) : '',
    ]);
    if (mean === null) return lines;
    return [
      ...lines,
      ['', colours.faint('mean'), mean.value.toFixed(2), `${mean.interval[0].toFixed(2)} to ${mean.interval[1].toFixed(2)}`, ''],
    ];
  });
  return table(columns, rows, { colours, columns: terminal.stdout.isTTY === true ? columnsOf(terminal.stdout) : undefined });
}

/** What the checks found, in sentences; those without a finding are not said. */
export function checksText(checks: InstrumentChecks, { items }: Instrument, terminal: Terminal): string {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const lines: string[] = [];
  for (const { scale, bias, content } of checks.acquiescence)
    lines.push(`${scale}: people agree ${signed(bias)} points with whatever is said, and ${signed(content)} with what it says.`);
  for (const { item, first, last, z, p } of checks.optionOrder)
    if (p < 0.05)
      lines.push(
        `${item}: the first option is taken by ${percent(first)} when shown first and by ${percent(last)} when shown last (z ${z.toFixed(2)}).`,
      );
  for (const { item, same, icc, floor } of checks.retest)
    lines.push(
      `${item}: ${percent(same)} gave the same answer twice (agreement ${icc === null ? 'unknown' : icc.toFixed(2)}); by the shares alone it would be ${percent(floor)}.`,
    );
  for (const { item, refused, broken, missing } of checks.refusal) {
    const parts = [
      refused > 0.05 ? `${percent(refused)} refused` : '',
      broken > 0 ? `${percent(broken)} broke form` : '',
      missing > 0 ? `${percent(missing)} are missing` : '',
    ];
    if (parts.some((part) => part !== '')) lines.push(`${item}: ${parts.filter((part) => part !== '').join(', ')}.`);
  }
  for (const { item, ratio, mode } of checks.sameness.items)
    if (ratio < 0.5)
      lines.push(
        `${item}: people are all alike; ${percent(mode)} gave one answer, and the spread is ${percent(ratio)} of an even one. Always the middle has 0 %.`,
      );
  if (checks.sameness.straightLiners > 0.1) lines.push(`${percent(checks.sameness.straightLiners)} of people gave one number throughout.`);
  for (const { scale, alpha, items: number } of checks.reliability)
    lines.push(`${scale}: the ${number} items go together with alpha ${alpha.toFixed(2)}.`);
  const { seen, marginals } = checks.correlation;
  if (seen !== null)
    lines.push(
      `Scales go together by ${seen.toFixed(2)} on average; people who answer like the marginals have ${marginals?.toFixed(2) ?? '0'}, and always the middle has 0.`,
    );
  if (lines.length === 0) lines.push(`Nothing stands out in the ${items.length} items.`);
  const width = Math.min(100, columnsOf(terminal.stdout));
  return [colours.bold('Checks of the instrument'), ...lines.flatMap((line) => wrap(printable(line), width))].join('\n');
}

function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(2)}`;
}
