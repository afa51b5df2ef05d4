/** @file The moments worth reading: for every agent its worst and its best episodes, quoted where a scorer pointed. */

import type { EpisodeEvent, Score, Seat } from '@ludus-agents/kernel/internal/core/index';
import { latest, type ScoreRow } from '../evaluation/index.ts';

export interface Moment {
  readonly kind: 'worst' | 'best';
  readonly agent: string;
  readonly episode: string;
  readonly scene: string;
  readonly seat: Seat;
  readonly seed: number;
  readonly value: number;
  /** The quote of the moment; null if no scorer quoted any. */
  readonly quote: { readonly event: number; readonly text: string; readonly note: string } | null;
}

export interface MomentOptions {
  readonly agents: readonly string[];
  /** Of each kind, for each agent. */
  readonly most?: number;
}

export function momentsOf(
  rows: readonly ScoreRow[],
  scores: ReadonlyMap<string, readonly Score[]>,
  { agents, most = 3 }: MomentOptions,
): readonly Moment[] {
  const byAgent = Map.groupBy(rows.filter(hasPaidSeat(rows)), (row) => row.agent);
  // An agent that matches the best result ever has done nothing badly.
  const top = rows.reduce((most, { value }) => (value === null ? most : Math.max(most, value)), Number.NEGATIVE_INFINITY);
  return agents.flatMap((agent) => {
    const valued = (byAgent.get(agent) ?? []).filter((row): row is ScoreRow & { value: number } => row.value !== null);
    const rising = valued.toSorted((a, b) => a.value - b.value);
    const worst = pickVaried(
      rising.filter(({ value }) => value < top),
      most,
    );
    const used = new Set(worst.map(({ episode }) => episode));
    const best = pickVaried(rising.toReversed(), most).filter(
      ({ episode, value }) => !used.has(episode) && value > (worst[0]?.value ?? -Infinity),
    );
    return [...worst.map((row) => moment('worst', row, scores)), ...best.map((row) => moment('best', row, scores))];
  });
}

/** Whether a row's seat ever gets anything but 0: where nothing is paid, nothing is best or worst. */
function hasPaidSeat(rows: readonly ScoreRow[]): (row: ScoreRow) => boolean {
  const seatOf = ({ scene, seat }: ScoreRow) => JSON.stringify([scene, seat]);
  const rewards = new Set(rows.filter(({ value }) => value !== null && value !== 0).map(seatOf));
  return (row) => rewards.has(seatOf(row));
}

/** The first rows, one of each scene before any scene has two. */
function pickVaried<R extends ScoreRow>(rows: readonly R[], most: number): readonly R[] {
  const visited = new Map<string, number>();
  const ranked = rows.slice(0, 2000).map((row, i) => {
    const times = visited.get(row.scene) ?? 0;
    visited.set(row.scene, times + 1);
    return { row, times, i };
  });
  return ranked
    .sort((a, b) => a.times - b.times || a.i - b.i)
    .slice(0, most)
    .sort((a, b) => a.i - b.i)
    .map(({ row }) => row);
}

function moment(kind: Moment['kind'], row: ScoreRow & { readonly value: number }, scores: ReadonlyMap<string, readonly Score[]>): Moment {
  const { agent, episode, scene, seat, seed, value } = row;
  const score = scores.get(episode) ?? [];
  const names = [...new Set(score.map(({ name }) => name))];
  const spans = names.flatMap((name) => (latest(score, name, seat)?.evidence ?? []).map((span) => ({ ...span, name })));
  const fitting = spans.find((span) => span.episode === episode && span.supports === (kind === 'best'));
  const quote =
    fitting === undefined
      ? null
      : { event: fitting.event, text: fitting.quote, note: [fitting.name, fitting.note].filter(Boolean).join(': ') };
  return { kind, agent, episode, scene, seat, seed, value, quote };
}

/** Fewer characters than this are a move or a nod, and say little about a moment. */
const telling = 12;

/** Where no scorer quoted anything, the last words of the seat are used. */
export function withWords(moment: Moment, events: readonly EpisodeEvent[]): Moment {
  const quoted = moment.quote === null ? undefined : events[moment.quote.event];
  if (quoted?.kind === 'action' || (quoted?.kind === 'message' && quoted.to.length > 0)) return moment;
  const spoken = events.flatMap((event, at) =>
    event.kind === 'action' && event.seat === moment.seat && event.action.text.trim() !== '' ? [{ at, text: event.action.text }] : [],
  );
  const last = spoken.findLast(({ text }) => text.length >= telling) ?? spoken.at(-1);
  return {
    ...moment,
    quote: last === undefined ? null : { event: last.at, text: last.text, note: moment.quote?.note ?? 'its last words' },
  };
}
