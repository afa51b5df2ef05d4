/** @file Detects games that ended because the agent on a seat failed, such as a simulated customer whose server did not answer. */

import { type EpisodeEvent, Fault, type FaultRecord, type Seat } from '@ludus-agents/kernel/internal/core/index';

type Log = readonly EpisodeEvent[];

/** Why a game failed; null if it ended regularly. */
function failureOf(log: Log): FaultRecord | null {
  const end = log.at(-1);
  return end?.kind === 'end' && end.reason === 'error' ? (end.fault ?? { boundary: 'agent', message: 'no reason given' }) : null;
}

/** Whether another seat than the learner's ended a game by failing: its rewards then say nothing about the learner's play. */
export function failedByOthers(log: Log, seats: readonly Seat[]): boolean {
  const failure = failureOf(log);
  return failure !== null && (failure.seat === undefined || !seats.includes(failure.seat));
}

/** Throws the first failure if all games failed, because there is nothing to learn from. */
export function refuseFailedGames(logs: readonly Log[]): void {
  const [first] = logs.map(failureOf);
  if (first == null || logs.some((log) => failureOf(log) === null)) return;
  const who = first.seat === undefined ? '' : `the agent on the seat "${first.seat}" `;
  throw new Fault(first.boundary, `All ${logs.length} games failed: ${who}failed: ${first.message}`);
}
