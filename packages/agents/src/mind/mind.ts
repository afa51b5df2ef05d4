/**
 * @file What an agent keeps from turn to turn: small, plain data, stored with every action.
 *
 * What was seen is in the log already and is never copied here; memories of events are made from the view when they are needed, and only
 * what cannot be made again is kept: mood, notes, reflections, plan, memo, the position of the window.
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
  /** Things seen up to the last turn, and turns taken. */
  readonly count: number;
  readonly turn: number;
  /** Things seen before the seat first acted: rules and setting, which stay in view. */
  readonly opening: number;
  /** Where the part shown begins. */
  readonly start: number;
  readonly affect?: AffectState;
  readonly memory?: Memory;
  /** When events were last recalled, by id. */
  readonly recalled?: Readonly<Record<string, number>>;
  /** Importance since the last reflection. */
  readonly load?: number;
  readonly plan?: AgentPlan;
  /** What the agent wrote down to carry on with, and up to where it covers what was seen. */
  readonly memo?: { readonly text: string; readonly upTo: number };
  /** Activated lore: its timers, and the position of each entry in the history. */
  readonly lore?: { readonly state: LoreState; readonly placed: readonly { readonly at: number; readonly id: string }[] };
  readonly thought?: string;
  /** What this turn's prompt contained, to explain the answer. */
  readonly why?: {
    readonly memories: readonly string[];
    readonly lore: readonly string[];
    /** The encoder that ranked the memories; words did where it is left out. */
    readonly encoder?: string;
  };
  /** Tools used in this turn, allowed or not. */
  readonly uses?: readonly { readonly tool: string; readonly arguments: Json; readonly ok: boolean; readonly result: string }[];
  /** Tools that stay in its context, and their results. */
  readonly toolState?: ToolState;
  /** The route through its tools, and the results, if routes are planned. */
  readonly toolPlan?: ToolPlan;
  /** Results of tools that left the prompt in this turn, where old ones do. */
  readonly removedResults?: number;
  /** Variables of its code, and the functions that it keeps. */
  readonly vars?: JsonObject;
  readonly box?: readonly KeptTool[];
  /** What was thought to come of moves in this turn, and rules that the episode has shown to be wrong. */
  readonly foreseen?: JsonObject;
  /** How an answer in the role and one without it became one. */
  readonly ensemble?: JsonObject;
  /** Edits of its own texts in this episode, and calls for one that changed nothing. */
  readonly edits?: readonly { readonly turn: number; readonly text?: string; readonly add?: string; readonly drop?: string }[];
  /** Tokens of this turn's prompt, and how many of them the prompt before began with as well. */
  readonly prompt?: { readonly tokens: number; readonly stable: number; readonly system: string };
};

/** One thing seen with its place in the episode. */
export interface Placed {
  readonly index: number;
  /** How many times the seat had acted before it. */
  readonly turn: number;
  readonly seen: Seen;
}

export interface Perception {
  readonly items: readonly Placed[];
  /** Index of the first thing seen since the seat last acted. */
  readonly fresh: number;
  readonly count: number;
  readonly turn: number;
  readonly opening: number;
}

/** A mind of ours, or undefined for one that another kind of agent left. */
export function readMind(mind: Json | undefined): Mind | undefined {
  return typeof mind === 'object' && mind !== null && !Array.isArray(mind) && (mind as { kind?: Json }).kind === 'mind/1'
    ? (mind as Mind)
    : undefined;
}

/**
 * Finds the positions of what is in a view. Under a window the view is only the end of what was seen, and the mind knows how much was
 * before.
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
  const opening = mind?.opening ?? (first < 0 ? count : offset + first);
  return { items, fresh: offset + fresh, count, turn, opening };
}
