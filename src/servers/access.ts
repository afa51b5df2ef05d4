/**
 * @file Who may speak to a server, and what they may do: every caller shows a token, and every token has scopes. Never a page of another site.
 *
 * A browser carries requests for any page it shows, so loopback alone protects nobody: a foreign page is told by its origin, and one that
 * pretends to be us through its own DNS by the host it names.
 */

import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** What a token may be good for. `admin` includes all others. */
export const scopes = ['read', 'play', 'spend', 'admin'] as const;
export type AccessScope = (typeof scopes)[number];

/** Whoever was let in. */
export interface Caller {
  /** The id of their token; never the token. */
  readonly id: string;
  readonly scopes: readonly AccessScope[];
}

/** The owner of the server, who knows the token that it printed. */
export const owner: Caller = { id: 'owner', scopes: ['admin'] };

/** A program on this machine, where the owner asks for no token. It may do all that needs no administration. */
export const anonymous: Caller = { id: 'anonymous', scopes: ['read', 'play', 'spend'] };

export function may({ scopes }: Caller, scope: AccessScope): boolean {
  return scopes.includes('admin') || scopes.includes(scope);
}

/** Looks a token up: its caller, or a sentence that says why it is good for nothing any more, or null. */
export type TokenFinder = (token: string) => Caller | string | null;

export interface Guard {
  /** The name or address that is bound. */
  readonly host: string;
  /** The owner's token. */
  readonly token: string | null;
  /** Tokens besides the owner's. */
  readonly find: TokenFinder;
  /** True where programs on this machine need no token. */
  readonly noToken: boolean;
}

/** What of a request decides whether it is let in. */
export interface Arrival {
  readonly headers: IncomingHttpHeaders;
  /** The address with what stands after the question mark: clients that can send no header put their token there. */
  readonly url: string;
  /** True where it could change something: anything but GET and HEAD, and every WebSocket. */
  readonly changes: boolean;
  /** What it takes, any of them; null for what is everybody's. */
  readonly needs: readonly AccessScope[] | null;
  /** True where the door asks for a token even if the owner asks for none. */
  readonly guarded: boolean;
}

/** Why a caller is turned away: the status and a sentence. */
export interface AccessDenied {
  readonly status: 401 | 403;
  readonly error: string;
}

/** The name of the cookie that a page of ours carries the token in. */
export const cookieName = 'ludus-token';

/** Who is let in, or why not. */
export function admit(guard: Guard, arrival: Arrival): Caller | AccessDenied {
  const { headers, needs } = arrival;
  const loopback = isLoopback(guard.host);
  if (loopback && !isLoopback(hostname(headers.host ?? '')))
    return {
      status: 403,
      error: `This server answers on loopback only, but was called as "${printed(headers.host)}"; call it as ${guard.host}.`,
    };
  const { origin } = headers;
  if (origin !== undefined && arrival.changes && !sameOrigin(origin, headers.host))
    return { status: 403, error: `A page of ${printed(origin)} may not do this here; use the server's own page, or a program.` };
  const found = tokensIn(headers, arrival.url).map((text) => callerBy(guard, text));
  const callers = found.filter((one) => one !== null && typeof one !== 'string') as Caller[];
  if (guard.noToken && loopback && !arrival.guarded) callers.push(anonymous);
  // What is everybody's on this machine is for holders of any token beyond it.
  if (needs === null && (loopback || callers.length > 0)) return callers[0] ?? { id: 'anybody', scopes: [] };
  const admitted = callers.find((caller) => needs?.some((scope) => may(caller, scope)));
  if (admitted !== undefined) return admitted;
  const known = callers[0];
  if (known !== undefined && needs !== null)
    return {
      status: 403,
      error: `This needs a token with the scope ${needs.join(' or ')}; token ${known.id} has ${known.scopes.join(', ') || 'none'}.`,
    };
  return { status: 401, error: found.find((one) => typeof one === 'string') ?? noTokenSentence };
}

const noTokenSentence =
  'A token is needed: send "authorization: Bearer TOKEN", or add ?token=TOKEN to the address. The server printed its token when it started; "ludus token create" makes others.';

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
function tokensIn({ authorization, cookie, ...headers }: IncomingHttpHeaders, url: string): string[] {
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
  const query = url.indexOf('?');
  const asked = query < 0 ? null : new URLSearchParams(url.slice(query + 1)).get('token');
  return [bearer, password, typeof key === 'string' ? key : undefined, kept?.slice(cookieName.length + 1), asked ?? undefined].filter(
    (one) => one !== undefined && one !== '' && one.length <= 1000,
  ) as string[];
}

/** The path of a request, whatever else its address holds. `new URL` throws on some that an HTTP parser lets through, such as "//". */
export function pathOf(url: string | undefined): string {
  return (url ?? '/').split(/[?#]/, 1)[0] || '/';
}

export function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Compared by their hashes, so that the time it takes tells nothing, not even the length. */
export function equalTexts(a: string, b: string): boolean {
  return timingSafeEqual(digestOf(a), digestOf(b));
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
