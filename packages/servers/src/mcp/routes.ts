/**
 * @file Routes for MCP clients: take a seat, read, and, if allowed, run and score.
 *
 * Over HTTP every request is independent, in both versions of the protocol, so episodes are named in each call; over standard streams
 * a connection remembers its episode.
 */

import type { Readable, Writable } from 'node:stream';
import type { AgentOf } from '@ludus-agents/agents/internal/kinds';
import { type KeptTool, useTool } from '@ludus-agents/agents/internal/tools/kept-tools';
import { type Json, JsonFault, type JsonObject, type Store, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { Hono } from 'hono';
import { type Caller, may, owner } from '../access.ts';
import { audit, callerOf, type HttpRoutes } from '../app.ts';
import { jsonOf } from '../body.ts';
import { adminTools } from './admin.ts';
import { library } from './library.ts';
import type { A2aPeers } from './peers.ts';
import { seatTools } from './seat.ts';
import { McpSeats, type McpSeatsOptions } from './seats.ts';

/** Each function is a tool that takes its arguments as a list, and shows the tests that it passed. */
export function boxTools(server: McpServer, box: readonly KeptTool[]): void {
  for (const tool of box) {
    const visible = tool.tests
      .slice(0, 3)
      .map(({ args, result }) => `${tool.name}(${args.map((arg) => JSON.stringify(arg)).join(', ')}) is ${JSON.stringify(result)}`);
    const inputSchema = fromJsonSchema<{ readonly args?: readonly Json[] }>({
      type: 'object',
      properties: { args: { type: 'array', description: 'the arguments, in their order' } },
      additionalProperties: false,
    });
    const description = `A function that an agent wrote and tested. ${visible.join('; ')}.`;
    server.registerTool(tool.name, { description, inputSchema }, async ({ args = [] }) => {
      const { ok, text } = await useTool(tool, args);
      return { content: [{ type: 'text' as const, text }], ...(ok ? {} : { isError: true }) };
    });
  }
}

export interface McpServerOptions extends McpSeatsOptions {
  readonly store: Store | null;
  readonly version: string;
  /** The only playable environment; without it, clients choose. */
  readonly environment?: string | undefined;
  /** Creates agents for `run`. If given, the owner's tools are served, too. */
  readonly admin?: AgentOf | undefined;
  /** The folder for file names in plans; the working folder by default. */
  readonly cwd?: string | undefined;
  /** Functions stored by an agent. If given, nothing else is served. */
  readonly box?: readonly KeptTool[] | undefined;
  /** Agents called over A2A. If given, nothing else is served. */
  readonly peers?: A2aPeers | undefined;
}

const instructions =
  'Ludus runs games and scenes in which you take a seat. Call look to take one, answer with act until the episode is over; rules explains, resign leaves.';

/** A server with only the operations that the caller may use: unregistered ones can't be called. */
function serverOf(options: McpServerOptions, mcpSeats: McpSeats, caller: Caller): McpServer {
  const { episodeHost, store, version, admin, environment = null, cwd = process.cwd() } = options;
  if (options.box !== undefined) {
    const mcpServer = new McpServer({ name: 'ludus-box', version }, { instructions: 'Functions that an agent wrote, tested, and saved.' });
    if (may(caller, 'play')) boxTools(mcpServer, options.box);
    return mcpServer;
  }
  if (options.peers !== undefined) {
    const mcpServer = new McpServer({ name: 'ludus-agents', version }, { instructions: 'Agents that can be asked, each by its tool.' });
    if (may(caller, 'spend')) options.peers.register(mcpServer, caller);
    return mcpServer;
  }
  const server = new McpServer({ name: 'ludus', version }, { instructions });
  if (may(caller, 'play')) seatTools(server, { mcpSeats, environment, caller });
  library(server, { episodeHost, store: may(caller, 'read') ? store : null, environment });
  if (admin !== undefined && store !== null && may(caller, 'spend'))
    adminTools(server, {
      store,
      agent: admin,
      environment: (name) => episodeHost.environment(name),
      environments: episodeHost.environmentNames,
      cwd,
    });
  return server;
}

/** Routes that serve MCP over streamable HTTP at /mcp. */
export function mcpRoutes(options: McpServerOptions): HttpRoutes {
  const mcpSeats = new McpSeats(options);
  const serving = createMcpHandler(({ authInfo }) => serverOf(options, mcpSeats, authInfo?.extra?.['caller'] as Caller));
  const app = new Hono();
  app.all('/', async (call) => {
    const caller = callerOf(call);
    // The handler does not check tokens: access was decided earlier.
    const authInfo = { token: '', clientId: caller.id, scopes: [...caller.scopes], extra: { caller } };
    if (call.req.method !== 'POST') return serving.fetch(call.req.raw, { authInfo });
    try {
      const parsedBody = await jsonOf(call);
      audit(call, calledName(parsedBody));
      return await serving.fetch(call.req.raw, { authInfo, parsedBody });
    } catch (thrown) {
      if (!(thrown instanceof JsonFault)) throw thrown;
      return call.json({ jsonrpc: '2.0', id: null, error: { code: -32700, message: sentenceOf(thrown) } }, 400);
    }
  });
  return {
    path: '/mcp',
    app,
    needs: () => ['read', 'play', 'spend'],
    health: () => options.episodeHost.ledger.health(),
    async close() {
      await serving.close();
      await options.peers?.close();
      await mcpSeats.shut();
    },
  };
}

/** The method of a call, and its tool, prompt, or resource; without arguments. */
function calledName(body: Json): string {
  const { method, params } = fieldsIn(body);
  const { name, uri } = fieldsIn(params ?? null);
  return [method, name, uri].filter((item) => typeof item === 'string').join(' ');
}

function fieldsIn(value: Json): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

/** Serves MCP to one client over standard streams; resolves when the client disconnects or the signal aborts. */
export async function mcpStdio(
  options: McpServerOptions,
  { input, output }: { readonly input: Readable; readonly output: Writable },
  signal: AbortSignal,
): Promise<void> {
  const { serveStdio, StdioServerTransport } = await import('@modelcontextprotocol/server/stdio');
  const mcpSeats = new McpSeats(options);
  const gone = Promise.withResolvers<void>();
  const transport = new StdioServerTransport(input, output);
  const serving = serveStdio(() => serverOf(options, mcpSeats, owner), { transport });
  input.once('end', gone.resolve);
  input.once('close', gone.resolve);
  signal.addEventListener('abort', () => gone.resolve(), { once: true });
  await gone.promise;
  await serving.close();
  await options.peers?.close();
  await mcpSeats.shut();
}
