/** @file What the moves of a finished episode are paid: the whole return of the seat, or the part after the move. */

import { type EndEvent, type EpisodeEvent, Fault, type Seat } from '../../core/index.ts';

export function endOf(log: readonly EpisodeEvent[]): EndEvent {
  const end = log.at(-1);
  if (end?.kind === 'end' && end.reason === 'over') return end;
  throw new Fault('agent', `A game of self-play ended by ${end?.kind === 'end' ? end.reason : 'nothing'}: ${JSON.stringify(end)}`);
}

/** How much a reward counts, and a penalty. */
export interface Worth {
  readonly scale: number;
  readonly fine: number;
}

/** What each action of a log is paid, by its place in the log: the whole return of its seat, less all its penalties. */
export function fullReturns(log: readonly EpisodeEvent[], { scale, fine }: Worth): readonly number[] {
  const { returns, penalties } = endOf(log);
  return log.map((event) => (event.kind === 'action' ? scale * (returns[event.seat] ?? 0) - fine * (penalties[event.seat] ?? 0) : 0));
}

/** The same with what came after the action alone, and of penalties the one for the action itself. */
export function laterReturns(log: readonly EpisodeEvent[], { scale, fine }: Worth): readonly number[] {
  const later: Record<Seat, number> = {};
  const fines: Record<Seat, number> = {};
  return log
    .toReversed()
    .map((event) => {
      if (event.kind === 'reward') {
        for (const [seat, reward] of Object.entries(event.rewards)) later[seat] = (later[seat] ?? 0) + scale * reward;
        for (const [seat, penalty] of Object.entries(event.penalties ?? {})) fines[seat] = fine * penalty;
      }
      if (event.kind !== 'action') return 0;
      const paid = (later[event.seat] ?? 0) - (fines[event.seat] ?? 0);
      fines[event.seat] = 0;
      return paid;
    })
    .toReversed();
}
