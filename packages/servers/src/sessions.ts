/** @file Sessions of remote clients: their tokens, limits on their number, and when idle ones are closed. */

import { randomUUID } from 'node:crypto';
import { type JsonObject, safely } from '@ludus-agents/kernel/internal/core/index';
import { anonymous, type Caller, owner } from './access.ts';

export interface SessionsOptions {
  /** The maximum number of sessions. */
  readonly most?: number | undefined;
  /** The number of sessions that one token may have at once, a quarter of all by default. It does not limit the owner's token. */
  readonly perToken?: number | undefined;
  /** Milliseconds without a call after which a session is closed. */
  readonly idle?: number | undefined;
}

type CallerId = Pick<Caller, 'id'>;

/** One open session. */
export interface SessionEntry<T> {
  readonly id: string;
  /** The id of the token that opened it. */
  readonly owner: string;
  readonly who: T;
  /** When the client last called. */
  last: number;
  /** Called after idle sessions were closed. */
  readonly expired: () => void;
}

/** The maximum number of sessions is reached: the message, and the counts. */
export interface Full {
  readonly full: string;
  readonly counts: JsonObject;
}

export class Sessions<T extends { close(): void }> {
  readonly idle: number;
  readonly #most: number;
  readonly #perToken: number;
  readonly #places = new Map<string, SessionEntry<T>>();
  readonly #reaper: NodeJS.Timeout;

  constructor({ most = 256, perToken = Math.max(1, Math.floor(most / 4)), idle = 600_000 }: SessionsOptions = {}) {
    this.idle = idle;
    this.#most = most;
    this.#perToken = perToken;
    this.#reaper = setInterval(
      safely('Removing idle callers', () => this.reap()),
      Math.min(5000, idle / 4),
    ).unref();
  }

  get size(): number {
    return this.#places.size;
  }

  /** The reason why this caller can't open another session now, or null. */
  full(caller: CallerId): Full | null {
    const active = this.#places.size;
    if (active >= this.#most) {
      const full = `Server at capacity: ${active}/${this.#most} sessions active. Cannot accept new connections.`;
      return { full, counts: { active_sessions: active, max_sessions: this.#most } };
    }
    // Without tokens all programs have the same id, so they are indistinguishable.
    if (caller.id === owner.id || caller.id === anonymous.id) return null;
    const sessionCount = this.#countOf(caller.id);
    if (sessionCount < this.#perToken) return null;
    const full = `Token ${caller.id} has ${sessionCount} of the ${this.#perToken} sessions that one token may have. Close one before you open another.`;
    return { full, counts: { active_sessions: sessionCount, max_sessions: this.#perToken } };
  }

  #countOf(owner: string): number {
    let count = 0;
    for (const entry of this.#places.values()) if (entry.owner === owner) count++;
    return count;
  }

  /** Opens a session for the result of `make`, if one is free for the caller. It belongs to the caller's token. */
  admit(
    caller: CallerId,
    make: () => T,
    { id = randomUUID(), expired = () => {} }: { readonly id?: string; readonly expired?: () => void } = {},
  ): SessionEntry<T> | Full {
    const full = this.full(caller);
    if (full !== null) return full;
    const place: SessionEntry<T> = { id, owner: caller.id, who: make(), last: performance.now(), expired };
    this.#places.set(id, place);
    return place;
  }

  /** The caller's session with this id; looking it up counts as a call. The sessions of other tokens do not exist for it. */
  find(caller: CallerId, id: string): T | null {
    const place = this.#places.get(id);
    if (place === undefined || place.owner !== caller.id) return null;
    place.last = performance.now();
    return place.who;
  }

  /** Closes the caller's session with this id; false if it does not exist. */
  close(caller: CallerId, id: string): boolean {
    const place = this.#places.get(id);
    if (place === undefined || place.owner !== caller.id) return false;
    this.#remove(place);
    return true;
  }

  #remove(place: SessionEntry<T>): void {
    this.#places.delete(place.id);
    // A session is removed even if closing it fails.
    safely('Closing a session', () => place.who.close())();
  }

  /** Closes sessions that are no longer needed. */
  sweep(done: (who: T) => boolean): void {
    for (const place of [...this.#places.values()]) if (done(place.who)) this.#remove(place);
  }

  /** Closes all sessions. */
  shut(): void {
    clearInterval(this.#reaper);
    for (const place of [...this.#places.values()]) this.#remove(place);
  }

  /** Closes sessions that have been idle for too long at this time. */
  reap(now = performance.now()): void {
    const before = now - this.idle;
    for (const place of [...this.#places.values()]) {
      if (place.last > before) continue;
      this.#remove(place);
      safely('Notifying an idle caller', place.expired)();
    }
  }
}
