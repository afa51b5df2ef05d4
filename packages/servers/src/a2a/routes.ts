/**
 * @file The endpoint for A2A 1.0 clients (JSON-RPC): every persona has a card and answers in character, in messages, streams, and tasks.
 *
 * Access is decided earlier (access.ts). A caller is identified by its token and cannot see conversations and tasks of others.
 */

import { A2A_VERSION_HEADER, AgentCard, formatSSEErrorEvent, formatSSEEvent, SSE_HEADERS } from '@a2a-js/sdk';
import { JsonRpcTransportHandler, ServerCallContext, validateVersion } from '@a2a-js/sdk/server';
import type { Persona } from '@ludus-agents/agents/internal/personas/index';
import { type Json, type JsonObject, report } from '@ludus-agents/kernel/internal/core/index';
import { Hono, type Context as HonoCall } from 'hono';
import { anonymous } from '../access.ts';
import { callerOf, type HttpRoutes, NotFound } from '../app.ts';
import { jsonOrNothing } from '../body.ts';
import type { EpisodeHost } from '../episode-host.ts';
import { Sessions, type SessionsOptions } from '../sessions.ts';
import { agentCardOf } from './agent-card.ts';
import { Conversations, type Talk } from './conversations.ts';
import { PersonaHandler } from './persona-handler.ts';
import { TaskMemory } from './task-memory.ts';

export interface A2AOptions extends SessionsOptions {
  readonly episodeHost: EpisodeHost;
  readonly version: string;
  /** Personas by their public name. */
  readonly personas: Readonly<Record<string, Persona>>;
  /** The agents that play them; by default, a script with the lines on their cards. */
  readonly model?: string | undefined;
}

interface Endpoint {
  readonly card: AgentCard;
  readonly transport: JsonRpcTransportHandler;
}

/** Routes that serve personas as A2A agents. */
export function a2aRoutes(options: A2AOptions): HttpRoutes {
  const { episodeHost, personas, version, model } = options;
  const sessionTable = new Sessions<Talk>(options);
  const app = new Hono();
  const personaAt = (name: string): Persona => {
    const persona = Object.hasOwn(personas, name) ? personas[name] : undefined;
    if (persona === undefined)
      throw new NotFound(`Unknown persona "${name.slice(0, 80)}". Available: ${Object.keys(personas).join(', ')}.`);
    return persona;
  };
  const cardFor = (name: string, call: HonoCall): AgentCard => {
    const url = new URL(`/a2a/${name}`, call.req.url).href;
    return agentCardOf(personaAt(name), { url, version, secured: callerOf(call).id !== anonymous.id });
  };
  const endpoints = new Map<string, Endpoint>();
  const endpointAt = (name: string): Endpoint => {
    const persona = personaAt(name);
    const endpoint = endpoints.get(name);
    if (endpoint !== undefined) return endpoint;
    const card = agentCardOf(persona, { url: `/a2a/${name}`, version, secured: true });
    const conversations = new Conversations({ name, persona, episodeHost, sessionTable, model });
    const result = { card, transport: new JsonRpcTransportHandler(new PersonaHandler(card, new TaskMemory(), conversations)) };
    endpoints.set(name, result);
    return result;
  };
  app.get('/', (call) =>
    call.json({ agents: Object.keys(personas).map((name) => AgentCard.toJSON(cardFor(name, call))) as Json[] } as object),
  );
  app.get('/:name/.well-known/agent-card.json', (call) => call.json(AgentCard.toJSON(cardFor(call.req.param('name'), call)) as object));
  app.post('/:name', (call) => respond(call, endpointAt(call.req.param('name'))));
  return {
    path: '/a2a',
    app,
    // A character played by a model costs money.
    needs: (_, method) => (method === 'GET' ? ['read', 'play', 'spend'] : [model === undefined ? 'play' : 'spend']),
    health: () => episodeHost.ledger.health(),
    async close() {
      sessionTable.shut();
      await episodeHost.ledger.settle();
    },
  };
}

/** One JSON-RPC request: its response, or a stream of responses. */
async function respond(call: HonoCall, { card, transport }: Endpoint): Promise<Response> {
  const body = await jsonOrNothing(call);
  if (body === undefined) return refuseCall(call, null, { code: -32700, message: 'The body must be JSON.' });
  const request = typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as JsonObject) : {};
  const id = typeof request['id'] === 'string' || typeof request['id'] === 'number' ? request['id'] : null;
  if (request['jsonrpc'] !== '2.0' || typeof request['method'] !== 'string')
    return refuseCall(call, id, { code: -32600, message: 'Expected {"jsonrpc": "2.0", "id", "method", "params"}.' });
  const user = { isAuthenticated: callerOf(call).id !== anonymous.id, userName: callerOf(call).id };
  const question = call.req.header(A2A_VERSION_HEADER);
  const context = new ServerCallContext({ user, ...(question === undefined ? {} : { requestedVersion: question }) });
  try {
    validateVersion(context.requestedVersion, card, 'JSONRPC');
    const answer = await transport.handle(request as Record<string, unknown>, context);
    if (!(Symbol.asyncIterator in answer)) return call.json(answer as object);
    // A failure before the first event is a normal response.
    const first = await answer.next();
    return stream(answer, first, id);
  } catch (thrown) {
    return refuseCall(call, id, JsonRpcTransportHandler.mapToJSONRPCError(thrown));
  }
}

function refuseCall(call: HonoCall, id: string | number | null, error: object): Response {
  return call.json({ jsonrpc: '2.0', id, error } as object);
}

/** Server-sent events. They are read to the end even if the caller disconnects, because their task continues. */
function stream(
  events: AsyncGenerator<unknown, void, undefined>,
  first: IteratorResult<unknown, void>,
  id: string | number | null,
): Response {
  const encoder = new TextEncoder();
  let gone = false;
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      const send = (text: string) => {
        if (!gone) controller.enqueue(encoder.encode(text));
      };
      try {
        if (first.done !== true) send(formatSSEEvent(first.value));
        for await (const event of events) send(formatSSEEvent(event));
      } catch (thrown) {
        report('An A2A stream', thrown);
        send(formatSSEErrorEvent({ jsonrpc: '2.0', id, error: JsonRpcTransportHandler.mapToJSONRPCError(thrown) }));
      }
      if (!gone) controller.close();
    },
    cancel() {
      gone = true;
    },
  });
  return new Response(body, { headers: { ...SSE_HEADERS } });
}
