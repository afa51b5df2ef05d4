/**
 * @file The door for OpenEnv clients: any seat of any world at /openenv/WORLD, over WebSocket and HTTP.
 *
 * Over HTTP the reference server forgets an episode between reset and step. Here one that was given an `episode_id` is kept, so that whole
 * episodes can be played without a socket; without one, every request stands alone, as there.
 */

import { Hono, type Context as HonoCall } from 'hono';
import { type AnyEnvironment, Fault, type Json, type JsonObject, nameOf } from '../../core/index.ts';
import { type Door, NotFound } from '../app.ts';
import { rulesOf } from '../sight.ts';
import { Hall, type HallOptions, type Place } from './hall.ts';
import type { Result } from './session.ts';
import { attend, calls, frames } from './socket.ts';
import { respond, type Sessions, unparsed } from './tools.ts';
import { errorFrame, Misfit, type Problem, readReset, readStep, schemas } from './wire.ts';

export interface OpenEnvOptions extends HallOptions {
  /** The world that is played at the root, as clients of a server with only one expect; without it, a reset there names one. */
  readonly world?: string | undefined;
}

/** The door at /openenv, and one at the root for clients that know only the address of a server. */
export function openEnvDoors({ world, ...options }: OpenEnvOptions): { readonly door: Door; readonly root: Door } {
  const hall = new Hall(options);
  const known = (name: string) => hall.lobby.worlds.includes(name);
  const below = new Hono();
  routes(
    below,
    '/:world',
    (call) => {
      const name = call.req.param('world') as string;
      if (!known(name)) throw new NotFound(`There is no world "${name.slice(0, 80)}" here; there are ${hall.lobby.worlds.join(', ')}.`);
      return name;
    },
    hall,
  );
  const top = new Hono();
  routes(top, '', () => world ?? null, hall);
  return {
    door: {
      path: '/openenv',
      app: below,
      socket(path) {
        const [, name, end] = path.match(/^\/([^/]+)\/(ws|mcp)$/) ?? [];
        return name !== undefined && known(decodeURIComponent(name)) ? socketAt(hall, decodeURIComponent(name), end as string) : null;
      },
      close: () => hall.shut(),
    },
    root: {
      path: '/',
      app: top,
      socket: (path) => (path === '/ws' || path === '/mcp' ? socketAt(hall, world ?? null, path.slice(1)) : null),
    },
  };
}

function socketAt(hall: Hall, world: string | null, end: string) {
  const sessions = sessionsOf(hall, world);
  const attendance =
    end === 'ws'
      ? { answer: frames(sessions), full: (message: string, counts: JsonObject) => errorFrame('CAPACITY_REACHED', message, counts) }
      : {
          answer: calls(sessions),
          full: (message: string, data: JsonObject) => JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32000, message, data } }),
        };
  return (socket: Parameters<typeof attend>[0]) => attend(socket, { hall, world, ...attendance });
}

function sessionsOf(hall: Hall, world: string | null): Sessions {
  return {
    create: () => hall.open(world),
    find: (id) => hall.find(id),
    passing: () => hall.passing(world),
    close: (id) => hall.close(id),
  };
}

/** The world that a request is about; null at a root where several are played. */
type WorldOf = (call: HonoCall) => string | null;

function routes(app: Hono, prefix: string, worldOf: WorldOf, hall: Hall): void {
  app.onError((error, call) => {
    if (error instanceof Misfit) return call.json({ detail: error.problems }, 422);
    // What is not about the game itself is told as everywhere in the app.
    if (!(error instanceof Fault) || error instanceof NotFound) throw error;
    return call.json({ detail: error.message }, error.boundary === 'input' ? 400 : 503);
  });
  app.get(`${prefix}/health`, (call) => {
    worldOf(call);
    return call.json({ status: 'healthy' });
  });
  app.get(`${prefix}/schema`, (call) => {
    worldOf(call);
    return call.json(schemas);
  });
  app.get(`${prefix}/metadata`, async (call) => call.json(await metadata(worldOf(call), hall)));
  app.get(`${prefix}/openapi.json`, (call) => call.json(openapi(worldOf(call) ?? 'ludus')));
  app.get(`${prefix}/state`, (call) => {
    const world = worldOf(call);
    const episode = call.req.query('episode_id');
    if (episode === undefined) return call.json(hall.passing(world).state());
    return call.json(kept(hall, world, episode).state());
  });
  app.post(`${prefix}/reset`, async (call) => call.json(await reset(hall, worldOf(call), await body(call))));
  app.post(`${prefix}/step`, async (call) => call.json(await step(hall, worldOf(call), await body(call))));
  app.post(`${prefix}/mcp`, async (call) => {
    const sessions = sessionsOf(hall, worldOf(call));
    const request = await call.req.json().catch(() => undefined);
    return call.json(request === undefined ? unparsed : await respond(request as Json, sessions));
  });
}

/** The JSON of a request; none at all is an empty object. */
async function body(call: HonoCall): Promise<Json> {
  const text = await call.req.text();
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text) as Json;
  } catch (thrown) {
    const problem: Problem = { type: 'json_invalid', loc: ['body'], msg: `JSON decode error: ${(thrown as Error).message}`, input: {} };
    throw new Misfit([problem]);
  }
}

/** Episodes over HTTP are told apart by world and by the name that the client gave them. */
function keyOf(world: string | null, episode: string): string {
  return `http/${world ?? ''}/${episode}`;
}

function kept(hall: Hall, world: string | null, episode: string) {
  const session = hall.find(keyOf(world, episode));
  if (session === null)
    throw new NotFound(`There is no episode "${episode.slice(0, 80)}" under way here; begin it with a reset that names it.`);
  return session;
}

async function reset(hall: Hall, world: string | null, given: Json): Promise<Result> {
  const { episode } = readReset(given);
  if (episode === null) return alone(hall, world, (session) => session.reset(given));
  const id = keyOf(world, episode);
  const session = hall.find(id) ?? opened(hall.open(world, { id })).session;
  try {
    const result = await session.reset(given);
    if (result.done) hall.close(id);
    return result;
  } catch (thrown) {
    hall.close(id);
    throw thrown;
  }
}

async function step(hall: Hall, world: string | null, given: Json): Promise<Result> {
  const { action, episode, rest } = readStep(given);
  if (episode === null)
    return alone(hall, world, async (session) => {
      await session.reset(rest);
      return session.step(action);
    });
  const result = await kept(hall, world, episode).step(action);
  // What is over is in the store; its place is another's.
  if (result.done) hall.close(keyOf(world, episode));
  return result;
}

async function alone(hall: Hall, world: string | null, use: (session: Place['session']) => Promise<Result>): Promise<Result> {
  const session = hall.passing(world);
  try {
    return await use(session);
  } finally {
    session.close();
  }
}

function opened(place: ReturnType<Hall['open']>): Place {
  if ('full' in place) throw new Fault('server', place.full);
  return place;
}

async function metadata(world: string | null, hall: Hall): Promise<JsonObject> {
  const blank = { version: null, author: null, documentation_url: null };
  if (world === null)
    return { ...blank, name: 'ludus', description: `Worlds to play: ${hall.lobby.worlds.join(', ')}.`, readme_content: null };
  const environment: AnyEnvironment = await hall.lobby.world(world);
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
  const answer = { 200: { description: 'fine', content: { 'application/json': { schema: { type: 'object' } } } } };
  return {
    openapi: '3.1.0',
    info: { title: `Ludus: ${world}`, version: '1.0.0' },
    paths: Object.fromEntries(
      Object.entries(summaries).map(([path, [method, summary]]) => [path, { [method]: { summary, responses: answer } }]),
    ),
  };
}
