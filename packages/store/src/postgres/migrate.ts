/** @file Brings a schema up to date, one transaction a step, one process at a time. A schema that is not ours, or newer, is left as it is. */

import { Fault } from '@ludus-agents/kernel/internal/core/index';
import type { Client, PostgresPool } from './line.ts';
import { steps } from './tables.ts';

export type RoleKind = 'worker' | 'reader';

/** Only summaries, leases and sums are ever changed; everything else is written once. */
const rights: Readonly<Record<string, string>> = {
  ludus_schema: 'select',
  runs: 'select, insert',
  specs: 'select, insert',
  parts: 'select, insert',
  chunks: 'select, insert',
  scores: 'select, insert',
  score_bodies: 'select, insert',
  notes: 'select, insert',
  episodes: 'select, insert, update',
  appearances: 'select, insert, update',
  lots: 'select, insert',
  jobs: 'select, insert, update',
  workers: 'select, insert, update',
  purses: 'select, insert, update',
  spendings: 'select, insert, update',
  paces: 'select, insert, update',
};

/**
 * What each role may do, as statements for the owner of a schema to run. A worker adds and never removes: it cannot change the tables,
 * delete, read the owner's other tables, or look into another schema. Tables that come later are closed until granted.
 *
 * The statements that give a role what it needs in a schema and nothing else.
 */
export function grantsFor(schema: string, role: string, kind: RoleKind): readonly string[] {
  const [where, who] = [quoteName(schema), quoteName(role)];
  return [
    `revoke all on all tables in schema ${where} from ${who};`,
    `grant usage on schema ${where} to ${who};`,
    ...Object.entries(rights).map(
      ([table, privileges]) => `grant ${kind === 'reader' ? 'select' : privileges} on ${where}.${table} to ${who};`,
    ),
  ];
}

/** A name as an identifier, whatever is in it. */
function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export async function migrate(line: PostgresPool): Promise<void> {
  const { shown, schema } = line.address;
  const version = await versionOf(line);
  if (version > steps.length)
    throw new Fault(
      'store',
      `${shown} was written by a newer Ludus (schema ${version}, this one supports up to ${steps.length}). It was not modified. Update Ludus to open it.`,
    );
  for (let at = version; at < steps.length; at++) await line.transact((client) => step(client, schema));
}

/** The version of the schema; 0 if there is none. */
async function versionOf(line: PostgresPool): Promise<number> {
  const { shown, schema } = line.address;
  const { rows } = await line.query(
    `select to_regclass($1 || '.ludus_schema') is not null as ours,
       (select count(*) from pg_class join pg_namespace on pg_namespace.oid = relnamespace where nspname = $1 and relkind = 'r') as tables`,
    [schema],
  );
  const { ours, tables } = rows[0]!;
  if (!ours && tables > 0)
    throw new Fault(
      'store',
      `The schema of ${shown} contains tables of another program. It was not modified. Choose another schema with ?schema=NAME.`,
    );
  if (!ours) return 0;
  const queryResult = await line.query('select coalesce(max(number), 0) as version from ludus_schema');
  return Number(queryResult.rows[0]!.version);
}

async function step(client: Client, schema: string): Promise<void> {
  await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`ludus ${schema}`]);
  await client.query(`create schema if not exists ${schema}`);
  await client.query('create table if not exists ludus_schema (number integer primary key, at timestamptz not null default now())');
  const { rows } = await client.query('select coalesce(max(number), 0)::integer as version from ludus_schema');
  const { version } = rows[0]!;
  const next = steps[version];
  if (next === undefined) return;
  await client.query(next);
  await client.query('insert into ludus_schema (number) values ($1)', [version + 1]);
}
