/** @file All external resources of a command: streams, variables, the working folder, Ctrl-C. Tests replace them. */

import type { Readable, Writable } from 'node:stream';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { printable } from '@ludus-agents/kernel/internal/core/printable';
import { exits } from './command.ts';
import { nameCommands, typedName } from './typed-name.ts';

export type Screen = Writable & { readonly isTTY?: boolean; readonly columns?: number };

export interface Terminal {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Screen;
  readonly stderr: Screen;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The trust in typed names: the command line decides it for every command. */
  readonly trust: Trust;
  /** Calls the listener at every Ctrl-C until the returned function is called. */
  interrupts(listener: () => void): () => void;
  /** Exits immediately, even during work. */
  leave(code: number): void;
  /** The command's spending on models so far; null if it has called none. */
  spending?(): CommandSpending | null;
}

/** A command's spending on models, counted where calls are made: every request once, without cached answers. */
export interface CommandSpending {
  readonly calls: number;
  /** Null if calls did not report them. */
  readonly tokens: number | null;
  /** Calls without a reported token count: they count with their full allowance, so `tokens` is an upper bound. */
  readonly uncounted?: number;
  /** US dollars; null if the price of a call is unknown. */
  readonly money: number | null;
  /** Cached answers, for which no call was made. */
  readonly cached: number;
}

/** The terminal of this process. */
export function processTerminal(): Terminal {
  // `ludus show ID | head` closes our output early: leave without a word, with the code of a program that SIGPIPE ended, since no verdict was reached.
  const leaveQuietly = (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(process.exitCode ?? 141);
    throw error;
  };
  process.stdout.on('error', leaveQuietly);
  process.stderr.on('error', leaveQuietly);
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    trust: Trust.commandLine,
    cwd: process.cwd(),
    interrupts(listener) {
      process.on('SIGINT', listener);
      return () => process.off('SIGINT', listener);
    },
    leave: (code) => process.exit(code),
  };
}

/** The number of columns: that of the screen, or 80 without one. */
export function columnsOf(screen: Screen): number {
  return Math.max(20, screen.columns ?? 80);
}

/** The maximum width of a table: COLUMNS, or the screen; undefined in a file or a pipe, where nothing is cut. */
export function tableWidth({ stdout, env }: Pick<Terminal, 'stdout' | 'env'>): number | undefined {
  const wished = Number(env['COLUMNS']);
  if (Number.isSafeInteger(wished) && wished > 0) return Math.max(20, wished);
  return stdout.isTTY === true ? columnsOf(stdout) : undefined;
}

/**
 * A controller that the first Ctrl-C aborts, so running work ends cleanly; the second exits immediately. `release` stops handling
 * Ctrl-C, and `listen` resumes it, such as before and after a question.
 */
export function interruptible(
  terminal: Terminal,
  note: (text: string) => void = () => {},
): { readonly controller: AbortController; release(): void; listen(): void } {
  const controller = new AbortController();
  let release = () => {};
  const listen = () => {
    release = terminal.interrupts(() => {
      if (controller.signal.aborted) terminal.leave(exits.interrupted);
      controller.abort();
      note('Stopping. Press Ctrl-C again to quit immediately.');
    });
  };
  listen();
  return { controller, release: () => release(), listen };
}

/** JSON for stdout. JSON leaves DEL, C1, and bidirectional marks unescaped, and terminals interpret them, so they are escaped too. */
export function jsonText(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, hideUnknownMoney, indent);
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return `${text.replace(/[\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, escaped)}\n`;
}

/** One JSON value on one line of stdout, for machines. An object also has what the command has spent on models, if it has called any. */
export function printJson(terminal: Terminal, value: unknown): void {
  const spending = terminal.spending?.() ?? null;
  const isPlain = typeof value === 'object' && value !== null && !Array.isArray(value);
  terminal.stdout.write(jsonText(spending === null || !isPlain ? value : { ...value, spending }));
}

/** A sum that includes calls of unknown price is itself unknown. */
function hideUnknownMoney(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('money' in value) || !('unpriced' in value)) return value;
  return typeof value.unpriced === 'number' && value.unpriced > 0 ? { ...value, money: null } : value;
}

/** Lines for people on stdout. Colors pass; other control characters are made visible, because a text may come from anywhere. */
export function print(terminal: Terminal, ...lines: readonly string[]): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one.
  const parts = lines.join('\n').split(/(\u001b\[[\d;]*m)/);
  const text = parts.map((part, i) => (i % 2 === 1 ? part : printable(part))).join('');
  terminal.stdout.write(`${nameCommands(text, typedName(terminal))}\n`);
}
