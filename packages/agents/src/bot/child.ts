/**
 * @file The process of a bot. It gets a few environment variables plus the named ones, and it ends together with every process it has
 * started.
 */

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { safely, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { openBots } from './open-bots.ts';
import type { BotServices } from './session.ts';

const usualVariables = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TMPDIR', 'TMP', 'TEMP', 'SystemRoot', 'USERPROFILE', 'APPDATA'];

/** Processes that have not ended. They all end with this one. */
const running = new Set<BotChild>();
process.on('exit', () => {
  for (const botChild of running) botChild.kill('SIGKILL');
});

export interface BotChildOptions {
  readonly command: readonly string[];
  /** Variables passed to it in addition to the usual ones. */
  readonly env: readonly string[];
  /** Additional values passed to it. */
  readonly values?: Readonly<Record<string, string>>;
}

export class BotChild {
  readonly io: ChildProcessWithoutNullStreams;
  #errors = '';
  #closing = false;

  constructor({ command, env, values = {} }: BotChildOptions, services: BotServices) {
    const [program = '', ...args] = command;
    // It gets its own process group, so its child processes end with it.
    this.io = spawn(program, args, {
      cwd: services.cwd,
      env: { ...variablesOf(env, services), ...values },
      detached: process.platform !== 'win32',
      stdio: 'pipe',
    });
    running.add(this);
    openBots.processes.add(this);
    this.io.on('close', () => {
      running.delete(this);
      openBots.processes.delete(this);
    });
    // A broken pipe is reported when the process ends.
    this.io.stdin.on('error', () => {});
    this.io.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#errors = (this.#errors + text).slice(-4000);
    });
    this.hold(false);
  }

  get isClosing(): boolean {
    return this.#closing;
  }

  /** Reports why it could not be run, in words that follow the name of the bot. */
  onFailure(tell: (how: string) => void): void {
    this.io.on(
      'error',
      safely('A bot', (thrown: unknown) => {
        const { code } = thrown as NodeJS.ErrnoException;
        const program = this.io.spawnfile;
        if (code === 'ENOENT') tell(`could not be run: program "${program}" not found; check its name, or use its full path`);
        else if (code === 'EACCES') tell(`could not be run: "${program}" is not a program that may be run; check its permissions`);
        else tell(`could not be run: ${sentenceOf(thrown)}`);
      }),
    );
  }

  /** Reports how it ended, in words that follow the name of the bot. */
  onEnd(tell: (how: string) => void): void {
    this.io.on(
      'close',
      safely('A bot', (code: number | null, signal: string | null) => {
        const last = reasonIn(this.#errors).slice(-200);
        tell(`ended ${code === null ? `by ${signal}` : `with code ${code}`} before it answered${last === '' ? '' : `: ${last}`}`);
      }),
    );
  }

  close(): void {
    if (this.#closing) return;
    this.#closing = true;
    this.io.stdin.end();
    this.kill('SIGTERM');
    const last = setTimeout(() => this.kill('SIGKILL'), 2000);
    last.unref();
    this.io.once('close', () => clearTimeout(last));
  }

  kill(signal: NodeJS.Signals): void {
    const { pid } = this.io;
    if (pid === undefined) return;
    try {
      if (process.platform === 'win32') this.io.kill(signal);
      else process.kill(-pid, signal);
    } catch {
      // The process has already ended.
    }
  }

  /** Keeps this program alive for the process only while an answer is due. */
  hold(on: boolean): void {
    for (const item of [this.io, this.io.stdout, this.io.stderr, this.io.stdin] as unknown as { ref?(): void; unref?(): void }[])
      if (on) item.ref?.();
      else item.unref?.();
  }
}

/** The usual variables and the named ones, if they are set. */
export function variablesOf(names: readonly string[], services: BotServices): Record<string, string> {
  return Object.fromEntries(
    [...usualVariables, ...names].flatMap((key) => {
      const value = services.env(key);
      return value === undefined ? [] : [[key, value]];
    }),
  );
}

/** The error line above a stack trace and version printed by Node; else the last line. */
function reasonIn(errors: string): string {
  const lines = errors.trim().split('\n');
  return lines.findLast((line) => /^\w*(?:Error|Exception)\b[^:]*: \S/.test(line)) ?? lines.at(-1) ?? '';
}
