/** @file Plays one episode and yields its events as they happen. It never throws for failures during play; the end event has the reason. */

import type { AnyEnvironment, EpisodeEvent, ForkOrigin, Json, Reply, Seat, Seed, StartEvent } from '../core/index.ts';
import { equal, Fault, recordOf } from '../core/index.ts';
import { Course, type CourseOptions } from './course.ts';
import { type Agents, EpisodePlayer, type Playing, type PlayOptions } from './episode-player.ts';

export type { Agents, Playing, PlayOptions } from './episode-player.ts';

type Named = Readonly<Record<Seat, { readonly name: string; readonly persona?: string }>>;

/** Plays one episode. Invalid input (an unknown seat, an invalid task) throws before the first event. */
export function play(environment: AnyEnvironment, agents: Agents, options: PlayOptions = {}): Playing {
  const start = createStartEvent(environment, agents, options);
  return new EpisodePlayer(new Course(environment, start, options), 0, agents, options);
}

/** Continues an incomplete log: yields only the missing events. A finished log yields nothing. */
export function resume(environment: AnyEnvironment, agents: Agents, events: readonly EpisodeEvent[], options: PlayOptions = {}): Playing {
  const course = retrace(environment, events, options);
  checkSeats(startOf(events).seats, agents);
  return new EpisodePlayer(course, events.length, agents, options);
}

/**
 * Forks a log before event `at` and continues with other agents, another seed, or both. Yields the whole new log. Its start event names
 * the parent, but it replays without the parent.
 */
export function fork(
  environment: AnyEnvironment,
  events: readonly EpisodeEvent[],
  at: number,
  agents: Agents,
  options: PlayOptions & { readonly episode?: string | undefined } = {},
): Playing {
  if (!Number.isInteger(at) || at < 1 || at > events.length)
    throw new Fault('input', `A fork must be before an event from 1 to ${events.length}, but got ${at}.`);
  const start = startOf(events);
  checkSeats(start.seats, agents);
  const episodeEvents = events.slice(0, at);
  const turns = retrace(environment, episodeEvents, options).turns;
  const origin: ForkOrigin = {
    at,
    // Without a new seed the parent's applies, and if the parent is itself a fork that has not branched off yet, its step applies.
    step: options.seed === undefined ? Math.max(turns, start.fork?.step ?? 0) : turns,
    seed: options.seed ?? start.fork?.seed ?? start.seed,
    ...(options.episode === undefined ? {} : { episode: options.episode }),
    ...(start.fork === undefined ? {} : { before: start.fork }),
  };
  const { personas: _, ...rest } = start;
  const branch: EpisodeEvent[] = [
    { ...rest, cast: names(start.seats, agents), ...personasOf(start.seats, agents), fork: origin },
    ...episodeEvents.slice(1),
  ];
  return new EpisodePlayer(retrace(environment, branch, options), 0, agents, options);
}

/** The course of a log, ready to continue: every logged action is replayed, every event of the rules is compared. */
function retrace(environment: AnyEnvironment, events: readonly EpisodeEvent[], options: CourseOptions = {}): Course {
  const course = new Course(environment, startOf(events), options);
  const difference = compareWithLog(course, events);
  if (difference !== null) {
    throw new Fault(
      'environment',
      `This log does not match ${environment.id}: event ${difference.index} should be ${brief(difference.expected)}, but is ${brief(difference.found)}. Replay it with the version of the rules that recorded it.`,
      { code: 'E_LOG_DIFFERS', details: { environment: environment.id, event: difference.index } },
    );
  }
  return course;
}

/** The first difference between a log and the rules. */
export interface LogDifference {
  readonly index: number;
  readonly expected: EpisodeEvent | null;
  readonly found: EpisodeEvent | null;
}

/** Feeds a log's actions to a course and finds the first event that does not follow from them, or null. */
export function compareWithLog(course: Course, events: readonly EpisodeEvent[]): LogDifference | null {
  for (let index = 0; index < events.length; index++) {
    const episodeEvent = events[index]!;
    if (index >= course.events.length) {
      try {
        // The rules wait for seats: only an asked seat's action, or an end from outside the rules, may follow.
        if (episodeEvent.kind === 'action' && course.waiting.some((ask) => ask.seat === episodeEvent.seat))
          course.answer(episodeEvent.seat, replyIn(episodeEvent));
        else if (episodeEvent.kind === 'end' && outside.has(episodeEvent.reason))
          course.stop(episodeEvent.reason as 'limit' | 'error' | 'abort', why(episodeEvent));
      } catch {
        // The course rejected the action, so the log differs here.
      }
    }
    const expected = course.events[index] ?? null;
    if (!equal(expected as Json, episodeEvent)) return { index, expected, found: episodeEvent };
  }
  return null;
}

/** Reasons to end that do not follow from the rules. */
const outside: ReadonlySet<string> = new Set(['limit', 'error', 'abort']);

/** The start event of an episode, after validation of task, seed, and seats. */
export function createStartEvent(environment: AnyEnvironment, agents: Named, options: Pick<PlayOptions, 'seed' | 'task'>): StartEvent {
  const seed = seedOf(options.seed ?? 0);
  const task = options.task === undefined ? usualTask(environment) : environment.task(options.task);
  const seats = environment.seats(task);
  checkSeats(seats, agents);
  return { kind: 'start', environment: environment.id, task, seed, seats, cast: names(seats, agents), ...personasOf(seats, agents) };
}

const usualTasks = new WeakMap<AnyEnvironment, Json>();

/** An environment's default task, parsed once: tasks are plain data and never change. */
function usualTask(environment: AnyEnvironment): Json {
  const usualTask = usualTasks.get(environment);
  if (usualTask !== undefined) return usualTask;
  const task = environment.task({}) as Json;
  usualTasks.set(environment, task);
  return task;
}

export function seedOf(seed: Seed): Seed {
  if (!Number.isSafeInteger(seed) || seed < 0)
    throw new Fault('input', `seed: expected an integer from 0 to 2^53 − 1, got ${seed}.`, {
      code: 'E_INVALID_SEED',
      details: { seed },
    });
  // A number counted up in a loop may be heap-allocated, and would be again in every event and generator that contains it.
  const word = seed | 0;
  return word === seed ? word : seed;
}

function startOf(events: readonly EpisodeEvent[]): StartEvent {
  const first = events[0];
  if (first?.kind !== 'start')
    throw new Fault('input', `A log must start with a start event, but this one starts with ${brief(first ?? null)}.`);
  return first;
}

function checkSeats(seats: readonly Seat[], agents: Named): void {
  for (const seat of seats)
    if (agents[seat] === undefined)
      throw new Fault('input', `Seat "${seat}" has no agent. Assign an agent to each seat: ${seats.join(', ')}.`, {
        code: 'E_EMPTY_SEAT',
        details: { seat, seats },
      });
  const knownNames = new Set(seats);
  for (const seat of Object.keys(agents))
    if (!knownNames.has(seat))
      throw new Fault('input', `Unknown seat "${seat}". Available: ${seats.join(', ')}.`, {
        code: 'E_UNKNOWN_SEAT',
        details: { seat, seats },
      });
}

function names(seats: readonly Seat[], agents: Named): Record<Seat, string> {
  return recordOf(seats, (seat) => agents[seat]!.name);
}

/** The persona of each seat; a log without personas has no field for them. */
function personasOf(seats: readonly Seat[], agents: Named): Pick<StartEvent, 'personas'> {
  const played = seats.flatMap((seat) => {
    const persona = agents[seat]?.persona;
    return persona === undefined ? [] : [[seat, persona] as const];
  });
  return played.length === 0 ? {} : { personas: Object.fromEntries(played) };
}

function replyIn(event: Extract<EpisodeEvent, { kind: 'action' }>): Reply {
  const { action, mind, calls, edited } = event;
  return {
    action,
    ...(mind === undefined ? {} : { mind }),
    ...(calls === undefined ? {} : { calls }),
    ...(edited === undefined ? {} : { edited }),
  };
}

function why(end: Extract<EpisodeEvent, { kind: 'end' }>): { fault?: NonNullable<typeof end.fault>; limit?: string } {
  return { ...(end.fault === undefined ? {} : { fault: end.fault }), ...(end.limit === undefined ? {} : { limit: end.limit }) };
}

function brief(event: EpisodeEvent | null): string {
  const text = event === null ? 'nothing' : JSON.stringify(event);
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}
