/** @file Episodes by more than the store's own filters: what was said, what they paid, scores, dates, stars and tags, in another order. */

import type { EpisodeQuery, EpisodeRecord, Store } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { type Marks, readMarks } from '@ludus-agents/store/internal/marks';
import type { EpisodesShown } from './api-pages.ts';
import type { EpisodesAsked } from './requests.ts';

/** So many of the newest that fit the store's filters are looked through. */
const mostLooked = 2000;
const orders: Readonly<Record<NonNullable<EpisodesAsked['sort']>, (a: EpisodeRecord, b: EpisodeRecord) => number>> = {
  newest: (a, b) => b.order - a.order,
  oldest: (a, b) => a.order - b.order,
  best: (a, b) => bestOf(b) - bestOf(a),
  worst: (a, b) => bestOf(a) - bestOf(b),
  longest: (a, b) => b.turns - a.turns,
};

/** What the best seat was paid; nothing where there is no end yet. */
function bestOf({ returns }: EpisodeRecord): number {
  const paid = Object.values(returns ?? {});
  return paid.length === 0 ? Number.NEGATIVE_INFINITY : Math.max(...paid);
}

/** Whether more is asked than the store's own filters and order. */
export function exploring({ search, sort, least, most, score, since, until, tag, star }: EpisodesAsked): boolean {
  return [search, least, most, score, since, until, tag, star].some((one) => one !== undefined) || (sort ?? 'newest') !== 'newest';
}

export async function exploreEpisodes(store: Store, query: EpisodeQuery, asked: EpisodesAsked): Promise<EpisodesShown> {
  const { search, sort = 'newest', least, most, score, limit } = asked;
  const marks = await readMarks(store, 'episode');
  const excerpts = new Map<string, string>();
  let pending = 0;
  if (search !== undefined && store.search !== undefined) {
    const { found, pending: left } = await store.search(search, 500);
    pending = left;
    for (const { episode, excerpt } of found) excerpts.set(episode.id, excerpt);
  }
  const { before: _, ...wanted } = query;
  const dates = {
    ...(asked.since === undefined ? {} : { since: asked.since }),
    ...(asked.until === undefined ? {} : { until: asked.until }),
  };
  const looked = await store.episodes({ ...wanted, ...dates, limit: mostLooked + 1 });
  const fits = ({ id }: EpisodeRecord) => (search === undefined || excerpts.has(id)) && hasMarks(marks.get(id) ?? {}, asked);
  const paid = (one: EpisodeRecord) =>
    bestOf(one) >= (least ?? Number.NEGATIVE_INFINITY) && bestOf(one) <= (most ?? Number.POSITIVE_INFINITY);
  let found = looked.slice(0, mostLooked).filter((one) => fits(one) && paid(one));
  if (score !== undefined) found = await filterByScore(store, found, score);
  const rows = found.toSorted(orders[sort]).slice(0, limit);
  return {
    rows: rows.map(({ task: _task, ...row }) => ({
      ...row,
      marks: marks.get(row.id) ?? {},
      ...(excerpts.has(row.id) ? { excerpt: excerpts.get(row.id)! } : {}),
    })),
    more: false,
    looked: Math.min(looked.length, mostLooked),
    all: looked.length <= mostLooked,
    pending,
  };
}

function hasMarks({ star = false, tags = [] }: Marks, wanted: Pick<EpisodesAsked, 'tag' | 'star'>): boolean {
  return (wanted.star !== true || star) && (wanted.tag === undefined || tags.includes(wanted.tag));
}

/** A bound like "return>=1" or "privacy<0.5"; a name alone asks for the score to be there. */
async function filterByScore(store: Store, records: readonly EpisodeRecord[], bound: string): Promise<EpisodeRecord[]> {
  const [, name = bound, is, limit] = linear(/^(.*?)\s*(>=|<=|>|<|=)\s*(-?[\d.]+)$/).exec(bound) ?? [];
  const fits: Readonly<Record<string, (value: number) => boolean>> = {
    '>=': (value) => value >= Number(limit),
    '<=': (value) => value <= Number(limit),
    '>': (value) => value > Number(limit),
    '<': (value) => value < Number(limit),
    '=': (value) => value === Number(limit),
  };
  const kept: EpisodeRecord[] = [];
  for (const [i, record] of records.entries()) {
    const all = (await store.scores(record.id)).filter((one) => one.name === name && one.value !== null);
    if (all.some(({ value }) => is === undefined || fits[is]?.(value as number) === true)) kept.push(record);
    // Others of this server have their turn.
    if (i % 25 === 24) await new Promise(setImmediate);
  }
  return kept;
}
