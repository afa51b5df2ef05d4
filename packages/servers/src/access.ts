/**
 * @file Decides which callers may use a server and what they may do: every caller shows a token, and every token has scopes. Pages of other
 * sites are always refused.
 *
 * A browser sends requests for any page it shows, so binding to loopback is not enough protection. A foreign page is recognized by its
 * origin, and a page that points its own DNS name to this server by the host header.
 */

import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { linear } from '@ludus-agents/kernel/internal/core/linear';

/** The possible scopes of a token. `admin` includes all others. */
export const scopes = ['read', 'play', 'spend', 'admin'] as const;
/** `link` is only for read-only links: no route accepts it except those behind the page that the link shows. */
export type AccessScope = (typeof scopes)[number] | 'link';

/** The content of a read-only link: a single item. */
export type SharedPage =
  | { readonly of: 'run' | 'episode'; readonly id: string }
  | { readonly of: 'comparison'; readonly a: string; readonly b: string; readonly run: string; readonly score: string };

/** A caller that was admitted. */
export interface Caller {
  /** The id of the caller's token; never the token. */
  readonly id: string;
  readonly scopes: readonly AccessScope[];
  /** The content, if it is a read-only link. */
  readonly shows?: SharedPage;
}

/** The owner of the server, identified by the token that it printed. */
export const owner: Caller = { id: 'owner', scopes: ['admin'] };

/** A program on this machine, if the owner requires no token. It may do everything except administration. */
export const anonymous: Caller = { id: 'anonymous', scopes: ['read', 'play', 'spend'] };

export function may({ scopes }: Caller, scope: AccessScope): boolean {
  return scopes.includes('admin') || scopes.includes(scope);
}

/** Looks up a token: returns its caller, a message why it is no longer valid, or null. */
export type TokenFinder = (token: string) => Caller | string | null;

export interface Guard {
  /** The name or address that is bound. */
  readonly host: string;
  /** The owner's token. */
  readonly token: string | null;
  /** Tokens in addition to the owner's. */
  readonly find: TokenFinder;
  /** The owner of the studio session in a request's cookies, for this host name. */
  readonly sessionCaller?: ((cookies: string | undefined, hostname: string) => Caller | null) | undefined;
  /** True for an unused code that opens the studio's page. */
  readonly isOpenCode?: (code: string) => boolean;
  /** True if programs on this machine need no token. */
  readonly noToken: boolean;
}

/** The parts of a request that determine access. */
export interface Arrival {
  readonly headers: IncomingHttpHeaders;
  /** The address with its query: clients that can't send headers put their token there. */
  readonly url: string;
  /** True if it could change something: all requests except GET and HEAD, and every WebSocket. */
  readonly changes: boolean;
  /** The required scopes, any of which is enough; null if public. */
  readonly needs: readonly AccessScope[] | null;
  /** True if the route needs a token even if the owner requires none. */
  readonly guarded: boolean;
}

/** The reason for refusing a caller: the status and a message. */
export interface AccessDenied {
  readonly status: 401 | 403;
  readonly error: string;
}

/** The caller, or the reason for refusing it. */
export function admit(guard: Guard, arrival: Arrival): Caller | AccessDenied {
  const { headers, needs } = arrival;
  const loopback = isLoopback(guard.host);
  if (loopback && !isLoopback(hostnameOf(headers.host ?? '')))
    return {
      status: 403,
      error: `This server answers on loopback only, but was called as "${printHeader(headers.host)}"; call it as ${guard.host}.`,
    };
  const { origin } = headers;
  if (origin !== undefined && arrival.changes && !sameOrigin(origin, headers.host))
    return { status: 403, error: `A page of ${printHeader(origin)} may not make this request. Use the server's own pages, or a program.` };
  const matches = tokensIn(headers, arrival.url).map((text) => callerBy(guard, text));
  const callers = matches.filter((item) => item !== null && typeof item !== 'string') as Caller[];
  const visitor = guard.sessionCaller?.(headers.cookie, hostnameOf(headers.host ?? '')) ?? null;
  if (visitor !== null) callers.unshift(visitor);
  if (guard.noToken && loopback && !arrival.guarded) callers.push(anonymous);
  // Routes that are public on this machine need a valid token from elsewhere.
  if (needs === null && (loopback || callers.length > 0)) return callers[0] ?? { id: 'anybody', scopes: [] };
  // A code only opens the page, which consumes it.
  const code = pathOf(arrival.url) === '/' && !arrival.changes ? queryOf(arrival.url).get('code') : null;
  if (needs === null && code !== null && guard.isOpenCode?.(code) === true) return { id: 'anybody', scopes: [] };
  const admitted = callers.find((caller) => needs?.some((scope) => may(caller, scope)));
  if (admitted !== undefined) return admitted;
  const knownCaller = callers[0];
  if (knownCaller !== undefined && needs !== null)
    return {
      status: 403,
      error: `This needs a token with the scope ${needs.join(' or ')}, but token ${knownCaller.id} has ${knownCaller.scopes.join(', ') || 'none'}.`,
    };
  return { status: 401, error: matches.find((item) => typeof item === 'string') ?? noTokenSentence };
}

const noTokenSentence =
  'A token is required. Send "authorization: Bearer TOKEN", or add ?token=TOKEN to the address. The server prints its token when it starts; create others with "ludus config tokens create".';

function callerBy(guard: Guard, text: string): Caller | string | null {
  if (guard.token !== null && equalTexts(text, guard.token)) return owner;
  return guard.find(text);
}

/** True for names and addresses that only this machine can reach. */
export function isLoopback(host: string): boolean {
  const plain = host.replace(/^\[|\]$/g, '').toLowerCase();
  return plain === 'localhost' || plain.endsWith('.localhost') || plain === '::1' || /^127(\.\d{1,3}){3}$/.test(plain);
}

/** Every part of a request that may be a token. */
function tokensIn({ authorization, ...headers }: IncomingHttpHeaders, url: string): string[] {
  const bearer = authorization?.match(linear(/^Bearer\s+(.+)$/i))?.[1];
  // Clients that cannot send custom headers send the part before the @ of an address: ws://ludus:TOKEN@host.
  const basic = authorization?.match(linear(/^Basic\s+(.+)$/i))?.[1];
  const password =
    basic === undefined
      ? undefined
      : Buffer.from(basic, 'base64')
          .toString()
          .replace(/^[^:]*:/, '');
  const key = headers['x-ludus-token'];
  return [bearer, password, typeof key === 'string' ? key : undefined, queryOf(url).get('token') ?? undefined].filter(
    (item) => item !== undefined && item !== '' && item.length <= 1000,
  ) as string[];
}

function queryOf(url: string): URLSearchParams {
  const query = url.indexOf('?');
  return new URLSearchParams(query < 0 ? '' : url.slice(query + 1));
}

/** The path of a request. `new URL` throws on some addresses that an HTTP parser accepts, such as "//". */
export function pathOf(url: string | undefined): string {
  return (url ?? '/').split(/[?#]/, 1)[0] || '/';
}

export function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Compares hashes, so timing reveals nothing about the value or its length. */
export function equalTexts(a: string, b: string): boolean {
  return timingSafeEqual(digestOf(a), digestOf(b));
}

function sameOrigin(origin: string, host: string | undefined): boolean {
  return URL.canParse(origin) && host !== undefined && new URL(origin).host === host;
}

/** The name in a Host header, without the port. */
export function hostnameOf(host: string): string {
  return URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : '';
}

/** A header for use in a message: shortened and sanitized. */
function printHeader(header: string | undefined): string {
  return (header ?? 'nothing').slice(0, 80).replace(/[^\x21-\x7e]/g, '?');
}
