/**
 * @file The door for OpenEnv clients: any seat of any world at /openenv/WORLD, over WebSocket and HTTP.
 *
 * Over HTTP the reference server forgets an episode between reset and step. Here one that was given an `episode_id` is kept, so that whole
 * episodes can be played without a socket; without one, every request stands alone, as there.
 */

import type { Duplex } from 'node:stream';
import { Hono, type Context as HonoCall } from 'hono';
import type { WebSocket } from 'ws';
import { Fault, isFault, type Json, type JsonObject, nameOf } from '../../core/index.ts';
import { type Door, NotFound } from '../app.ts';
import { Hall, type HallOptions } from '../hall.ts';
import type { Lobby } from '../lobby.ts';
import { rulesOf } from '../sight.ts';
import { type Result, Session } from './session.ts';
import { attend, calls, frames } from './socket.ts';
import { respond, type Sessions, unparsed } from './tools.ts';
import { errorFrame, Misfit, readReset, readStep, schemas } from './wire.ts';

export interface OpenEnvOptions extends HallOptions {
  readonly lobby: Lobby;
  /** The world that is played at the root, as clients of a server with only one expect; without it, a reset there names one. */
  readonly world?: string | undefined;
}

/** Where a request came to. */
interface Address {
  readonly hall: Hall<Session>;
  readonly lobby: Lobby;
  /** Null at a root where several worlds are played. */
  readonly world: string | null;
}

/** The door at /openenv, and one at the root for clients that know only the address of a server. */
export function openEnvDoors({ world, lobby, ...options }: OpenEnvOptions): { readonly door: Door; readonly root: Door } {
  const hall = new Hall<Session>(options);
  const top: Address = { hall, lobby, world: world ?? null };
  const below = (name: string): Address => {
    if (!lobby.worlds.includes(name))
      throw new NotFound(`There is no world "${name.slice(0, 80)}" here; there are ${lobby.worlds.join(', ')}.`);
    return { hall, lobby, world: name };
  };
  return {
    door: {
      path: '/openenv',
      app: routes('/:world', (call) => below(call.req.param('world') as string)),
      socket(path) {
        const [, name, end] = path.match(/^\/([\w.-]+)\/(ws|mcp)$/) ?? [];
        return name !== undefined && lobby.worlds.includes(name) ? socketAt(below(name), end as string) : null;
      },
      async close() {
        hall.shut();
        await lobby.ledger.settle();
      },
    },
    root: {
      path: '/',
      app: routes('', () => top),
      socket: (path) => (path === '/ws' || path === '/mcp' ? socketAt(top, path.slice(1)) : null),
    },
  };
}

function socketAt(address: Address, end: string): (socket: WebSocket, wire: Duplex) => void {
  const { hall, lobby, world } = address;
  const make = () => new Session(lobby, world);
  const sessions = sessionsOf(address);
  const full = (message: string, data: JsonObject) =>
    end === 'ws'
      ? errorFrame('CAPACITY_REACHED', message, data)
      : JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32000, message, data } });
  return (socket, wire) => attend(socket, wire, { hall, make, full, answer: end === 'ws' ? frames(sessions) : calls(sessions) });
}

function sessionsOf({ hall, lobby, world }: Address): Sessions {
  return {
    create: () => hall.admit(() => new Session(lobby, world)),
    find: (id) => hall.find(id),
    passing: () => new Session(lobby, world),
    close: (id) => hall.close(id),
  };
}

function routes(prefix: string, addressOf: (call: HonoCall) => Address): Hono {
  const app = new Hono();
  app.onError((error, call) => {
    if (error instanceof Misfit) return call.json({ detail: error.problems }, 422);
    // What is not about the game itself is told as everywhere in the app.
    if (!isFault(error) || error instanceof NotFound) throw error;
    return call.json({ detail: error.message }, error.boundary === 'input' ? 400 : 503);
  });
  type Answer = (address: Address, call: HonoCall) => unknown;
  const json = (answer: Answer) => async (call: HonoCall) => call.json((await answer(addressOf(call), call)) as object);
  const get = (path: string, answer: Answer) => app.get(`${prefix}${path}`, json(answer));
  const post = (path: string, answer: Answer) => app.post(`${prefix}${path}`, json(answer));
  get('/health', () => ({ status: 'healthy' }));
  get('/schema', () => schemas);
  get('/metadata', metadata);
  get('/openapi.json', ({ world }) => openapi(world ?? 'several worlds'));
  get('/state', (address, call) => {
    const episode = call.req.query('episode_id');
    const session = episode === undefined ? new Session(address.lobby, address.world) : kept(address, episode);
    return session.state();
  });
  post('/reset', async (address, call) => reset(address, await body(call)));
  post('/step', async (address, call) => step(address, await body(call)));
  post('/mcp', async (address, call) => {
    const request = await call.req.json().catch(() => undefined);
    return request === undefined ? unparsed : respond(request as Json, sessionsOf(address));
  });
  return app;
}

/** The JSON of a request; none at all is an empty object. */
async function body(call: HonoCall): Promise<Json> {
  const text = await call.req.text();
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text) as Json;
  } catch (thrown) {
    throw new Misfit([{ type: 'json_invalid', loc: ['body'], msg: `JSON decode error: ${(thrown as Error).message}`, input: {} }]);
  }
}

/** Episodes over HTTP are told apart by world and by the name that the client gave them. */
function keyOf({ world }: Address, episode: string): string {
  return `http/${world ?? ''}/${episode}`;
}

function kept(address: Address, episode: string): Session {
  const session = address.hall.find(keyOf(address, episode));
  if (session !== null) return session;
  throw new NotFound(`There is no episode "${episode.slice(0, 80)}" under way here; begin it with a reset that names it.`);
}

async function reset(address: Address, given: Json): Promise<Result> {
  const { hall, lobby, world } = address;
  const { episode } = readReset(given);
  if (episode === null) return alone(address, (session) => session.reset(given));
  const id = keyOf(address, episode);
  const known = hall.find(id);
  if (known !== null) return settled(address, id, known.reset(given));
  const place = hall.admit(() => new Session(lobby, world), { id });
  if ('full' in place) throw new Fault('server', place.full);
  try {
    return await settled(address, id, place.who.reset(given));
  } catch (thrown) {
    hall.close(id);
    throw thrown;
  }
}

async function step(address: Address, given: Json): Promise<Result> {
  const { action, episode } = readStep(given);
  if (episode !== null) return settled(address, keyOf(address, episode), kept(address, episode).step(action));
  return alone(address, async (session) => {
    await session.reset(given);
    return session.step(action);
  });
}

/** What is over is in the store: its place is another's. */
async function settled({ hall }: Address, id: string, pending: Result | Promise<Result>): Promise<Result> {
  const result = await pending;
  if (result.done) hall.close(id);
  return result;
}

async function alone({ lobby, world }: Address, use: (session: Session) => Promise<Result>): Promise<Result> {
  const session = new Session(lobby, world);
  try {
    return await use(session);
  } finally {
    session.close();
  }
}

async function metadata({ lobby, world }: Address): Promise<Json> {
  const blank = { readme_content: null, version: null, author: null, documentation_url: null };
  if (world === null) return { ...blank, name: 'ludus', description: `Worlds to play: ${lobby.worlds.join(', ')}.` };
  const environment = await lobby.world(world);
  const version = environment.id.split('@', 2)[1] ?? null;
  return { ...blank, name: nameOf(environment), description: environment.about.summary, readme_content: rulesOf(environment), version };
}

const summaries = {
  '/reset': ['post', 'Begin an episode'],
  '/step': ['post', 'Answer, and hear what happens until the seat is asked again'],
  '/state': ['get', 'How far the episode is'],
  '/schema': ['get', 'What actions, observations and states look like'],
  '/metadata': ['get', 'What is played here'],
  '/health': ['get', 'Whether the server lives'],
  '/mcp': ['post', 'Tools as JSON-RPC'],
} as const;

function openapi(world: string): JsonObject {
  const responses = { 200: { description: 'fine', content: { 'application/json': { schema: { type: 'object' } } } } };
  const paths = Object.entries(summaries).map(([path, [method, summary]]) => [path, { [method]: { summary, responses } }]);
  return { openapi: '3.1.0', info: { title: `Ludus: ${world}`, version: '1.0.0' }, paths: Object.fromEntries(paths) };
}
