/** @file The tools of a desk as data, so a desk needs no program. An invalid call changes nothing and returns the reason. */

import { bm25, termsOf } from '@ludus-agents/kernel/internal/core/bm25';
import { equal, type Json, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import type { Desk, DeskCall, DeskCase, DeskDatabase, DeskEffect, DeskHold, DeskTool } from './document.ts';
import { domainWrites, runDomain } from './domains/index.ts';

export type DeskResult =
  | { readonly ok: true; readonly value: Json; readonly database: DeskDatabase }
  | { readonly ok: false; readonly problem: string };

/** Does the tool change anything? */
export function isWrite(tool: DeskTool | undefined): boolean {
  const { set, add, remove, wait, run } = tool?.does ?? {};
  return (set ?? add ?? remove ?? wait) !== undefined || (run !== undefined && domainWrites(run));
}

/** The tool that a call names: one of the desk's or the customer's. */
export function toolOf({ tools, customerTools = [] }: Pick<Desk, 'tools' | 'customerTools'>, { tool, by }: DeskCall): DeskTool | undefined {
  return (by === 'customer' ? customerTools : tools).find(({ name }) => name === tool);
}

/** Executes a call with the tool that it names. */
export function runCall(desk: Pick<Desk, 'tools' | 'customerTools'>, database: DeskDatabase, call: DeskCall): DeskResult {
  return runTool({ tools: (call.by === 'customer' ? desk.customerTools : desk.tools) ?? [] }, database, call);
}

export function runTool({ tools }: Pick<Desk, 'tools'>, database: DeskDatabase, { tool: name, args }: DeskCall): DeskResult {
  const tool = tools.find((tool) => tool.name === name);
  if (tool === undefined) return no(`There is no tool "${name}"; the tools are ${tools.map((tool) => tool.name).join(', ') || 'none'}.`);
  const problem = misfit(tool, args);
  return problem === null ? carryOut(tool.does, database, args) : no(problem);
}

/**
 * Converts a bot's call of its own tool to the desk's tool: without arguments that only the bot's tool has, and with numbers and
 * texts in the desk's format. The bot's own tool has accepted the call, so its form is not a fault.
 */
export function adaptCall({ tools }: Pick<Desk, 'tools'>, call: DeskCall): DeskCall {
  const properties = tools.find(({ name }) => name === call.tool)?.parameters['properties'];
  if (!isObject(properties)) return call;
  const args = Object.entries(call.args).flatMap(([key, value]) => {
    const schema = properties[key];
    return schema === undefined ? [] : [[key, isObject(schema) ? toType(value, schema['type']) : value] as const];
  });
  return { ...call, args: Object.fromEntries(args) };
}

function toType(value: Json, type: Json | undefined): Json {
  if (type === 'string' && typeof value === 'number') return String(value);
  const isFigure = typeof value === 'string' && /^\s*-?\d+(?:\.\d+)?\s*$/.test(value);
  return (type === 'number' || type === 'integer') && isFigure ? Number(value) : value;
}

/** Do the final records have these values? They may have more columns. */
export function holdsIn(database: DeskDatabase, { does, args, gives }: DeskHold): { readonly holds: boolean; readonly found: Json } {
  const result = carryOut(does, database, args);
  const resultValue = result.ok ? result.value : null;
  const isPart = (wanted: Json, value: Json | undefined): boolean =>
    isObject(wanted) && isObject(value)
      ? Object.entries(wanted).every(([key, item]) => isPart(item, value[key]))
      : equal(wanted, value ?? null);
  return { holds: isPart(gives, resultValue), found: resultValue };
}

function carryOut(does: DeskEffect, database: DeskDatabase, args: JsonObject): DeskResult {
  if (does.run !== undefined) return runDomain(does.run, database, args);
  if (does.find !== undefined) {
    const wanted = fillTemplate(givenColumns(does.where, args), args) as JsonObject;
    const table = database[does.find] ?? {};
    const matchingEntries = Object.entries(table).filter(([id, row]) =>
      Object.entries(wanted).every(([key, value]) => same(key === 'id' ? id : row[key], value)),
    );
    return matchingEntries.length === 0
      ? no('Nothing was found.')
      : { ok: true, value: matchingEntries.map(([id, row]) => ({ id, ...row })), database };
  }
  if (does.search !== undefined) {
    const rows = Object.entries(database[does.search] ?? {});
    const documents = rows.map(([, row]) =>
      termsOf(
        Object.values(row)
          .filter((value) => typeof value === 'string')
          .join(' '),
      ),
    );
    const scores = bm25(termsOf(String(fillTemplate(does.query ?? '{query}', args))), documents);
    const near = rows.map(([id, row], i) => ({ id, row, score: scores[i] })).filter(({ score }) => score > 0);
    const best = near.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1)).slice(0, 5);
    return best.length === 0 ? no('Nothing was found.') : { ok: true, value: best.map(({ id, row }) => ({ id, ...row })), database };
  }
  if (does.wait !== undefined) {
    const minutes = Number(fillTemplate(does.wait, args));
    if (!(minutes >= 0)) return no('The minutes must be a number from 0 on.');
    const now = { minutes: Number(database['clock']?.['now']?.['minutes'] ?? 0) + minutes };
    return { ok: true, value: now, database: { ...database, clock: { ...database['clock'], now } } };
  }
  if (does.add !== undefined) {
    const table = database[does.add] ?? {};
    const id = String(Object.keys(table).length + 1);
    const row = fillTemplate(givenColumns(does.to, args), args) as JsonObject;
    return { ok: true, value: { id, ...row }, database: { ...database, [does.add]: { ...table, [id]: row } } };
  }
  const name = does.get ?? does.set ?? does.remove;
  if (name === undefined) return { ok: true, value: fillTemplate(does.returns ?? null, args), database };
  const id = recordId(does, args);
  const table = database[name] ?? {};
  const row = Object.hasOwn(table, id) ? table[id] : undefined;
  if (row === undefined) return no(`There is no ${id} in ${name}.`);
  if (does.get !== undefined) return { ok: true, value: { id, ...row }, database };
  for (const [column, value] of Object.entries(does.if ?? {}))
    if (!same(row[column], fillTemplate(value, args)))
      return no(`${id} cannot be changed so: its ${column} is ${JSON.stringify(row[column] ?? null)}, not ${JSON.stringify(value)}.`);
  if (does.remove !== undefined) {
    const { [id]: _, ...rest } = table;
    return { ok: true, value: { id, removed: true }, database: { ...database, [name]: rest } };
  }
  const changed = { ...row, ...(fillTemplate(givenColumns(does.to, args), args) as JsonObject) };
  return { ok: true, value: { id, ...changed }, database: { ...database, [name]: { ...table, [id]: changed } } };
}

function no(problem: string): DeskResult {
  return { ok: false, problem };
}

/** The record that a call of get, set or remove is about. */
export function recordId({ id = '{id}' }: DeskEffect, args: JsonObject): string {
  return String(fillTemplate(id, args));
}

/**
 * Texts are compared without case and surrounding spaces. A number in a table, as in CSV files, equals
 * the same digits in an argument.
 */
function same(a: Json | undefined, b: Json): boolean {
  const isPlain = (value: Json | undefined) => typeof value === 'string' || typeof value === 'number';
  if (isPlain(a) && isPlain(b) && typeof a !== typeof b) return String(a) === String(b).trim();
  if (typeof a === 'string' && typeof b === 'string') return a.trim().toLowerCase() === b.trim().toLowerCase();
  return equal(a ?? null, b);
}

/** Removes the columns whose whole value is an argument that was not given: it neither narrows a search nor changes anything. */
function givenColumns(columns: JsonObject | undefined, args: JsonObject): JsonObject {
  const isOpen = (value: Json) => {
    const whole = typeof value === 'string' ? /^\{(\w+)\}$/.exec(value)?.[1] : undefined;
    return whole !== undefined && !Object.hasOwn(args, whole);
  };
  return Object.fromEntries(Object.entries(columns ?? {}).filter(([, value]) => !isOpen(value)));
}

/** A value with its arguments: "{order_id}" alone becomes the argument itself; inside a text, its string form. */
function fillTemplate(value: Json, args: JsonObject): Json {
  if (typeof value === 'string') {
    const whole = /^\{(\w+)\}$/.exec(value)?.[1];
    if (whole !== undefined) return Object.hasOwn(args, whole) ? args[whole] : null;
    return value.replace(/\{(\w+)\}/g, (_, key: string) => String(Object.hasOwn(args, key) ? args[key] : ''));
  }
  if (Array.isArray(value)) return value.map((item: Json) => fillTemplate(item, args));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillTemplate(item, args)]));
}

/** The error in the arguments, by the supported part of JSON Schema; null if they are valid. */
function misfit({ name, parameters }: DeskTool, args: JsonObject): string | null {
  const properties = isObject(parameters['properties']) ? parameters['properties'] : {};
  const required = Array.isArray(parameters['required']) ? parameters['required'] : [];
  const missing = required.find((key) => args[key] === undefined);
  if (missing !== undefined) return `${name} needs "${missing}".`;
  const unknown = Object.keys(args).find((key) => !Object.hasOwn(properties, key));
  if (unknown !== undefined) return `${name} takes no "${unknown}"; it takes ${Object.keys(properties).join(', ') || 'nothing'}.`;
  for (const [key, value] of Object.entries(args)) {
    const schema = properties[key];
    if (!isObject(schema)) continue;
    const { type, enum: choices } = schema;
    if (Array.isArray(choices) && !choices.some((choice: Json) => equal(choice, value)))
      return `${name} needs "${key}" to be one of ${choices.map((choice: Json) => JSON.stringify(choice)).join(', ')}.`;
    if (typeof type === 'string' && !isOfType(value, type)) return `${name} needs "${key}" to be of type ${type}.`;
  }
  return null;
}

function isOfType(value: Json, type: string): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  if (type === 'null') return value === null;
  return typeof value === type;
}

/** The desk with the records of a case in its database. */
export function withRecords<D extends Desk>(desk: D, { records }: DeskCase): D {
  if (records === undefined) return desk;
  const tables = Object.entries(records).map(([table, rows]) => [table, { ...desk.database[table], ...rows }]);
  return { ...desk, database: { ...desk.database, ...Object.fromEntries(tables) } };
}

/** Every changed record, by table and id. */
export function changesIn(before: DeskDatabase, after: DeskDatabase): JsonObject {
  const changes: Record<string, Json> = {};
  for (const table of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [was, is] = [before[table] ?? {}, after[table] ?? {}];
    for (const id of new Set([...Object.keys(was), ...Object.keys(is)]))
      if (!equal(was[id] ?? null, is[id] ?? null)) changes[`${table}/${id}`] = is[id] ?? null;
  }
  return changes;
}

/** The records merged with changes in the bot's own records: new columns by "table/id", null for deleted records. Ids may contain a slash. */
export function applyChanges(database: DeskDatabase, changes: JsonObject): DeskDatabase {
  const tables: Record<string, Readonly<Record<string, JsonObject>>> = { ...database };
  for (const [key, change] of Object.entries(changes)) {
    const [table, id] = [key.slice(0, key.indexOf('/')), key.slice(key.indexOf('/') + 1)];
    const { [id]: row, ...rest } = tables[table] ?? {};
    tables[table] = isObject(change) ? { ...rest, [id]: { ...row, ...change } } : rest;
  }
  return tables;
}
