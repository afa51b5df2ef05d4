/** @file What every kind of bot offers: sessions that take a message and give an answer. */

import type { Json, ToolCall } from '../../core/index.ts';

export interface BotAnswer {
  readonly text: string;
  /** Calls of its own tools that the bot has told about. */
  readonly toolCalls?: readonly ToolCall[];
  /** What is worth knowing about the answer, one sentence each. */
  readonly notes?: readonly string[];
  readonly promptTokens?: number;
  readonly completionTokens?: number;
}

/** One conversation with a bot. */
export interface BotSession {
  send(message: string, signal: AbortSignal): Promise<BotAnswer>;
  /** Lets go of what the conversation holds. It never throws. */
  close(): Promise<void>;
}

/** A way to reach a bot. Nothing is opened before the first message. */
export interface BotLink {
  /** What it is, in sentences and logs: "http://localhost:3000/chat". */
  readonly name: string;
  open(session: string, signal: AbortSignal): Promise<BotSession>;
}

/** A bot that is a function: its answer, or the pieces of it. */
export type BotFunction = (message: string, context: BotContext) => unknown;

export interface BotContext {
  /** The same for all messages of one conversation. */
  readonly session: string;
  /** Raised when the time is up, and when the episode is over. */
  readonly signal: AbortSignal;
}

/** What bots need from outside their room. */
export interface BotServices {
  readonly cwd: string;
  /** A variable of the environment, for headers and for processes. */
  env(name: string): string | undefined;
  /** The function that a file exports. */
  load(file: string): Promise<BotFunction>;
}

/** The text of an answer in any of the shapes that bots give it; undefined where it is none. */
export function textIn(value: Json | undefined): string | undefined {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) {
    const parts = value.map(textIn);
    return parts.length > 0 && parts.every((one) => one !== undefined) ? parts.join('') : undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const fields = value as Readonly<Record<string, Json>>;
  for (const name of ['reply', 'answer', 'response', 'message', 'text', 'content', 'output']) {
    const text = Object.hasOwn(fields, name) ? textIn(fields[name]) : undefined;
    if (text !== undefined) return text;
  }
  return undefined;
}
