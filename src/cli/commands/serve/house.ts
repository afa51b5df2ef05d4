/** @file What all doors share on the command line: where they are served, who may come in, who plays against guests. */

import type { Command } from 'commander';
import { type AgentOf, agentsWith } from '../../../agents/index.ts';
import { handsIn } from '../../../company/hands.ts';
import { hosting, type StoreOptions } from '../../../company/stores.ts';
import type { Store } from '../../../core/index.ts';
import type { Door } from '../../../servers/app.ts';
import type { HallOptions } from '../../../servers/hall.ts';
import type { Lobby } from '../../../servers/lobby.ts';
import { amount, exits, whole, withJson, withStore } from '../../command.ts';
import { inkFor } from '../../ink.ts';
import { interruptible, print, printJson, type Terminal } from '../../terminal.ts';
import { collect } from '../play.ts';

export interface DoorOptions extends StoreOptions {
  readonly port: number;
  readonly host: string;
  readonly token?: string;
  readonly json?: boolean;
}

export interface GuestOptions {
  readonly opponents?: string;
  readonly allow?: readonly string[];
  readonly sessions: number;
  readonly idle: number;
}

export function withDoor(command: Command, port: number): Command {
  command
    .option('--port <n>', 'where to serve; 0 takes any that is free', whole('--port', 0, 65_535), port)
    .option('--host <name>', 'the address to serve on; beyond this machine everybody needs the token', '127.0.0.1')
    .option('--token <text>', 'what callers must know (default: LUDUS_TOKEN, or made up where one is needed)');
  return withJson(withStore(command));
}

export function withGuests(command: Command): Command {
  return command
    .option('--opponents <agent>', "who takes the other seats (default: the world's own stand-ins, or chance)")
    .option('--allow <agent>', 'an agent that guests may name besides random and scripted ones, as llm:MODEL or llm:*', collect)
    .option('--sessions <n>', 'guests at once', whole('--sessions', 1, 100_000), 256)
    .option('--idle <seconds>', 'when a silent guest is let go', amount('--idle'), 600);
}

/** A lobby for guests, and what its doors need besides. */
export interface House {
  readonly lobby: Lobby;
  /** The world that was asked for. */
  readonly world: string | undefined;
  readonly agent: AgentOf;
  readonly hall: HallOptions;
}

export async function houseOf(typed: string | undefined, options: GuestOptions, { store, terminal }: Owner): Promise<House> {
  const { Lobby } = await import('../../../servers/lobby.ts');
  const { playbill } = await import('../../../servers/playbill.ts');
  const agent = agentsWith(handsIn(terminal.cwd));
  const { worlds, world } = await playbill(typed, terminal.cwd);
  const lobby = new Lobby({ worlds, agent, store, others: options.opponents, allow: options.allow ?? [] });
  return { lobby, world, agent, hall: { most: options.sessions, idle: options.idle * 1000 } };
}

export interface Owner {
  readonly store: Store;
  readonly terminal: Terminal;
}

/** What is served, and what to call it: the path or address of each door by its name. */
export interface Opening {
  readonly doors: readonly Door[];
  readonly named: Readonly<Record<string, string>>;
  readonly token?: string;
}

/** Opens the store and the doors, says where they are, and keeps them open until it is told to stop. */
export async function open(terminal: Terminal, options: DoorOptions, prepare: (owner: Owner) => Promise<Opening>): Promise<number> {
  return hosting(terminal, options, async (store) => {
    const { serve } = await import('../../../servers/app.ts');
    const given = options.token ?? terminal.env['LUDUS_TOKEN'] ?? '';
    const { doors, named, token = given } = await prepare({ store, terminal });
    const { signal, release } = untilStopped(terminal);
    const serving = await serve({ doors, host: options.host, port: options.port, ...(token === '' ? {} : { token }) });
    try {
      const addresses = Object.fromEntries(Object.entries(named).map(([name, path]) => [name, `${serving.url}${path}`]));
      announce(terminal, { ...serving, addresses, json: options.json === true });
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    } finally {
      release();
      await serving.close();
    }
    return exits.fine;
  });
}

/** A signal for Ctrl-C, and for the SIGTERM by which containers are told to stop. */
export function untilStopped(terminal: Terminal): { readonly signal: AbortSignal; release(): void } {
  const { controller, release } = interruptible(terminal);
  const stop = () => controller.abort();
  process.on('SIGTERM', stop);
  return {
    signal: controller.signal,
    release() {
      process.off('SIGTERM', stop);
      release();
    },
  };
}

interface Announcement {
  readonly url: string;
  readonly token: string | null;
  readonly addresses: Readonly<Record<string, string>>;
  readonly json: boolean;
}

function announce(terminal: Terminal, { url, token, addresses, json }: Announcement): void {
  if (json) {
    printJson(terminal, { url, token, doors: addresses });
    return;
  }
  const ink = inkFor(terminal.stdout, terminal.env);
  const longest = Math.max(...Object.keys(addresses).map((name) => name.length));
  print(
    terminal,
    ...Object.entries(addresses).map(([name, address]) => `${name.padEnd(longest)}  ${ink.cyan(address)}`),
    ...(token === null ? [] : [`${'token'.padEnd(longest)}  ${token}`]),
    ink.faint('Ctrl-C closes.'),
  );
}
