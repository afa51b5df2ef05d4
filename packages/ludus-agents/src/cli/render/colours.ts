/** @file Colors for terminal output: none if the output is not a terminal or NO_COLOR is set. */

import type { Screen, Terminal } from '../terminal.ts';

export interface Colours {
  readonly coloured: boolean;
  bold(text: string): string;
  faint(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
  /** A seat in its own color: the same place at the table always has the same one. */
  seat(text: string, index: number): string;
}

/** Cyan, magenta, yellow, blue, green: distinguishable on dark and light, and red stays free for errors. */
const seatColours = [36, 35, 33, 34, 32] as const;

export function coloursFor(screen: Screen, env: Terminal['env']): Colours {
  const coloured = wantsColour(screen, env);
  const code = (open: number, close: number) => (text: string) =>
    coloured && text !== '' ? `\u001b[${open}m${text}\u001b[${close}m` : text;
  const seats = seatColours.map((colour) => code(colour, 39));
  return {
    coloured,
    bold: code(1, 22),
    faint: code(2, 22),
    red: code(31, 39),
    green: code(32, 39),
    yellow: code(33, 39),
    cyan: code(36, 39),
    seat: (text, index) => seats[Math.max(0, index) % seats.length]!(text),
  };
}

/** NO_COLOR (no-color.org) overrides FORCE_COLOR, which overrides the stream's own capability. */
function wantsColour(screen: Screen, env: Terminal['env']): boolean {
  if ((env['NO_COLOR'] ?? '') !== '') return false;
  if ((env['FORCE_COLOR'] ?? '') !== '') return env['FORCE_COLOR'] !== '0';
  return screen.isTTY === true && env['TERM'] !== 'dumb';
}
