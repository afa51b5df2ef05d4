/**
 * @file Turns that are read and not learned from: errors stay in what comes after them, and have no part in any loss (STeP, arXiv 2505.20023).
 *
 * Which turns are wrong is said by scores of single turns, anyone who gave them: a rule, a judge, a critic that was trained. What the environment
 * paid or took for a turn counts as a score too.
 */

import type { EpisodeEvent, Score, Seat } from '../../core/index.ts';
import { type Bound, within } from './bounds.ts';

/** The numbers of a seat's own turns, from 0, that a bound on a score of the turn applies to. */
export function maskedTurns(
  { events, scores }: { readonly events: readonly EpisodeEvent[]; readonly scores: readonly Score[] },
  seat: Seat,
  bounds: readonly Bound[],
): ReadonlySet<number> {
  const masked = new Set<number>();
  for (const bound of bounds) {
    if (bound.score === 'penalty' || bound.score === 'reward') {
      for (const [turn, paid] of paidTurns(events, seat).entries()) if (within(paid[bound.score], bound)) masked.add(turn);
    }
    for (const { name, turn, value, status, seat: whose = seat } of scores)
      if (name === bound.score && turn !== undefined && whose === seat && status === 'ok' && within(value, bound)) masked.add(turn);
  }
  return masked;
}

/** What each turn of a seat was paid and fined, up to its next one. */
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
