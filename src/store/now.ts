/** @file The database's clock, in milliseconds. */

import { type RawBuilder, sql } from 'kysely';
import type { Database } from './database.ts';

/** The moment at which a statement runs: in PostgreSQL a transaction's own now() would stand still. */
export function nowIn(kind: Database['kind']): RawBuilder<number> {
  return kind === 'postgres'
    ? sql<number>`floor(extract(epoch from clock_timestamp()) * 1000)::bigint`
    : sql<number>`cast(unixepoch('subsec') * 1000 as integer)`;
}
