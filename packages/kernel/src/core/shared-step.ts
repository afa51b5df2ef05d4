/**
 * @file Steps that come again: rules that hand out one and the same step whenever a position comes say so, and its events are made once
 * for all episodes.
 */

import type { Seat, Step } from './environment.ts';
import type { EndEvent, EpisodeEvent, Seen } from './event.ts';
import type { Json } from './json.ts';

/** What a step adds to the log and, by place in `seats`, to what each seat has seen and was paid; and the places of those that it asks. */
export interface StepEvents {
  readonly seats: readonly Seat[];
  readonly events: readonly EpisodeEvent[];
  readonly seen: readonly (readonly Seen[])[];
  readonly rewards: readonly number[];
  readonly penalties: readonly number[];
  readonly asked: readonly number[];
  /** How the last episode that ended with this step ended; null where none has. */
  end: SharedEnd | null;
}

/** The end of an episode, and what it sums up by place: episodes in which that is the same share it. */
export interface SharedEnd {
  readonly event: EndEvent;
  readonly returned: readonly number[];
  readonly penalised: readonly number[];
}

/** The events of shared steps for the seats that came last; null until a step has been entered. */
export const sharedSteps = new WeakMap<Step, StepEvents | null>();

/** Marks a step as shared: the rules return the same object whenever a position recurs, so that its events are made once for all episodes. */
export function shareStep<S extends Json>(step: Step<S>): Step<S> {
  sharedSteps.set(step, null);
  return step;
}
