/**
 * @file Reads `postgres://USER:PASSWORD@HOST/DATABASE?schema=TENANT&sslmode=verify-full&sslrootcert=FILE`.
 *
 * A connection is either verified or, where it does not leave the machine or the address requests it, plain: modes that encrypt without
 * verifying the server are refused. A password may be in PGPASSWORD or a password file instead, and is in none of our messages.
 */

import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { Fault, sentenceOf } from '@ludus-agents/kernel/internal/core/index';

export interface PostgresAddress {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string | undefined;
  readonly password: string | undefined;
  /** Where the tables are: one schema for one tenant. */
  readonly schema: string;
  readonly ssl: false | { readonly ca?: string; readonly rejectUnauthorized: true; readonly host: string; readonly servername?: string };
  /** The timeout of an unresponsive connection, in milliseconds. */
  readonly silence: number;
  /** The address as it may be shown. */
  readonly shown: string;
}

const knownNames = ['schema', 'sslmode', 'sslrootcert', 'tcp_user_timeout'];

export function isPostgres(where: string): boolean {
  return /^postgres(ql)?:\/\//i.test(where);
}

export function readAddress(where: string): PostgresAddress {
  const url = URL.parse(where);
  if (url === null || !isPostgres(where) || url.hostname === '')
    throw new Fault('store', 'Expected a PostgreSQL store such as postgres://USER@HOST:PORT/DATABASE?schema=NAME.');
  const unknown = [...url.searchParams.keys()].find((name) => !knownNames.includes(name));
  if (unknown !== undefined)
    throw new Fault('store', `Unknown parameter "${unknown}" in the address of the store. Available: ${knownNames.join(', ')}.`, {
      code: 'E_UNKNOWN_NAME',
    });
  const schema = url.searchParams.get('schema') ?? 'ludus';
  if (!/^[a-z_][a-z0-9_]{0,39}$/.test(schema) || schema.startsWith('pg_'))
    throw new Fault('store', `A schema name must have at most 40 lowercase letters, digits, and "_", but got ${JSON.stringify(schema)}.`);
  const host = decodeURIComponent(url.hostname).replace(/^\[|\]$/g, '');
  const port = url.port === '' ? 5432 : Number(url.port);
  const database = decodeURIComponent(url.pathname.slice(1)) || 'ludus';
  const user = url.username === '' ? undefined : decodeURIComponent(url.username);
  const password = url.password === '' ? undefined : decodeURIComponent(url.password);
  const text = `postgres://${user === undefined ? '' : `${user}@`}${host}:${port}/${database}?schema=${schema}`;
  return { host, port, database, user, password, schema, ssl: sslOf(url, host), silence: silenceOf(url), shown: text };
}

function silenceOf(url: URL): number {
  const text = url.searchParams.get('tcp_user_timeout') ?? '20000';
  if (/^[1-9]\d{2,6}$/.test(text)) return Number(text);
  throw new Fault('store', `tcp_user_timeout must be at least 100 milliseconds, but got "${text}".`);
}

/** Verified wherever it leaves the machine, unless the address requests plain. */
function sslOf(url: URL, host: string): PostgresAddress['ssl'] {
  const local = host === 'localhost' || host === '::1' || /^127\./.test(host);
  const mode = url.searchParams.get('sslmode') ?? (local ? 'disable' : 'verify-full');
  if (mode === 'disable') return false;
  if (mode !== 'verify-full')
    throw new Fault(
      'store',
      `sslmode must be "verify-full", or "disable" in a trusted network, but got "${mode}", which does not verify the server.`,
    );
  const file = url.searchParams.get('sslrootcert');
  // Without a host Node would compare the certificate with "localhost".
  return { rejectUnauthorized: true, host, ...(isIP(host) === 0 && { servername: host }), ...(file !== null && { ca: certificate(file) }) };
}

function certificate(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    throw new Fault('store', `The root certificate ${file} cannot be read: ${sentenceOf(thrown)}.`, { cause: thrown });
  }
}
