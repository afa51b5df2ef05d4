/** @file The estimated size and cost of a plan as a table: `ludus run --dry-run`. */

import type { CostEstimate } from '@ludus-agents/evaluation/internal/estimate';
import { formatGrouped, money } from '@ludus-agents/kernel/internal/core/format';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import { coloursFor } from '../render/colours.ts';
import { basisWords, moneyWords, spanWords } from '../render/estimate.ts';
import { type Column, table } from '../render/table.ts';
import { wrap } from '../render/width.ts';
import { columnsOf, type Terminal, tableWidth } from '../terminal.ts';

export function formatEstimate(costEstimate: CostEstimate, budget: number | undefined, terminal: Terminal): string {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const columns = Math.min(100, columnsOf(terminal.stdout));
  const called = costEstimate.calls.high > 0;
  const rows = [
    ['episodes', formatGrouped(costEstimate.episodes)],
    ['model calls', called ? spanWords(costEstimate.calls) : 'none'],
    ['tokens read', spanWords(costEstimate.promptTokens)],
    ['tokens written', spanWords(costEstimate.completionTokens)],
    ['money', called ? moneyWords(costEstimate) : 'no models, no cost'],
    ...(budget === undefined ? [] : [['stops at', money(budget)]]),
  ].filter(([what]) => called || !what?.startsWith('tokens'));
  const titles: readonly Column[] = [{ title: 'this plan' }, { title: 'takes', flexible: 'wrap' }];
  const whole = table(
    titles,
    rows.map(([what, amount]) => [colours.cyan(what as string), amount as string]),
    { colours, columns },
  );
  if (!called) return whole;
  const parts = costEstimate.parts.length < 2 ? '' : `\n\n${partsTable(costEstimate, terminal)}`;
  return `${whole}${parts}\n\n${wrap(`The figures come ${basisWords(costEstimate)}.`, columns)
    .map(colours.faint)
    .join('\n')}`;
}

const most = 20;

function partsTable({ parts }: CostEstimate, terminal: Terminal): string {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const titles: readonly Column[] = [
    { title: 'environment', flexible: 'cut' },
    { title: 'cast', flexible: 'cut' },
    { title: 'episodes', align: 'right' },
    { title: 'calls', align: 'right' },
    { title: 'tokens', align: 'right' },
    { title: 'money', align: 'right' },
  ];
  const rows = parts
    .slice(0, most)
    .map((part) => [
      printable(part.environment),
      printable(Object.values(part.cast).join(', ')),
      formatGrouped(Math.round(part.episodes)),
      formatGrouped(Math.round(part.calls.likely)),
      formatGrouped(Math.round(part.promptTokens.likely + part.completionTokens.likely)),
      part.money === null ? 'unknown' : money(part.money.likely),
    ]);
  const more = parts.length > most ? `\n${colours.faint(`… and ${formatGrouped(parts.length - most)} more`)}` : '';
  return `${table(titles, rows, { colours, columns: tableWidth(terminal) })}${more}`;
}
