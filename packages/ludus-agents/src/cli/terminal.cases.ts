/** @file A terminal for tests: commands run in this process, in a separate folder, and their output is recorded. */

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { openStore } from '@ludus-agents/store/internal/open-store';
import { afterAll } from 'vitest';
import { until } from '../../../../test/fixtures/until.ts';
import { main } from './main.ts';
import type { Terminal } from './terminal.ts';

export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface Setting {
  /** What is typed or piped in; the input ends after it. */
  readonly typed?: string;
  readonly tty?: boolean;
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Called with a function that presses Ctrl-C, and one that waits until the command has written something that fits. */
  readonly during?: (interrupt: () => void, written: (pattern: RegExp) => Promise<string>) => void;
}

/** A new folder that is removed after the tests. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'ludus-'));
  afterAll(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Runs one command line as if it were typed in `cwd`. */
export async function ludus(cwd: string, argv: readonly string[], setting: Setting = {}): Promise<Outcome> {
  const { typed = '', tty = false, columns = 80, env = {}, during } = setting;
  const [out, err] = [screen(tty, columns), screen(tty, columns)];
  const stdin = new PassThrough();
  if (tty) Object.assign(stdin, { isTTY: true, setRawMode: () => stdin });
  if (tty) stdin.write(typed);
  else stdin.end(typed);
  const listeners = new Set<() => void>();
  const left = Promise.withResolvers<number>();
  const terminal: Terminal = {
    stdin,
    stdout: out.stream,
    stderr: err.stream,
    // Models that the machine has pulled would take seats otherwise.
    env: { LUDUS_CACHE: join(cwd, '.cache'), ...env },
    cwd,
    trust: Trust.commandLine,
    interrupts(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    leave: left.resolve,
  };
  const written = async (pattern: RegExp) => ((await until(() => pattern.exec(out.text() + err.text()))) as RegExpExecArray)[0];
  during?.(() => {
    for (const listener of [...listeners]) listener();
  }, written);
  const code = await Promise.race([main(argv, terminal), left.promise]);
  return { code, out: out.text(), err: err.text() };
}

/** How many episodes have ended in a store, which another process may be writing. */
export async function countEnded(file: string): Promise<number> {
  if (!existsSync(file)) return 0;
  const store = await openStore(file);
  try {
    let count = 0;
    for (const { id } of await store.runs()) for (const status of (await store.statuses(id)).values()) if (status !== 'running') count++;
    return count;
  } finally {
    await store.close();
  }
}

/** Presses Ctrl-C, once or twice, when the first episodes of a command in `cwd` have ended. */
export function interruptUnderWay(cwd: string, times = 1): NonNullable<Setting['during']> {
  return async (interrupt) => {
    await until(() => countEnded(join(cwd, '.ludus', 'ludus.sqlite')));
    for (let i = 0; i < times; i++) interrupt();
  };
}

function screen(tty: boolean, columns: number) {
  const stream = new PassThrough({ encoding: 'utf8' });
  if (tty) Object.assign(stream, { isTTY: true, columns });
  let text = '';
  stream.on('data', (chunk: string) => {
    text += chunk;
  });
  return { stream, text: () => text };
}
