/** @file `ludus studio`: the page where episodes are watched, forked and played, on this machine and for whoever knows its token. */

import { spawn } from 'node:child_process';
import { type StoreOptions, writing } from '../../company/stores.ts';
import type { Door } from '../../servers/app.ts';
import { type CommandFile, examples, exits, whole, withJson, withStore } from '../command.ts';
import { inkFor } from '../ink.ts';
import { interruptible, print, printJson, type Terminal } from '../terminal.ts';

interface Options extends StoreOptions {
  readonly port: number;
  readonly host: string;
  readonly open: boolean;
  readonly json?: boolean;
}

export const studio: CommandFile = {
  declare(command) {
    command
      .option('--port <n>', 'where the page is served; 0 takes any that is free', whole('--port', 0, 65_535), 4747)
      .option('--host <name>', 'the address to serve on; beyond this machine everything needs the token', '127.0.0.1')
      .option('--no-open', 'do not open a browser');
    withJson(withStore(command));
    examples(command, {
      'ludus studio': 'open the page in your browser',
      'ludus studio --port 8080 --no-open': 'only print its address',
      'ludus studio --store other.sqlite': 'look into another store',
    });
  },

  async run({ options: given, terminal }) {
    const options = given as unknown as Options;
    return writing(terminal, options, async (store) => {
      const { serve } = await import('../../servers/app.ts');
      const { studioDoor, tokenIn } = await import('../../servers/studio/index.ts');
      const token = tokenIn(terminal);
      const door: Door = await studioDoor({ store, place: terminal, token });
      const { controller, release } = interruptible(terminal);
      const serving = await serve({ doors: [door], host: options.host, port: options.port, token });
      try {
        announce(terminal, options, `${serving.url}/?token=${token}`);
        await new Promise<void>((resolve) => {
          if (controller.signal.aborted) resolve();
          controller.signal.addEventListener('abort', () => resolve(), { once: true });
        });
      } finally {
        release();
        await serving.close();
      }
      return exits.fine;
    });
  },
};

function announce(terminal: Terminal, options: Options, url: string): void {
  const ink = inkFor(terminal.stdout, terminal.env);
  if (options.json === true) printJson(terminal, { url });
  else print(terminal, `The studio is open at ${ink.cyan(url)}`, ink.faint('Whoever has this address can use it. Ctrl-C closes it.'));
  // A browser is opened for a person, not for a pipe.
  if (options.open && terminal.stdout.isTTY === true) browse(url);
}

function browse(url: string): void {
  const [program, ...before] =
    process.platform === 'darwin' ? ['open'] : process.platform === 'win32' ? ['cmd', '/c', 'start', ''] : ['xdg-open'];
  const opened = spawn(program as string, [...before, url], { stdio: 'ignore', detached: true });
  // Where no browser can be opened, the address on the screen is all there is.
  opened.on('error', () => undefined);
  opened.unref();
}
