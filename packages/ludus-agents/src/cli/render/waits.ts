/** @file One line about models being waited for, rewritten in place on a terminal, and occasionally logged elsewhere. */

import { onWaits, type Wait } from '@ludus-agents/agents/internal/models/waits';
import { duration, formatGrouped } from '@ludus-agents/kernel/internal/core/format';
import { printable } from '@ludus-agents/kernel/internal/core/printable';
import { columnsOf, type Terminal } from '../terminal.ts';
import { clip } from './width.ts';

/** Seconds between two lines if nothing can be rewritten. */
const apart = 30;

/** Shows waits on stderr until the returned function is called. */
export function showWaits({ stderr }: Terminal): () => void {
  const isTerminal = stderr.isTTY === true;
  let isShown = false;
  let next = apart;
  return onWaits((waits) => {
    const text = waitLine(waits);
    const longest = Math.max(0, ...waits.map(({ seconds }) => seconds));
    if (isTerminal) {
      if (text !== '' || isShown) stderr.write(`\r\u001b[2K${clip(text, columnsOf(stderr) - 1)}`);
      isShown = text !== '';
    } else if (text === '') next = apart;
    else if (longest >= next) {
      next = longest + apart;
      stderr.write(`${text}\n`);
    }
  });
}

/** The awaited models, their progress, and the estimated remaining time. */
export function waitLine(waits: readonly Wait[]): string {
  const first = waits[0];
  if (first === undefined) return '';
  const alike = waits.filter(({ doing, progress }) => doing === first.doing && (progress === undefined) === (first.progress === undefined));
  const who = alike.length === 1 ? printable(first.model) : `${alike.length} calls`;
  const seconds = Math.max(...alike.map((wait) => wait.seconds));
  const done = alike.reduce((sum, { progress }) => sum + (progress?.done ?? 0), 0);
  const sizes = alike.map(({ progress }) => progress?.of ?? null);
  const of = sizes.includes(null) ? null : sizes.reduce<number>((sum, item) => sum + (item ?? 0), 0);
  if (first.progress === undefined)
    return `${who}: ${first.doing === 'loads' ? 'loading' : 'waiting for an answer'}, ${seconds.toFixed(0)} s`;
  const unit = first.doing === 'downloads' ? 'MB' : 'tokens';
  const formatAmount = (value: number) => formatGrouped(Math.round(unit === 'MB' ? value / 1e6 : value));
  const left = of === null || done <= 0 || done >= of ? '' : `, about ${formatTimeLeft(((of - done) * seconds) / done)} left`;
  const verb = first.doing === 'downloads' ? 'downloading' : 'reading the prompt';
  return `${who}: ${verb}, ${formatAmount(done)}${of === null ? '' : ` of ${formatAmount(of)}`} ${unit}${left}`;
}

/** The remaining seconds, without false precision. */
export function formatTimeLeft(seconds: number): string {
  return seconds < 10 ? `${Math.ceil(seconds)} s` : duration(Math.ceil(seconds));
}
