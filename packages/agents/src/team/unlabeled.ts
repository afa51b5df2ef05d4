/**
 * @file Counts answers of members without any of the lines that their protocol asked for. The protocol may still use such a text as a plan
 * or a fact, but reads no vote, no name, and no move in it.
 */

import { answerIn } from '@ludus-agents/environments/internal/discussion/speech';
import type { EpisodeEvent, Seat } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';

/** The number of such answers in the log of a discussion, of the members for whom `speaks` holds. */
export function countUnlabeled(log: readonly EpisodeEvent[], speaks: (seat: Seat) => boolean): number {
  const requests = new Map<Seat, string>();
  const choices = new Map<Seat, readonly string[]>();
  let count = 0;
  for (const event of log) {
    if (event.kind === 'message' && event.from === undefined) for (const seat of event.to) requests.set(seat, event.text);
    if (event.kind === 'turn') for (const ask of event.asks) choices.set(ask.seat, ask.choices ?? []);
    if (event.kind !== 'action' || !speaks(event.seat)) continue;
    if (isUnlabeled(event.action.text, requests.get(event.seat) ?? '', choices.get(event.seat) ?? [])) count++;
  }
  return count;
}

function isUnlabeled(text: string, request: string, choices: readonly string[]): boolean {
  const labels = [...request.matchAll(linear(/"([A-Z][a-z]+)[^":\n]{0,80}:/g))].map(([, label = '']) => label);
  // A request such as "or say what you know" leaves the form open.
  if (labels.length === 0 || request.includes(' or say ')) return false;
  if (labels.includes('Answer') && choices.length > 0 && answerIn(text, choices) !== null) return false;
  const wanted = labels.filter((label) => label !== 'Answer' || choices.length === 0);
  const lines = text.split('\n').map((line) => line.replace(linear(/^[\s>*_#\d.-]+/), '').toLowerCase());
  return !lines.some((line) => wanted.some((label) => line.startsWith(label.toLowerCase()) && line.includes(':')));
}
