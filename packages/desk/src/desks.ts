/**
 * @file Loads desks from a user's folder or file, without a program: policy.md, tools.json or openapi.json, tasks.json, a database of
 * JSON, CSV or SQLite files, and desk.json for the rest. A desk becomes a suite: its own cases, and generated cases that test for faults.
 */

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, extname, join, resolve } from 'node:path';
import { checkFile } from '@ludus-agents/agents/internal/workspace/consent';
import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { type SceneInput, type Suite, suite } from '@ludus-agents/evaluation/internal/scoring/suites/suite';
import { readCsvRecords } from '@ludus-agents/kernel/internal/core/csv';
import { Fault, type Json, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { isObject, plainText } from '@ludus-agents/kernel/internal/core/json';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import { nearbyFile, reasonOf } from '@ludus-agents/store/internal/files/read-failure';
import { tablesInSqlite } from './desk-sqlite.ts';
import { isOpenApi, toolsFromOpenApi } from './desk-tools.ts';
import { builtInDesk } from './environment/built-in.ts';
import { type Desk, type DeskCase, type DeskDatabase, type DeskDocument, readDesk } from './environment/document.ts';
import { probesOf } from './environment/probes.ts';
import { faultScorers } from './faults/index.ts';

/** True for the folder of a desk: it has a policy or a desk.json. */
export function isDeskFolder(path: string, cwd: string): boolean {
  const folder = resolve(cwd, path);
  if (!existsSync(folder) || !statSync(folder).isDirectory()) return false;
  return existsSync(join(folder, 'policy.md')) || existsSync(join(folder, 'desk.json'));
}

/** Is a document a desk? */
export function isDeskDocument(value: unknown): value is JsonObject {
  return isObject(value) && 'policy' in value && 'tasks' in value;
}

export function readDeskDocument(value: Json, where: string): DeskDocument {
  return readDesk(withTables(value), where);
}

/** Loads a desk from its folder, from a single JSON file, or by built-in name. */
export function loadDesk(path: string, cwd: string, trust: Trust): DeskDocument {
  const file = resolve(cwd, path);
  const builtIn = existsSync(file) ? null : builtInDesk(path);
  if (builtIn !== null) return builtIn;
  checkFile(file, trust, { cwd, env: process.env });
  if (!existsSync(file))
    throw new Fault(
      'input',
      `No desk at ${path}${nearbyFile(file)}. Use a folder with policy.md and tasks.json, or create one with "ludus new desk NAME".`,
    );
  if (!statSync(file).isDirectory()) return readDeskDocument(readJson(file), path);
  const input = existsSync(join(file, 'desk.json')) ? readJson(join(file, 'desk.json')) : {};
  if (!isObject(input)) throw new Fault('input', `${path}/desk.json must be an object such as {"name": "my-desk"}.`);
  const part = (name: string): Json | undefined =>
    existsSync(join(file, `${name}.json`)) ? readJson(join(file, `${name}.json`)) : undefined;
  const policy = existsSync(join(file, 'policy.md')) ? readText(join(file, 'policy.md')) : input['policy'];
  const [tools, tasks, personas] = [part('tools') ?? describeDocument(part('openapi'), path), part('tasks'), part('personas')];
  const database = {
    ...(isObject(input['database']) ? input['database'] : {}),
    ...tablesIn(file),
    ...(part('database') as JsonObject | undefined),
  };
  return readDesk(
    withTables({
      name: basename(file).replace(/[^\w.-]/g, '-'),
      ...(existsSync(join(file, 'articles')) ? { knowledge: 'articles' } : {}),
      ...input,
      ...(policy === undefined ? {} : { policy }),
      ...(tools === undefined ? {} : { tools }),
      ...(tasks === undefined ? {} : { tasks }),
      ...(personas === undefined ? {} : { personas }),
      database,
    }),
    path,
  );
}

function describeDocument(document: Json | undefined, path: string): Json | undefined {
  if (document === undefined) return undefined;
  if (!isOpenApi(document)) throw new Fault('input', `${path}/openapi.json must be an OpenAPI document with "openapi" and "paths".`);
  return toolsFromOpenApi(document, `${path}/openapi.json`);
}

/** The tables of database.sqlite, and the files of the folder "database", each a table with the file's name. */
function tablesIn(folder: string): JsonObject {
  const whole = ['database.sqlite', 'database.db'].map((name) => join(folder, name)).filter((file) => existsSync(file));
  return {
    ...Object.assign({}, ...whole.map(tablesInSqlite)),
    ...tableFiles(join(folder, 'database')),
    ...articlesIn(join(folder, 'articles')),
  };
}

/** Articles as Markdown files, each by its name; its first heading is the title. */
function articlesIn(path: string): JsonObject {
  if (!existsSync(path)) return {};
  const rows = readdirSync(path)
    .filter((file) => extname(file) === '.md')
    .sort()
    .map((file) => {
      const text = readText(join(path, file));
      const title = /^#+\s*(.+)$/m.exec(text)?.[1]?.trim() ?? basename(file, '.md');
      return [basename(file, '.md'), { title, text: text.replace(/^#+.*$/gm, '').trim() }] as const;
    });
  return rows.length === 0 ? {} : { articles: Object.fromEntries(rows) };
}

function tableFiles(path: string): JsonObject {
  if (!existsSync(path)) return {};
  const files = readdirSync(path).filter((file) => ['.json', '.csv', '.tsv'].includes(extname(file)));
  return Object.fromEntries(
    files.map((file) => [
      basename(file, extname(file)),
      extname(file) !== '.json' ? (readCsvRecords(readText(join(path, file)), file) as readonly Json[]) : readJson(join(path, file)),
    ]),
  );
}

/** Tables may be lists: the id of a record is then its "id", or its first column. */
function withTables(input: Json): Json {
  if (!isObject(input) || !isObject(input['database'])) return input;
  const tables = Object.entries(input['database']).map(([name, table]) => [name, Array.isArray(table) ? byId(table, name) : table]);
  return { ...input, database: Object.fromEntries(tables) };
}

function byId(rows: readonly Json[], table: string): DeskDatabase[string] {
  const records: [string, JsonObject][] = [];
  for (const row of rows) {
    if (!isObject(row))
      throw new Fault('input', `The table ${table} must be a list of records, but contains ${JSON.stringify(row).slice(0, 60)}.`);
    const key = 'id' in row ? 'id' : Object.keys(row)[0];
    if (key === undefined) throw new Fault('input', `The table ${table} contains an empty record.`);
    const { [key]: id, ...rest } = row;
    if (records.some(([existingId]) => existingId === plainText(id)))
      throw new Fault('input', `The table ${table} has two records with the id ${plainText(id)}.`);
    records.push([plainText(id), rest]);
  }
  return Object.fromEntries(records);
}

/** The names of a desk's tables. */
export function deskTables(folder: string, cwd: string): readonly string[] {
  return Object.keys(tablesIn(resolve(cwd, folder)));
}

export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    throw new Fault('input', `${file} cannot be read: ${reasonOf(thrown)}.`, { code: 'E_UNREADABLE_FILE' });
  }
}

function readJson(file: string): Json {
  return jsonFrom(readText(file), file) as Json;
}

// ── a desk as a suite ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The default number of repeats per case: figures depend on the number of cases, not of repeats. */
const seeds = 3;

type DeskSceneCase = {
  readonly case: DeskCase;
  readonly desk: Desk;
};

/** A scene of cases, each with its desk. */
export function deskScene(name: string, cases: readonly DeskSceneCase[], customer = 'scripted:customer'): SceneInput {
  return {
    ...{ name, environment: 'desk', seats: ['agent'], tasks: cases },
    ...{ others: { customer }, score: 'desk', pass: 1, also: [...faultScorers, 'audits'] },
  };
}

/** A model that plays customers only words what the script says: "llm:MODEL" becomes "voiced:MODEL". */
export function voicedName<Name extends string | undefined>(agent: Name): Name | string {
  return agent?.startsWith('llm:') === true ? agent.replace(/^llm:/, 'voiced:') : agent;
}

export function suiteOfDesk(desk: DeskDocument): Suite {
  const { tasks, customerAgent, ...plain } = desk;
  const scene = (name: string, cases: readonly DeskCase[]) =>
    deskScene(
      name,
      cases.map((deskCase) => ({ case: deskCase, desk: plain })),
      voicedName(customerAgent),
    );
  const groups = Map.groupBy([...tasks, ...probesOf(desk)], ({ probe }) => (probe === 'task' ? 'tasks' : probe));
  return suite({
    name: desk.name,
    about: `${desk.about}${desk.about === '' ? '' : ' '}A conversation passes if everything required was said and done, nothing else was, and no fault was found.`,
    seeds,
    nulls: ['scripted:do-nothing', 'scripted:always-refuse'],
    scenes: [...groups].map(([name, cases]) => scene(name, cases)),
  });
}
