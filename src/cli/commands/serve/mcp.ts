/** @file `ludus serve mcp`: a seat as tools for clients of the Model Context Protocol. */

import { withWritableStore } from '../../../workspace/stores.ts';
import { version } from '../../../workspace/version.ts';
import { type CommandFile, examples, exits } from '../../command.ts';
import type { Terminal } from '../../terminal.ts';
import {
  type ClientOptions,
  open,
  openServer,
  type RunningServer,
  type ServeFlags,
  untilStopped,
  withClientOptions,
  withServeOptions,
} from './running-server.ts';

interface Options extends ServeFlags, ClientOptions {
  readonly stdio?: boolean;
  readonly admin?: boolean;
}

export const mcp: CommandFile = {
  declare(command) {
    command
      .argument('[world]', 'what is played, by name or file; without it the client chooses')
      .option('--stdio', 'speak over standard input and output, to the client that started us')
      .option('--admin', 'also let clients list worlds, run plans and score: these may spend money');
    withClientOptions(withServeOptions(command, 8001));
    examples(command, {
      'ludus serve mcp --stdio kuhn-poker': 'the line for a client that starts its servers',
      'ludus serve mcp --port 8001': 'streamable HTTP at http://127.0.0.1:8001/mcp',
      'ludus serve mcp --stdio --admin': 'and let it run plans and score them',
    });
  },

  async run({ args, options: given, terminal }) {
    const options = given as unknown as Options;
    if (options.stdio === true) return overStreams(args[0], options, terminal);
    return open(terminal, options, async (owner) => {
      const { mcpRoutes } = await import('../../../servers/mcp/routes.ts');
      const house = await openServer(args[0], options, owner);
      return { doors: [mcpRoutes({ ...optionsOf(house, options), store: owner.store })], named: { mcp: '/mcp' } };
    });
  },
};

function optionsOf({ episodeHost, environment, agent, sessionTable }: RunningServer, { admin }: Options) {
  return { episodeHost, environment, ...sessionTable, version: version, admin: admin === true ? agent : undefined };
}

/** Nothing is printed: the output belongs to the protocol. */
async function overStreams(typed: string | undefined, options: Options, terminal: Terminal): Promise<number> {
  const { mcpStdio } = await import('../../../servers/mcp/routes.ts');
  return withWritableStore(terminal, options, async (store) => {
    const house = await openServer(typed, options, { store, terminal });
    const { signal, release } = untilStopped(terminal, options.grace);
    const streams = { input: terminal.stdin, output: terminal.stdout };
    await mcpStdio({ ...optionsOf(house, options), store }, streams, signal).finally(release);
    return exits.fine;
  });
}
