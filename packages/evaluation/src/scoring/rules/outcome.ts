/** @file What the environment paid: the return, the rank among the seats, and how often an answer was in broken form. */

import type { Seat } from '@ludus-agents/kernel/internal/core/index';
import { evidenceOf, type Finding, type ScoringRule } from '../scorer.ts';
import type { Log } from './log.ts';

/** Why an episode has no outcome, or null where it has one. A failing boundary is not the seat's failure, so it is left out, not lost. */
export function unfinishedFinding({ end }: Log): Finding | null {
  if (end === null || end.reason === 'abort') return { value: null, status: 'not-applicable' };
  return end.reason === 'error' ? { value: null, status: 'error' } : null;
}

/** The sum of a seat's rewards. */
export const returned: ScoringRule = {
  name: 'return',
  version: 1,
  unit: 'seat',
  find({ log, seat }) {
    const value = log.end?.returns[seat];
    if (value === undefined || log.end === null) return null;
    const { penalties, turns, reason } = log.end;
    return unfinishedFinding(log) ?? { value, parts: { penalties: penalties[seat] ?? 0, turns, limit: reason === 'limit' ? 1 : 0 } };
  },
};

/** The share of the other seats that got less, ties counted half: 1 for the only winner, 0 for the only loser. */
export const standing: ScoringRule = {
  name: 'standing',
  version: 1,
  unit: 'seat',
  scale: [0, 1],
  floor: 0.5,
  find({ log, seat }) {
    const mine = log.end?.returns[seat];
    const others = log.seats.filter((other) => other !== seat);
    if (mine === undefined || others.length === 0) return null;
    return unfinishedFinding(log) ?? { value: others.reduce((sum, other) => sum + ahead(log, mine, other), 0) / others.length };
  },
};

function ahead(log: Log, mine: number, other: Seat): number {
  const theirs = log.end?.returns[other] ?? 0;
  return mine > theirs ? 1 : mine === theirs ? 0.5 : 0;
}

/** The share of a seat's answers that were in proper form: no penalty followed. */
export const form: ScoringRule = {
  name: 'form',
  version: 1,
  unit: 'seat',
  scale: [0, 1],
  find({ log, seat }) {
    const answers = log.answers.get(seat);
    if (answers === undefined) return null;
    const fouls = log.fouls.get(seat) ?? [];
    const evidence = answers
      .filter(({ event }) => fouls.includes(event))
      .slice(0, 3)
      .flatMap((line) => evidenceOf(log, line, { supports: false, note: 'penalised' }));
    return { value: 1 - new Set(fouls).size / answers.length, parts: { answers: answers.length, fouls: fouls.length }, evidence };
  },
};
