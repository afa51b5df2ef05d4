/** @file Events in the form sent to the page: long fields are shortened, and for one seat's view only its observations are included. */

import { type ActionEvent, type EpisodeEvent, type ModelCall, type Seat, toSeen } from '@ludus-agents/kernel/internal/core/index';
import type { ActionShown, CallShown, EventShown } from './api.ts';

/** One event as shown to everyone or to one seat; null if that seat does not see it. */
export function toShownEvent(event: EpisodeEvent, seat: Seat | null): EventShown['event'] | null {
  if (event.kind === 'action') return seat === null || event.seat === seat ? brief(event) : null;
  if (seat === null) return event;
  if (event.kind === 'start') {
    // Task and seed reveal hidden information, so they are not shown to seats.
    const { fork: _, ...start } = event;
    return { ...start, task: null, seed: 0 };
  }
  if (event.kind === 'turn') {
    const asks = event.asks.filter((ask) => ask.seat === seat);
    return asks.length === 0 ? null : { kind: 'turn', asks };
  }
  if (event.kind === 'end') return event;
  const seenEvent = toSeen(event, seat);
  if (seenEvent === null) return null;
  if (seenEvent.kind === 'message') return seenEvent;
  return seenEvent.kind === 'reward'
    ? { kind: 'reward', rewards: { [seat]: seenEvent.reward }, penalties: { [seat]: seenEvent.penalty } }
    : null;
}

function brief({ kind, seat, action, mind, calls, edited }: ActionEvent): ActionShown {
  return {
    ...{ kind, seat, action, thinks: mind !== undefined },
    ...(calls === undefined ? {} : { calls: calls.map(callShown) }),
    ...(edited === undefined ? {} : { edited }),
  };
}

function callShown({ model, usage, cost, finish, milliseconds }: ModelCall): CallShown {
  return { model, usage, cost, finish, ...(milliseconds === undefined ? {} : { milliseconds }) };
}

/** A prompt as one text, message by message; pictures are only counted. */
export function promptText({ prompt }: ModelCall): string {
  return prompt.messages
    .map(
      ({ role, content, images = [] }) =>
        `${role}: ${content}${images.map(({ width, height }) => `\n(a picture of ${width} by ${height})`).join('')}`,
    )
    .join('\n\n');
}

/** The number of leading characters that two texts share. */
export function alike(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a.charCodeAt(length) === b.charCodeAt(length)) length++;
  return length;
}
