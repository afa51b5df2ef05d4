/** @file Tool calls in a log: the caller, the tool, and whether it worked, in every form that environments write. */

import type { Json, JsonObject, Seat } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import type { Log } from './log.ts';

export interface ToolUse {
  readonly event: number;
  readonly tool: string;
  readonly args: JsonObject;
  /** Null if the log does not show it. */
  readonly ok: boolean | null;
}

/** The calls of a seat: answers that are {"tool", "args"} as data or as their text, with the result that the environment sent. */
export function callsOf(log: Log, seat: Seat): readonly ToolUse[] {
  const calls: ToolUse[] = [];
  for (const { event, text } of log.answers.get(seat) ?? []) {
    const action = log.episode.events[event];
    const result = (action?.kind === 'action' ? callIn(action.action.data) : null) ?? callIn(parseCall(text));
    if (result !== null) calls.push({ event, ...result, ok: resultOf(log, seat, { event, tool: result.tool }) });
  }
  return calls;
}

function callIn(data: Json | undefined): { readonly tool: string; readonly args: JsonObject } | null {
  if (!isObject(data) || typeof data['tool'] !== 'string') return null;
  return { tool: data['tool'], args: isObject(data['args']) ? data['args'] : {} };
}

function parseCall(text: string): Json | undefined {
  if (!/^\s*\{/.test(text) || !text.includes('"tool"')) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** The result that follows a call, before the seat answers again. */
function resultOf(log: Log, seat: Seat, { event, tool }: { readonly event: number; readonly tool: string }): boolean | null {
  const { events } = log.episode;
  for (let i = event + 1; i < events.length; i++) {
    const episodeEvent = events[i];
    if (episodeEvent?.kind === 'action' && episodeEvent.seat === seat) return null;
    if (episodeEvent?.kind !== 'message' || !episodeEvent.to.includes(seat) || !isObject(episodeEvent.data)) continue;
    if (episodeEvent.data['tool'] === tool && typeof episodeEvent.data['ok'] === 'boolean') return episodeEvent.data['ok'];
  }
  return null;
}
