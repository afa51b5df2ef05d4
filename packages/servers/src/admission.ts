/** @file Checks every request and every socket before its route runs: token and scope, rate limit, audit log. */

import type { IncomingMessage } from 'node:http';
import { type AccessScope, admit, anonymous, type Caller, type Guard, pathOf } from './access.ts';
import type { AuditLog } from './audit-log.ts';

export interface RateLimitOptions {
  readonly perSecond: number;
  /** How many may come at once after a quiet time. */
  readonly burst: number;
  /** Milliseconds; a test brings its own clock. */
  readonly now?: () => number;
}

interface Bucket {
  left: number;
  at: number;
}

/** Callers that are remembered. */
const most = 10_000;

/** Limits the requests of each caller: a bucket that fills evenly and is emptied by requests. */
export class RateLimit {
  readonly #options: Required<RateLimitOptions>;
  readonly #buckets = new Map<string, Bucket>();

  constructor({ now = () => performance.now(), ...options }: RateLimitOptions) {
    this.#options = { ...options, now };
  }

  /** 0 where one more is allowed, else the seconds until it is. */
  take(key: string): number {
    const { perSecond, burst, now } = this.#options;
    const at = now();
    const bucket = this.#buckets.get(key);
    const left = bucket === undefined ? burst : Math.min(burst, bucket.left + ((at - bucket.at) / 1000) * perSecond);
    // The map goes from the longest unseen to the latest seen; the longest unseen is full again, or nearly.
    this.#buckets.delete(key);
    this.#buckets.set(key, { left: left >= 1 ? left - 1 : left, at });
    if (this.#buckets.size > most) this.#buckets.delete(this.#buckets.keys().next().value as string);
    return left >= 1 ? 0 : (1 - left) / perSecond;
  }
}

export interface AdmissionOptions {
  readonly guard: Guard;
  readonly audit: AuditLog | null;
  /** Requests of one token, or of one address where no token is needed. */
  readonly rate: RateLimitOptions;
}

/** Why a request is turned away. */
export interface Denial {
  readonly status: 401 | 403 | 429;
  readonly error: string;
  /** Seconds until it is worth trying again. */
  readonly wait?: number;
}

/** The caller of an open socket, looked up again. */
export type CallerNow = () => Caller | Denial;

/** What a route declares about a request. */
export interface Needs {
  readonly needs: readonly AccessScope[] | null;
  readonly guarded: boolean;
}

/** Wrong tokens that an address may show: enough for a mistake, too few to guess. */
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

  /** Who comes in, or why not. */
  check(request: IncomingMessage, { needs, guarded }: Needs): Caller | Denial {
    const changes = request.headers.upgrade !== undefined || !/^(GET|HEAD)$/.test(request.method ?? '');
    const admitted = admit(this.#guard, { headers: request.headers, url: request.url ?? '/', changes, needs, guarded });
    const address = addressOf(request);
    if ('error' in admitted) {
      // A caller that guesses tokens is slowed down, and does not fill the log either.
      const wait = this.#wrong.take(address);
      if (wait > 0) return tooMany(wait);
      this.note(request, 'nobody', admitted.status);
      return admitted;
    }
    if (needs === null) return admitted;
    const wait = this.#rate.take(admitted.id === anonymous.id ? `address ${address}` : admitted.id);
    return wait > 0 ? tooMany(wait) : admitted;
  }

  /** The caller of a socket as its token stands now: it may have been revoked, or have expired, since the socket was opened. */
  recheck(request: IncomingMessage, { needs, guarded }: Needs): Caller | Denial {
    return admit(this.#guard, { headers: request.headers, url: request.url ?? '/', changes: true, needs, guarded });
  }

  /** Writes a line where something could have changed, or a caller was refused. */
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

/** The address as the network has it; a header that names another one is only the caller's claim. */
function addressOf({ socket }: IncomingMessage): string {
  return socket.remoteAddress ?? 'unknown';
}
