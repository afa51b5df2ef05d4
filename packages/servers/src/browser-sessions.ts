/**
 * @file Sessions of the studio in browsers. A browser sends a cookie to every port of a host name, so another local web server would receive
 * what `localhost` stores. The studio is therefore served under a host name that only its user knows, and its cookie is a session secret
 * that is replaced from time to time and expires with the server. The cookie never contains the token.
 */

import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { type Json, parseJson } from '@ludus-agents/kernel/internal/core/index';
import { type Caller, digestOf, hostnameOf, isLoopback, owner } from './access.ts';
import { writePrivately } from './tokens.ts';

/** The cookie of a session. */
export const sessionCookie = 'ludus-session';

/** Milliseconds after which a secret is replaced, and for which the old one is still accepted, because requests may be in progress. */
const rotation = 3_600_000;
const overlap = 60_000;
/** Milliseconds for which a redirect code is valid, and an unused session is retained. */
const codeLifetime = 30_000;
const idleLifetime = 7 * 24 * 3_600_000;
const mostSessions = 100;

interface BrowserSession {
  /** SHA-256 of the secret; the secret itself is in the browser only. */
  readonly hash: string;
  /** The host name that it was issued for; it is rejected on others. */
  readonly host: string;
  /** The token that opened it, by its id; null for the owner's. */
  readonly token: string | null;
  readonly issued: number;
  last: number;
  /** Its expiry after replacement by a new secret. */
  ends: number | null;
}

export interface BrowserSessionsOptions {
  /** Preserves sessions when the server crashes. Outside the working folder, because a copied folder must not contain sessions. */
  readonly file?: string | undefined;
  /** The owner of a token, by its id; null once it is revoked or has expired. */
  readonly holderOf?: (token: string) => Caller | null;
  readonly now?: () => number;
}

export class BrowserSessions {
  /** The unique host name of this server: browsers resolve every name below `localhost` to this machine. */
  readonly host: string;
  readonly #file: string | undefined;
  readonly #now: () => number;
  readonly #holderOf: (token: string) => Caller | null;
  readonly #codes = new Map<string, { readonly until: number; readonly token: string | null }>();
  #sessions: BrowserSession[] = [];

  constructor({ file, now = Date.now, holderOf = () => null }: BrowserSessionsOptions = {}) {
    this.#holderOf = holderOf;
    this.#file = file;
    this.#now = now;
    const before = file === undefined ? null : readSessions(file);
    this.#sessions = [...(before?.sessions ?? [])];
    this.host = before?.host ?? `ludus-${randomBytes(16).toString('hex')}.localhost`;
  }

  /** A code that can be exchanged for a session once, within seconds: it is part of an address, which appears in browser histories. */
  issueCode(token: string | null = null): string {
    const code = randomBytes(18).toString('base64url');
    for (const [other, { until }] of this.#codes) if (until < this.#now()) this.#codes.delete(other);
    this.#codes.set(code, { until: this.#now() + codeLifetime, token });
    return code;
  }

  /** True while a code can still be redeemed. */
  isOpenCode(code: string): boolean {
    return (this.#codes.get(code)?.until ?? Number.NEGATIVE_INFINITY) >= this.#now();
  }

  /** The secret of a new session for an unused code that was issued here, otherwise null. */
  redeem(code: string, host: string): string | null {
    const issued = this.#codes.get(code);
    this.#codes.delete(code);
    return issued === undefined || issued.until < this.#now() ? null : this.open(host, issued.token);
  }

  /** The secret of a new session at a host name. */
  open(host: string, token: string | null = null): string {
    const secret = randomBytes(24).toString('base64url');
    this.#sessions.push({ hash: hashOf(secret), host, token, issued: this.#now(), last: this.#now(), ends: null });
    this.#sessions = this.#sessions.filter((session) => this.#isAlive(session)).slice(-mostSessions);
    this.#save();
    return secret;
  }

  /** The owner of a secret's session, for the host name of the request; null if there is no session. */
  callerOf(secret: string, host: string): Caller | null {
    const session = this.#find(secret, host);
    if (session === undefined) return null;
    session.last = this.#now();
    return session.token === null ? owner : this.#holderOf(session.token);
  }

  /** The replacement for this secret if it is due; otherwise null. */
  rotate(secret: string, host: string): string | null {
    const session = this.#find(secret, host);
    if (session === undefined || session.ends !== null || this.#now() - session.issued < rotation) return null;
    session.ends = this.#now() + overlap;
    return this.open(host, session.token);
  }

  /** Ends every session: called when the server stops. */
  close(): void {
    this.#sessions = [];
    if (this.#file !== undefined) rmSync(this.#file, { force: true });
  }

  #find(secret: string, host: string): BrowserSession | undefined {
    const hash = hashOf(secret);
    return this.#sessions.find((session) => session.hash === hash && session.host === host && this.#isAlive(session));
  }

  #isAlive({ last, ends }: BrowserSession): boolean {
    return this.#now() - last < idleLifetime && (ends === null || this.#now() < ends);
  }

  #save(): void {
    if (this.#file === undefined) return;
    try {
      writePrivately(this.#file, `${JSON.stringify({ host: this.host, sessions: this.#sessions })}\n`);
    } catch {
      // Without the file, sessions end with the process.
    }
  }
}

/** The redirect after a valid token: to the server's host name, or to the current address if it is not on this machine. */
export function ownAddress(sessions: BrowserSessions, host: string): string | null {
  const port = /:(\d+)$/.exec(host)?.[1];
  return isLoopback(hostnameOf(host)) ? `http://${sessions.host}${port === undefined ? '' : `:${port}`}` : null;
}

/** The secret among the cookies of a request. */
export function secretIn(cookies: string | undefined): string | undefined {
  const pair = cookies?.split(/;\s*/).find((item) => item.startsWith(`${sessionCookie}=`));
  return pair?.slice(sessionCookie.length + 1);
}

/** Compares hashes, so timing reveals nothing about a secret. */
function hashOf(secret: string): string {
  return digestOf(secret).toString('hex');
}

function readSessions(file: string): { readonly host: string; readonly sessions: readonly BrowserSession[] } | null {
  let value: Json;
  try {
    value = parseJson(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
  const { host, sessions } = (value ?? {}) as { readonly host?: Json; readonly sessions?: Json };
  if (typeof host !== 'string' || !/^ludus-[0-9a-f]{32}\.localhost$/.test(host) || !Array.isArray(sessions)) return null;
  return { host, sessions: sessions.filter(isSession) };
}

function isSession(value: Json): value is Json & BrowserSession {
  const { hash, host, token, issued, last, ends } = (value ?? {}) as Record<string, unknown>;
  return (
    typeof hash === 'string' &&
    typeof host === 'string' &&
    (token === null || typeof token === 'string') &&
    typeof issued === 'number' &&
    typeof last === 'number' &&
    (ends === null || typeof ends === 'number')
  );
}
