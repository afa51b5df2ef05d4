/**
 * @file The state that an agent keeps from turn to turn: small, plain data, stored with every action.
 *
 * Observations are already in the log and are never copied here; memories of events are computed from the view when needed. Only state that
 * cannot be recomputed is stored: mood, notes, reflections, plan, memo, the position of the window.
 */

import type { Json, JsonObject, Seen, View } from '@ludus-agents/kernel/internal/core/index';
import type { LoreState } from '../personas/index.ts';
import type { KeptTool } from '../tools/kept-tools.ts';
import type { ToolState } from '../tools/tool-context.ts';
import type { ToolPlan } from '../tools/tool-plan.ts';
import type { AffectState } from './affect.ts';
import type { Memory } from './memory.ts';
import type { AgentPlan } from './plan.ts';

export type Mind = {
  readonly kind: 'mind/1';
  /** The number of observations up to the last turn, and of turns taken. */
  readonly count: number;
  readonly turn: number;
  /** The number of observations before the seat first acted: rules and setting, which stay in view. */
  readonly opening: number;
  /** The start of the visible part. */
  readonly start: number;
  readonly affect?: AffectState;
  readonly memory?: Memory;
  /** The turns at which events were last recalled, by id. */
  readonly recalled?: Readonly<Record<string, number>>;
  /** The sum of importance since the last reflection. */
  readonly load?: number;
  readonly plan?: AgentPlan;
  /** The agent's memo, and the index of the last observation that it covers. */
  readonly memo?: { readonly text: string; readonly upTo: number };
  /** Activated lore: its timers, and the position of each entry in the history. */
  readonly lore?: { readonly state: LoreState; readonly placed: readonly { readonly at: number; readonly id: string }[] };
  readonly thought?: string;
  /** The contents of this turn's prompt, to explain the answer. */
  readonly why?: {
    readonly memories: readonly string[];
    readonly lore: readonly string[];
    /** The encoder that ranked the memories; omitted if they were ranked by words. */
    readonly encoder?: string;
  };
  /** Tools used in this turn, allowed or not. */
  readonly uses?: readonly { readonly tool: string; readonly arguments: Json; readonly ok: boolean; readonly result: string }[];
  /** Tools that stay in the agent's context, and their results. */
  readonly toolState?: ToolState;
  /** The route through its tools, and the results, if routes are planned. */
  readonly toolPlan?: ToolPlan;
  /** The number of old tool results removed from the prompt in this turn. */
  readonly removedResults?: number;
  /** Variables of its code, and its stored functions. */
  readonly vars?: JsonObject;
  readonly box?: readonly KeptTool[];
  /** Predicted results of moves in this turn, and rules that the episode has violated. */
  readonly foreseen?: JsonObject;
  /** How the final answer was chosen from one in the role and one without it. */
  readonly ensemble?: JsonObject;
  /** The agent's edits of its texts in this episode, and the number of calls for an edit that changed nothing. */
  readonly edits?: readonly { readonly turn: number; readonly text?: string; readonly add?: string; readonly drop?: string }[];
  /** The tokens of this turn's prompt, and how many of them it shares with the start of the previous prompt. */
  readonly prompt?: { readonly tokens: number; readonly stable: number; readonly system: string };
};

/** An observation with its place in the episode. */
export interface Placed {
  readonly index: number;
  /** The number of actions of the seat before it. */
  readonly turn: number;
  readonly seen: Seen;
}

export interface Perception {
  readonly items: readonly Placed[];
  /** The index of the first observation since the seat last acted. */
  readonly fresh: number;
  readonly count: number;
  readonly turn: number;
  readonly opening: number;
}

/** The mind of a language agent, or undefined if another kind of agent left it. */
export function readMind(mind: Json | undefined): Mind | undefined {
  return typeof mind === 'object' && mind !== null && !Array.isArray(mind) && (mind as { kind?: Json }).kind === 'mind/1'
    ? (mind as Mind)
    : undefined;
}

/** The most observations before the first action that stay in view as an opening. */
export const mostOpening = 20;

/**
 * Finds the positions of the observations in a view. With a window, the view is only the end of the observations, and the mind stores the
 * number of earlier ones.
 */
export function perceive(view: View, mind: Mind | undefined, windowed: boolean): Perception {
  const { seen } = view;
  let last = seen.length - 1;
  while (last >= 0 && seen[last]!.kind !== 'action') last--;
  const fresh = last + 1;
  const acted = seen.reduce((sum, item) => sum + (item.kind === 'action' ? 1 : 0), 0);
  const turn = mind === undefined ? acted : mind.turn;
  const count = windowed && mind !== undefined ? mind.count + 1 + (seen.length - fresh) : seen.length;
  const offset = count - seen.length;
  let actionTurn = turn - acted;
  const items = seen.map((item, i): Placed => {
    const placed = { index: offset + i, turn: actionTurn, seen: item };
    if (item.kind === 'action') actionTurn++;
    return placed;
  });
  const first = seen.findIndex((item) => item.kind === 'action');
  const before = first < 0 ? count : offset + first;
  // A long conversation before the first action is history: as an opening, it would have to fit into half of the prompt.
  const opening = mind?.opening ?? (before > mostOpening ? 1 : before);
  return { items, fresh: offset + fresh, count, turn, opening };
}
