/**
 * @file Completes a desk from its tools and its policy, in steps: tables, records, tasks. A step is skipped if its file is complete and was
 * made from the same input; otherwise it and all steps that depend on it are repeated.
 */

import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Fault, hash, type Json, rng } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import { isOpenApi, toolsFromOpenApi } from './desk-tools.ts';
import { readText } from './desks.ts';
import type { DeskCase, DeskDatabase, DeskTool } from './environment/document.ts';
import type { Entity, MadeRules } from './environment/make/blueprint.ts';
import { blueprintCases, drawDatabase, entitiesOf, identityIn, rulesNotApplied } from './environment/make/blueprint.ts';

export interface MadeDesk {
  readonly steps: Readonly<Record<'entities' | 'database' | 'tasks', 'made' | 'kept'>>;
  readonly tables: number;
  readonly cases: number;
  /** Rules with a condition that no case was made for, with the tool whose cases may be wrong. */
  readonly notApplied: MadeRules;
}

export function makeDesk(path: string, cwd: string, { people, seed }: { readonly people: number; readonly seed: number }): MadeDesk {
  const folder = resolve(cwd, path);
  const tools = toolsOf(folder, path);
  const policyFile = join(folder, 'policy.md');
  const policy = existsSync(policyFile) ? readText(policyFile) : '';
  const identity = identityIn(policy);
  mkdirSync(join(folder, '.make'), { recursive: true });
  const steps: Record<string, 'made' | 'kept'> = {};
  const step = <T>(name: keyof MadeDesk['steps'], file: string, input: Json, make: () => T): T => {
    const [target, mark] = [join(folder, file), join(folder, '.make', `${name}.json`)];
    const key = hash(input);
    const fileSync = existsSync(target) ? readFileSync(target, 'utf8') : '';
    const existing = existsSync(mark) ? (jsonOrNull(readFileSync(mark, 'utf8')) as { input?: string; output?: string } | null) : null;
    if (existing === null && fileSync !== '')
      throw new Fault(
        'input',
        `${path}/${file} already exists and was not created by this command. Delete it, or create the desk in another folder.`,
        { code: 'E_ALREADY_EXISTS' },
      );
    if (existing?.input === key && existing.output === hash(fileSync)) {
      steps[name] = 'kept';
      return jsonFrom(fileSync, file) as T;
    }
    const madeDesk = make();
    const text = `${JSON.stringify(madeDesk, null, 1)}\n`;
    writeFileAtomicSync(target, text);
    writeFileAtomicSync(mark, `${JSON.stringify({ input: key, output: hash(text) })}\n`);
    steps[name] = 'made';
    return madeDesk;
  };
  const as = (value: unknown) => value as Json;
  const entities = step<readonly Entity[]>('entities', '.make/tables.json', as({ tools }), () => entitiesOf(tools));
  const database = step<DeskDatabase>('database', 'database.json', as({ entities, people, seed, identity }), () =>
    drawDatabase(entities, people, rng(seed, 'desk', 'records'), identity),
  );
  const tasks = step<readonly DeskCase[]>('tasks', 'tasks.json', as({ tools, database, seed, policy }), () =>
    blueprintCases(tools, database, rng(seed, 'desk', 'tasks'), policy),
  );
  const about = join(folder, 'desk.json');
  const owns = Object.fromEntries(Object.keys(database).flatMap((table) => (table === 'customers' ? [] : [[table, 'customer']])));
  if (!existsSync(about))
    writeFileAtomicSync(
      about,
      `${JSON.stringify({ customers: { table: 'customers', owns, private: [...new Set(['email', identity])].filter((column) => column !== 'name') } }, null, 1)}\n`,
    );
  return {
    steps: steps as MadeDesk['steps'],
    tables: Object.keys(database).length,
    cases: tasks.length,
    notApplied: rulesNotApplied(tools, database, policy),
  };
}

function jsonOrNull(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

function toolsOf(folder: string, path: string): readonly DeskTool[] {
  for (const name of ['tools.json', 'openapi.json']) {
    const file = join(folder, name);
    if (!existsSync(file)) continue;
    const read = jsonFrom(readText(file), `${path}/${name}`) as Json;
    if (isOpenApi(read)) return toolsFromOpenApi(read, `${path}/${name}`);
    const isTool = (item: Json) =>
      isObject(item) && typeof item['name'] === 'string' && isObject(item['does']) && isObject(item['parameters']);
    if (Array.isArray(read) && read.every(isTool)) return read;
    throw new Fault('input', `${path}/${name} must be a list of tools with "name", "parameters" and "does".`);
  }
  throw new Fault(
    'input',
    `${path} has neither tools.json nor openapi.json. "ludus desk tools" creates one from an OpenAPI document or an MCP server, and --model has a model write it from policy.md.`,
  );
}
