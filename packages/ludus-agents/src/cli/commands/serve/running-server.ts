/** @file Shared command-line code of all servers: address, access, and the opponents of remote clients. */

import { type AgentOf, createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { report, type Store } from '@ludus-agents/kernel/internal/core/index';
import type { HttpRoutes, ServeOptions } from '@ludus-agents/servers/internal/app';
import type { EpisodeHost } from '@ludus-agents/servers/internal/episode-host';
import type { SessionsOptions } from '@ludus-agents/servers/internal/sessions';
import { type StoreOptions, withServerStore } from '@ludus-agents/store/internal/stores';
import { exits } from '../../command.ts';
import { coloursFor } from '../../render/colours.ts';
import { interruptible, print, printJson, type Terminal } from '../../terminal.ts';

export interface ServeFlags extends StoreOptions {
  readonly port: number;
  readonly host: string;
  /** False for --no-token. */
  readonly token?: string | false;
  readonly rate: number;
  readonly grace: number;
  readonly json?: boolean;
}

export interface ClientOptions {
  readonly opponents?: string;
  readonly allow?: readonly string[];
  readonly sessions: number;
  readonly sessionsPerToken?: number;
  readonly idle: number;
}

/** An episode host for remote clients, and the other dependencies of its routes. */
export interface RunningServer {
  readonly episodeHost: EpisodeHost;
  /** The requested environment. */
  readonly environment: string | undefined;
  /** Creates the agents that requests name. */
  readonly agent: AgentOf;
  readonly sessionTable: SessionsOptions;
}

export async function openServer(
  typed: string | undefined,
  options: ClientOptions,
  { store, terminal }: Pick<Owner, 'store' | 'terminal'>,
): Promise<RunningServer> {
  const { EpisodeHost } = await import('@ludus-agents/servers/internal/episode-host');
  const { openCatalogue } = await import('@ludus-agents/servers/internal/environment-catalogue');
  const agent = createAgentLoader(createAgentServices(terminal.cwd, Trust.request));
  const ownerAgent = createAgentLoader(createAgentServices(terminal.cwd, Trust.commandLine));
  const { environments, environment } = await openCatalogue(typed, terminal.cwd, Trust.commandLine);
  const episodeHost = new EpisodeHost({ environments, agent, ownerAgent, store, others: options.opponents, allow: options.allow ?? [] });
  return {
    episodeHost,
    environment,
    agent,
    sessionTable: { most: options.sessions, perToken: options.sessionsPerToken, idle: options.idle * 1000 },
  };
}

export interface Owner {
  readonly store: Store;
  readonly terminal: Terminal;
  /** The owner's token. */
  readonly token: string;
}

/** The served protocols: the path or address of each. */
export interface ServerSetup {
  readonly routes: readonly HttpRoutes[];
  readonly named: Readonly<Record<string, string>>;
}

/** Opens the store and the routes, prints their addresses, and serves until it is stopped. */
export async function open(terminal: Terminal, options: ServeFlags, prepare: (owner: Owner) => Promise<ServerSetup>): Promise<number> {
  return withServerStore(terminal, options, async (store) => {
    const { serve } = await import('@ludus-agents/servers/internal/app');
    const { tokenIn } = await import('@ludus-agents/servers/internal/studio/index');
    const token = typeof options.token === 'string' ? options.token : tokenIn(terminal);
    const { routes, named } = await prepare({ store, terminal, token });
    const { signal, release } = untilStopped(terminal, options.grace);
    const { host, port } = options;
    const rate = { perSecond: options.rate, burst: options.rate * 2 };
    const grace = options.grace * 1000;
    const serving = await serve({
      ...{ routes, host, port, token, rate, grace, noToken: options.token === false },
      ...(await accessIn(terminal.cwd)),
    });
    try {
      const addresses = Object.fromEntries(Object.entries(named).map(([name, path]) => [name, `${serving.url}${path}`]));
      announce(terminal, { ...serving, addresses, json: options.json === true, open: options.token === false });
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    } finally {
      // Signals are still handled while it closes: a second one exits immediately.
      await serving.close().finally(release);
    }
    return exits.fine;
  });
}

/** The tokens and the audit log of a folder. */
export async function accessIn(folder: string): Promise<Pick<ServeOptions, 'tokens' | 'audit'>> {
  const [{ tokenFinder, tokensFile }, { auditFile, openAuditLog }] = await Promise.all([
    import('@ludus-agents/servers/internal/tokens'),
    import('@ludus-agents/servers/internal/audit-log'),
  ]);
  return { tokens: tokenFinder(tokensFile(folder)), audit: openAuditLog(auditFile(folder)) };
}

/**
 * A signal for Ctrl-C, and for the SIGTERM that stops containers. After the first one, the process has twice the grace period
 * (routes, then the store) to close; after that, or at a second signal, it exits in any case. An uncaught error does not stop it: it is
 * reported, and other clients are still served.
 */
export function untilStopped(terminal: Terminal, grace = 10): { readonly signal: AbortSignal; release(): void } {
  const { controller, release } = interruptible(terminal);
  const { signal } = controller;
  const stop = () => (signal.aborted ? terminal.leave(exits.interrupted) : controller.abort());
  const uncaught = (thrown: unknown) => report('The server', thrown);
  signal.addEventListener('abort', () => setTimeout(() => terminal.leave(exits.interrupted), grace * 2000).unref(), { once: true });
  process.on('SIGTERM', stop);
  process.on('uncaughtException', uncaught);
  process.on('unhandledRejection', uncaught);
  return {
    signal,
    release() {
      process.off('SIGTERM', stop);
      process.off('uncaughtException', uncaught);
      process.off('unhandledRejection', uncaught);
      release();
    },
  };
}

interface Announcement {
  readonly url: string;
  readonly token: string | null;
  readonly addresses: Readonly<Record<string, string>>;
  readonly json: boolean;
  /** Whether programs on this machine need no token. */
  readonly open: boolean;
}

function announce(terminal: Terminal, { url, token, addresses, json, open }: Announcement): void {
  if (json) {
    printJson(terminal, { url, token, doors: addresses });
    return;
  }
  const colours = coloursFor(terminal.stdout, terminal.env);
  const longest = Math.max(...Object.keys(addresses).map((name) => name.length));
  print(
    terminal,
    ...Object.entries(addresses).map(([name, address]) => `${name.padEnd(longest)}  ${colours.cyan(address)}`),
    ...(token === null ? [] : [`${'token'.padEnd(longest)}  ${token}`]),
    colours.faint(
      open
        ? 'Programs of this machine need no token. Ctrl-C closes.'
        : 'Send it as "authorization: Bearer TOKEN" or ?token=TOKEN. Ctrl-C closes.',
    ),
  );
}
