/**
 * @file Tokens in addition to the owner's: a file with their hashes, scopes, and expiry. A token is shown once and never stored.
 *
 * A running server checks the file on every request, so a revoked token is refused immediately.
 */

import { randomBytes, timingSafeEqual } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Fault, parseJson, report } from '@ludus-agents/kernel/internal/core/index';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import { markOf } from '@ludus-agents/store/internal/own-mark';
import { type AccessScope, type Caller, digestOf, equalTexts, type SharedPage, scopes, type TokenFinder } from './access.ts';

export interface TokenRecord {
  readonly id: string;
  readonly name: string;
  /** SHA-256 of the token, in hex. */
  readonly hash: string;
  readonly scopes: readonly AccessScope[];
  /** Milliseconds since 1970. */
  readonly created: number;
  readonly expires: number | null;
  readonly revoked: number | null;
  /** The content of a read-only link; its only scope is `link`. */
  readonly shows?: SharedPage;
  /** The mark of this installation. A record without it was copied with the folder and grants nothing. */
  readonly mark?: string;
}

export interface NewToken {
  readonly name?: string;
  readonly scopes: readonly AccessScope[];
  /** Validity in milliseconds; null for no expiry. */
  readonly lifetime: number | null;
  /** Makes it a read-only link: regardless of its scopes, it shows only this. */
  readonly shows?: SharedPage;
}

/** A record with its token, which is shown only once. */
export interface IssuedToken {
  readonly record: TokenRecord;
  readonly token: string;
}

export function tokensFile(folder: string): string {
  return join(folder, '.ludus', 'tokens.json');
}

export function readTokens(file: string): readonly TokenRecord[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new Fault('input', `${file} cannot be read: ${(thrown as Error).message}.`, { cause: thrown });
  }
  const all = parseJson(text);
  if (!Array.isArray(all) || !all.every(isRecord))
    throw new Fault('input', `${file} is not a valid list of tokens. Restore it, or delete it and create new tokens.`);
  return all;
}

/** Creates a token in a token file. Its text is returned once and not stored. */
export function createToken(file: string, { name = '', scopes: wanted, lifetime, shows }: NewToken, now: number): IssuedToken {
  const { token, hash } = secret();
  const record: TokenRecord = {
    id: randomBytes(4).toString('hex'),
    name,
    hash,
    scopes: shows === undefined ? scopes.filter((scope) => wanted.includes(scope)) : ['link'],
    created: now,
    expires: lifetime === null ? null : now + lifetime,
    revoked: null,
    ...(shows === undefined ? {} : { shows }),
  };
  const marked = markToken(file, record);
  writeTokens(file, [...readTokens(file), marked]);
  return { record: marked, token };
}

/** Revokes the token immediately. */
export function revokeToken(file: string, id: string, now: number): TokenRecord {
  return change(file, id, (record) => ({ ...record, revoked: record.revoked ?? now }));
}

/** Replaces the secret and keeps the id, scopes, and expiry; the old secret is refused immediately. */
export function rotateToken(file: string, id: string, now: number): IssuedToken {
  const { token, hash } = secret();
  const record = change(file, id, (before) => {
    if (before.revoked !== null) throw new Fault('input', `Token ${id} is revoked. Create a new one with "ludus config tokens create".`);
    return { ...before, hash, created: now, expires: before.expires === null ? null : now + before.expires - before.created };
  });
  return { record, token };
}

/** Looks up tokens in a file, which is reloaded when it changes. If the file can't be read, no token is valid. */
export function tokenFinder(file: string, now: () => number = Date.now): TokenFinder {
  let text = '';
  let records: readonly TokenRecord[] = [];
  return (token) => {
    const stat = statSync(file, { throwIfNoEntry: false });
    const mark = stat === undefined ? 'none' : `${stat.ino} ${stat.size} ${stat.mtimeMs}`;
    if (mark !== text) {
      try {
        const all = readTokens(file);
        records = all.filter((record) => isOurs(file, record));
        const ignored = all.length - records.length;
        if (ignored > 0)
          report(
            'Reading tokens',
            new Fault(
              'input',
              `${ignored} of ${all.length} tokens in ${file} were not created by this installation and grant nothing. Create new ones with "ludus config tokens create".`,
            ),
          );
      } catch (thrown) {
        records = [];
        report('Reading tokens', thrown);
      }
      text = mark;
    }
    return lookUp(records, token, now());
  };
}

/** The owner of a token in a file, by id; null for a token that is unknown, revoked, expired, or from another installation. */
export function tokenHolder(file: string, id: string, now: number = Date.now()): Caller | null {
  const record = readTokens(file).find((record) => record.id === id);
  if (record === undefined || !isOurs(file, record) || record.revoked !== null) return null;
  return record.expires !== null && record.expires <= now ? null : callerFor(record);
}

function lookUp(records: readonly TokenRecord[], token: string, now: number): Caller | string | null {
  const digest = digestOf(token);
  let tokenRecord: TokenRecord | null = null;
  // All hashes are compared regardless of matches, so timing reveals nothing.
  for (const record of records) if (timingSafeEqual(digest, Buffer.from(record.hash, 'hex'))) tokenRecord = record;
  if (tokenRecord === null) return null;
  if (tokenRecord.revoked !== null) return `Token ${tokenRecord.id} was revoked; ask for another.`;
  if (tokenRecord.expires !== null && tokenRecord.expires <= now)
    return `Token ${tokenRecord.id} expired on ${new Date(tokenRecord.expires).toISOString()}. Renew it with "ludus config tokens rotate ${tokenRecord.id}".`;
  return callerFor(tokenRecord);
}

function callerFor({ id, scopes: current, shows }: TokenRecord): Caller {
  return shows === undefined ? { id, scopes: current } : { id, scopes: ['link'], shows };
}

/** The currently valid read-only links, newest first. */
export function readLinks(file: string, now: number = Date.now()): readonly (TokenRecord & { readonly shows: SharedPage })[] {
  return readTokens(file)
    .filter((record): record is TokenRecord & { readonly shows: SharedPage } => record.shows !== undefined)
    .filter((record) => tokenHolder(file, record.id, now) !== null)
    .toReversed();
}

/** A record with the mark of this installation: a downloaded or copied folder cannot bring valid tokens. */
export function markToken(file: string, { mark: _, ...record }: TokenRecord): TokenRecord {
  return { ...record, mark: markFor(file, record) };
}

/** Whether this installation created the record for this folder. */
export function isOurs(file: string, { mark, ...record }: TokenRecord): boolean {
  return mark !== undefined && equalTexts(mark, markFor(file, record));
}

function markFor(file: string, { id, hash, scopes: current, created, expires, revoked, shows }: TokenRecord): string {
  const folder = dirname(dirname(file));
  const path = existsSync(folder) ? realpathSync(folder) : resolve(folder);
  return markOf({ env: process.env }, [
    'token',
    path,
    id,
    hash,
    [...current],
    created,
    expires,
    revoked,
    ...(shows === undefined ? [] : [{ ...shows }]),
  ]);
}

/** The prefix lets scanners recognize leaked secrets. */
function secret(): { readonly token: string; readonly hash: string } {
  const token = `ludus_${randomBytes(24).toString('base64url')}`;
  return { token, hash: digestOf(token).toString('hex') };
}

function change(file: string, id: string, edit: (record: TokenRecord) => TokenRecord): TokenRecord {
  const all = readTokens(file);
  const tokenRecord = all.find((record) => record.id === id);
  if (tokenRecord === undefined)
    throw new Fault('input', `Token "${id}" not found. Run "ludus config tokens list" to see all.`, { code: 'E_NOT_FOUND' });
  if (!isOurs(file, tokenRecord))
    throw new Fault(
      'input',
      `Token ${id} was not created by this installation and grants nothing. Create one with "ludus config tokens create".`,
    );
  const edited = markToken(file, edit(tokenRecord));
  writeTokens(
    file,
    all.map((record) => (record === tokenRecord ? edited : record)),
  );
  return edited;
}

/** Writes a temporary file and renames it, so a crash leaves either the old or the new list. */
function writeTokens(file: string, records: readonly TokenRecord[]): void {
  writePrivately(file, `${JSON.stringify(records, null, 2)}\n`);
}

/** A file that only its owner can read. */
export function writePrivately(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileAtomicSync(file, text, { mode: 0o600 });
}

function isRecord(value: unknown): boolean {
  const { id, hash, scopes: current, created, expires, revoked, shows, mark } = (value ?? {}) as Record<string, unknown>;
  const time = (item: unknown) => item === null || Number.isFinite(item);
  return (
    typeof id === 'string' &&
    typeof hash === 'string' &&
    /^[0-9a-f]{64}$/.test(hash) &&
    Array.isArray(current) &&
    current.every((scope) => scope === 'link' || (scopes as readonly unknown[]).includes(scope)) &&
    (shows === undefined ? !current.includes('link') : typeof shows === 'object' && shows !== null) &&
    Number.isFinite(created) &&
    time(expires) &&
    time(revoked) &&
    (mark === undefined || typeof mark === 'string')
  );
}
