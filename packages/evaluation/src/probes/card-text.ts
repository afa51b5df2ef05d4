/** @file A report card as Markdown and as a self-contained page. Texts of characters are untrusted and escaped. */

import { escapeHtml, escapeMarkdown } from '@ludus-agents/kernel/internal/core/printable';
import { style } from '../scoring/report/style.ts';
import type { Interval } from '../scoring/statistics/mean.ts';
import type { ReportCard } from './probe-character.ts';
import type { CardRow } from './report-card.ts';

const figure = (value: number | null) => (value === null ? '–' : value.toFixed(2));
const span = (interval: Interval | null) => (interval === null ? '' : `${interval[0].toFixed(2)} to ${interval[1].toFixed(2)}`);

function headline({ agent, score, interval, probes, reader, broken }: ReportCard): string {
  return `Played by ${agent}: ${figure(score)} (${span(interval)}) over ${probes} probes, read by ${reader}; ${broken} answers could not be read. Intervals are 95%.`;
}

function cells({ name, value, interval, n, floor, lowerIsBetter }: CardRow): readonly string[] {
  return [
    `${name}${lowerIsBetter ? ' (less is better)' : ''}`,
    figure(value),
    span(interval),
    String(n),
    floor === undefined ? '' : figure(floor),
  ];
}

const head = ['', 'value', '95%', 'n', 'floor'] as const;

export function cardMarkdown(card: ReportCard): string {
  const line = (row: readonly string[]) => `| ${row.map(escapeMarkdown).join(' | ')} |`;
  const parts = card.parts.flatMap(({ section, value, interval, rows, misses }) => [
    `## ${section}: ${figure(value)}${interval === null ? '' : ` (${span(interval)})`}`,
    rows.length === 0 ? '' : [line(head), '|---|---:|---:|---:|---:|', ...rows.map((row) => line(cells(row)))].join('\n'),
    misses
      .map(({ asked, answered, wanted, source }) =>
        [
          `- asked: ${escapeMarkdown(asked)}`,
          `  answered: ${escapeMarkdown(answered)}`,
          `  wanted: ${escapeMarkdown(wanted)}; from ${escapeMarkdown(source)}`,
        ].join('\n'),
      )
      .join('\n'),
  ]);
  const mend = card.mend.length === 0 ? [] : ['## What to fix', card.mend.map((item) => `- ${escapeMarkdown(item)}`).join('\n')];
  return `${[`# ${escapeMarkdown(card.persona.name)}`, escapeMarkdown(headline(card)), ...mend, ...parts].filter((part) => part !== '').join('\n\n')}\n`;
}

export function cardPage(card: ReportCard): string {
  const row = (list: readonly string[], tag: 'td' | 'th') =>
    `<tr>${list.map((item) => `<${tag}>${escapeHtml(item)}</${tag}>`).join('')}</tr>`;
  const parts = card.parts.map(({ section, value, interval, rows, misses }) => {
    const table = `<div class="wide"><table><thead>${row(head, 'th')}</thead><tbody>${rows.map((cardRow) => row(cells(cardRow), 'td')).join('')}</tbody></table></div>`;
    const wrong = misses.map(
      ({ asked, answered, wanted, source }) =>
        `<article class="moment worst"><p class="from">${escapeHtml(asked)}</p><blockquote>${escapeHtml(answered)}</blockquote><p class="from">wanted: ${escapeHtml(wanted)}; from ${escapeHtml(source)}</p></article>`,
    );
    const moments = wrong.length === 0 ? '' : `<div class="moments">${wrong.join('')}</div>`;
    return `<section><h2>${escapeHtml(section)} ${figure(value)} <small class="soft">${span(interval)}</small></h2>${rows.length === 0 ? '' : table}${moments}</section>`;
  });
  const mend =
    card.mend.length === 0
      ? ''
      : `<section><h2>What to fix</h2><ul>${card.mend.map((item) => `<li>${escapeHtml(item)}</li>`).join('')}</ul></section>`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(card.persona.name)}</title><style>${style}</style></head><body><header><h1>${escapeHtml(card.persona.name)}</h1><p>${escapeHtml(headline(card))}</p></header><main>${mend}${parts.join('')}</main></body></html>\n`;
}
