/**
 * @file The seat as tools, for OpenEnv clients that call tools: in steps (`list_tools`, `call_tool`), and as JSON-RPC at `/mcp`.
 *
 * That path is OpenEnv's own dialect; the Model Context Protocol itself is served by mcp/.
 */

import { Fault, isFault, type Json, type JsonObject, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { history, rulesOf } from '../seat-view.ts';
import type { OpenEnvSession, StepResult } from './session.ts';
import { InvalidRequest } from './wire.ts';

interface Tool {
  readonly description: string;
  readonly parameters: JsonObject;
  call(session: OpenEnvSession, jsonObject: JsonObject): Promise<Answer>;
}

/** The text of a tool's result, and the new observation if it advanced the episode. */
interface Answer {
  readonly text: string;
  readonly result: StepResult | null;
}

const fields = (properties: JsonObject, required: readonly string[] = []): JsonObject => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

const tools: Readonly<Record<string, Tool>> = {
  act: {
    description: 'Answer the game exactly as it asks, and get everything that happens until your next turn.',
    parameters: fields({ message: { type: 'string', description: 'your answer' } }, ['message']),
    async call(session, { message }) {
      if (typeof message !== 'string') throw new InvalidRequest([]);
      const result = await session.act({ text: message });
      return { text: session.told, result };
    },
  },
  look: {
    description: 'All messages so far. Starts a game if none is in progress.',
    parameters: fields({
      seed: { type: 'integer', minimum: 0, description: 'random seed of a new game' },
      task: { type: 'object', description: "the environment's task parameters" },
      seat: { type: 'string', description: 'your seat' },
      opponents: { description: 'the agents of the other seats' },
    }),
    async call(session, jsonObject) {
      if (session.guest !== null) return { text: history(session.guest), result: null };
      const result = await session.reset(jsonObject);
      return { text: session.told, result };
    },
  },
  rules: {
    description: 'The environment and its rules.',
    parameters: fields({}),
    async call({ guest, environment, episodeHost }) {
      if (guest !== null) return { text: rulesOf(guest.table.environment, guest), result: null };
      if (environment === null) throw new Fault('input', 'Several environments are served here. Call /openenv/NAME.');
      return { text: rulesOf(await episodeHost.environment(environment)), result: null };
    },
  },
  resign: {
    description: 'Leave the game, which ends it.',
    parameters: fields({}),
    async call(session) {
      session.resign();
      return { text: 'You left the game.', result: null };
    },
  },
};

function toolNamed(name: string): Tool | null {
  return Object.hasOwn(tools, name) ? tools[name]! : null;
}

function takes(name: string, { parameters }: Tool): string {
  return `${name} takes ${JSON.stringify(parameters['properties'])}.`;
}

/** A tool result in the usual format of such servers: for people in `content`, for programs in `data`. */
function toToolResult({ text, result }: Answer, { guest }: OpenEnvSession): JsonObject {
  const info = (result?.observation['info'] ?? {}) as JsonObject;
  const data = { episode: guest?.table.id ?? null, text, reward: result?.reward ?? null, done: guest?.over ?? false, ...info };
  return { content: [{ type: 'text', text }], structured_content: data, meta: null, data, is_error: false };
}

/** The answer to `list_tools`: only tools that advance the episode, since trainers start and end episodes by other means. */
export function listTools(): StepResult {
  const { description, parameters } = tools['act']!;
  return { observation: { tools: [{ name: 'act', description, input_schema: parameters }] }, reward: null, done: false };
}

/** The answer to `call_tool`: an error is in the observation, as the protocol requires. */
export async function callTool(session: OpenEnvSession, call: { readonly tool: string; readonly given: JsonObject }): Promise<StepResult> {
  const { tool: name, given } = call;
  const failedResult = (error_type: string, message: string): StepResult => ({
    observation: { tool_name: name, result: null, error: { error_type, message } },
    reward: null,
    done: session.guest?.over ?? false,
  });
  const tool = toolNamed(name);
  if (tool === null) return failedResult('tool_not_found', `Tool not found: ${name}`);
  try {
    const answer = await tool.call(session, given);
    const observation = { tool_name: name, result: toToolResult(answer, session), error: null };
    return { observation, reward: answer.result?.reward ?? null, done: session.guest?.over ?? false };
  } catch (thrown) {
    return thrown instanceof InvalidRequest
      ? failedResult('invalid_args', takes(name, tool))
      : failedResult('execution_error', sentenceOf(thrown));
  }
}

/** Sessions by the id that JSON-RPC calls use. */
export interface OpenEnvSessions {
  create(): { readonly id: string } | { readonly full: string; readonly counts: JsonObject };
  find(id: string): OpenEnvSession | null;
  /** A session for one call only. */
  passing(): OpenEnvSession;
  close(id: string): boolean;
}

export type Response = { readonly jsonrpc: '2.0'; readonly id: Json; readonly result?: Json; readonly error?: JsonObject };

const codes = { parse: -32700, request: -32600, method: -32601, params: -32602, internal: -32603, server: -32000 } as const;

function resultReply(id: Json, result: Json): Response {
  return { jsonrpc: '2.0', id, result };
}

function errorReply(id: Json, code: keyof typeof codes, message: string): Response {
  return { jsonrpc: '2.0', id, error: { code: codes[code], message, data: null } };
}

export const unparsed: Response = errorReply(null, 'parse', 'Parse error');

/** Answers one JSON-RPC request. `own` is the session of the socket that delivered it, if any. */
export async function respond(request: Json, sessions: OpenEnvSessions, openEnvSession: OpenEnvSession | null = null): Promise<Response> {
  if (!isObject(request)) return errorReply(null, 'request', 'Invalid request: an object was expected');
  const { jsonrpc, method, params = {}, id = null } = request;
  if (jsonrpc !== '2.0' || typeof method !== 'string')
    return errorReply(null, 'request', 'Invalid request: jsonrpc must be "2.0" and method a string');
  if (!isObject(params)) return errorReply(id, 'params', 'Params must be an object');
  if (method === 'openenv/session/create') return createSession(id, sessions, openEnvSession);
  if (method === 'openenv/session/close') return closeSession(id, params, sessions);
  if (method === 'tools/list')
    return resultReply(id, {
      tools: Object.entries(tools).map(([name, { description, parameters }]) => ({ name, description, inputSchema: parameters })),
    });
  if (method !== 'tools/call') return errorReply(id, 'method', `Method not found: ${method.slice(0, 80)}`);
  const wanted = params['session_id'];
  if (openEnvSession !== null) return callSessionTool(id, params, openEnvSession);
  if (typeof wanted === 'string') {
    const session = sessions.find(wanted);
    return session === null ? errorReply(id, 'params', `Unknown session_id: ${wanted.slice(0, 80)}`) : callSessionTool(id, params, session);
  }
  const passing = sessions.passing();
  try {
    return await callSessionTool(id, params, passing);
  } finally {
    passing.close();
  }
}

function createSession(id: Json, sessions: OpenEnvSessions, openEnvSession: OpenEnvSession | null): Response {
  if (openEnvSession !== null) return errorReply(id, 'request', 'This socket is a session already');
  const createdSession = sessions.create();
  if ('id' in createdSession) return resultReply(id, { session_id: createdSession.id });
  return { jsonrpc: '2.0', id, error: { code: codes.server, message: createdSession.full, data: createdSession.counts } };
}

function closeSession(id: Json, { session_id: wanted }: JsonObject, sessions: OpenEnvSessions): Response {
  if (typeof wanted !== 'string' || wanted === '') return errorReply(id, 'params', "Invalid params - 'session_id' is required");
  if (!sessions.close(wanted)) return errorReply(id, 'params', `Unknown session_id: ${wanted.slice(0, 80)}`);
  return resultReply(id, { session_id: wanted, closed: true });
}

async function callSessionTool(id: Json, { name, arguments: input = {} }: JsonObject, session: OpenEnvSession): Promise<Response> {
  if (typeof name !== 'string' || name === '') return errorReply(id, 'params', "Missing 'name' in params");
  const tool = toolNamed(name);
  if (tool === null) return errorReply(id, 'params', `Tool not found: ${name.slice(0, 80)}`);
  if (!isObject(input)) return errorReply(id, 'params', 'Arguments must be an object');
  try {
    return resultReply(id, toToolResult(await tool.call(session, input), session));
  } catch (thrown) {
    if (thrown instanceof InvalidRequest) return errorReply(id, 'params', takes(name, tool));
    return errorReply(id, 'internal', isFault(thrown) ? thrown.message : 'Something went wrong on the server.');
  }
}
