/**
 * @file Writes the logs of hosted episodes to a store: finished episodes immediately, running ones a few times a second, often enough to
 * be watched.
 *
 * Each episode has one append in progress. A failed append is retried alone, so other episodes of its batch do not fail with it,
 * for as long as the cause may be temporary. A log that cannot be stored ends only its own episode.
 */

import { Fault, isFault, report, type Store, safely, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { EpisodeRecorder } from '@ludus-agents/kernel/internal/engine/record';
import type { Health } from './health.ts';
import type { HostedEpisode } from './hosted-episode.ts';
import { type RequestRetryOptions, retryTransient } from './retry.ts';

/** The number of logs that may wait for the store before new episodes must wait. */
const room = 1024;
const milliseconds = 250;

export class HostedRecorder {
  readonly #store: Store | null;
  readonly #retry: RequestRetryOptions;
  readonly #recorders = new WeakMap<HostedEpisode, EpisodeRecorder>();
  readonly #grown = new Set<HostedEpisode>();
  /** Episodes whose log is being written, with a promise for its completion. */
  readonly #under = new Map<HostedEpisode, Promise<void>>();
  readonly #runs = new Set<string>();
  /** Failed appends are retried one after the other. */
  #line: Promise<unknown> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #health: Health = { status: 'healthy' };
  /** Episodes that could not be stored since the last success. */
  #lost = 0;
  #probing: Promise<void> | null = null;

  /** Without a store nothing is recorded. */
  constructor(store: Store | null, retry: RequestRetryOptions = {}) {
    this.#store = store;
    this.#retry = { ...retry, failed: (fault) => this.#trouble('degraded', `The store is tried again: ${sentenceOf(fault)}`) };
  }

  /** Notes that an episode's log has grown. */
  readonly note = (table: HostedEpisode): void => {
    if (this.#store === null || table.fault !== null) return;
    if (table.course.over) {
      // Written immediately, so its events need not stay in memory.
      this.#grown.delete(table);
      this.#write(this.#store, table);
      return;
    }
    this.#grown.add(table);
    this.#timer ??= setTimeout(
      safely('Writing episodes', () => this.#flush(this.#store as Store)),
      milliseconds,
    );
  };

  /** Resolves when another episode of a run may start; throws while the store fails, because unrecorded episodes must not be played. */
  async room(run: string): Promise<void> {
    const store = this.#store;
    if (store === null) return;
    while (this.#grown.size + this.#under.size >= room) {
      this.#flush(store);
      await Promise.race(this.#under.values());
    }
    if (this.#health.status === 'unhealthy') await this.#probe(store, run);
    if (this.#runs.has(run)) return;
    await retryTransient(() => this.#putRun(store, run), this.#retry).catch((thrown: unknown) => {
      this.#trouble('unhealthy', sentenceOf(thrown));
      throw unkept(thrown);
    });
    this.#runs.add(run);
  }

  /** Writes the remaining events, and resolves when everything that can be stored is durable. */
  async settle(): Promise<void> {
    while (this.#store !== null && this.#grown.size + this.#under.size > 0) {
      this.#flush(this.#store);
      await Promise.all(this.#under.values());
    }
  }

  /** Whether episodes are being recorded. A failed store is tried now, so the caller sees its recovery. */
  async health(): Promise<Health> {
    if (this.#store !== null && this.#health.status === 'unhealthy')
      await this.#probe(this.#store, [...this.#runs][0] ?? 'health').catch(() => {});
    return this.#health;
  }

  /** Writes something small that is already stored or harmless; one attempt at a time, regardless of the number of callers. */
  #probe(store: Store, run: string): Promise<void> {
    this.#probing ??= this.#putRun(store, run)
      .catch((thrown: unknown) => {
        this.#trouble('unhealthy', sentenceOf(thrown));
        throw unkept(thrown);
      })
      .finally(() => {
        this.#probing = null;
      });
    return this.#probing;
  }

  async #putRun(store: Store, run: string): Promise<void> {
    await store.putRun({ id: run, plan: { name: run, environments: [], seeds: [], casts: [] }, episodes: 0, work: { kind: run } });
    this.#well();
  }

  #flush(store: Store): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const table of this.#grown) this.#write(store, table);
    this.#grown.clear();
  }

  #write(store: Store, table: HostedEpisode): void {
    if (table.fault !== null) return;
    const recorder = this.#recorders.get(table) ?? this.#recorderFor(store, table);
    recorder.append(table.course.events.slice(recorder.length));
    // Events that arrive during the write are included.
    if (this.#under.has(table)) return;
    const written = recorder
      .flush()
      .catch(() => {})
      .finally(() => this.#under.delete(table));
    this.#under.set(table, written);
  }

  #recorderFor(store: Store, table: HostedEpisode): EpisodeRecorder {
    const append: Store['append'] = (...of) =>
      store.append(...of).catch((thrown: unknown) => this.#again(() => store.append(...of), thrown));
    const recorder = new EpisodeRecorder({
      store: { append },
      episode: table.id,
      run: table.run,
      onStored: () => {
        this.#lost = 0;
        this.#well();
      },
      onFailure: (thrown) => {
        // A single log may be the cause of its failure; several failures in a row are caused by the store.
        const passing = isFault(thrown) && thrown.transient;
        this.#trouble(
          passing || ++this.#lost >= 3 ? 'unhealthy' : 'degraded',
          `Episode ${table.id} could not be saved: ${sentenceOf(thrown)}`,
        );
        report('An episode', thrown);
        table.fail(unkept(thrown));
      },
    });
    this.#recorders.set(table, recorder);
    return recorder;
  }

  #again(append: () => Promise<void>, thrown: unknown): Promise<void> {
    if (isFault(thrown)) this.#retry.failed?.(thrown);
    const alone = this.#line.then(() => retryTransient(append, this.#retry));
    this.#line = alone.catch(() => {});
    return alone;
  }

  #trouble(status: Health['status'], reason: string): void {
    this.#health = { status, reason };
  }

  #well(): void {
    const { status, reason = '' } = this.#health;
    if (status !== 'healthy') this.#health = this.#lost === 0 ? { status: 'healthy' } : { status: 'degraded', reason };
  }
}

function unkept(thrown: unknown): Fault {
  return new Fault('store', `The episode was stopped because it cannot be saved: ${sentenceOf(thrown)}`, { cause: thrown });
}
