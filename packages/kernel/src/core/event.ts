/**
 * @file An episode is an append-only list of events; a view is one seat's part of it.
 *
 * Six kinds and no clocks: the output of the rules is a function of the task, the seed, and the actions, so replays are byte-equal.
 */

import type { Action, Ask, Message, Seat } from './environment.ts';
import type { FaultRecord } from './fault.ts';
import type { Json } from './json.ts';
import type { ChatMessage, ModelCall } from './model.ts';
import type { Seed } from './rng.ts';

export type StartEvent = {
  readonly kind: 'start';
  readonly environment: string;
  readonly task: Json;
  readonly seed: Seed;
  readonly seats: readonly Seat[];
  /** The name of the agent on each seat. */
  readonly cast: Readonly<Record<Seat, string>>;
  /** The persona hash of each seat that has one; omitted if no seat has one. */
  readonly personas?: Readonly<Record<Seat, string>>;
  /** The origin of a forked log, and its seed from there on. */
  readonly fork?: ForkOrigin;
};

/** A fork keeps its parent's events before `at`; from step `step` on it uses `seed`. */
export type ForkOrigin = {
  readonly episode?: string;
  readonly at: number;
  readonly step: number;
  readonly seed: Seed;
  /** The parent's own fork, so that the seeds along a chain of forks are known from the last log alone. */
  readonly before?: ForkOrigin;
};

export type MessageEvent = Message & {
  readonly kind: 'message';
};

export type RewardEvent = {
  readonly kind: 'reward';
  readonly rewards: Readonly<Record<Seat, number>>;
  readonly penalties?: Readonly<Record<Seat, number>>;
};

export type TurnEvent = {
  readonly kind: 'turn';
  readonly asks: readonly Ask[];
};

/** An action of a seat, with its mind and its model calls. */
export type ActionEvent = {
  readonly kind: 'action';
  readonly seat: Seat;
  readonly action: Action;
  readonly mind?: Json;
  readonly calls?: readonly ModelCall[];
  /** A person wrote it instead of the seat's agent. */
  readonly edited?: true;
};

/** over: the rules ended it. limit: it reached a budget. error: a boundary failed. abort: it was canceled. */
export type EndReason = 'over' | 'limit' | 'error' | 'abort';

export type EndEvent = {
  readonly kind: 'end';
  readonly reason: EndReason;
  /** Sums of all rewards, and of all penalties, seat by seat. */
  readonly returns: Readonly<Record<Seat, number>>;
  readonly penalties: Readonly<Record<Seat, number>>;
  readonly turns: number;
  readonly fault?: FaultRecord;
  /** The limit that was reached, e.g. "turns". */
  readonly limit?: string;
};

/** One entry of the log of an episode. */
export type EpisodeEvent = StartEvent | MessageEvent | RewardEvent | TurnEvent | ActionEvent | EndEvent;

/** An observation of a seat: a message to it, its own action, or its own reward. */
export type Seen =
  | MessageEvent
  | { readonly kind: 'action'; readonly action: Action }
  | { readonly kind: 'reward'; readonly reward: number; readonly penalty: number };

/** The information of an agent about an episode. */
export interface View {
  readonly seat: Seat;
  readonly seen: readonly Seen[];
}

/** One event as a seat observes it, or null if it does not. */
export function toSeen(event: EpisodeEvent, seat: Seat): Seen | null {
  switch (event.kind) {
    case 'message':
      return event.to.includes(seat) ? event : null;
    case 'action':
      return event.seat === seat ? event : null;
    case 'reward': {
      const reward = event.rewards[seat];
      const penalty = event.penalties?.[seat];
      return reward === undefined && penalty === undefined ? null : { kind: 'reward', reward: reward ?? 0, penalty: penalty ?? 0 };
    }
    default:
      return null;
  }
}

/** A seat's view of a log, with all but the latest `window` messages hidden if a window is given. */
export function viewOf(events: Iterable<EpisodeEvent>, seat: Seat, window?: number): View {
  const observations: Seen[] = [];
  for (const event of events) {
    const item = toSeen(event, seat);
    if (item) observations.push(item);
  }
  return { seat, seen: window === undefined ? observations : lastSeen(observations, window) };
}

/** The end of a seat's observations, with at most `window` messages. */
export function lastSeen(observations: readonly Seen[], window: number): readonly Seen[] {
  let left = window;
  for (let i = observations.length - 1; i >= 0; i--) {
    if (observations[i]!.kind !== 'message') continue;
    if (left-- === 0) return observations.slice(i + 1);
  }
  return observations;
}

/** The messages that a seat has read so far, in order, as one text. */
export function textOf(view: View): string {
  let text = '';
  for (const item of view.seen) {
    if (item.kind === 'message') text += item.from === undefined ? `${item.text}\n` : `${item.from}: ${item.text}\n`;
    else if (item.kind === 'action') text += `${view.seat}: ${item.action.text}\n`;
  }
  return text;
}

/** A seat's observations and actions so far, as a chat: its own actions are the assistant's messages, everything else is the user's. */
export function chatOf(view: View): readonly ChatMessage[] {
  const messages: ChatMessage[] = [];
  for (const item of view.seen) {
    if (item.kind === 'action') messages.push({ role: 'assistant', content: item.action.text });
    else if (item.kind === 'message') {
      const line = item.from === undefined ? item.text : `${item.from}: ${item.text}`;
      const last = messages.at(-1);
      if (last?.role === 'user') messages[messages.length - 1] = { role: 'user', content: `${last.content}\n${line}` };
      else messages.push({ role: 'user', content: line });
    }
  }
  return messages;
}
