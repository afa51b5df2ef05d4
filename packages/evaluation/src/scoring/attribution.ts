/**
 * @file Failure attribution: finds the first wrong step that led to a failure.
 *
 * The log is an information-dependency graph for free: an action depends on what its seat had read, or on exactly the events it names in
 * `refs`; a message depends on the actions that caused it. The root cause of a failure is a wrong step with no wrong step before it on any
 * way to the failure (the idea of GraphTracer, whose paper was withdrawn: none of its numbers are used).
 */

import type { Episode, EpisodeEvent, Json, Seat } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { logOf } from './rules/log.ts';

/** Events by their place in the log, each with those it depends on. */
export type Flow = ReadonlyMap<number, readonly number[]>;

/** The graph of a log. Messages to no seat are notes for scorers and inform no one. */
export function flowOf({ events }: Pick<Episode, 'events'>): Flow {
  const flow = new Map<number, readonly number[]>();
  /** The events that each seat has read since it last acted, including its last action. */
  const read = new Map<Seat, number[]>();
  const visited = new Map<Seat, Set<number>>();
  let acted: { readonly seat: Seat; readonly event: number }[] = [];
  let settled = false;
  for (const [event, episodeEvent] of events.entries()) {
    if (episodeEvent.kind === 'turn') settled = true;
    else if (episodeEvent.kind === 'action') {
      if (settled) acted = [];
      settled = false;
      const knownEntries = visited.get(episodeEvent.seat) ?? new Set<number>();
      flow.set(event, refsOf(episodeEvent, knownEntries) ?? read.get(episodeEvent.seat) ?? []);
      acted.push({ seat: episodeEvent.seat, event });
      read.set(episodeEvent.seat, [event]);
      visited.set(episodeEvent.seat, knownEntries.add(event));
    } else if (episodeEvent.kind === 'message' && episodeEvent.to.length > 0) {
      const speaker = acted.filter(({ seat }) => seat === episodeEvent.from);
      flow.set(
        event,
        (speaker.length > 0 ? speaker : acted).map((cause) => cause.event),
      );
      for (const seat of episodeEvent.to) {
        read.set(seat, [...(read.get(seat) ?? []), event]);
        visited.set(seat, (visited.get(seat) ?? new Set()).add(event));
      }
    }
  }
  return flow;
}

/** What a member of a team said before the team acted, and which of the speeches before it (from 0) it had heard. */
export interface MemberSpeech {
  readonly member: Seat;
  readonly text: string;
  readonly uses: readonly number[];
}

/** The graph of the discussion in a team's mind; empty where no team acted. */
export function speechFlow({ mind }: Extract<EpisodeEvent, { kind: 'action' }>): readonly MemberSpeech[] {
  const log = isObject(mind) && mind['kind'] === 'team/1' && Array.isArray(mind['discussion']) ? mind['discussion'] : [];
  const events = log as readonly Json[] as readonly EpisodeEvent[];
  const flow = flowOf({ events });
  const spoken = events.flatMap((event, at) => (event.kind === 'action' ? [at] : []));
  return spoken.map((at) => {
    const { seat, action } = events[at] as Extract<EpisodeEvent, { kind: 'action' }>;
    // A request that follows from a speech without passing it on is no use of it.
    const sourcesUsed = (flow.get(at) ?? []).filter((used) => events[used]?.kind === 'action' || isSpeech(events[used]));
    const sources = sourcesUsed.flatMap((used) => (events[used]?.kind === 'action' ? [used] : (flow.get(used) ?? [])));
    return { member: seat, text: action.text, uses: [...new Set(sources)].map((used) => spoken.indexOf(used)).sort((a, b) => a - b) };
  });
}

function isSpeech(event: EpisodeEvent | undefined): boolean {
  return event?.kind === 'message' && event.from !== undefined;
}

/** The events that an action names as used, in its data or its mind; null if it names none. A seat can only use what it has seen. */
function refsOf({ action, mind }: Extract<EpisodeEvent, { kind: 'action' }>, knownEntries: ReadonlySet<number>): readonly number[] | null {
  for (const place of [action.data, mind] as readonly (Json | undefined)[]) {
    const refs = isObject(place) ? place['refs'] : undefined;
    if (Array.isArray(refs)) return refs.filter((event): event is number => typeof event === 'number' && knownEntries.has(event));
  }
  return null;
}

/** All direct and indirect dependencies of an event. */
export function ancestorsOf(flow: Flow, event: number): ReadonlySet<number> {
  const matches = new Set<number>();
  const left = [...(flow.get(event) ?? [])];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (matches.has(next)) continue;
    matches.add(next);
    left.push(...(flow.get(next) ?? []));
  }
  return matches;
}

export interface RootCause {
  readonly event: number;
  /** How many events on the way to the failure depend on it directly. */
  readonly followers: number;
  /** The share of those events that depend on it at all. */
  readonly reach: number;
}

/** Wrong events that the failure depends on and that depend on nothing wrong themselves, those with the widest reach first. */
export function rootCauses(flow: Flow, failing: number, wrong: ReadonlySet<number>): readonly RootCause[] {
  const concerned = ancestorsOf(flow, failing);
  const behind = new Map([...concerned, failing].map((event) => [event, ancestorsOf(flow, event)]));
  const causes: RootCause[] = [];
  for (const [event, before] of behind) {
    if (!wrong.has(event) || [...before].some((value) => wrong.has(value))) continue;
    let [followers, reached] = [0, 0];
    for (const [other, ancestors] of behind) {
      if (flow.get(other)?.includes(event)) followers++;
      if (ancestors.has(event)) reached++;
    }
    causes.push({ event, followers, reach: reached / Math.max(1, behind.size - 1) });
  }
  return causes.sort((a, b) => b.reach - a.reach || b.followers - a.followers || a.event - b.event);
}

/** Errors found by rules: malformed answers, failed calls, words of a helper that contradict the environment. */
export function wrongIn(episode: Episode): ReadonlySet<number> {
  const { fouls } = logOf(episode);
  const wrong = new Set([...fouls.values()].flat());
  const last = new Map<Seat, number>();
  for (const [event, episodeEvent] of episode.events.entries()) {
    if (episodeEvent.kind === 'action') last.set(episodeEvent.seat, event);
    if (episodeEvent.kind !== 'message' || !isObject(episodeEvent.data)) continue;
    const audit = episodeEvent.data['audit'];
    const seats = episodeEvent.data['ok'] === false ? episodeEvent.to : [];
    const helper = isObject(audit) && audit['holds'] === false && typeof audit['seat'] === 'string' ? [audit['seat']] : [];
    for (const seat of [...seats, ...helper]) {
      const action = last.get(seat);
      if (action !== undefined) wrong.add(action);
    }
  }
  return wrong;
}

export interface Attribution extends Blame {
  readonly cause: RootCause;
}

/** Who and when: the likeliest root cause of what the last event of an episode came to, or null where nothing is known to be wrong. */
export function attribute(
  episode: Episode,
  input: { readonly wrong?: ReadonlySet<number>; readonly failing?: number } = {},
): Attribution | null {
  const flow = flowOf(episode);
  const failing = input.failing ?? [...flow.keys()].at(-1);
  if (failing === undefined) return null;
  const cause = rootCauses(flow, failing, input.wrong ?? wrongIn(episode)).find(({ event }) => episode.events[event]?.kind === 'action');
  const action = cause === undefined ? undefined : episode.events[cause.event];
  if (cause === undefined || action?.kind !== 'action') return null;
  const step = episode.events.slice(0, cause.event).filter(({ kind }) => kind === 'action').length;
  return { agent: action.seat, step, cause };
}

// ── the protocol ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Who made the decisive mistake, at which action, from 0. */
export interface Blame {
  readonly agent: string;
  readonly step: number;
}
