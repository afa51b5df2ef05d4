/** @file Searches episodes by criteria beyond the store's filters: text, returns, scores, dates, stars, tags, and other orders. */

import { currentScores } from '@ludus-agents/evaluation/internal/scoring/evaluation/current-scores';
import type { EpisodeQuery, EpisodeRecord, Store } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { type Marks, readMarks } from '@ludus-agents/store/internal/marks';
import type { EpisodeLine, EpisodesShown } from './api-pages.ts';
import type { EpisodesAsked } from './requests.ts';
import { titleEpisodes } from './task-names.ts';

/** The number of newest episodes, after the store's filters, that are searched. */
const mostLooked = 2000;
type Order = (a: EpisodeRecord, b: EpisodeRecord) => number;

function orderBy(sort: NonNullable<EpisodesAsked['sort']>, agent: string | undefined): Order {
  // Episodes without a return are last in both orders.
  const highest = (record: EpisodeRecord) => Math.max(...returnsFor(record, agent));
  const lowest = (record: EpisodeRecord) => Math.min(...returnsFor(record, agent));
  const orders: Readonly<Record<NonNullable<EpisodesAsked['sort']>, Order>> = {
    newest: (a, b) => b.order - a.order,
    oldest: (a, b) => a.order - b.order,
    best: (a, b) => compare(highest(b), highest(a)),
    worst: (a, b) => compare(lowest(a), lowest(b)),
    longest: (a, b) => b.turns - a.turns,
  };
  return orders[sort];
}

function compare(a: number, b: number): number {
  return a === b ? 0 : a - b;
}

/**
 * The returns used by a filter or a sort: those of the selected agent, or of all agents except the suite's opponents. Otherwise
 * an opponent's win would count as the result of the agent under test.
 */
function returnsFor({ returns, cast }: EpisodeRecord, agent: string | undefined): readonly number[] {
  const seats = Object.entries(returns ?? {});
  const tested = seats.filter(([seat]) => (agent === undefined ? !isOpponent(cast[seat]) : cast[seat] === agent));
  return (tested.length === 0 ? seats : tested).map(([, value]) => value);
}

function isOpponent(name: string | undefined): boolean {
  return name?.startsWith('house:') === true;
}

/** Whether a request needs more than the store's filters and order. */
export function exploring({ search, sort, least, most, score, since, until, tag, star }: EpisodesAsked): boolean {
  return [search, least, most, score, since, until, tag, star].some((item) => item !== undefined) || (sort ?? 'newest') !== 'newest';
}

export async function exploreEpisodes(store: Store, query: EpisodeQuery, request: EpisodesAsked): Promise<EpisodesShown> {
  const { search, sort = 'newest', least, most, score, limit } = request;
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
    ...(request.since === undefined ? {} : { since: request.since }),
    ...(request.until === undefined ? {} : { until: request.until }),
  };
  const looked = await store.episodes({ ...wanted, ...dates, limit: mostLooked + 1 });
  const fits = ({ id }: EpisodeRecord) => (search === undefined || excerpts.has(id)) && hasMarks(marks.get(id) ?? {}, request);
  const hasReturn = (record: EpisodeRecord) =>
    (least === undefined && most === undefined) ||
    returnsFor(record, query.agent).some((value) => value >= (least ?? -Infinity) && value <= (most ?? Infinity));
  let episodeRecords = looked.slice(0, mostLooked).filter((record) => fits(record) && hasReturn(record));
  if (score !== undefined) episodeRecords = await filterByScore(store, episodeRecords, score);
  const rows = episodeRecords.toSorted(orderBy(sort, query.agent)).slice(0, limit);
  const titles = await titleEpisodes(store, rows);
  return {
    rows: await withTimes(
      store,
      rows.map(({ task, ...row }) => ({
        ...row,
        title: titles.get(row.id) ?? null,
        marks: marks.get(row.id) ?? {},
        ...(excerpts.has(row.id) ? { excerpt: excerpts.get(row.id)! } : {}),
      })),
    ),
    more: false,
    looked: Math.min(looked.length, mostLooked),
    all: looked.length <= mostLooked,
    pending,
  };
}

/** Rows with their storage time, if the store has it. */
export async function withTimes(store: Store, rows: readonly EpisodeLine[]): Promise<readonly EpisodeLine[]> {
  const times = await store.catalog?.episodeTimes(rows.map(({ id }) => id));
  return times === undefined ? rows : rows.map((row) => ({ ...row, created: times.get(row.id) ?? null }));
}

function hasMarks({ star = false, tags = [] }: Marks, wanted: Pick<EpisodesAsked, 'tag' | 'star'>): boolean {
  return (wanted.star !== true || star) && (wanted.tag === undefined || tags.includes(wanted.tag));
}

/** A threshold like "return>=1" or "privacy<0.5"; a name alone requires that the score exists. */
async function filterByScore(store: Store, records: readonly EpisodeRecord[], bound: string): Promise<EpisodeRecord[]> {
  const [, name = bound, is, limit] = linear(/^(.*?)\s*(>=|<=|>|<|=)\s*(-?[\d.]+)$/).exec(bound) ?? [];
  const fits: Readonly<Record<string, (value: number) => boolean>> = {
    '>=': (value) => value >= Number(limit),
    '<=': (value) => value <= Number(limit),
    '>': (value) => value > Number(limit),
    '<': (value) => value < Number(limit),
    '=': (value) => value === Number(limit),
  };
  const episodeRecords: EpisodeRecord[] = [];
  for (const [i, record] of records.entries()) {
    const all = currentScores(await store.scores(record.id)).filter((score) => score.name === name && score.value !== null);
    if (all.some(({ value }) => is === undefined || fits[is]?.(value as number) === true)) episodeRecords.push(record);
    // Yields to other requests of this server.
    if (i % 25 === 24) await new Promise(setImmediate);
  }
  return episodeRecords;
}
