/** @file One line with the progress of a run, rewritten in place, only on a terminal. */

import { count, duration, formatGrouped, knownMoney, priceWords } from '@ludus-agents/kernel/internal/core/format';
import type { RunProgress } from '@ludus-agents/kernel/internal/engine/run';
import { columnsOf, type Terminal } from '../terminal.ts';
import { coloursFor } from './colours.ts';
import { clip } from './width.ts';

export interface ProgressLine {
  tell(progress: RunProgress): void;
  /** Writes a line above the progress line. */
  note(text: string): void;
  /** Clears the line. */
  done(): void;
}

const silent: ProgressLine = { tell() {}, note() {}, done() {} };

export function progressLine(terminal: Terminal, now: () => number = Date.now): ProgressLine {
  const screen = terminal.stderr;
  if (screen.isTTY !== true) return { ...silent, note: (text) => screen.write(`${text}\n`) };
  const began = now();
  let last = Number.NEGATIVE_INFINITY;
  return {
    tell(progress) {
      if (now() - last < 80) return;
      last = now();
      screen.write(`\r\u001b[2K${clip(line(progress, (now() - began) / 1000, terminal), columnsOf(screen) - 1)}`);
    },
    note: (text) => screen.write(`\r\u001b[2K${text}\n`),
    done: () => screen.write('\r\u001b[2K'),
  };
}

/** "━━━━━━──── 412/1,000 · 41% · 132/s · 4 s left · $0.12 · 3 errors" */
function line(progress: RunProgress, seconds: number, terminal: Terminal): string {
  const { planned, before, played, elsewhere = 0, ends, spent } = progress;
  const done = before + played + elsewhere;
  const colours = coloursFor(terminal.stderr, terminal.env);
  const share = planned === 0 ? 1 : done / planned;
  const full = Math.round(share * 20);
  const rate = seconds > 0 ? (played + elsewhere) / seconds : 0;
  const parts = [
    `${formatGrouped(done)}/${formatGrouped(planned)}`,
    `${Math.floor(share * 100)}%`,
    `${formatGrouped(Math.round(rate))}/s`,
    `${duration(rate > 0 ? (planned - done) / rate : Number.POSITIVE_INFINITY)} left`,
  ];
  if (spent.calls > 0) parts.push(priceWords(knownMoney(spent)));
  if (ends.error > 0) parts.push(count(ends.error, 'error'));
  return `${colours.cyan('━'.repeat(full))}${colours.faint('━'.repeat(20 - full))} ${parts.join(' · ')}`;
}
