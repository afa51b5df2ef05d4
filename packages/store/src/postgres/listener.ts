/**
 * @file LISTEN: one connection that receives notifications and reconnects after an interruption. Notifications in between are lost, so
 * listeners receive an empty one after each connect, and must check for changes themselves.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { safely } from '@ludus-agents/kernel/internal/core/index';
import pg from 'pg';
import type { PostgresAddress } from './address.ts';
import { configOf, cut } from './line.ts';

export class Listener {
  readonly #address: PostgresAddress;
  readonly #listeners = new Set<(word: string) => void>();
  #client: pg.Client | null = null;
  #stopped = new AbortController();
  #running: Promise<void> | null = null;

  constructor(address: PostgresAddress) {
    this.#address = address;
  }

  add(hear: (word: string) => void): () => void {
    this.#listeners.add(hear);
    this.#running ??= this.#listen();
    return () => this.#listeners.delete(hear);
  }

  async close(): Promise<void> {
    this.#stopped.abort();
    if (this.#client !== null) cut(this.#client);
    await this.#running;
  }

  async #listen(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      const client = new pg.Client(configOf(this.#address));
      this.#client = client;
      const ended = new Promise<void>((resolve) => {
        client.on('error', () => resolve());
        client.on('end', () => resolve());
      });
      client.on('notification', ({ payload = '' }) => {
        for (const hear of this.#listeners) safely('Hearing of a change in the store', hear)(payload);
      });
      try {
        await client.connect();
        await client.query(`listen ${channelOf(this.#address)}`);
        for (const hear of this.#listeners) hear('');
        await this.#alive(client, ended);
      } catch {
        // The server is away; nothing can be received now.
      }
      cut(client);
      await sleep(250, undefined, { signal: this.#stopped.signal }).catch(() => {});
    }
  }

  /** A cut cable sends nothing, so the server is queried now and then. */
  async #alive(client: pg.Client, ended: Promise<void>): Promise<void> {
    const gone = ended.then(() => true);
    while (!this.#stopped.signal.aborted) {
      const over = await Promise.race([gone, sleep(this.#address.silence / 2, false, { ref: false })]);
      if (over) return;
      const answered = await Promise.race([
        client.query('select 1').then(() => true),
        sleep(this.#address.silence / 2, false, { ref: false }),
      ]);
      if (!answered) return;
    }
  }
}

/** Schemas are plain names, so this is one too. */
export function channelOf({ schema }: PostgresAddress): string {
  return `ludus_${schema}`;
}
