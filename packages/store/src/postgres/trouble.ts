/**
 * @file Errors of PostgreSQL and its connections: which are temporary, which mean that another process was faster, and a sentence for the
 * rest.
 */

import { Fault, isFault, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { Collision } from '../database.ts';

/** The server is away, starting, stopping, or full for the moment; or the connection broke. */
export function passes(thrown: unknown): boolean {
  if (isFault(thrown)) return false;
  const code = codeOf(thrown);
  if (/^(08...|57P0[1235]|53300|25P03)$/.test(code)) return true;
  if (/^E[A-Z]+$/.test(code)) return code !== 'ENOTFOUND' && code !== 'EACCES';
  return code === '' && /terminat|timeout|timed out|closed|not queryable|ended|destroyed/i.test(sentenceOf(thrown));
}

/** Two transactions were in each other's way: both are fine, one after the other. */
export function collides(thrown: unknown): boolean {
  return thrown instanceof Collision || ['40001', '40P01', '55P03'].includes(codeOf(thrown));
}

/** Messages for PostgreSQL's error codes. */
const meanings: Readonly<Record<string, string>> = {
  '28P01': 'wrong user or password',
  '28000': 'wrong user or password, or not allowed by pg_hba.conf',
  '3D000': 'the database does not exist; create it first',
  '42501': 'this role does not have the permission; "ludus store roles" prints what to grant',
  '53100': "the server's disk is full; no acknowledged data is lost, so free some space and continue",
  '54000': 'a name is too long for the index; use at most about 2,000 characters',
  '22021': 'a string contains a zero byte, which PostgreSQL cannot store',
  ECONNREFUSED: 'connection refused; start the server, or check the host and port',
  ENOTFOUND: 'the host does not exist; check the address',
  ETIMEDOUT: 'no response in time; check the host, the port, and firewalls',
};

export function explainFault(display: string, thrown: unknown): Fault {
  if (isFault(thrown)) return thrown;
  const text = sentenceOf(thrown).replace(/\.$/, '');
  const meaning = meanings[codeOf(thrown)] ?? (isTls(thrown) ? `its certificate does not verify (${text})` : text);
  const transient = passes(thrown) || collides(thrown) || codeOf(thrown) === '53100';
  return new Fault('store', `The store ${display} failed: ${meaning}.`, { cause: thrown, transient });
}

function isTls(thrown: unknown): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS/.test(codeOf(thrown));
}

function codeOf(thrown: unknown): string {
  const { code, errors } = (thrown ?? {}) as { code?: unknown; errors?: unknown };
  // Node tries every address of a host and throws all failures together.
  if (typeof code !== 'string' && Array.isArray(errors)) return codeOf(errors[0]);
  return typeof code === 'string' ? code : '';
}
