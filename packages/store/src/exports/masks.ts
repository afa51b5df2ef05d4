/**
 * @file Turns that are read but not trained on: errors stay in the later context, and are excluded from every loss (STeP, arXiv
 * 2505.20023).
 *
 * Scores of single turns, from any source (a rule, a judge, a trained critic), define which turns are wrong. The environment's rewards and
 * penalties for a turn count as scores too.
 */

import type { EpisodeEvent, Score, Seat } from '@ludus-agents/kernel/internal/core/index';
import { type Bound, within } from './bounds.ts';

/** The indexes of a seat's own turns, from 0, whose score is within a bound. */
export function maskedTurns(
  { events, scores }: { readonly events: readonly EpisodeEvent[]; readonly scores: readonly Score[] },
  seat: Seat,
  bounds: readonly Bound[],
): ReadonlySet<number> {
  const masked = new Set<number>();
  for (const bound of bounds) {
    if (bound.score === 'penalty' || bound.score === 'reward') {
      for (const [turn, rewards] of paidTurns(events, seat).entries()) if (within(rewards[bound.score], bound)) masked.add(turn);
    }
    for (const { name, turn, value, status, seat: whose = seat } of scores)
      if (name === bound.score && turn !== undefined && whose === seat && status === 'ok' && within(value, bound)) masked.add(turn);
  }
  return masked;
}

/** From and up to, in the characters of an answer. */
export type TextSpan = readonly [number, number];

/**
 * The parts of a seat's own turns that scores within a bound quote as evidence, wherever they are in the answer. A score without a quote
 * from the answer applies to all of it.
 */
export function maskedQuotes(
  { events, scores }: { readonly events: readonly EpisodeEvent[]; readonly scores: readonly Score[] },
  seat: Seat,
  bounds: readonly Bound[],
): { readonly whole: ReadonlySet<number>; readonly parts: ReadonlyMap<number, readonly TextSpan[]> } {
  const texts = events.flatMap((event) => (event.kind === 'action' && event.seat === seat ? [event.action.text] : []));
  const parts = new Map<number, readonly TextSpan[]>();
  const whole = new Set<number>();
  for (const bound of bounds)
    for (const { name, turn, value, status, seat: whose = seat, evidence } of scores) {
      const text = turn === undefined ? undefined : texts[turn];
      if (name !== bound.score || turn === undefined || text === undefined || whose !== seat) continue;
      if (status !== 'ok' || !within(value, bound)) continue;
      const quoted = evidence.flatMap(({ quote }) => placesOf(quote, text));
      parts.set(turn, [...(parts.get(turn) ?? []), ...quoted]);
      if (quoted.length === 0 || partsWithout(text.length, parts.get(turn)!).length === 0) whole.add(turn);
    }
  for (const turn of whole) parts.delete(turn);
  return { whole, parts };
}

function placesOf(quote: string, text: string): readonly TextSpan[] {
  if (quote === '') return [];
  const places: TextSpan[] = [];
  for (let at = text.indexOf(quote); at >= 0; at = text.indexOf(quote, at + 1)) places.push([at, at + quote.length]);
  return places;
}

/** The remaining parts of a text without some spans, in order. */
export function partsWithout(length: number, spans: readonly TextSpan[]): readonly TextSpan[] {
  const parts: TextSpan[] = [];
  let at = 0;
  for (const [from, to] of spans.toSorted((a, b) => a[0] - b[0])) {
    if (from > at) parts.push([at, from]);
    at = Math.max(at, to);
  }
  return at < length ? [...parts, [at, length]] : parts;
}

/** The rewards and penalties of each turn of a seat, up to its next one. */
function paidTurns(events: readonly EpisodeEvent[], seat: Seat): readonly { reward: number; penalty: number }[] {
  const turns: { reward: number; penalty: number }[] = [];
  for (const event of events) {
    if (event.kind === 'action' && event.seat === seat) turns.push({ reward: 0, penalty: 0 });
    const last = turns.at(-1);
    if (event.kind !== 'reward' || last === undefined) continue;
    last.reward += event.rewards[seat] ?? 0;
    last.penalty += event.penalties?.[seat] ?? 0;
  }
  return turns;
}
