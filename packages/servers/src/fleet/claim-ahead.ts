/**
 * @file The number of jobs that a worker claims in advance: as many as finish during a claim. For long episodes that is none, because
 * jobs waiting at one worker when the queue is empty could be played by an idle one.
 */

import type { Lease, Lot } from '@ludus-agents/kernel/internal/core/index';

/** The latest durations have the most weight. */
const latest = 0.2;

export class ClaimAhead {
  readonly #places: number;
  #claiming = 0;
  #playing = Number.POSITIVE_INFINITY;

  constructor(places: number) {
    this.#places = places;
  }

  /** Milliseconds of a successful claim. */
  noteClaim(milliseconds: number): void {
    this.#claiming += (milliseconds - this.#claiming) * (this.#claiming === 0 ? 1 : latest);
  }

  /** Milliseconds that a job occupied its slot. */
  notePlay(milliseconds: number): void {
    // A duration is never zero, even if the clock is coarse.
    const elapsed = Math.max(milliseconds, 0.01);
    this.#playing = Number.isFinite(this.#playing) ? this.#playing + (elapsed - this.#playing) * latest : elapsed;
  }

  /** At most a quarter of the slots. */
  get count(): number {
    return Math.min(Math.ceil(this.#places / 4), Math.floor((this.#places * this.#claiming) / this.#playing));
  }
}

/**
 * How many of the last jobs of a queue a worker may start beyond its slots: half as many, if all its jobs call models and
 * concurrent calls are limited to its slots, so the load on models does not increase. A job started only when a slot is free would be
 * played alone at the end.
 */
export function spareOf(
  { places, calls }: { readonly places: number; readonly calls?: number | undefined },
  current: Iterable<{ readonly lease: Lease }>,
  lots: ReadonlyMap<string, Lot>,
): number {
  if (calls === undefined || calls > places) return 0;
  let asks = false;
  for (const { lease } of current) {
    asks = (lots.get(lease.lot)?.models.length ?? 0) > 0;
    if (!asks) return 0;
  }
  return asks ? Math.floor(places / 2) : 0;
}
