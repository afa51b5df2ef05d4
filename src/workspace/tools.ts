/**
 * @file The tools that agents may be given here: the sandbox, and the MCP servers in the JSON file that LUDUS_TOOLS names.
 *
 * A plan names the tool sets its agents want; what is behind a name, and which role may use what, is decided by the user who runs the plan.
 */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { backendNames } from '../agents/sandbox/backends.ts';
import { limitNames } from '../agents/sandbox/limits.ts';
import type { createTools, ShedOptions } from '../agents/tools/create-tools.ts';
import type { McpServer } from '../agents/tools/mcp.ts';
import type { ToolSet } from '../agents/tools/tool.ts';
import { Fault, type Json, type JsonObject } from '../core/index.ts';
import { jsonFrom, reasonOf } from '../core/outside.ts';

/** Such a file, as the help shows it. Servers are written as other programs write them. */
export const exampleTools = `  {
    "mcpServers": {
      "desk": {"command": "node", "args": ["desk.js"], "env": {"KEY": "…"}},
      "web": {"url": "http://localhost:3000/mcp"}
    },
    "sandbox": {"backend": "wasm", "milliseconds": 2000, "megabytes": 64},
    "roles": {"clerk": ["desk__*", "run_code"], "*": []}
  }`;

/**
 * The tool set of this process: opened when an agent first uses a tool, and closed after every command, since servers are separate
 * processes.
 */
let opened: Promise<ReturnType<typeof createTools>> | undefined;
let roles: ToolSet['roles'];

export const tools: ToolSet = {
  async open(name) {
    opened ??= shedAt(process.env['LUDUS_TOOLS']);
    return (await opened).open(name);
  },
  get roles() {
    return roles;
  },
};

export async function closeTools(): Promise<void> {
  const closing = opened;
  opened = undefined;
  await closing?.then(
    (toolSet) => toolSet.close(),
    () => undefined,
  );
}

/** The sandbox settings in the file of tools; none without one. */
export function sandboxSettings(file = process.env['LUDUS_TOOLS']): NonNullable<ShedOptions['sandbox']> {
  return file ? (readTools(file).sandbox ?? {}) : {};
}

async function shedAt(file: string | undefined) {
  const options = file ? readTools(file) : {};
  roles = options.roles;
  return (await import('../agents/tools/create-tools.ts')).createTools(options);
}

const about = (file: string) => `The file of tools ${file}`;

function readTools(file: string): ShedOptions {
  let text: string;
  try {
    text = readFileSync(resolve(file), 'utf8');
  } catch (thrown) {
    throw new Fault('input', `${about(file)} cannot be read: ${reasonOf(thrown)}; LUDUS_TOOLS names it.`);
  }
  const given = objectIn(jsonFrom(text, about(file)), file, 'the whole of it');
  const known = ['mcpServers', 'sandbox', 'roles'];
  for (const name of Object.keys(given))
    if (!known.includes(name)) throw new Fault('input', `${about(file)} has no field "${name}"; it knows ${known.join(', ')}.`);
  const servers = Object.entries(objectIn(given['mcpServers'] ?? {}, file, 'mcpServers'));
  const sandbox = Object.entries(objectIn(given['sandbox'] ?? {}, file, 'sandbox'));
  const table = given['roles'] === undefined ? null : Object.entries(objectIn(given['roles'], file, 'roles'));
  return {
    servers: Object.fromEntries(servers.map(([name, server]) => [name, serverIn(server, file, `mcpServers.${name}`)])),
    sandbox: Object.fromEntries(sandbox.map(([name, value]) => [name, sandboxIn(value, file, name)])),
    ...(table && { roles: Object.fromEntries(table.map(([role, names]) => [role, textsIn(names, file, `roles.${role}`)])) }),
  };
}

function refused(file: string, where: string, wanted: string, came: Json | undefined): Fault {
  return new Fault('input', `${about(file)}: ${where} must be ${wanted}, but came as ${JSON.stringify(came ?? null).slice(0, 80)}.`);
}

function objectIn(value: Json, file: string, where: string): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw refused(file, where, 'an object', value);
}

function textsIn(value: Json, file: string, where: string): readonly string[] {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value as string[];
  throw refused(file, where, 'a list of texts', value);
}

/** One setting of the sandbox: a limit, or something about its backend. */
function sandboxIn(value: Json, file: string, name: string): Json {
  const where = `sandbox.${name}`;
  if ((limitNames as readonly string[]).includes(name)) {
    if (Number.isInteger(value) && (value as number) > 0) return value;
    throw refused(file, where, 'a whole number above 0', value);
  }
  if (name === 'headers') {
    textsIn(Object.values(objectIn(value, file, where)), file, where);
    return value;
  }
  const names = Object.hasOwn(choices, name) ? choices[name as keyof typeof choices] : undefined;
  const texts = ['python', 'engine', 'image', 'runtime', 'url'];
  if (names === undefined && !texts.includes(name))
    throw new Fault(
      'input',
      `${about(file)}: the sandbox has no setting "${name}"; it knows ${[...Object.keys(choices), ...texts, 'headers', ...limitNames].join(', ')}.`,
    );
  if (typeof value === 'string' && (names ?? [value]).includes(value)) return value;
  throw refused(file, where, names === undefined ? 'a text' : `one of ${names.join(', ')}`, value);
}

const choices: Readonly<Record<'backend' | 'language', readonly string[]>> = { backend: backendNames, language: ['javascript', 'python'] };

/** Files of other programs carry more than is needed here; what is needed must be right. */
function serverIn(value: Json, file: string, where: string): McpServer {
  const { command, args = [], env = {}, cwd, url, headers = {} } = objectIn(value, file, where);
  const wordsIn = (given: Json, part: string) => {
    const words = objectIn(given, file, `${where}.${part}`);
    textsIn(Object.values(words), file, `${where}.${part}`);
    return words as Readonly<Record<string, string>>;
  };
  if (typeof url === 'string') {
    if (!URL.canParse(url)) throw refused(file, `${where}.url`, 'an address', url);
    return { url, headers: wordsIn(headers, 'headers') };
  }
  if (typeof command !== 'string') throw refused(file, where, 'an object with a "command" or a "url"', value);
  if (cwd !== undefined && typeof cwd !== 'string') throw refused(file, `${where}.cwd`, 'a folder', cwd);
  return { command, args: textsIn(args, file, `${where}.args`), env: wordsIn(env, 'env'), ...(cwd === undefined ? {} : { cwd }) };
}
