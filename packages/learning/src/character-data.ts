/**
 * @file Training data of characters in trainers' row formats: prompt and completion for imitation, prompt, chosen and rejected for
 * preferences.
 */

import type { ChatMessage, EpisodeEvent } from '@ludus-agents/kernel/internal/core/index';

export interface ImitationRow {
  readonly prompt: readonly ChatMessage[];
  readonly completion: readonly ChatMessage[];
  readonly from: string;
}

export interface PreferenceRow {
  readonly prompt: readonly ChatMessage[];
  readonly chosen: readonly ChatMessage[];
  readonly rejected: readonly ChatMessage[];
  /** Its source: an episode, or a probe. */
  readonly from: string;
}

/** A line and its rewrite, with the preceding messages as the prompt. */
export function preferenceRow(
  events: readonly EpisodeEvent[],
  { event, before, after }: { readonly event: number; readonly before: string; readonly after: string },
  from: string,
): PreferenceRow {
  const at = events[event];
  const seat = at?.kind === 'action' ? at.seat : at?.kind === 'message' ? at.from : undefined;
  const prompt = events.slice(0, placeOf(events, event)).flatMap((event): readonly ChatMessage[] => {
    if (event.kind === 'action' && event.seat === seat) return [{ role: 'assistant', content: event.action.text }];
    if (event.kind !== 'message' || seat === undefined || !event.to.includes(seat) || event.from === seat) return [];
    return [{ role: 'user', content: event.from === undefined ? event.text : `${event.from}: ${event.text}` }];
  });
  return { prompt, chosen: [{ role: 'assistant', content: after }], rejected: [{ role: 'assistant', content: before }], from };
}

/** The position of a line. A message repeats its seat's action, and including it would leak the answer into the prompt. */
function placeOf(events: readonly EpisodeEvent[], event: number): number {
  const at = events[event];
  if (at?.kind !== 'message' || at.from === undefined) return event;
  const last = events.slice(0, event).findLastIndex((before) => before.kind === 'action' && before.seat === at.from);
  const lastEvent = events[last];
  return lastEvent?.kind === 'action' && lastEvent.action.text.trim() === at.text.trim() ? last : event;
}
