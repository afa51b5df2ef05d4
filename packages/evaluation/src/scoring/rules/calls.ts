/** @file Tool calls in a log: who called what, and whether it worked, in every form that environments write. */

import type { Json, JsonObject, Seat } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import type { Log } from './log.ts';

export interface ToolUse {
  readonly event: number;
  readonly tool: string;
  readonly args: JsonObject;
  /** Null where the log does not show it. */
  readonly ok: boolean | null;
}

/** The calls of a seat: answers that are {"tool", "args"} as data or as their text, with the result that the environment sent. */
export function callsOf(log: Log, seat: Seat): readonly ToolUse[] {
  const calls: ToolUse[] = [];
  for (const { event, text } of log.answers.get(seat) ?? []) {
    const action = log.episode.events[event];
    const made = (action?.kind === 'action' ? callIn(action.action.data) : null) ?? callIn(parseCall(text));
    if (made !== null) calls.push({ event, ...made, ok: resultOf(log, seat, { event, tool: made.tool }) });
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
    const one = events[i];
    if (one?.kind === 'action' && one.seat === seat) return null;
    if (one?.kind !== 'message' || !one.to.includes(seat) || !isObject(one.data)) continue;
    if (one.data['tool'] === tool && typeof one.data['ok'] === 'boolean') return one.data['ok'];
  }
  return null;
}
