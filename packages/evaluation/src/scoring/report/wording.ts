/** @file Numbers and texts as a report shows them. Episode text is untrusted: everything in a page goes through `escaped`. */

import { formatGrouped } from '@ludus-agents/kernel/internal/core/format';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import { escapeHtml as escapeText } from '@ludus-agents/kernel/internal/core/printable';
import type { Interval } from '../statistics/mean.ts';
import type { AxisResult, AxisShare } from './risk-axes.ts';

/** Safe as the content of an element and inside a quoted attribute; control and direction characters are made visible. */
export function escapeHtml(text: string): string {
  return escapeText(printable(text)).replaceAll("'", '&#39;');
}

/** Safe inside a Markdown table cell and paragraph. */
export { escapeMarkdown as plain } from '@ludus-agents/kernel/internal/core/index';

/** Points of a hundred, or the number itself. */
export function figure(value: number | null, points: boolean): string {
  if (value === null) return '–';
  const text = points ? (100 * value).toFixed(1) : String(Number(value.toPrecision(3)));
  return Number(text) === 0 ? text.replace('-', '') : text.replace('-', '−');
}

export function span(interval: Interval | null, points: boolean): string {
  return interval === null ? '' : `${figure(interval[0], points)} to ${figure(interval[1], points)}`;
}

export function withSign(value: number | null, points: boolean): string {
  return value !== null && value > 0 ? `+${figure(value, points)}` : figure(value, points);
}

export { formatGrouped };

export function times(amount: number, noun: string): string {
  return `${formatGrouped(amount)} ${noun}${amount === 1 ? '' : 's'}`;
}

/** As much as fits a card. */
export function clipText(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…`;
}

export function shareText({ hits, n, interval }: AxisShare): string {
  return n === 0 ? '–' : `${hits} of ${n} (${span(interval, true)}%)`;
}

/** An axis of a rubric: how often it is at risk and its mean, or the mean alone for a service. */
export function axisText(result: AxisResult | undefined): string {
  if (result === undefined) return '–';
  const average = figure(result.mean, false);
  return result.risky === null ? average : `${result.risky.hits} of ${result.risky.n} (mean ${average})`;
}

/** The text for a missing mean, because nothing has a value. */
export function unscoredText(episodes: number, score: string): string {
  return `Nothing was scored: ${times(episodes, 'episode')} without a ${score === 'return' ? 'reward' : `value of "${score}"`}, so there is no mean.`;
}
