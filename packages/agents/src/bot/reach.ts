/** @file Checks that a bot's server accepts connections before a run plays hundreds of episodes. */

import { connect } from 'node:net';
import { Fault, pause } from '@ludus-agents/kernel/internal/core/index';
import type { BotSettings } from './settings.ts';

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'the host does not exist, or there is no network',
  EAI_AGAIN: 'the host name could not be looked up',
  EHOSTUNREACH: 'there is no route to the host',
  ENETUNREACH: 'there is no network',
};

/** True for socket error codes which mean that no part of a message was sent. */
export function isUnreachable(code: unknown): code is string {
  return typeof code === 'string' && Object.hasOwn(reasons, code);
}

/** The error for an unreachable bot: its address, the reason, and a fix. */
export function unreachableBot(name: string, url: string, code: string): Fault {
  const { host } = new URL(url);
  return new Fault(
    'agent',
    `The bot ${name} could not be reached: ${reasons[code] ?? code} at ${host}. Start the bot, or correct its address. "ludus desk bot" tests the connection.`,
    { transient: true, code: 'E_BOT_UNREACHABLE', details: { bot: name, address: host, reason: code } },
  );
}

/** Opens a connection and closes it again without sending a message. It retries as often as a message would. */
export async function reachServer(name: string, { url, tries }: Pick<BotSettings, 'url' | 'tries'>, signal: AbortSignal): Promise<void> {
  // A proxy may reach hosts that this machine cannot.
  if (process.env['NODE_USE_ENV_PROXY'] !== undefined) return;
  for (let attempt = 1; ; attempt++) {
    const code = await socketCode(url, signal);
    // Any other error, such as a certificate error, is reported by the first message.
    if (!isUnreachable(code)) return;
    if (attempt >= tries) throw unreachableBot(name, url, code);
    await pause(500 * 2 ** (attempt - 1), signal);
  }
}

/** The code of a failed connection; undefined if the connection succeeded. */
async function socketCode(url: string, signal: AbortSignal): Promise<unknown> {
  const { hostname, port, protocol } = new URL(url);
  const isSecure = protocol === 'https:' || protocol === 'wss:';
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (isSecure ? 443 : 80) });
  const abort = () => socket.destroy(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await new Promise((resolve, reject) => {
      socket.setTimeout(10_000, () => resolve(undefined));
      socket.once('connect', () => resolve(undefined));
      socket.once('error', (error: NodeJS.ErrnoException) => (signal.aborted ? reject(signal.reason) : resolve(codeOf(error))));
    });
  } finally {
    signal.removeEventListener('abort', abort);
    socket.destroy();
  }
}

/** If a name has several addresses, the code of the first one. */
function codeOf(error: NodeJS.ErrnoException): unknown {
  return error instanceof AggregateError ? (error.errors[0] as NodeJS.ErrnoException).code : error.code;
}
