/** @file The hall: everybody who is being served, how many there may be, and when one who has gone silent is let go. */

import { randomUUID } from 'node:crypto';
import { type JsonObject, safely } from '../core/index.ts';

export interface SessionsOptions {
  /** How many at once. */
  readonly most?: number | undefined;
  /** Milliseconds after which somebody who says nothing is let go. */
  readonly idle?: number | undefined;
}

/** Somebody with a place in the hall. */
export interface SessionEntry<T> {
  readonly id: string;
  readonly who: T;
  /** When they were last heard of. */
  last: number;
  /** Told when they were silent for too long; they are closed already. */
  readonly expired: () => void;
}

/** No place was left: what to say, and how many there are. */
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

  /** Why nobody else can come in now, or null. */
  get full(): Full | null {
    const active = this.#places.size;
    if (active < this.#most) return null;
    const full = `Server at capacity: ${active}/${this.#most} sessions active. Cannot accept new connections.`;
    return { full, counts: { active_sessions: active, max_sessions: this.#most } };
  }

  /** Gives a place to whoever is made, if there is one. */
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

  /** Whoever has this id; being asked for counts as being heard of. */
  find(id: string): T | null {
    const place = this.#places.get(id);
    if (place !== undefined) place.last = performance.now();
    return place?.who ?? null;
  }

  close(id: string): boolean {
    const place = this.#places.get(id);
    if (place === undefined) return false;
    this.#places.delete(id);
    // Whoever cannot be closed properly has left the hall all the same.
    safely('Closing a session', () => place.who.close())();
    return true;
  }

  /** Lets those go who need their place no longer. */
  sweep(done: (who: T) => boolean): void {
    for (const { id, who } of [...this.#places.values()]) if (done(who)) this.close(id);
  }

  /** Lets everybody go. */
  shut(): void {
    clearInterval(this.#reaper);
    for (const id of [...this.#places.keys()]) this.close(id);
  }

  /** Lets those go who have been silent for too long at this time. */
  reap(now = performance.now()): void {
    const before = now - this.idle;
    for (const place of [...this.#places.values()]) {
      if (place.last > before) continue;
      this.close(place.id);
      safely('Telling a silent caller', place.expired)();
    }
  }
}
