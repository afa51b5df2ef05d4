/**
 * @file Imports the tools of a desk from an OpenAPI document or the list of an MCP server. Names and arguments are
 * kept; the effect on the desk's tables is inferred from path and method, or from the name. Unknown effects are left open.
 */

import { Fault, type Json, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import type { DeskEffect, DeskTool } from './environment/document.ts';

/** A tool without a known effect: it returns null, and a check reports it. */
const open: DeskEffect = { returns: null };

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

export function isOpenApi(value: Json): value is JsonObject {
  return isObject(value) && (typeof value['openapi'] === 'string' || typeof value['swagger'] === 'string') && isObject(value['paths']);
}

/** Every operation as a tool. `x-ludus-does` in an operation defines its effect if its path does not. */
export function toolsFromOpenApi(document: JsonObject, where: string): readonly DeskTool[] {
  if (typeof document['openapi'] !== 'string') throw new Fault('input', `${where} is a Swagger 2 document. Convert it to OpenAPI 3 first.`);
  const resolve = (value: Json | undefined): JsonObject => resolveReference(document, value);
  const tools: DeskTool[] = [];
  for (const [path, item] of Object.entries(document['paths'] as JsonObject)) {
    const shared = parametersIn(item, resolve);
    for (const method of methods) {
      const operation = isObject(item) ? item[method] : undefined;
      if (!isObject(operation)) continue;
      const parameters = [...shared, ...parametersIn(operation, resolve)].filter(({ in: at }) => at === 'path' || at === 'query');
      const body = bodyOf(operation, resolve);
      const properties: Record<string, Json> = {};
      for (const parameter of parameters) properties[String(parameter['name'])] = plainSchema(parameter['schema'], resolve);
      for (const [key, schema] of Object.entries(body.properties)) properties[key] = plainSchema(schema, resolve);
      const required = [
        ...parameters.filter((parameter) => parameter['required'] === true).map((parameter) => String(parameter['name'])),
        ...body.required,
      ];
      const input = operation['x-ludus-does'];
      tools.push({
        name: nameOf(String(operation['operationId'] ?? `${method} ${path}`)),
        description: String(operation['summary'] ?? operation['description'] ?? ''),
        parameters: { type: 'object', properties, ...(required.length === 0 ? {} : { required: [...new Set(required)] }) },
        does: isObject(input) ? (input as DeskEffect) : effectOf(method, path, { parameters, body: Object.keys(body.properties) }),
      });
    }
  }
  const twice = tools.find(({ name }, i) => tools.findIndex((tool) => tool.name === name) !== i);
  if (twice !== undefined) throw new Fault('input', `${where} has two operations called ${twice.name}. Give each a unique operationId.`);
  return tools;
}

interface Sent {
  readonly parameters: readonly JsonObject[];
  readonly body: readonly string[];
}

/** By REST conventions: /orders and /orders/{id}, with methods that read, add, change, and remove. */
function effectOf(method: string, path: string, { parameters, body }: Sent): DeskEffect {
  const parts = path.split('/').filter((part) => part !== '');
  const last = parts.at(-1) ?? '';
  const id = /^\{(\w+)\}$/.exec(last)?.[1];
  const table = id === undefined ? last : (parts.at(-2) ?? '');
  if (table === '' || /[{}]/.test(table)) return open;
  const all = (names: readonly string[]): JsonObject => Object.fromEntries(names.map((name) => [name, `{${name}}`]));
  const outer = parameters
    .filter((parameter) => parameter['in'] === 'path' && parameter['name'] !== id)
    .map((parameter) => String(parameter['name']));
  const query = parameters.filter((parameter) => parameter['in'] === 'query').map((parameter) => String(parameter['name']));
  if (id === undefined) {
    if (method === 'get') return { find: table, where: all([...outer, ...query]) };
    // Below a record, a word is a table or a verb; only an operation with a body is certain to add to a table.
    return method === 'post' && body.length > 0 && outer.length === 0 ? { add: table, to: all(body) } : open;
  }
  const text = `{${id}}`;
  if (method === 'get') return { get: table, id: text };
  if (method === 'delete') return { remove: table, id: text };
  return method === 'post' ? open : { set: table, id: text, to: all(body) };
}

function parametersIn(value: Json | undefined, resolve: (value: Json | undefined) => JsonObject): readonly JsonObject[] {
  const list = isObject(value) ? value['parameters'] : undefined;
  return Array.isArray(list) ? list.map((item: Json) => resolve(item)) : [];
}

function bodyOf(operation: JsonObject, resolve: (value: Json | undefined) => JsonObject) {
  const content = resolve(operation['requestBody'])['content'];
  const json = isObject(content) ? Object.entries(content).find(([type]) => /json/.test(type))?.[1] : undefined;
  const schema = resolve(isObject(json) ? json['schema'] : undefined);
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? (schema['required'] as readonly string[]) : [];
  return { properties, required };
}

/** The part of a schema that arguments are checked by. */
function plainSchema(value: Json | undefined, resolve: (value: Json | undefined) => JsonObject): JsonObject {
  const { type, enum: choices, description } = resolve(value);
  return {
    ...(typeof type === 'string' ? { type } : {}),
    ...(Array.isArray(choices) ? { enum: choices } : {}),
    ...(typeof description === 'string' ? { description } : {}),
  };
}

/** The target of a local reference; other objects are returned unchanged. */
function resolveReference(document: JsonObject, value: Json | undefined, depth = 0): JsonObject {
  if (!isObject(value)) return {};
  const ref = value['$ref'];
  if (typeof ref !== 'string') return value;
  if (!ref.startsWith('#/') || depth > 20)
    throw new Fault('input', `The reference ${ref} cannot be followed; bundle the document into one file first.`);
  let target: Json | undefined = document;
  for (const part of ref.slice(2).split('/')) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    target = isObject(target) && Object.hasOwn(target, key) ? target[key] : undefined;
  }
  if (target === undefined) throw new Fault('input', `The reference ${ref} points to nothing in the document.`);
  return resolveReference(document, target, depth + 1);
}

const edges = linear(/^_+|_+$/g);

function nameOf(text: string): string {
  return text
    .replace(/[^\w]+/g, '_')
    .replace(edges, '')
    .slice(0, 60);
}

export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Json;
}

/** Tools as an MCP server lists them. The effect of each is inferred from its name and the names of the tables. */
export function toolsFromList(listed: readonly ListedTool[], tables: readonly string[]): readonly DeskTool[] {
  return listed.map(({ name, description, parameters }) => {
    const schema: JsonObject = isObject(parameters) ? parameters : { type: 'object', properties: {} };
    const takes = isObject(schema['properties']) ? Object.keys(schema['properties']) : [];
    return { name: nameOf(name), description, parameters: schema, does: effectByName(name, takes, tables) };
  });
}

const verbs: readonly (readonly [RegExp, 'get' | 'find' | 'add' | 'set' | 'remove'])[] = [
  [/^(?:get|read|show|fetch|view)$/, 'get'],
  [/^(?:find|search|list|query|lookup)$/, 'find'],
  [/^(?:create|add|insert|new)$/, 'add'],
  [/^(?:update|change|set|modify|edit|patch)$/, 'set'],
  [/^(?:delete|remove)$/, 'remove'],
];

function effectByName(name: string, takes: readonly string[], tables: readonly string[]): DeskEffect {
  const [first = '', ...rest] = name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  const verb = verbs.find(([pattern]) => pattern.test(first))?.[1];
  const table = tables.find((table) =>
    [table, table.replace(/s$/, ''), table.replace(/ies$/, 'y')].some((word) => rest.includes(word.toLowerCase())),
  );
  if (verb === undefined || table === undefined) return open;
  const all = (names: readonly string[]): JsonObject => Object.fromEntries(names.map((key) => [key, `{${key}}`]));
  if (verb === 'find') return { find: table, where: all(takes) };
  if (verb === 'add') return { add: table, to: all(takes) };
  const singular = table.toLowerCase().replace(/s$/, '');
  const id = takes.find((key) => key === 'id' || key.toLowerCase().replace(/_?(?:id|number)$/, '') === singular);
  if (id === undefined) return verb === 'get' && takes.length > 0 ? { find: table, where: all(takes) } : open;
  if (verb === 'set') return { set: table, id: `{${id}}`, to: all(takes.filter((key) => key !== id)) };
  return verb === 'get' ? { get: table, id: `{${id}}` } : { remove: table, id: `{${id}}` };
}
