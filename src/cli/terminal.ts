/** @file Everything outside that a command may touch: streams, variables, the working folder, Ctrl-C. Tests bring their own. */

import type { Readable, Writable } from 'node:stream';
import { exits } from './command.ts';

export type Screen = Writable & { readonly isTTY?: boolean; readonly columns?: number };

export interface Terminal {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Screen;
  readonly stderr: Screen;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Calls the listener at every Ctrl-C until the returned function is called. */
  interrupts(listener: () => void): () => void;
  /** Leaves at once, whatever is under way. */
  leave(code: number): void;
}

/** The terminal of this process. */
export function processTerminal(): Terminal {
  // `ludus show ID | head` closes our output early; that is no failure of ours.
  const leaveQuietly = (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  };
  process.stdout.on('error', leaveQuietly);
  process.stderr.on('error', leaveQuietly);
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    interrupts(listener) {
      process.on('SIGINT', listener);
      return () => process.off('SIGINT', listener);
    },
    leave: (code) => process.exit(code),
  };
}

/** How many columns to write on: what the screen has, or 80 where there is none to ask. */
export function columnsOf(screen: Screen): number {
  return Math.max(20, screen.columns ?? 80);
}

/** How wide a table may be: what COLUMNS says, or the screen; undefined in a file or a pipe, where nothing is cut. */
export function tableWidth({ stdout, env }: Pick<Terminal, 'stdout' | 'env'>): number | undefined {
  const wished = Number(env['COLUMNS']);
  if (Number.isSafeInteger(wished) && wished > 0) return Math.max(20, wished);
  return stdout.isTTY === true ? columnsOf(stdout) : undefined;
}

/** A controller that the first Ctrl-C aborts, so that what is under way is put down properly; the second leaves at once. `release` gives Ctrl-C back. */
export function interruptible(
  terminal: Terminal,
  note: (text: string) => void = () => {},
): { readonly controller: AbortController; release(): void } {
  const controller = new AbortController();
  const release = terminal.interrupts(() => {
    if (controller.signal.aborted) terminal.leave(exits.interrupted);
    controller.abort();
    note('Stopping; Ctrl-C again leaves at once.');
  });
  return { controller, release };
}

/** One JSON value on one line of stdout, for machines. JSON leaves DEL and C1 as they are, and a terminal would obey them: they are escaped too. */
export function printJson(terminal: Terminal, value: unknown): void {
  const text = JSON.stringify(value).replace(/[\u007f-\u009f]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
  terminal.stdout.write(`${text}\n`);
}

/** Lines for people on stdout. */
export function print(terminal: Terminal, ...lines: readonly string[]): void {
  terminal.stdout.write(`${lines.join('\n')}\n`);
}
