/**
 * @file How many jobs a worker holds beyond those it plays: as many as end while more are claimed. Where episodes are long that is none: what
 * waits at one worker when the queue is empty could be played by another that has nothing left.
 */

import type { Lease, Lot } from '@ludus-agents/kernel/internal/core/index';

/** The latest durations count most. */
const latest = 0.2;

export class ClaimAhead {
  readonly #places: number;
  #claiming = 0;
  #playing = Number.POSITIVE_INFINITY;

  constructor(places: number) {
    this.#places = places;
  }

  /** Milliseconds of a claim that brought something. */
  noteClaim(milliseconds: number): void {
    this.#claiming += (milliseconds - this.#claiming) * (this.#claiming === 0 ? 1 : latest);
  }

  /** Milliseconds that a job kept its place. */
  notePlay(milliseconds: number): void {
    // Nothing takes no time at all, whatever a coarse clock says.
    const elapsed = Math.max(milliseconds, 0.01);
    this.#playing = Number.isFinite(this.#playing) ? this.#playing + (elapsed - this.#playing) * latest : elapsed;
  }

  /** At most a quarter of the places. */
  get count(): number {
    return Math.min(Math.ceil(this.#places / 4), Math.floor((this.#places * this.#claiming) / this.#playing));
  }
}

/**
 * How many of the last jobs of a queue a worker may begin beyond its places: half as many, where all that it holds ask models and no more calls
 * go out at once than it has places, so that models are not asked more often for it. One that began only when a place was free would be played
 * alone at the end.
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
