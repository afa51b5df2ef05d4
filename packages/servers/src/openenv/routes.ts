/**
 * @file Routes for OpenEnv clients: any seat of any environment at /openenv/WORLD, over WebSocket and HTTP.
 *
 * Over HTTP the reference server forgets an episode between reset and step. Here an episode with an `episode_id` is retained, so complete
 * episodes can be played without a socket; without an id, every request is independent, as in the reference server.
 */

import type { Duplex } from 'node:stream';
import { Fault, isFault, type Json, type JsonObject, nameOf, parseJson } from '@ludus-agents/kernel/internal/core/index';
import { Hono, type Context as HonoCall } from 'hono';
import type { WebSocket } from 'ws';
import { type AccessScope, type Caller, may } from '../access.ts';
import type { CallerNow } from '../admission.ts';
import { callerOf, type HttpRoutes, NotFound } from '../app.ts';
import { jsonOrNothing } from '../body.ts';
import type { EpisodeHost } from '../episode-host.ts';
import { statusCodeOf } from '../health.ts';
import { rulesOf } from '../seat-view.ts';
import { Sessions, type SessionsOptions } from '../sessions.ts';
import { OpenEnvSession, type StepResult } from './session.ts';
import { attend, calls, frames } from './socket.ts';
import { type OpenEnvSessions, respond, unparsed } from './tools.ts';
import { errorFrame, InvalidRequest, readReset, readStep, schemas, whyUnreadable } from './wire.ts';

export interface OpenEnvOptions extends SessionsOptions {
  readonly episodeHost: EpisodeHost;
  /** The environment at the root path, for clients that expect a server with a single one; without it, a reset there names one. */
  readonly environment?: string | undefined;
}

/** The target of a request. */
interface Address {
  readonly sessionTable: Sessions<OpenEnvSession>;
  readonly episodeHost: EpisodeHost;
  /** Null at a root that serves several environments. */
  readonly environment: string | null;
  readonly caller: Caller;
  /** The caller with the current state of its token; a socket outlives the request that opened it. */
  readonly now: CallerNow;
}

/** GET requests read, all others play. */
function needs(_: string, method: string): readonly AccessScope[] {
  return method === 'GET' ? ['read', 'play'] : ['play'];
}

/** The routes at /openenv, and one at the root for clients that know only the address of a server. */
export function openEnvRoutes({ environment, episodeHost, ...options }: OpenEnvOptions): {
  readonly door: HttpRoutes;
  readonly root: HttpRoutes;
} {
  const sessionTable = new Sessions<OpenEnvSession>(options);
  const top = (caller: Caller, now: CallerNow = () => caller): Address => ({
    ...{ sessionTable, episodeHost, caller, now },
    environment: environment ?? null,
  });
  const below = (name: string, caller: Caller, now?: CallerNow): Address => {
    if (!episodeHost.environmentNames.includes(name))
      throw new NotFound(`Unknown environment "${name.slice(0, 80)}". Available: ${episodeHost.environmentNames.join(', ')}.`);
    return { ...top(caller, now), environment: name };
  };
  return {
    door: {
      path: '/openenv',
      app: routes('/:world', (call) => below(call.req.param('world') as string, callerOf(call))),
      needs,
      health: () => episodeHost.ledger.health(),
      socket(path, caller, now) {
        const [, name, end] = path.match(/^\/([\w.-]+)\/(ws|mcp)$/) ?? [];
        return name !== undefined && episodeHost.environmentNames.includes(name) ? socketAt(below(name, caller, now), end as string) : null;
      },
      async close() {
        sessionTable.shut();
        await episodeHost.ledger.settle();
      },
    },
    root: {
      path: '/',
      app: routes('', (call) => top(callerOf(call))),
      needs,
      socket: (path, caller, now) => (path === '/ws' || path === '/mcp' ? socketAt(top(caller, now), path.slice(1)) : null),
    },
  };
}

function socketAt(address: Address, end: string): (socket: WebSocket, wire: Duplex) => void {
  const { sessionTable, caller, now } = address;
  const make = () => sessionFor(address);
  const sessions = sessionsOf(address);
  const full = (message: string, data: JsonObject) =>
    end === 'ws'
      ? errorFrame('CAPACITY_REACHED', message, data)
      : JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32000, message, data } });
  return (socket, wire) =>
    attend(socket, wire, { caller, now, sessionTable, make, full, answer: end === 'ws' ? frames(sessions) : calls(sessions) });
}

function sessionFor({ episodeHost, environment, now }: Address): OpenEnvSession {
  return new OpenEnvSession(episodeHost, environment, spendingBy(now));
}

function spendingBy(now: CallerNow): () => boolean {
  return () => {
    const caller = now();
    return !('error' in caller) && may(caller, 'spend');
  };
}

/** The caller's session, with the scopes of this request. */
function findSession({ sessionTable, caller, now }: Address, id: string): OpenEnvSession | null {
  const session = sessionTable.find(caller, id);
  if (session !== null) session.maySpend = spendingBy(now);
  return session;
}

function sessionsOf(address: Address): OpenEnvSessions {
  const { sessionTable, caller } = address;
  return {
    create: () => sessionTable.admit(caller, () => sessionFor(address)),
    find: (id) => findSession(address, id),
    passing: () => sessionFor(address),
    close: (id) => sessionTable.close(caller, id),
  };
}

function routes(prefix: string, addressOf: (call: HonoCall) => Address): Hono {
  const app = new Hono();
  app.onError((error, call) => {
    if (error instanceof InvalidRequest) return call.json({ detail: error.problems }, 422);
    // Requests that are not about the episode are answered as in the rest of the app.
    if (!isFault(error) || error instanceof NotFound) throw error;
    return call.json({ detail: error.message }, error.boundary === 'input' ? 400 : 503);
  });
  type Answer = (address: Address, call: HonoCall) => unknown;
  const json = (answer: Answer) => async (call: HonoCall) => call.json((await answer(addressOf(call), call)) as object);
  const get = (path: string, answer: Answer) => app.get(`${prefix}${path}`, json(answer));
  const post = (path: string, answer: Answer) => app.post(`${prefix}${path}`, json(answer));
  app.get(`${prefix}/health`, async (call) => {
    const health = await addressOf(call).episodeHost.ledger.health();
    return call.json(health, statusCodeOf(health));
  });
  get('/schema', () => schemas);
  get('/metadata', metadata);
  get('/openapi.json', ({ environment }) => openapi(environment ?? 'several worlds'));
  get('/state', (address, call) => {
    const episode = call.req.query('episode_id');
    const session = episode === undefined ? sessionFor(address) : requireSession(address, episode);
    return session.state();
  });
  post('/reset', async (address, call) => reset(address, await body(call)));
  post('/step', async (address, call) => step(address, await body(call)));
  post('/mcp', async (address, call) => {
    const request = await jsonOrNothing(call);
    return request === undefined ? unparsed : respond(request, sessionsOf(address));
  });
  return app;
}

/** The JSON of a request; an empty body is an empty object. */
async function body(call: HonoCall): Promise<Json> {
  const text = await call.req.text();
  if (text.trim() === '') return {};
  try {
    return parseJson(text);
  } catch (thrown) {
    throw new InvalidRequest([{ type: 'json_invalid', loc: ['body'], msg: `JSON decode error: ${whyUnreadable(thrown)}`, input: {} }]);
  }
}

/** HTTP episodes are identified by token, environment, and the client's name for them, because other clients may use the same name. */
function keyOf({ caller, environment }: Address, episode: string): string {
  return `http/${caller.id}/${environment ?? ''}/${episode}`;
}

function requireSession(address: Address, episode: string): OpenEnvSession {
  const session = findSession(address, keyOf(address, episode));
  if (session !== null) return session;
  throw new NotFound(`Episode "${episode.slice(0, 80)}" is not in progress. Start it with a reset that names it.`);
}

async function reset(address: Address, input: Json): Promise<StepResult> {
  const { sessionTable, caller } = address;
  const { episode } = readReset(input);
  if (episode === null) return alone(address, (session) => session.reset(input));
  const id = keyOf(address, episode);
  const openEnvSession = findSession(address, id);
  if (openEnvSession !== null) return settleStep(address, id, openEnvSession.reset(input));
  const place = sessionTable.admit(caller, () => sessionFor(address), { id });
  if ('full' in place) throw new Fault('server', place.full);
  try {
    return await settleStep(address, id, place.who.reset(input));
  } catch (thrown) {
    sessionTable.close(caller, id);
    throw thrown;
  }
}

async function step(address: Address, input: Json): Promise<StepResult> {
  const { action, episode } = readStep(input);
  if (episode !== null) return settleStep(address, keyOf(address, episode), requireSession(address, episode).step(action));
  return alone(address, async (session) => {
    await session.reset(input);
    return session.step(action);
  });
}

/** Finished episodes are in the store, so they give up their place. */
async function settleStep({ sessionTable, caller }: Address, id: string, pending: StepResult | Promise<StepResult>): Promise<StepResult> {
  const result = await pending;
  if (result.done) sessionTable.close(caller, id);
  return result;
}

async function alone(address: Address, use: (session: OpenEnvSession) => Promise<StepResult>): Promise<StepResult> {
  const session = sessionFor(address);
  try {
    return await use(session);
  } finally {
    session.close();
  }
}

async function metadata({ episodeHost, environment: name }: Address): Promise<Json> {
  const blank = { readme_content: null, version: null, author: null, documentation_url: null };
  if (name === null) return { ...blank, name: 'ludus', description: `Environments: ${episodeHost.environmentNames.join(', ')}.` };
  const environment = await episodeHost.environment(name);
  const version = environment.id.split('@', 2)[1] ?? null;
  return { ...blank, name: nameOf(environment), description: environment.about.summary, readme_content: rulesOf(environment), version };
}

const summaries = {
  '/reset': ['post', 'Start an episode'],
  '/step': ['post', 'Answer, and get what happens until the seat is asked again'],
  '/state': ['get', 'The state of the episode'],
  '/schema': ['get', 'What actions, observations and states look like'],
  '/metadata': ['get', 'The environment played here'],
  '/health': ['get', 'Whether the server is running'],
  '/mcp': ['post', 'Tools as JSON-RPC'],
} as const;

function openapi(environment: string): JsonObject {
  const responses = { 200: { description: 'fine', content: { 'application/json': { schema: { type: 'object' } } } } };
  const paths = Object.entries(summaries).map(([path, [method, summary]]) => [path, { [method]: { summary, responses } }]);
  return { openapi: '3.1.0', info: { title: `Ludus: ${environment}`, version: '1.0.0' }, paths: Object.fromEntries(paths) };
}
