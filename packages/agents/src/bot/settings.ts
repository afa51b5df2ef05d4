/**
 * @file The bot settings of a spec: its address and request limits. Parsed once; errors are reported in a sentence.
 *
 * A bot is written as `bot:http://…`, `bot:openai:http://…#model`, `bot:a2a:http://…`, `bot:ws://…`, `bot:mcp:…`, `bot:acp:agent`,
 * `bot:cmd:node bot.js` or `bot:./bot.ts`; `a2a:…` and `cmd:…` mean the same. A spec of the kind
 * "bot" says it in its settings instead.
 */

import { type AgentSpec, Fault, type Json, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { parseKind } from '../agent-kind.ts';
import { formatCommand, splitCommand } from './command-words.ts';

export const botVias = ['http', 'openai', 'ws', 'a2a', 'acp', 'mcp', 'cmd', 'function'] as const;
export type BotVia = (typeof botVias)[number];

/** A request besides the messages: one that begins a session, or ends it. */
export interface BotCall {
  readonly url: string;
  readonly method: string;
  readonly request: Json | undefined;
}

/** How a bot reports what it does. */
export interface BotHooks {
  /** The port on which this process receives its calls; null for none, 0 for any free port. */
  readonly port: number | null;
  /** Where its records can be read, before a conversation and after each answer. */
  readonly state: string | null;
  /** Its MCP server, which it then calls through the listener. */
  readonly mcp: string | null;
  /** The address that stores records of a case before a conversation: text planted in them tests whether the bot obeys it. */
  readonly plant: string | null;
}

export interface BotSettings {
  readonly via: BotVia;
  /** The address of a server. */
  readonly url: string;
  /** The model of an OpenAI-compatible server. */
  readonly model: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body of a message, with {message}, {session}, {turn} and {history} in it. */
  readonly request: Json | undefined;
  /** The path of the answer, such as choices.0.message.content; without it, the usual names are tried. */
  readonly reply: string | undefined;
  /** The path of the session name in an answer, for bots that name sessions themselves. */
  readonly session: string | undefined;
  /** The path in a frame which marks the answer as complete, for sockets that send it in pieces. */
  readonly done: string | undefined;
  /** The tool of an MCP server that takes messages. */
  readonly tool: string;
  readonly hooks: BotHooks;
  /** The version of the bot under which its answers are cached on disk; empty to not cache them. */
  readonly version: string;
  readonly open: BotCall | undefined;
  readonly close: BotCall | undefined;
  readonly command: readonly string[];
  readonly lines: 'json' | 'text';
  /** One process for all conversations. */
  readonly shared: boolean;
  /** Variables passed to a process in addition to PATH and the like. */
  readonly env: readonly string[];
  readonly file: string;
  /** The message it is sent when it has to speak first; without it, it says nothing. */
  readonly opening: string;
  readonly seconds: number;
  readonly tries: number;
  readonly concurrency: number;
  readonly perMinute: number;
}

const kinds = ['bot', 'a2a', 'cmd'];

/** True for the spec of a bot. */
export function isBot(spec: Partial<AgentSpec> | string): boolean {
  const kind = typeof spec === 'string' ? spec : String(spec.kind ?? '');
  return kinds.includes(parseKind(kind).kind);
}

export function readBotSettings(spec: Partial<AgentSpec>): BotSettings {
  const jsonObject = (spec.settings ?? {}) as JsonObject;
  const named = parseBotName(String(spec.kind ?? 'bot'));
  if (named !== null) {
    const twice = ['via', ...reached].find((field) => jsonObject[field] !== undefined);
    if (twice !== undefined)
      throw new Fault(
        'input',
        `"${twice}" conflicts with the kind ${spec.kind}, which already contains the bot's address. Remove it from the settings, or use the kind "bot".`,
        { code: 'E_CONFLICTING_OPTIONS' },
      );
  }
  return readFields({ ...jsonObject, ...named }, spec.name ?? 'bot');
}

const reached = ['url', 'model', 'command', 'file'];

/** Settings from a name such as "bot:cmd:node bot.js"; null for "bot" alone. */
function parseBotName(kind: string): JsonObject | null {
  const [, first = '', rest = ''] = /^([a-z0-9]+)(?::(.*))?$/s.exec(kind) ?? [];
  if (first !== 'bot') return first === 'cmd' ? { via: 'cmd', command: [...splitCommand(rest)] } : { via: first, url: rest };
  if (rest === '') return null;
  const [, via, more = ''] = /^(openai|a2a|acp|mcp|cmd|http|ws|function):(?!\/\/)(.*)$/s.exec(rest) ?? [];
  if (via === 'cmd' || via === 'acp' || (via === 'mcp' && !isAddress(more))) return { via, command: [...splitCommand(more)] };
  if (via === 'function') return { via, file: more };
  if (via === 'openai') {
    const [url = '', model = ''] = more.split('#', 2);
    return { via, url, model };
  }
  if (via !== undefined) return { via, url: more };
  if (/^wss?:\/\//i.test(rest)) return { via: 'ws', url: rest };
  return /^https?:\/\//i.test(rest) ? { via: 'http', url: rest } : { via: 'function', file: rest };
}

const fields = [
  ...['via', 'url', 'model', 'headers', 'request', 'reply', 'session', 'open', 'close', 'done', 'tool', 'hooks', 'version'],
  ...['command', 'lines', 'shared', 'env', 'file', 'opening', 'seconds', 'tries', 'concurrency', 'perMinute'],
];

function readFields(jsonObject: JsonObject, name: string): BotSettings {
  const refuse = (field: string, wanted: string, names: readonly string[] = []): never => {
    throw new Fault(
      'input',
      `The bot ${name}: "${field}" must be ${wanted}, but got ${JSON.stringify(jsonObject[field] ?? null).slice(0, 80)}.${didYouMean(jsonObject[field], names)}`,
      { code: 'E_BOT_FAILED' },
    );
  };
  const unknown = Object.keys(jsonObject).find((field) => !fields.includes(field));
  if (unknown !== undefined)
    throw new Fault(
      'input',
      `The bot ${name} has no setting "${unknown}".${didYouMean(unknown, fields)} Available: ${fields.join(', ')}.`,
      { code: 'E_UNKNOWN_NAME' },
    );
  const text = (field: string, otherwise = ''): string => {
    const value = jsonObject[field] ?? otherwise;
    return typeof value === 'string' ? value : refuse(field, 'a string');
  };
  const amount = (field: string, otherwise: number, from: number): number => {
    const value = jsonObject[field] ?? otherwise;
    return typeof value === 'number' && value >= from && value <= 1e6 ? value : refuse(field, `a number from ${from} to 1000000`);
  };
  const texts = (field: string): readonly string[] => {
    const value = jsonObject[field] ?? [];
    return Array.isArray(value) && value.every((item) => typeof item === 'string')
      ? (value as string[])
      : refuse(field, 'a list of strings');
  };
  const via = (jsonObject['via'] ?? usualVia(jsonObject)) as BotVia;
  if (!botVias.includes(via)) return refuse('via', `one of ${botVias.join(', ')}`, botVias);
  const call = (field: string, method: string): BotCall | undefined => {
    const value = jsonObject[field];
    if (value === undefined) return undefined;
    const {
      url = via === 'ws' ? '' : undefined,
      method: how = method,
      request,
    } = (typeof value === 'object' ? (value ?? {}) : {}) as JsonObject;
    if (
      typeof url !== 'string' ||
      !(isAddress(url) || (url === '' && via === 'ws')) ||
      typeof how !== 'string' ||
      !/^[A-Z]{3,7}$/.test(how)
    )
      return refuse(field, 'an object with "url", and optionally "method" and "request"');
    return { url, method: how, request };
  };
  const command = typeof jsonObject['command'] === 'string' ? splitCommand(jsonObject['command']) : texts('command');
  const lines = text('lines', 'json') as BotSettings['lines'];
  if (lines !== 'json' && lines !== 'text') refuse('lines', 'json or text');
  if (['http', 'openai', 'a2a'].includes(via) && !isAddress(text('url'))) refuse('url', 'an address such as http://localhost:3000/chat');
  if (via === 'ws' && !isSocket(text('url'))) refuse('url', 'an address such as ws://localhost:3000/chat');
  if (via === 'mcp' && text('url') !== '' && !isAddress(text('url'))) refuse('url', 'an address such as http://localhost:3000/mcp');
  if ((via === 'cmd' || via === 'acp' || (via === 'mcp' && text('url') === '')) && command.length === 0)
    refuse('command', 'a program and its arguments, such as ["node", "bot.js"]');
  if (via === 'function' && text('file') === '') refuse('file', 'a file that exports the bot, such as ./bot.ts');
  const shared = jsonObject['shared'] ?? false;
  if (typeof shared !== 'boolean' || (shared && lines === 'text')) refuse('shared', 'true or false, and false if "lines" is "text"');
  const headers = jsonObject['headers'] ?? {};
  if (typeof headers !== 'object' || headers === null || !Object.values(headers).every((header) => typeof header === 'string'))
    refuse('headers', 'an object of strings');
  return {
    ...{ via, command, lines, shared: shared as boolean, headers: headers as Record<string, string> },
    ...{ url: text('url'), model: text('model'), file: text('file'), opening: text('opening'), env: texts('env') },
    request: jsonObject['request'],
    reply: jsonObject['reply'] === undefined ? undefined : text('reply'),
    session: jsonObject['session'] === undefined ? undefined : text('session'),
    done: jsonObject['done'] === undefined ? undefined : text('done'),
    tool: text('tool'),
    version: text('version'),
    hooks: readHooks(jsonObject['hooks'], (wanted) => refuse('hooks', wanted)),
    open: call('open', 'POST'),
    close: call('close', 'DELETE'),
    seconds: amount('seconds', 60, 0.001),
    tries: amount('tries', 3, 1),
    concurrency: amount('concurrency', 1e6, 1),
    perMinute: amount('perMinute', 1e6, 1),
  };
}

function readHooks(input: Json | undefined, refuse: (wanted: string) => never): BotHooks {
  if (input === undefined) return { port: null, state: null, mcp: null, plant: null };
  const wanted = 'an object with "port" (a number, or 0 for any), "state", "mcp" or "plant" (an address each)';
  if (!isObject(input) || Object.keys(input).some((key) => !['port', 'state', 'mcp', 'plant'].includes(key))) return refuse(wanted);
  const { port, state, mcp, plant } = input;
  const address = (item: Json | undefined) => item === undefined || (typeof item === 'string' && isAddress(item));
  const isPort = port === undefined || (typeof port === 'number' && Number.isInteger(port) && port >= 0 && port < 65_536);
  if (!isPort || !address(state) || !address(mcp) || !address(plant)) return refuse(wanted);
  // Forwarding to an MCP server requires a listener.
  return {
    port: (port as number | undefined) ?? (mcp === undefined ? null : 0),
    state: (state as string) ?? null,
    mcp: (mcp as string) ?? null,
    plant: (plant as string) ?? null,
  };
}

function usualVia(jsonObject: JsonObject): BotVia {
  if (jsonObject['command'] !== undefined) return 'cmd';
  if (jsonObject['file'] !== undefined) return 'function';
  if (isSocket(String(jsonObject['url']))) return 'ws';
  return jsonObject['model'] === undefined ? 'http' : 'openai';
}

function isSocket(text: string): boolean {
  return /^wss?:\/\//i.test(text) && URL.canParse(text);
}

function isAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

/** What a bot may access outside this process. */
export interface BotReach {
  readonly addresses: readonly string[];
  readonly files: readonly string[];
  readonly commands: readonly string[];
  readonly variables: readonly string[];
}

export function reachOf(spec: Partial<AgentSpec>): BotReach {
  const { via, url, open, close, file, command, headers, env, hooks } = readBotSettings(spec);
  return {
    addresses: [url, open?.url ?? '', close?.url ?? '', hooks.state ?? '', hooks.mcp ?? '', hooks.plant ?? ''].filter(
      (item) => item !== '',
    ),
    files: via === 'function' ? [file] : [],
    commands: ['cmd', 'acp', 'mcp'].includes(via) && command.length > 0 ? [formatCommand(command)] : [],
    variables: [
      ...new Set([...env, ...Object.values(headers).flatMap((text) => [...text.matchAll(variable)].map(([, name = '']) => name))]),
    ],
  };
}

/** A variable of the environment in a header: ${NAME}. */
export const variable: RegExp = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

const texts: JsonObject = { type: 'array', items: { type: 'string' } };
const callSchema: JsonObject = { type: 'object', properties: { url: { type: 'string' }, method: { type: 'string' }, request: {} } };
const count = (minimum: number, description: string): JsonObject => ({ type: 'number', minimum, maximum: 1e6, description });

/** The settings of a bot as JSON Schema, for editors. */
export const botSettingsSchema: JsonObject = {
  type: 'object',
  additionalProperties: false,
  properties: {
    via: { enum: [...botVias], description: 'how to reach it (default: detected from the other settings)' },
    url: { type: 'string', description: 'the address of a server; {session} is filled in' },
    model: { type: 'string', description: 'the model of an OpenAI-compatible server' },
    headers: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'headers of every request; NAME in a dollar sign and braces is read from the environment',
    },
    request: { description: 'the body of a message, with {message}, {session}, {turn}, {hooks}, and "{history}" as a whole value' },
    reply: { type: 'string', description: 'the path of the answer, such as choices.0.message.content' },
    session: { type: 'string', description: 'the path of the session ID in an answer, for bots that create their own' },
    open: { ...callSchema, description: 'a request that starts a session' },
    close: { ...callSchema, description: 'a request that ends a session' },
    done: { type: 'string', description: 'the path in a WebSocket frame that marks the answer as complete' },
    tool: { type: 'string', description: 'the tool of an MCP server that takes messages' },
    hooks: {
      type: 'object',
      additionalProperties: false,
      properties: {
        port: { type: 'integer', minimum: 0, maximum: 65_535 },
        ...{ state: { type: 'string' }, mcp: { type: 'string' }, plant: { type: 'string' } },
      },
      description: 'how it reports its actions',
    },
    version: { type: 'string', description: 'the version of the bot; its answers are stored under it and reused' },
    command: { anyOf: [{ type: 'string' }, texts], description: 'a program and its arguments' },
    lines: { enum: ['json', 'text'] },
    shared: { type: 'boolean', description: 'one process for all conversations' },
    env: { ...texts, description: 'environment variables of the process' },
    file: { type: 'string', description: 'a file that exports the bot as a function' },
    opening: { type: 'string', description: 'the message sent if it has to speak first' },
    seconds: count(0.001, 'seconds to wait for an answer'),
    tries: count(1, 'attempts to deliver a message'),
    concurrency: count(1, 'maximum number of parallel messages'),
    perMinute: count(1, 'maximum number of messages per minute'),
  },
};
