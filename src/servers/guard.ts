/**
 * @file Who may speak to a server: on loopback this machine's own programs, beyond it whoever knows the token; never a page of another site.
 *
 * A browser carries requests for any page it shows, so loopback alone protects nobody: a foreign page is told by its origin, and one that
 * pretends to be us through its own DNS by the host it names.
 */

import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export interface Guard {
  /** The name or address that is bound. */
  readonly host: string;
  /** What a caller must know; null on loopback where no door asks for one. */
  readonly token: string | null;
}

/** What of a request decides whether it is let in. */
export interface Caller {
  readonly headers: IncomingHttpHeaders;
  /** True where it could change something: anything but GET and HEAD, and every WebSocket. */
  readonly changes: boolean;
  /** True where the door asks for the token on loopback too. */
  readonly guarded: boolean;
}

/** Why a caller is turned away: the status and a sentence. */
export interface Refusal {
  readonly status: 401 | 403;
  readonly error: string;
}

/** The name of the cookie that a page of ours carries the token in. */
export const cookieName = 'ludus-token';

/** Null for who may come in. */
export function refusalOf(guard: Guard, caller: Caller): Refusal | null {
  const { headers } = caller;
  const loopback = isLoopback(guard.host);
  if (loopback && !isLoopback(hostname(headers.host ?? '')))
    return {
      status: 403,
      error: `This server answers on loopback only, but was called as "${printed(headers.host)}"; call it as ${guard.host}.`,
    };
  const { origin } = headers;
  if (origin !== undefined && caller.changes && !sameOrigin(origin, headers.host))
    return { status: 403, error: `A page of ${printed(origin)} may not do this here; use the server's own page, or a program.` };
  if (loopback && !caller.guarded) return null;
  if (guard.token !== null && tokensOf(headers).some((given) => equalTexts(given, guard.token as string))) return null;
  return {
    status: 401,
    error: 'A token is needed: send "authorization: Bearer TOKEN", with the token that the server printed when it started.',
  };
}

/** True for names and addresses that only this machine can reach. */
export function isLoopback(host: string): boolean {
  const plain = host.replace(/^\[|\]$/g, '').toLowerCase();
  return plain === 'localhost' || plain.endsWith('.localhost') || plain === '::1' || /^127(\.\d{1,3}){3}$/.test(plain);
}

function tokensOf({ authorization, cookie, ...headers }: IncomingHttpHeaders): string[] {
  const bearer = authorization?.match(/^Bearer\s+(.+)$/i)?.[1];
  // Clients that can send no header of their own send what stands before the @ of an address: ws://ludus:TOKEN@host.
  const basic = authorization?.match(/^Basic\s+(.+)$/i)?.[1];
  const password =
    basic === undefined
      ? undefined
      : Buffer.from(basic, 'base64')
          .toString()
          .replace(/^[^:]*:/, '');
  const key = headers['x-ludus-token'];
  const kept = cookie?.split(/;\s*/).find((pair) => pair.startsWith(`${cookieName}=`));
  return [bearer, password, typeof key === 'string' ? key : undefined, kept?.slice(cookieName.length + 1)].filter(
    (one) => one !== undefined,
  );
}

/** Compared by their hashes, so that the time it takes tells nothing, not even the length. */
export function equalTexts(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

function sameOrigin(origin: string, host: string | undefined): boolean {
  return URL.canParse(origin) && host !== undefined && new URL(origin).host === host;
}

function hostname(host: string): string {
  return URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : '';
}

/** A header in a sentence: short, and nothing that could break it. */
function printed(header: string | undefined): string {
  return (header ?? 'nothing').slice(0, 80).replace(/[^\x21-\x7e]/g, '?');
}
