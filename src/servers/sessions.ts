/** @file Sessions of remote clients: how many there may be, and when an idle one is closed. */

import { randomUUID } from 'node:crypto';
import { type JsonObject, safely } from '../core/index.ts';

export interface SessionsOptions {
  /** How many at once. */
  readonly most?: number | undefined;
  /** Milliseconds without a call after which a session is closed. */
  readonly idle?: number | undefined;
}

/** One open session. */
export interface SessionEntry<T> {
  readonly id: string;
  readonly who: T;
  /** When the client last called. */
  last: number;
  /** Called when they were silent for too long; they are closed already. */
  readonly expired: () => void;
}

/** No session is free: the sentence, and the counts. */
export interface Full {
  readonly full: string;
  readonly counts: JsonObject;
}

export class Sessions<T extends { close(): void }> {
  readonly idle: number;
  readonly #most: number;
  readonly #places = new Map<string, SessionEntry<T>>();
  readonly #reaper: NodeJS.Timeout;

  constructor({ most = 256, idle = 600_000 }: SessionsOptions = {}) {
    this.idle = idle;
    this.#most = most;
    this.#reaper = setInterval(
      safely('Letting silent callers go', () => this.reap()),
      Math.min(5000, idle / 4),
    ).unref();
  }

  get size(): number {
    return this.#places.size;
  }

  /** Why no further session can be opened now, or null. */
  get full(): Full | null {
    const active = this.#places.size;
    if (active < this.#most) return null;
    const full = `Server at capacity: ${active}/${this.#most} sessions active. Cannot accept new connections.`;
    return { full, counts: { active_sessions: active, max_sessions: this.#most } };
  }

  /** Opens a session for what `make` creates, if one is free. */
  admit(
    make: () => T,
    { id = randomUUID(), expired = () => {} }: { readonly id?: string; readonly expired?: () => void } = {},
  ): SessionEntry<T> | Full {
    const { full } = this;
    if (full !== null) return full;
    const place: SessionEntry<T> = { id, who: make(), last: performance.now(), expired };
    this.#places.set(id, place);
    return place;
  }

  /** The session with this id; looking it up counts as a call. */
  find(id: string): T | null {
    const place = this.#places.get(id);
    if (place !== undefined) place.last = performance.now();
    return place?.who ?? null;
  }

  close(id: string): boolean {
    const place = this.#places.get(id);
    if (place === undefined) return false;
    this.#places.delete(id);
    // A session that fails to close is removed all the same.
    safely('Closing a session', () => place.who.close())();
    return true;
  }

  /** Closes sessions that are no longer needed. */
  sweep(done: (who: T) => boolean): void {
    for (const { id, who } of [...this.#places.values()]) if (done(who)) this.close(id);
  }

  /** Closes all sessions. */
  shut(): void {
    clearInterval(this.#reaper);
    for (const id of [...this.#places.keys()]) this.close(id);
  }

  /** Closes sessions that have been idle for too long at this time. */
  reap(now = performance.now()): void {
    const before = now - this.idle;
    for (const place of [...this.#places.values()]) {
      if (place.last > before) continue;
      this.close(place.id);
      safely('Telling a silent caller', place.expired)();
    }
  }
}
