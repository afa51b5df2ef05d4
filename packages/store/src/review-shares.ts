/** @file Assigns the episodes of a run to reviewers: a share to each, and some to all, to measure agreement. */

import { type EpisodeRecord, Fault, hash, type Store } from '@ludus-agents/kernel/internal/core/index';
import { appendNote } from './marks.ts';

export type ReviewShares = {
  /** The run; empty for all episodes. */
  readonly run: string;
  readonly people: readonly string[];
  /** The share of episodes that everyone labels, from 0 to 1. */
  readonly overlap: number;
};

/** The journal that holds them. The last one about a run counts. */
const [studio, journal] = ['studio', 'review-shares'];

export async function putReviewShares(store: Store, shares: ReviewShares): Promise<void> {
  if (new Set(shares.people).size !== shares.people.length) throw new Fault('input', 'Reviewers must have unique names.');
  await appendNote(store, studio, journal, shares);
}

/** Null if there are no shares. */
export async function readReviewShares(store: Store, run: string): Promise<ReviewShares | null> {
  const last = ((await store.notes(studio, journal)) as readonly ReviewShares[]).findLast((shares) => shares.run === run);
  return last === undefined || last.people.length === 0 ? null : last;
}

/** The episodes that this person labels, derived from their ids, so that new ones are distributed without a list. */
export function shareOf(episodes: readonly EpisodeRecord[], shares: ReviewShares | null, by: string): readonly EpisodeRecord[] {
  const place = shares?.people.indexOf(by) ?? -1;
  if (shares === null || place < 0) return episodes;
  return episodes.filter(({ id }) => {
    const digest = hash(['review', id]);
    const [overlapDraw, owner] = [digest.slice(0, 8), digest.slice(8, 16)].map((part) => Number.parseInt(part, 16)) as [number, number];
    return overlapDraw / 2 ** 32 < shares.overlap || owner % shares.people.length === place;
  });
}
