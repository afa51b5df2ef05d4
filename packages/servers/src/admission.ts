/** @file Checks every request and every socket before its route runs: token and scope, rate limit, audit log. */

import type { IncomingMessage } from 'node:http';
import { type AccessScope, admit, anonymous, type Caller, type Guard, pathOf } from './access.ts';
import type { AuditLog } from './audit-log.ts';
import { RateLimit, type RateLimitOptions } from './rate-limit.ts';

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
