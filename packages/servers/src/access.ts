/**
 * @file Decides who may call a server and what they may do: every caller shows a token, and every token has scopes. A page of another site
 * is always refused.
 *
 * A browser sends requests for any page it shows, so binding to loopback protects nothing by itself. A foreign page is recognized by its
 * origin, and one that uses its own DNS name for this server by the host it names.
 */

import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { linear } from '@ludus-agents/kernel/internal/core/linear';

/** What a token may be good for. `admin` includes all others. */
export const scopes = ['read', 'play', 'spend', 'admin'] as const;
/** `link` is the scope of a read-only link alone: no route knows it but those behind the one page that the link shows. */
export type AccessScope = (typeof scopes)[number] | 'link';

/** What a read-only link shows: one thing. */
export type SharedPage =
  | { readonly of: 'run' | 'episode'; readonly id: string }
  | { readonly of: 'comparison'; readonly a: string; readonly b: string; readonly run: string; readonly score: string };

/** A caller that was admitted. */
export interface Caller {
  /** The id of their token; never the token. */
  readonly id: string;
  readonly scopes: readonly AccessScope[];
  /** What it shows, where it is a read-only link. */
  readonly shows?: SharedPage;
}

/** The owner of the server, who has the token that it printed. */
export const owner: Caller = { id: 'owner', scopes: ['admin'] };

/** A program on this machine, where the owner asks for no token. It may do all that needs no administration. */
export const anonymous: Caller = { id: 'anonymous', scopes: ['read', 'play', 'spend'] };

export function may({ scopes }: Caller, scope: AccessScope): boolean {
  return scopes.includes('admin') || scopes.includes(scope);
}

/** Looks a token up: returns its caller, a sentence that says why it is no longer valid, or null. */
export type TokenFinder = (token: string) => Caller | string | null;

export interface Guard {
  /** The name or address that is bound. */
  readonly host: string;
  /** The owner's token. */
  readonly token: string | null;
  /** Tokens besides the owner's. */
  readonly find: TokenFinder;
  /** Whose session of the studio's page the cookies of a request belong to, at that host name. */
  readonly sessionCaller?: ((cookies: string | undefined, hostname: string) => Caller | null) | undefined;
  /** True for a code that opens the studio's page and was not used yet. */
  readonly isOpenCode?: (code: string) => boolean;
  /** True where programs on this machine need no token. */
  readonly noToken: boolean;
}

/** The parts of a request that decide whether it is admitted. */
export interface Arrival {
  readonly headers: IncomingHttpHeaders;
  /** The address with its query: clients that cannot send a header put their token there. */
  readonly url: string;
  /** True where it could change something: anything but GET and HEAD, and every WebSocket. */
  readonly changes: boolean;
  /** The required scopes, any of which is enough; null if public. */
  readonly needs: readonly AccessScope[] | null;
  /** True where the route needs a token even if the owner asks for none. */
  readonly guarded: boolean;
}

/** Why a caller is turned away: the status and a sentence. */
export interface AccessDenied {
  readonly status: 401 | 403;
  readonly error: string;
}

/** The caller, or why it is refused. */
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
    return { status: 403, error: `A page of ${printHeader(origin)} may not do this here; use the server's own page, or a program.` };
  const matches = tokensIn(headers, arrival.url).map((text) => callerBy(guard, text));
  const callers = matches.filter((item) => item !== null && typeof item !== 'string') as Caller[];
  const visitor = guard.sessionCaller?.(headers.cookie, hostnameOf(headers.host ?? '')) ?? null;
  if (visitor !== null) callers.unshift(visitor);
  if (guard.noToken && loopback && !arrival.guarded) callers.push(anonymous);
  // What is public on this machine needs any valid token from elsewhere.
  if (needs === null && (loopback || callers.length > 0)) return callers[0] ?? { id: 'anybody', scopes: [] };
  // A code opens the page, which takes it away, and nothing else.
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

/** Every text of a request that may be a token. */
function tokensIn({ authorization, ...headers }: IncomingHttpHeaders, url: string): string[] {
  const bearer = authorization?.match(linear(/^Bearer\s+(.+)$/i))?.[1];
  // Clients that cannot send a header of their own send the part before the @ of an address: ws://ludus:TOKEN@host.
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

/** The path of a request, whatever else its address contains. `new URL` throws on some that an HTTP parser accepts, such as "//". */
export function pathOf(url: string | undefined): string {
  return (url ?? '/').split(/[?#]/, 1)[0] || '/';
}

export function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Compared by their hashes, so that the time reveals nothing, not even the length. */
export function equalTexts(a: string, b: string): boolean {
  return timingSafeEqual(digestOf(a), digestOf(b));
}

function sameOrigin(origin: string, host: string | undefined): boolean {
  return URL.canParse(origin) && host !== undefined && new URL(origin).host === host;
}

/** The name in a Host header, without its port. */
export function hostnameOf(host: string): string {
  return URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : '';
}

/** A header in a sentence: short, and nothing that could break it. */
function printHeader(header: string | undefined): string {
  return (header ?? 'nothing').slice(0, 80).replace(/[^\x21-\x7e]/g, '?');
}
