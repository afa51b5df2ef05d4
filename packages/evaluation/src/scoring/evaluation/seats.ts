/** @file The mean of every agent on every seat of every scene, by the same estimator as the standings. */

import type { Seat } from '@ludus-agents/kernel/internal/core/index';
import type { Over } from '../statistics/estimator.ts';
import { type Summary, summaryOf } from '../statistics/summary.ts';
import { arePoints, type ScoreRow } from './row.ts';

/** What an agent got on one seat of a scene. */
export interface SeatStanding extends Summary {
  readonly scene: string;
  readonly seat: Seat;
  readonly agent: string;
  /** Episodes without a value. */
  readonly missing: number;
}

/** Seats that have a value, ordered by scene, agent and seat. */
export function seatStandings(rows: readonly ScoreRow[], over: Over): readonly SeatStanding[] {
  const unit = arePoints(rows);
  const groups = Map.groupBy(rows, ({ scene, agent, seat }) => JSON.stringify([scene, agent, seat]));
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, scoreRows]) => {
      const { scene, agent, seat } = scoreRows[0];
      const summary = summaryOf(scoreRows, { over, unit });
      return summary === null ? [] : [{ scene, agent, seat, ...summary, missing: scoreRows.length - summary.values }];
    });
}
