/**
 * @file The tools available to agents: the sandbox, the MCP servers in the JSON file named by LUDUS_TOOLS, and the user's own by file or by
 * a name in the configuration.
 *
 * A plan names the tool sets of its agents; the user who runs the plan decides what a name means, and which role may use which tools.
 */

import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { Fault, type Json, type JsonObject, type ToolSpec } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import {
  type Fields,
  leaf,
  list,
  object,
  one,
  optional,
  pattern,
  readAs,
  record,
  required,
  type Shape,
  whole,
  withDefault,
  withWords,
  text as words,
} from '@ludus-agents/kernel/internal/core/shape';
import { misfit } from '@ludus-agents/kernel/internal/core/shape-problems';
import { reasonOf } from '@ludus-agents/store/internal/files/read-failure';
import { backendNames } from '../sandbox/backends.ts';
import { limitNames } from '../sandbox/limits.ts';
import type { ToolsOptions } from '../tools/create-tools.ts';
import type { McpServer } from '../tools/mcp.ts';
import type { Tool, Toolbox, ToolSet } from '../tools/tool.ts';
import { toolKind } from './kinds.ts';
import { findNamed, isFileName } from './load.ts';
import { openTools } from './open-tools.ts';
import type { Trust } from './trust.ts';

let roles: ToolSet['roles'];

/** The tools of a folder. The origin of a tool's name decides whether a file is loaded. */
export function createToolSet(cwd: string, trust: Trust): ToolSet {
  return {
    async open(name) {
      openTools.named ??= toolBoxAt(process.env['LUDUS_TOOLS']);
      const tools = await openTools.named;
      if (tools.names.includes(name)) return tools.open(name);
      return (await openTools.own.get(JSON.stringify([cwd, trust.origin, name]), () => ownTools(name, cwd, trust))) ?? tools.open(name);
    },
    get roles() {
      return roles;
    },
  };
}

/** The user's own tool, a server described by a file, or the name of a built-in tool. */
export type ToolSource = Tool | McpServer | string;

/** Parses the contents of a file or the export of a program; undefined if it is not a tool. */
export function readTool(value: unknown, where: string): ToolSource | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { spec, call, command, url } = value as Readonly<Record<string, unknown>>;
  if (typeof call === 'function')
    return { spec: readAs(toolSpecShape, spec, { where: `${where}: its spec`, called: 'the spec of a tool' }), call: call.bind(value) };
  return command === undefined && url === undefined ? undefined : readAs(serverShape, value, { where, called: 'an MCP server' });
}

async function ownTools(name: string, cwd: string, trust: Trust): Promise<Toolbox | null> {
  if (/^table=./s.test(name)) {
    const { tableTool } = await import('../tools/table.ts');
    return { tools: [tableTool(name.slice('table='.length), { cwd, trust })], close: async () => undefined };
  }
  const toolSource = await findNamed(toolKind, name, cwd, trust);
  if (toolSource === undefined || typeof toolSource === 'string') return null;
  if ('call' in toolSource) return { tools: [toolSource], close: async () => undefined };
  // A server is a command or an address: requests and stored data cannot start one.
  if (trust.right('command') === 'no' && isFileName(name))
    throw new Fault('input', `${name} describes an MCP server, which must be configured by the user. Add it to "tools" in ludus.config.`);
  const { mcpToolbox } = await import('../tools/mcp.ts');
  return mcpToolbox(basename(name).replace(/\.json$/, ''), toolSource);
}

/** The sandbox settings in the tools file; empty without one. */
export function sandboxSettings(file = process.env['LUDUS_TOOLS']): NonNullable<ToolsOptions['sandbox']> {
  return file ? (readTools(file).sandbox ?? {}) : {};
}

async function toolBoxAt(file: string | undefined) {
  const options = file ? readTools(file) : {};
  roles = options.roles;
  return (await import('../tools/create-tools.ts')).createTools(options);
}

const about = (file: string) => `The file of tools ${file}`;

function readTools(file: string): ToolsOptions {
  let text: string;
  try {
    text = readFileSync(resolve(file), 'utf8');
  } catch (thrown) {
    throw new Fault('input', `${about(file)} cannot be read: ${reasonOf(thrown)}. It is set in LUDUS_TOOLS.`, {
      code: 'E_UNREADABLE_FILE',
    });
  }
  const { mcpServers, sandbox, roles: table } = readAs(toolsShape, jsonFrom(text, about(file)), { where: about(file), called: 'it' });
  return { servers: mcpServers, sandbox, ...(table !== undefined && { roles: table }) };
}

const texts = withWords('a list of strings', list(words));
const wordsBy = withWords('an object of strings', record(words));
const limit = withWords('a positive integer', whole(1));

/** A limit or a backend setting. */
const sandboxShape = object({
  backend: optional(one(...backendNames)),
  language: optional(one('javascript', 'python')),
  ...Object.fromEntries(['python', 'engine', 'image', 'runtime', 'url'].map((name) => [name, optional(words)])),
  headers: optional(wordsBy),
  ...Object.fromEntries(limitNames.map((name) => [name, optional(limit)])),
});

const address: Shape<string> = leaf('an address', { type: 'string' }, (value) => typeof value === 'string' && URL.canParse(value));
type HttpServer = Extract<McpServer, { readonly url: string }>;
type ProcessServer = Exclude<McpServer, HttpServer>;
const httpServer = object<HttpServer>({ url: required(address), headers: withDefault(wordsBy, {}) } as Fields<HttpServer>);
const processServer = object<ProcessServer>({
  command: required(words),
  args: withDefault(texts, []),
  env: withDefault(wordsBy, {}),
  cwd: optional(withWords('a folder', words)),
} as Fields<ProcessServer>);

const toolSpecShape: Shape<ToolSpec> = object<ToolSpec>({
  name: required(pattern('up to 64 letters, digits, dashes or underscores', /^[\w-]{1,64}$/)),
  description: withDefault(words, ''),
  parameters: withDefault(leaf<Json>('a JSON Schema', { type: 'object' }, isObject), { type: 'object' }),
});

/** Files of other programs may have more fields than needed; the required ones must be valid. */
const serverShape: Shape<McpServer> = {
  wanted: 'an object with a "command" or a "url"',
  schema: { type: 'object' },
  read(value, problems) {
    const { command, args, env, cwd, url, headers } = isObject(value) ? value : ({} as JsonObject);
    if (typeof url === 'string') return httpServer.read({ url, headers }, problems);
    if (typeof command === 'string') return processServer.read({ command, args, env, cwd }, problems);
    problems.push(misfit(this.wanted, value));
    return value as McpServer;
  },
};

const toolsShape = object(
  {
    mcpServers: withDefault(record(serverShape), {}),
    sandbox: withDefault(sandboxShape as Shape<NonNullable<ToolsOptions['sandbox']>>, {}),
    roles: optional(record(texts)),
  },
  { document: true },
);
