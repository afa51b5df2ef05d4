/** @file Replays a log against its rules, without calling agents or models. */

import { type AnyEnvironment, type EpisodeEvent, equal, Fault, type Json, recordOf, type StartEvent } from '../core/index.ts';
import { Course } from './course.ts';
import { compareWithLog, type LogDifference } from './play.ts';

/** Replays a log and returns the first event that differs, or null if the log is valid. */
export function replay(environment: AnyEnvironment, events: readonly EpisodeEvent[]): LogDifference | null {
  const start = events[0];
  if (start?.kind !== 'start')
    throw new Fault('input', 'A log must start with a start event, but this one does not. Export it again from its store.');
  if (start.environment !== environment.id)
    throw new Fault('input', `This log was recorded with ${start.environment}, but the available rules are ${environment.id}.`);
  const expected = openingOf(environment, start);
  if (!equal(expected as Json, start)) return { index: 0, expected, found: start };
  return compareWithLog(new Course(environment, start), events);
}

/** The start event with task, seats, and cast according to the rules; null if they reject the task. */
function openingOf(environment: AnyEnvironment, start: StartEvent): StartEvent | null {
  try {
    const task = environment.task(start.task);
    const seats = environment.seats(task);
    return { ...start, task, seats, cast: recordOf(seats, (seat) => start.cast[seat] ?? '') };
  } catch {
    return null;
  }
}
