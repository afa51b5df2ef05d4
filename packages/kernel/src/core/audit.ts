/**
 * @file Audits check what a helper seat (customer, patient, narrator, oracle) says against what it should say.
 *
 * A helper may be played by a model, and models make mistakes. Environments check each helper's answer against their hidden tables and add
 * a note that no seat sees. The rate of contradictions is reported separately from the score of the agent that depends on the helper.
 */

import type { Message, Seat } from './environment.ts';
import type { EpisodeEvent } from './event.ts';
import type { JsonObject } from './json.ts';

export interface AuditCount {
  readonly checked: number;
  readonly contradicted: number;
}

/** Creates a note for scorers that a helper's answer was checked. */
export function audit(seat: Seat, holds: boolean, about: string): Message {
  return { to: [], text: `audit: ${about}`, data: { audit: { seat, holds } } };
}

/** How often each helper seat was checked, and how often it contradicted the environment. */
export function auditsOf(events: Iterable<EpisodeEvent>): Readonly<Record<Seat, AuditCount>> {
  const counts: Record<Seat, AuditCount> = {};
  for (const event of events) {
    if (event.kind !== 'message' || event.to.length > 0) continue;
    const note = (event.data as JsonObject | undefined)?.['audit'] as { seat: Seat; holds: boolean } | undefined;
    if (note === undefined) continue;
    const { checked, contradicted } = counts[note.seat] ?? { checked: 0, contradicted: 0 };
    counts[note.seat] = { checked: checked + 1, contradicted: contradicted + (note.holds ? 0 : 1) };
  }
  return counts;
}
