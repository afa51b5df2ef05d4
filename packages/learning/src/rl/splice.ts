/**
 * @file Splicing episodes: a bad beginning followed by the good ending of another episode of the same task, as training data for revision
 * (Agent-R, arXiv 2501.11425).
 *
 * Glued together as they are, the two rarely make an episode: after the bad move the environment is not where the good ending begins. So a
 * splice is replayed against the rules. Where it does not follow from them, the good ending is played from where the two episodes parted,
 * and the part between is kept separately: it may be used as text with an explicit reset, never as an episode.
 */

import type { Agent, AnyEnvironment, EpisodeEvent, Reply, Seat } from '@ludus-agents/kernel/internal/core/index';
import { equal, Fault } from '@ludus-agents/kernel/internal/core/index';
import { fork } from '@ludus-agents/kernel/internal/engine/play';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';

export interface SpliceParts {
  readonly environment: AnyEnvironment;
  readonly bad: readonly EpisodeEvent[];
  readonly good: readonly EpisodeEvent[];
  /** The number of events of the bad episode to keep. */
  readonly at: number;
}

/** A bad beginning joined to a good ending, as an episode that replays. */
export interface Splice {
  /** The spliced log, which replays under the rules. */
  readonly log: readonly EpisodeEvent[];
  /**
   * Glued: the good ending directly follows the bad beginning. Rewound: the environment is reset to the point where the episodes diverged.
   */
  readonly how: 'glued' | 'rewound';
  /** The events after the divergence, which were taken back. */
  readonly undone: readonly EpisodeEvent[];
}

/** The number of leading events that two logs share, ignoring the casts. */
export function sharedLength(a: readonly EpisodeEvent[], b: readonly EpisodeEvent[]): number {
  let at = 0;
  while (at < a.length && at < b.length && alike(a[at], b[at])) at++;
  return at;
}

function alike(a: EpisodeEvent, b: EpisodeEvent): boolean {
  if (a.kind === 'start' && b.kind === 'start') return equal({ ...a, cast: {} }, { ...b, cast: {} });
  // An agent's mind and calls are irrelevant to the rules.
  if (a.kind === 'action' && b.kind === 'action') return a.seat === b.seat && equal(a.action, b.action);
  return equal(a, b);
}

/** The bad beginning and the good ending, concatenated unchanged: rarely a valid episode. */
export function joinLogs({ bad, good, at }: Omit<SpliceParts, 'environment'>): readonly EpisodeEvent[] {
  return [...bad.slice(0, at), ...good.slice(sharedLength(bad, good))];
}

/** A splice that replays: glued if the rules allow it, else rewound to where the two episodes diverged. */
export async function splice(parts: SpliceParts): Promise<Splice> {
  const { environment, bad, good, at } = parts;
  const parted = sharedLength(bad, good);
  if (parted === 0) throw new Fault('input', 'Only two episodes of the same task and seed can be spliced, but these start differently.');
  if (!Number.isInteger(at) || at < parted || at > bad.length)
    throw new Fault('input', `A splice must be after the two episodes diverge, from event ${parted} to ${bad.length}, but got ${at}.`);
  const attempt = joinLogs(parts);
  if (replay(environment, attempt) === null) return { log: attempt, how: 'glued', undone: [] };
  const log: EpisodeEvent[] = [];
  for await (const event of fork(environment, bad, parted, repeating(bad, good, parted))) log.push(event);
  const differs = log.slice(parted).findIndex((event, i) => !alike(event, good[parted + i]));
  if (differs >= 0 || log.length !== good.length)
    throw new Fault(
      'environment',
      `The good ending does not continue the other episode: event ${parted + Math.max(0, differs)} differs. Were both played with the same seed?`,
    );
  return { log, how: 'rewound', undone: bad.slice(parted, at) };
}

/** Agents that repeat the good episode's actions from an event on. */
function repeating(bad: readonly EpisodeEvent[], good: readonly EpisodeEvent[], from: number): Readonly<Record<Seat, Agent>> {
  const start = bad[0];
  const seats = start?.kind === 'start' ? start.seats : [];
  return Object.fromEntries(
    seats.map((seat) => {
      const replies = good.slice(from).flatMap((event): readonly Reply[] => {
        if (event.kind !== 'action' || event.seat !== seat) return [];
        const { action, mind, calls } = event;
        return [{ action, ...(mind === undefined ? {} : { mind }), ...(calls === undefined ? {} : { calls }) }];
      });
      let next = 0;
      const act = (): Reply => {
        const reply = replies[next++];
        if (reply === undefined) throw new Fault('agent', 'The good episode has no more moves for this seat.');
        return reply;
      };
      return [seat, { name: start?.kind === 'start' ? (start.cast[seat] ?? seat) : seat, act }];
    }),
  );
}
