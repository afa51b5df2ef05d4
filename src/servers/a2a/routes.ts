/**
 * @file The door for agents that speak A2A 1.0: every persona has a card, and answers messages in character.
 *
 * A conversation is an episode of `chat`: whoever calls sits on the seat `user`, the persona on `character`, and the context of the protocol
 * is the episode. Answers come as messages: nothing here takes so long, or is taken up again so late, that it would have to be a task.
 */

import { randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import { type AgentSpec, Fault, isFault, type Json, type JsonObject } from '../../core/index.ts';
import { chatTask } from '../../personas/chat-task.ts';
import type { Persona } from '../../personas/index.ts';
import { type HttpRoutes, NotFound } from '../app.ts';
import { jsonOrNothing } from '../body.ts';
import type { EpisodeHost } from '../episode-host.ts';
import type { RemoteSeat } from '../hosted-episode.ts';
import { Sessions, type SessionsOptions } from '../sessions.ts';

export interface A2AOptions extends SessionsOptions {
  readonly episodeHost: EpisodeHost;
  readonly version: string;
  /** By the name they are called by. */
  readonly personas: Readonly<Record<string, Persona>>;
  /** Who plays them; without one, a script with the lines on their cards. */
  readonly model?: string | undefined;
}

/** Somebody who talks with a persona. */
interface Talk {
  readonly guest: RemoteSeat;
  close(): void;
}

/** Routes that offer personas as agents by the A2A protocol. */
export function a2aRoutes(options: A2AOptions): HttpRoutes {
  const { episodeHost, personas } = options;
  const sessionTable = new Sessions<Talk>(options);
  const app = new Hono();
  const personaAt = (name: string): Persona => {
    const persona = Object.hasOwn(personas, name) ? personas[name] : undefined;
    if (persona === undefined)
      throw new NotFound(`There is nobody called "${name.slice(0, 80)}"; there are ${Object.keys(personas).join(', ')}.`);
    return persona;
  };
  const cardAt = (name: string, url: string) => card(personaAt(name), { url: new URL(`/a2a/${name}`, url).href, version: options.version });
  app.get('/', (call) => call.json({ agents: Object.keys(personas).map((name) => cardAt(name, call.req.url)) } as object));
  app.get('/:name/.well-known/agent-card.json', (call) => call.json(cardAt(call.req.param('name'), call.req.url) as object));
  app.post('/:name', async (call) => {
    const name = call.req.param('name');
    const persona = personaAt(name);
    const request = await jsonOrNothing(call);
    return call.json((await respond(request, { name, persona, sessionTable, options })) as object);
  });
  return {
    path: '/a2a',
    app,
    // A character that a model plays costs money.
    needs: (_, method) => (method === 'GET' ? ['read', 'play', 'spend'] : [options.model === undefined ? 'play' : 'spend']),
    health: () => episodeHost.ledger.health(),
    async close() {
      sessionTable.shut();
      await episodeHost.ledger.settle();
    },
  };
}

/** Who somebody is, as far as anybody may know. */
function card({ name, statements }: Persona, { url, version }: { readonly url: string; readonly version: string }): JsonObject {
  const known = statements.filter(({ visibility, polarity }) => visibility === 'public' && polarity === 'must').map(({ text }) => text);
  return {
    name,
    description: known.slice(0, 3).join(' ') || `${name}, a character.`,
    version,
    supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    capabilities: { streaming: false, pushNotifications: false },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'talk', name: 'Talk', description: `A conversation with ${name}, who stays in character.`, tags: ['persona', 'chat'] }],
  };
}

interface Address {
  readonly name: string;
  readonly persona: Persona;
  readonly sessionTable: Sessions<Talk>;
  readonly options: A2AOptions;
}

const codes = { parse: -32700, request: -32600, method: -32601, params: -32602, internal: -32603, unsupported: -32004 } as const;

function refused(id: Json, code: keyof typeof codes, message: string): JsonObject {
  return { jsonrpc: '2.0', id, error: { code: codes[code], message } };
}

async function respond(request: Json | undefined, address: Address): Promise<JsonObject> {
  if (request === undefined) return refused(null, 'parse', 'The body must be JSON.');
  const { jsonrpc, id = null, method, params } = objectOr(request);
  if (jsonrpc !== '2.0' || typeof method !== 'string')
    return refused(id, 'request', 'Expected {"jsonrpc": "2.0", "id", "method", "params"}.');
  if (/^(SendStreamingMessage|SubscribeToTask|GetTask|ListTasks|CancelTask|.*PushNotification.*)$/.test(method))
    return refused(id, 'unsupported', 'A character answers in messages: there are no tasks here, and nothing is streamed.');
  if (method !== 'SendMessage') return refused(id, 'method', `There is no method "${method.slice(0, 80)}"; there is SendMessage.`);
  const { parts, contextId } = objectOr(objectOr(params)['message']);
  const words = Array.isArray(parts) ? parts.map((part) => objectOr(part)['text']) : [];
  if (words.length === 0 || words.some((text) => typeof text !== 'string'))
    return refused(id, 'params', 'A message to a character has parts like {"text": "…"}, and no others.');
  if (contextId !== undefined && (typeof contextId !== 'string' || contextId.length > 255))
    return refused(id, 'params', 'A contextId is a text of up to 255 characters.');
  try {
    const said = await say(words.join('\n'), contextId || undefined, address);
    return { jsonrpc: '2.0', id, result: { message: said } };
  } catch (thrown) {
    if (!isFault(thrown)) throw thrown;
    return refused(id, thrown.boundary === 'input' ? 'params' : 'internal', thrown.message);
  }
}

/** Says something in a conversation, which is begun where the context is new, and gives the answer. */
async function say(text: string, context: string | undefined, address: Address): Promise<JsonObject> {
  const { sessionTable, name, persona } = address;
  const known = context === undefined ? null : sessionTable.find(`${name}/${context}`);
  const guest = known?.guest ?? (await begin(address));
  const contextId = context ?? guest.table.id;
  if (known === null) {
    const place = sessionTable.admit(() => ({ guest, close: () => guest.table.leave() }), { id: `${name}/${contextId}` });
    if ('full' in place) {
      guest.table.leave();
      throw new Fault('server', place.full);
    }
  }
  guest.answer({ text });
  await guest.ready();
  const answer = guest.news().messages.filter(({ from }) => from === 'character');
  if (guest.over) sessionTable.close(`${name}/${contextId}`);
  if (answer.length === 0) throw new Fault('server', `${persona.name} could not answer; the conversation is over.`);
  return { messageId: randomUUID(), contextId, role: 'ROLE_AGENT', parts: [{ text: answer.map((one) => one.text).join('\n') }] };
}

async function begin({ persona, options: { episodeHost, model } }: Address): Promise<RemoteSeat> {
  const spec: AgentSpec | undefined =
    model === undefined ? undefined : { name: persona.name, kind: 'llm', model, persona: persona as unknown as Json };
  const guest = await episodeHost.sit({
    world: 'chat',
    run: 'a2a',
    name: 'a2a',
    seat: 'user',
    task: chatTask(persona, model === undefined ? {} : { model }),
    ...(spec === undefined ? {} : { cast: { character: spec } }),
  });
  // The greeting was said before anybody called.
  guest.news();
  return guest;
}

function objectOr(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}
