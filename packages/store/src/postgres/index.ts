/** @file The server store: PostgreSQL 15 or later, one schema per tenant, any number of concurrent processes. */

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Store } from '@ludus-agents/kernel/internal/core/index';
import { from } from 'pg-copy-streams';
import type { Database, TransactionScope } from '../database.ts';
import type { Tables } from '../schema.ts';
import { SqlStore } from '../sql.ts';
import { type PostgresAddress, readAddress } from './address.ts';
import { kyselyOn } from './dialect.ts';
import { type Client, type LineOptions, PostgresPool } from './line.ts';
import { channelOf, Listener } from './listener.ts';
import { migrate } from './migrate.ts';

/** Fewer rows than this are quicker by an INSERT. */
export const worthCopying = 8;

/** Writes rows by COPY, which costs the client least. */
export async function copyChunks(client: Client, rows: readonly Tables['chunks'][]): Promise<void> {
  await pipeline(Readable.from(lines(rows)), client.query(from('copy chunks (episode, first, count, body) from stdin')));
}

/** Lines of COPY's text format, joined until they are worth a packet. */
function* lines(rows: readonly Tables['chunks'][]): Generator<Buffer> {
  let text = '';
  for (const { episode, first, count, body } of rows) {
    text += `${episode}\t${first}\t${count}\t${escapeField(body)}\n`;
    if (text.length < 65_536) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}

const special: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escapeField(text: string): string {
  return /[\\\n\r\t]/.test(text) ? text.replace(/[\\\n\r\t]/g, (character) => special[character]!) : text;
}

export interface PostgresOptions extends LineOptions {
  /** Milliseconds that a write waits for others to share its commit. */
  readonly delay?: number;
}

/** Connects, and brings the schema up to date if this role may. */
export async function openPostgres(where: string, options: LineOptions = {}): Promise<Database> {
  const address = readAddress(where);
  // A server that is unreachable at the start is an immediate error. After a later disconnect, the store waits for it.
  const first = new PostgresPool(address, { ...options, connections: 1, patience: 0 });
  await migrate(first).finally(() => first.close());
  return databaseOn(address, options);
}

function databaseOn(address: PostgresAddress, options: LineOptions): Database {
  const line = new PostgresPool(address, options);
  const listener = new Listener(address);
  const channel = channelOf(address);
  return {
    kind: 'postgres',
    db: kyselyOn((text, values) => line.query(text, values)),
    transact: (work) =>
      line.transact((client) => {
        const db = kyselyOn((text, values) => client.query(text, values as unknown[]));
        return work({
          kind: 'postgres',
          db,
          episodes: (rows) => writeEpisodes(db, rows),
          appearances: (rows) => writeAppearances(db, rows),
          chunks: (rows) => writeChunks(client, db, rows),
          parts: (rows) => writeParts(client, rows),
          scores: (rows) => writeScores(client, rows),
          scoreBodiesOf: (hashes) => readScoreBodies(client, hashes),
          scoreBodies: (rows) => writeScoreBodies(client, rows),
        });
      }),
    listen: (hear) => listener.add(hear),
    tell: async (word) => {
      await line.query('select pg_notify($1, $2)', [channel, word]);
    },
    async close() {
      await Promise.all([line.close(), listener.close()]);
    },
  };
}

async function writeChunks(client: Client, db: Database['db'], rows: Parameters<typeof copyChunks>[1]): Promise<void> {
  if (rows.length >= worthCopying) await copyChunks(client, rows);
  else await db.insertInto('chunks').values(rows).execute();
}

async function writeEpisodes(
  db: Database['db'],
  rows: Parameters<TransactionScope['episodes']>[0],
): ReturnType<TransactionScope['episodes']> {
  const places = await db
    .insertInto('episodes')
    .values(rows)
    .onConflict((on) => on.column('id').doNothing())
    .returning(['id', 'position'])
    .execute();
  return places.map(({ id, position }) => ({ id, position: Number(position) }));
}

async function writeAppearances(db: Database['db'], rows: readonly Tables['appearances'][]): Promise<void> {
  await db
    .insertInto('appearances')
    .values(rows)
    .onConflict((on) => on.columns(['agent', 'episode']).doUpdateSet((row) => ({ status: row.ref('excluded.status') })))
    .execute();
}

/** Three lists, whatever the number of rows: one statement to plan, and little to write out. */
async function writeParts(client: Client, rows: readonly Tables['parts'][]): Promise<void> {
  await client.query(
    'insert into parts (hash, parent, part) select * from unnest($1::text[], $2::text[], $3::text[]) on conflict (hash) do nothing',
    [rows.map(({ hash }) => hash), rows.map(({ parent }) => parent), rows.map(({ part }) => part)],
  );
}

async function writeScores(client: Client, rows: Parameters<TransactionScope['scores']>[0]): Promise<void> {
  await client.query(
    'insert into scores (episode, score) select * from unnest($1::bigint[], $2::bigint[]) on conflict (episode, score) do nothing',
    [rows.map(({ episode }) => episode), rows.map(({ score }) => score)],
  );
}

async function readScoreBodies(client: Client, hashes: readonly string[]): ReturnType<TransactionScope['scoreBodiesOf']> {
  const { rows } = await client.query('select * from score_bodies where hash = any($1::text[]) order by variant', [hashes]);
  return rows.map((row) => ({ ...row, number: Number(row.number), variant: Number(row.variant) }));
}

async function writeScoreBodies(
  client: Client,
  rows: Parameters<TransactionScope['scoreBodies']>[0],
): ReturnType<TransactionScope['scoreBodies']> {
  const written = await client.query(
    `insert into score_bodies (hash, variant, body) select * from unnest($1::text[], $2::bigint[], $3::text[])
     on conflict (hash, variant) do nothing returning number, hash, variant`,
    [rows.map(({ hash }) => hash), rows.map(({ variant }) => variant), rows.map(({ body }) => body)],
  );
  const numbers = new Map(written.rows.map(({ number, hash, variant }) => [`${hash} ${variant}`, Number(number)]));
  return rows.map(({ hash, variant }) => numbers.get(`${hash} ${variant}`) ?? null);
}

export async function postgresStore(where: string, { delay, ...line }: PostgresOptions = {}): Promise<Store> {
  return new SqlStore(await openPostgres(where, line), { delay });
}
