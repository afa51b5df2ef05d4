/** @file The interface of every kind of bot: sessions that take a message and return an answer. */

import { type Json, type JsonObject, parseJson, type ToolCall } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';

export interface BotAnswer {
  readonly text: string;
  /** Calls of the bot's own tools that it has reported. */
  readonly toolCalls?: readonly ToolCall[];
  /** Remarks about the answer, one sentence each. */
  readonly notes?: readonly string[];
  /** Changes to its own records since the session began, if it shows them: {"orders/17": {"status": "cancelled"}}. */
  readonly changes?: JsonObject;
  readonly promptTokens?: number;
  readonly completionTokens?: number;
}

/** One conversation with a bot. */
export interface BotSession {
  send(message: string, signal: AbortSignal): Promise<BotAnswer>;
  /** It has accepted the records of the case, including the planted text. */
  readonly takesRecords?: boolean;
  /** Releases the resources of the conversation. It never throws. */
  close(): Promise<void>;
}

/** Connects to a bot. Nothing is opened before the first message. */
export interface BotLink {
  /** Its name in sentences and logs: "http://localhost:3000/chat". */
  readonly name: string;
  /** Throws if the bot’s server is unreachable. Bots without a server do not have this method. */
  readonly reach?: (signal: AbortSignal) => Promise<void>;
  /** `hooks` is the address at which this process receives the bot's reported calls. */
  open(session: string, signal: AbortSignal, hooks?: string, records?: BotRecords): Promise<BotSession>;
}

/** Records by table and id that replace the bot's own in a conversation, such as one with planted text. */
export type BotRecords = Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;

/** A bot that is a function: it returns its answer, or the pieces of it. */
export interface BotFunction {
  (message: string, context: BotContext): unknown;
  /** Stores records before a conversation; a bot without this method keeps its own records. */
  readonly plant?: (records: BotRecords, context: BotContext) => unknown;
}

export interface BotContext {
  /** The same for all messages of one conversation. */
  readonly session: string;
  /** The address at which this process listens for the bot's reported actions. */
  readonly hooks?: string;
  /** Aborts when the time limit is reached or the episode is over. */
  readonly signal: AbortSignal;
}

/** External services that bots need. */
export interface BotServices {
  readonly cwd: string;
  /** An environment variable, for headers and processes. */
  env(name: string): string | undefined;
  /** The function that a file exports. */
  load(file: string): Promise<BotFunction>;
}

/** The text of an answer, in any format that bots use; undefined if there is none. */
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
 * The tool calls that a bot reports in its answer, as "tool_calls", "toolCalls", or "calls": each {"name", "arguments"}, or in the
 * format of OpenAI-compatible servers, {"function": {"name", "arguments"}}.
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
      // Arguments that are not valid JSON stay text.
    }
    return { id: String(jsonObject['id'] ?? i), name: String(call['name'] ?? call['tool'] ?? ''), arguments: read };
  });
}

/** The list of calls in an answer; null if the answer has none. An empty list means that no tool was called. */
function reportedCalls(answer: Json | undefined): readonly Json[] | null {
  const calls = isObject(answer) ? (answer['tool_calls'] ?? answer['toolCalls'] ?? answer['calls']) : undefined;
  return Array.isArray(calls) ? (calls as readonly Json[]) : null;
}

/** Whether an answer has a list of calls, even an empty one. */
export function tellsOfCalls(answer: Json | undefined): boolean {
  return reportedCalls(answer) !== null;
}
