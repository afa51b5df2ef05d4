/** @file The hall: every OpenEnv session there is, how many there may be, and when one that nobody uses any more is let go. */

import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../core/index.ts';
import type { Lobby } from '../lobby.ts';
import { Session } from './session.ts';
import { capacityText } from './wire.ts';

export interface HallOptions {
  readonly lobby: Lobby;
  /** Sessions at once. */
  readonly most?: number;
  /** Milliseconds after which a session that says nothing is closed. */
  readonly idle?: number;
}

/** A session with its place in the hall. */
export interface Place {
  readonly id: string;
  readonly session: Session;
  /** When it was last heard of. */
  last: number;
  /** Told when the session has been idle for too long; it is closed already. */
  readonly expired: () => void;
}

/** No place was left: what to say, and how many there are. */
export interface Full {
  readonly full: string;
  readonly counts: JsonObject;
}

export class Hall {
  readonly lobby: Lobby;
  readonly idle: number;
  readonly #most: number;
  readonly #places = new Map<string, Place>();
  readonly #reaper: NodeJS.Timeout;

  constructor({ lobby, most = 256, idle = 600_000 }: HallOptions) {
    this.lobby = lobby;
    this.idle = idle;
    this.#most = most;
    this.#reaper = setInterval(() => this.#reap(), Math.min(5000, idle / 4)).unref();
  }

  get size(): number {
    return this.#places.size;
  }

  open(
    world: string | null,
    { id = randomUUID(), expired = () => {} }: { readonly id?: string; readonly expired?: () => void } = {},
  ): Place | Full {
    const active = this.#places.size;
    if (active >= this.#most)
      return { full: capacityText(active, this.#most), counts: { active_sessions: active, max_sessions: this.#most } };
    const place: Place = { id, session: new Session(this.lobby, world), last: performance.now(), expired };
    this.#places.set(id, place);
    return place;
  }

  /** A session for one request: it takes no place, since nothing of it is kept. */
  passing(world: string | null): Session {
    return new Session(this.lobby, world);
  }

  find(id: string): Session | null {
    const place = this.#places.get(id);
    if (place !== undefined) place.last = performance.now();
    return place?.session ?? null;
  }

  close(id: string): boolean {
    const place = this.#places.get(id);
    if (place === undefined) return false;
    this.#places.delete(id);
    place.session.close();
    return true;
  }

  async shut(): Promise<void> {
    clearInterval(this.#reaper);
    for (const id of [...this.#places.keys()]) this.close(id);
    await this.lobby.ledger.settle();
  }

  #reap(): void {
    const before = performance.now() - this.idle;
    for (const place of [...this.#places.values()]) {
      if (place.last > before) continue;
      this.close(place.id);
      place.expired();
    }
  }
}
