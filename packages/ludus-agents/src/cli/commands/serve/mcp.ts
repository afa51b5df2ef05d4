/** @file `ludus serve mcp`: a seat as tools for clients of the Model Context Protocol. */

import type { KeptTool } from '@ludus-agents/agents/internal/tools/kept-tools';
import { readSpec } from '@ludus-agents/agents/internal/workspace/agents';
import { recallTools } from '@ludus-agents/agents/internal/workspace/lasting-memory';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import type { A2aPeers } from '@ludus-agents/servers/internal/mcp/peers';
import { withWritableStore } from '@ludus-agents/store/internal/stores';
import { version } from '@ludus-agents/store/internal/version';
import { type CommandRun, exits, type OptionalArguments } from '../../command.ts';
import type { Terminal } from '../../terminal.ts';
import { type ClientOptions, open, openServer, type RunningServer, type ServeFlags, untilStopped } from './running-server.ts';

interface Options extends ServeFlags, ClientOptions {
  readonly stdio?: boolean;
  readonly admin?: boolean;
  readonly box?: string;
  readonly a2a?: string;
}

export const mcp: CommandRun<Options, OptionalArguments> = {
  async run({ args, options, terminal }) {
    if (options.stdio === true) return overStreams(args[0], options, terminal);
    return open(terminal, options, async (owner) => {
      const { mcpRoutes } = await import('@ludus-agents/servers/internal/mcp/routes');
      const house = await openServer(args[0], options, owner);
      const box = await boxOf(options, terminal);
      return {
        routes: [mcpRoutes({ ...optionsOf(house, options, terminal), store: owner.store, box, peers: await peersOf(options, terminal) })],
        named: { mcp: '/mcp' },
      };
    });
  },
};

function optionsOf({ episodeHost, environment, agent, sessionTable }: RunningServer, { admin }: Options, { cwd }: Terminal) {
  return { episodeHost, environment, ...sessionTable, version, admin: admin === true ? agent : undefined, cwd };
}

/** The functions of an agent; an agent without stored functions is an error. */
async function boxOf(options: Options, terminal: Terminal): Promise<readonly KeptTool[] | undefined> {
  if (options.box === undefined) return undefined;
  const box = await recallTools(terminal, options, options.box);
  if (box.length > 0) return box;
  throw new Fault(
    'input',
    `${options.box} has no saved functions in this store. To save them, set {"settings": {"architecture": "code", "lasting": true}}.`,
  );
}

/** The A2A agents named by --a2a, each by an address, or by the file of a bot with headers. */
async function peersOf({ a2a }: Options, { cwd }: Terminal): Promise<A2aPeers | undefined> {
  if (a2a === undefined) return undefined;
  const { A2aPeers } = await import('@ludus-agents/servers/internal/mcp/peers');
  const { a2aBot } = await import('@ludus-agents/agents/internal/bot/a2a-bot');
  const { readBotSettings } = await import('@ludus-agents/agents/internal/bot/settings');
  const entries = a2a.split(',').map(async (entry) => {
    const [, name = '', place = ''] = /^([a-z][a-z0-9_-]{0,40})=(.+)$/i.exec(entry.trim()) ?? [];
    if (name === '') throw new Fault('input', `--a2a: expected name=url, such as shop=http://localhost:8002, but got "${entry}".`);
    const spec = /^https?:/i.test(place)
      ? { name, kind: 'bot', settings: { via: 'a2a', url: place } }
      : await readSpec(place, cwd, Trust.commandLine);
    const settings = readBotSettings(spec);
    if (settings.via !== 'a2a') throw new Fault('input', `--a2a: ${place} is a bot over ${settings.via}, but "via" must be "a2a".`);
    return [name, a2aBot(name, settings, { env: (key) => process.env[key] })] as const;
  });
  return new A2aPeers(Object.fromEntries(await Promise.all(entries)));
}

/** Prints nothing, because stdout belongs to the protocol. */
async function overStreams(typed: string | undefined, options: Options, terminal: Terminal): Promise<number> {
  const { mcpStdio } = await import('@ludus-agents/servers/internal/mcp/routes');
  return withWritableStore(terminal, options, async (store) => {
    const house = await openServer(typed, options, { store, terminal });
    const { signal, release } = untilStopped(terminal, options.grace);
    const streams = { input: terminal.stdin, output: terminal.stdout };
    const box = await boxOf(options, terminal);
    await mcpStdio(
      { ...optionsOf(house, options, terminal), store, box, peers: await peersOf(options, terminal) },
      streams,
      signal,
    ).finally(release);
    return exits.fine;
  });
}
