/** @file What every kind of bot offers: sessions that take a message and give an answer. */

import { type Json, type JsonObject, parseJson, type ToolCall } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';

export interface BotAnswer {
  readonly text: string;
  /** Calls of its own tools that the bot has reported. */
  readonly toolCalls?: readonly ToolCall[];
  /** What is worth knowing about the answer, one sentence each. */
  readonly notes?: readonly string[];
  /** What it has changed in its own records since the session began, where it shows them: {"orders/17": {"status": "cancelled"}}. */
  readonly changes?: JsonObject;
  readonly promptTokens?: number;
  readonly completionTokens?: number;
}

/** One conversation with a bot. */
export interface BotSession {
  send(message: string, signal: AbortSignal): Promise<BotAnswer>;
  /** It has taken over the records of the case, with the text that is planted in them. */
  readonly takesRecords?: boolean;
  /** Releases the resources of the conversation. It never throws. */
  close(): Promise<void>;
}

/** A way to reach a bot. Nothing is opened before the first message. */
export interface BotLink {
  /** What it is, in sentences and logs: "http://localhost:3000/chat". */
  readonly name: string;
  /** Throws where its server accepts no connections. Left out where there is no server. */
  readonly reach?: (signal: AbortSignal) => Promise<void>;
  /** `hooks` is where this process listens to what the bot tells of its deeds. */
  open(session: string, signal: AbortSignal, hooks?: string, records?: BotRecords): Promise<BotSession>;
}

/** Records by table and id that a conversation has in place of the bot's, such as one with planted text. */
export type BotRecords = Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;

/** A bot that is a function: its answer, or the pieces of it. */
export interface BotFunction {
  (message: string, context: BotContext): unknown;
  /** Puts records in place before a conversation; a bot without it keeps its records as they are. */
  readonly plant?: (records: BotRecords, context: BotContext) => unknown;
}

export interface BotContext {
  /** The same for all messages of one conversation. */
  readonly session: string;
  /** The address at which this process listens for the bot's reported actions. */
  readonly hooks?: string;
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
    return parts.length > 0 && parts.every((part) => part !== undefined) ? parts.join('') : undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const fields = value as Readonly<Record<string, Json>>;
  for (const name of ['reply', 'answer', 'response', 'message', 'text', 'content', 'output']) {
    const text = Object.hasOwn(fields, name) ? textIn(fields[name]) : undefined;
    if (text !== undefined) return text;
  }
  return undefined;
}

/**
 * Calls of its own tools that a bot tells about in its answer, as "tool_calls", "toolCalls" or "calls": each {"name", "arguments"}, or as
 * OpenAI-compatible servers write them, {"function": {"name", "arguments"}}.
 */
export function toolCallsIn(answer: Json | undefined): readonly ToolCall[] {
  const inputs = reportedCalls(answer);
  if (inputs === null) return [];
  return inputs.filter(isObject).map((jsonObject, i) => {
    const call = isObject(jsonObject['function']) ? jsonObject['function'] : jsonObject;
    const written = call['arguments'] ?? call['args'] ?? {};
    let read: Json = written;
    try {
      if (typeof written === 'string') read = parseJson(written) as Json;
    } catch {
      // Arguments that are no JSON stay the text they are.
    }
    return { id: String(jsonObject['id'] ?? i), name: String(call['name'] ?? call['tool'] ?? ''), arguments: read };
  });
}

/** The list in which an answer tells of calls; null where it has none. An empty list says that nothing was called. */
function reportedCalls(answer: Json | undefined): readonly Json[] | null {
  const calls = isObject(answer) ? (answer['tool_calls'] ?? answer['toolCalls'] ?? answer['calls']) : undefined;
  return Array.isArray(calls) ? (calls as readonly Json[]) : null;
}

/** Whether an answer tells of its calls, even of none. */
export function tellsOfCalls(answer: Json | undefined): boolean {
  return reportedCalls(answer) !== null;
}
