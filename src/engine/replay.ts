/** @file Replay a log against its rules: no agent is asked, no model is called. */

import { type AnyEnvironment, type EpisodeEvent, Fault } from '../core/index.ts';
import { Course } from './course.ts';
import { type Difference, follow } from './play.ts';

/** The first event that does not follow from the log's own start and actions, or null when all of them do. */
export function replay(environment: AnyEnvironment, events: readonly EpisodeEvent[]): Difference | null {
  const start = events[0];
  if (start?.kind !== 'start')
    throw new Fault('input', 'A log begins with a start event, but this one does not; export it again from its store.');
  if (start.environment !== environment.id)
    throw new Fault('input', `This log was made by ${start.environment}, but the rules at hand are ${environment.id}.`);
  return follow(new Course(environment, start), events);
}
