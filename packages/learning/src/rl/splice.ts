/**
 * @file Splicing episodes: a bad beginning, then the good ending of another episode of the same task, as data to learn revision from
 * (Agent-R, arXiv 2501.11425).
 *
 * Glued together as they are, the two rarely make an episode: after the bad move the environment is not where the good ending begins. So a
 * splice is replayed against the rules. Where it does not follow from them, the good ending is played from where the two episodes parted,
 * and the part between is kept separately: it may be used as text with an explicit reset, never as an episode.
 */

import {
  type Agent,
  type AnyEnvironment,
  type EpisodeEvent,
  equal,
  Fault,
  type Reply,
  type Seat,
} from '@ludus-agents/kernel/internal/core/index';
import { fork } from '@ludus-agents/kernel/internal/engine/play';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';

export interface SpliceParts {
  readonly environment: AnyEnvironment;
  readonly bad: readonly EpisodeEvent[];
  readonly good: readonly EpisodeEvent[];
  /** Events of the bad episode that are kept. */
  readonly at: number;
}

/** A bad beginning joined to a good ending, as an episode that replays. */
export interface Splice {
  /** An episode that replays. */
  readonly log: readonly EpisodeEvent[];
  /** Glued: the bad beginning leads to the good ending as it is. Rewound: the environment had to go back to where the two parted. */
  readonly how: 'glued' | 'rewound';
  /** What was done after the two had parted, and taken back. */
  readonly undone: readonly EpisodeEvent[];
}

/** How many events two logs share from their beginnings; the casts do not count. */
export function sharedLength(a: readonly EpisodeEvent[], b: readonly EpisodeEvent[]): number {
  let at = 0;
  while (at < a.length && at < b.length && alike(a[at], b[at])) at++;
  return at;
}

function alike(a: EpisodeEvent, b: EpisodeEvent): boolean {
  if (a.kind === 'start' && b.kind === 'start') return equal({ ...a, cast: {} }, { ...b, cast: {} });
  // An agent's mind and its calls do not matter to the rules.
  if (a.kind === 'action' && b.kind === 'action') return a.seat === b.seat && equal(a.action, b.action);
  return equal(a, b);
}

/** The bad beginning and the good ending, glued together as they are: seldom an episode. */
export function joinLogs({ bad, good, at }: Omit<SpliceParts, 'environment'>): readonly EpisodeEvent[] {
  return [...bad.slice(0, at), ...good.slice(sharedLength(bad, good))];
}

/** A splice that replays: glued where the rules allow it, else rewound to where the two episodes parted. */
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

/** Agents that do again what the good episode did from an event on. */
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
