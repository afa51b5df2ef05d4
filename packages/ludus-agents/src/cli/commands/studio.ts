/** @file `ludus studio`: serves the page to watch, fork, and play episodes, on this machine and for holders of its token. */

import { spawn } from 'node:child_process';
import type { Store } from '@ludus-agents/kernel/internal/core/index';
import type { HttpRoutes } from '@ludus-agents/servers/internal/app';
import { type StoreOptions, whereOf, withWritableStore } from '@ludus-agents/store/internal/stores';
import { type CommandRun, exits } from '../command.ts';
import { coloursFor } from '../render/colours.ts';
import { print, printJson, type Terminal } from '../terminal.ts';
import { accessIn, untilStopped } from './serve/running-server.ts';

export interface StudioFlags extends StoreOptions {
  readonly port?: number;
  readonly host: string;
  readonly open: boolean;
  readonly json?: boolean;
  /** The first page; home by default. */
  readonly place?: string;
}

export const studio: CommandRun<StudioFlags & { readonly demo?: boolean }> = {
  async run(call) {
    if (call.options.demo !== true) return openStudio(call.terminal, call.options);
    const { studioDemo } = await import('./studio-demo.ts');
    return studioDemo.run(call);
  },
};

/** The usual port, so bookmarks keep working; a second studio uses another. */
const usualPort = 4747;

/** A running studio: its address with the token, its data, and the signal that stops it. */
export interface OpenStudio {
  readonly url: string;
  readonly token: string;
  readonly store: Store;
  readonly signal: AbortSignal;
}

/** Serves the page until Ctrl-C. `meanwhile` starts once it is open, and is canceled when it closes. */
export async function openStudio(
  terminal: Terminal,
  options: StudioFlags,
  meanwhile: (studio: OpenStudio) => Promise<void> = async () => {},
): Promise<number> {
  return withWritableStore(terminal, options, async (store) => {
    const { serve } = await import('@ludus-agents/servers/internal/app');
    const { studioRoutes, tokenIn } = await import('@ludus-agents/servers/internal/studio/index');
    const token = tokenIn(terminal);
    const door: HttpRoutes = await studioRoutes({ store, place: terminal, token, where: whereOf(terminal, options) });
    const { signal, release } = untilStopped(terminal);
    const access = await accessIn(terminal.cwd);
    const at = (port: number) => serve({ routes: [door], host: options.host, port, token, ...access });
    const serving = options.port === undefined ? await at(usualPort).catch(() => at(0)) : await at(options.port);
    try {
      // The part after # is preserved when the server removes the token from the address.
      const address = serving.url.replace(everyAddress, 'http://127.0.0.1:');
      announce(terminal, options, `${address}/?token=${token}${options.place === undefined ? '' : `#/${options.place}`}`);
      await meanwhile({ url: serving.url, token, store, signal });
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    } finally {
      await serving.close().finally(release);
    }
    return exits.fine;
  });
}

/** The wildcard address of a machine: not every browser opens it. */
const everyAddress = /^http:\/\/(0\.0\.0\.0|\[::\]):/;

function announce(terminal: Terminal, options: StudioFlags, url: string): void {
  const colours = coloursFor(terminal.stdout, terminal.env);
  if (options.json === true) printJson(terminal, { url });
  else
    print(
      terminal,
      `The studio is open at ${colours.cyan(url)}`,
      ...(['0.0.0.0', '::'].includes(options.host) ? ["From another machine, write this machine's name in place of 127.0.0.1."] : []),
      colours.faint('Anyone with this address can use it. Press Ctrl-C to stop.'),
    );
  // A browser is opened only at an interactive terminal.
  if (options.open && terminal.stdout.isTTY === true) browse(url);
}

/** The program that opens an address, and its arguments. On Windows it is not a shell, where "&" would end the address. */
export function openCommand(url: string, platform = process.platform): readonly [string, ...string[]] {
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', url];
  return [platform === 'darwin' ? 'open' : 'xdg-open', url];
}

function browse(url: string): void {
  const [program, ...args] = openCommand(url);
  const opened = spawn(program, args, { stdio: 'ignore', detached: true });
  // If no browser can be opened, the user needs the address on the screen.
  opened.on('error', () => undefined);
  opened.unref();
}
