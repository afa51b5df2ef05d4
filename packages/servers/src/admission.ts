/** @file Checks every request and every socket before its route runs: token and scope, rate limit, audit log. */

import type { IncomingMessage } from 'node:http';
import { type AccessScope, admit, anonymous, type Caller, type Guard, pathOf } from './access.ts';
import type { AuditLog } from './audit-log.ts';

export interface RateLimitOptions {
  readonly perSecond: number;
  /** The number of requests allowed at once after a quiet time. */
  readonly burst: number;
  /** The clock, in milliseconds; tests replace it. */
  readonly now?: () => number;
}

interface Bucket {
  left: number;
  at: number;
}

/** The number of callers in memory. */
const most = 10_000;

/** Rate-limits each caller: a token bucket that refills evenly and is drained by requests. */
export class RateLimit {
  readonly #options: Required<RateLimitOptions>;
  readonly #buckets = new Map<string, Bucket>();

  constructor({ now = () => performance.now(), ...options }: RateLimitOptions) {
    this.#options = { ...options, now };
  }

  /** 0 if a request is allowed now, otherwise the seconds to wait. */
  take(key: string): number {
    const { perSecond, burst, now } = this.#options;
    const at = now();
    const bucket = this.#buckets.get(key);
    const left = bucket === undefined ? burst : Math.min(burst, bucket.left + ((at - bucket.at) / 1000) * perSecond);
    // The map is ordered from the least to the most recently seen caller; the first ones have full or nearly full buckets.
    this.#buckets.delete(key);
    this.#buckets.set(key, { left: left >= 1 ? left - 1 : left, at });
    if (this.#buckets.size > most) this.#buckets.delete(this.#buckets.keys().next().value as string);
    return left >= 1 ? 0 : (1 - left) / perSecond;
  }
}

export interface AdmissionOptions {
  readonly guard: Guard;
  readonly audit: AuditLog | null;
  /** The rate limit per token, or per address if no token is needed. */
  readonly rate: RateLimitOptions;
}

/** The reason for refusing a request. */
export interface Denial {
  readonly status: 401 | 403 | 429;
  readonly error: string;
  /** Seconds until a retry makes sense. */
  readonly wait?: number;
}

/** The caller of an open socket, looked up again. */
export type CallerNow = () => Caller | Denial;

/** The properties of a request that a route declares. */
export interface Needs {
  readonly needs: readonly AccessScope[] | null;
  readonly guarded: boolean;
}

/** The number of wrong tokens allowed per address: enough for mistakes, too few for guessing. */
const guesses = { perSecond: 1, burst: 30 };

export class Admission {
  readonly #guard: Guard;
  readonly #audit: AuditLog | null;
  readonly #rate: RateLimit;
  readonly #wrong: RateLimit;

  constructor({ guard, audit, rate }: AdmissionOptions) {
    this.#guard = guard;
    this.#audit = audit;
    this.#rate = new RateLimit(rate);
    this.#wrong = new RateLimit({ ...guesses, ...(rate.now === undefined ? {} : { now: rate.now }) });
  }

  /** The admitted caller, or the reason for refusal. */
  check(request: IncomingMessage, { needs, guarded }: Needs): Caller | Denial {
    const changes = request.headers.upgrade !== undefined || !/^(GET|HEAD)$/.test(request.method ?? '');
    const admitted = admit(this.#guard, { headers: request.headers, url: request.url ?? '/', changes, needs, guarded });
    const address = addressOf(request);
    if ('error' in admitted) {
      // A caller that guesses tokens is slowed down, and its attempts do not fill the log.
      const wait = this.#wrong.take(address);
      if (wait > 0) return tooMany(wait);
      this.note(request, 'nobody', admitted.status);
      return admitted;
    }
    if (needs === null) return admitted;
    const wait = this.#rate.take(admitted.id === anonymous.id ? `address ${address}` : admitted.id);
    return wait > 0 ? tooMany(wait) : admitted;
  }

  /** A socket's caller with the current state of its token, which may have been revoked or have expired since. */
  recheck(request: IncomingMessage, { needs, guarded }: Needs): Caller | Denial {
    return admit(this.#guard, { headers: request.headers, url: request.url ?? '/', changes: true, needs, guarded });
  }

  /** Logs requests that could change something, and refusals. */
  note(request: IncomingMessage, who: string, status: number, call?: string): void {
    const socket = request.headers.upgrade !== undefined;
    if (this.#audit === null || (status < 400 && !socket && /^(GET|HEAD)$/.test(request.method ?? ''))) return;
    const path = pathOf(request.url).slice(0, 200);
    this.#audit.write({
      who,
      address: addressOf(request),
      did: socket ? 'SOCKET' : (request.method ?? '?'),
      path,
      status,
      ...(call === undefined ? {} : { call }),
    });
  }
}

function tooMany(wait: number): Denial {
  const seconds = Math.ceil(wait);
  return { status: 429, error: `Too many requests; try again in ${seconds} s.`, wait: seconds };
}

/** The network address; a header with another address is only the caller's claim. */
function addressOf({ socket }: IncomingMessage): string {
  return socket.remoteAddress ?? 'unknown';
}
