/** @file Bots for tests: an HTTP server on a free port, services without a workspace, and an episode of chat with one of them. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import type { Agent, AgentSpec, EpisodeEvent, Json, ModelCall } from '@ludus-agents/kernel/internal/core/index';
import { scripted } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { createAgentLoader } from '../kinds.ts';
import type { BotFunction, BotServices } from './session.ts';

const open: Server[] = [];

export async function closeServers(): Promise<void> {
  for (const server of open.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Json;
}

/** Answers JSON requests by a function, and keeps what came. */
export async function startServer(
  answer: (request: Received, response: ServerResponse) => Json | undefined | Promise<Json | undefined>,
): Promise<{ readonly url: string; readonly received: Received[] }> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', async () => {
      const item = {
        ...{ method: request.method ?? '', path: request.url ?? '', headers: request.headers },
        body: text === '' ? null : (JSON.parse(text) as Json),
      };
      received.push(item);
      const input = await answer(item, response);
      if (input !== undefined) response.setHeader('content-type', 'application/json').end(JSON.stringify(input));
    });
  });
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

export function botServices(changes: Partial<BotServices> & { readonly bot?: BotFunction } = {}): BotServices {
  const load = async () => changes.bot ?? (() => 'Hm.');
  return { cwd: process.cwd(), env: (name) => process.env[name], load, ...changes };
}

/** A user who says these lines and leaves. */
export function talker(...lines: readonly string[]): Agent {
  return scripted('talker', ({ view }) => ({
    text: lines[view.seen.filter((item) => item.kind === 'action').length] ?? '/quit',
  }));
}

export function seatBot(spec: AgentSpec | string, services = botServices()): Promise<Agent> {
  return builtInEnvironment('chat').then((chat) => createAgentLoader({ bot: () => services })(spec, 'character', chat));
}

/** A conversation with a bot, as its log. The task holds what a bot must never see. */
export async function converse(bot: Agent, ...lines: readonly string[]): Promise<EpisodeEvent[]> {
  const chat = await builtInEnvironment('chat');
  const task = { character: 'SECRET-NAME', scenario: 'SECRET-SCENARIO', user: 'SECRET-USER' };
  return Array.fromAsync(play(chat, { character: bot, user: talker(...lines) }, { task }));
}

export function textsIn(events: readonly EpisodeEvent[]): string[] {
  return events.flatMap((event) => (event.kind === 'action' && event.seat === 'character' ? [event.action.text] : []));
}

export function callsIn(events: readonly EpisodeEvent[]): ModelCall[] {
  return events.flatMap((event) => (event.kind === 'action' ? (event.calls ?? []) : []));
}
