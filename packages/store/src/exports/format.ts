/** @file The interface of a dataset format: tables of rows, created from one episode at a time. */

import { imageUrl } from '@ludus-agents/kernel/internal/core/image';
import type { ChatMessage, Json, JsonObject, Score, Seat, ToolCall } from '@ludus-agents/kernel/internal/core/index';
import { type ExportEpisode, scoresOf } from './plays.ts';
import type { Chat } from './words.ts';

/** A column's type in files that have types; bytes are base64 in a row. */
export type ColumnType = 'text' | 'bytes' | 'whole' | 'number' | 'yesno' | { readonly list: ColumnType } | { readonly fields: Columns };
export type Columns = Readonly<Record<string, ColumnType>>;

/** Receives the reason for everything that was left out. */
export type Leave = (why: string) => void;

export interface ExportTable {
  /** Empty where a format has one table only. */
  readonly name: string;
  /** Written as Parquet if columns are given, otherwise as JSON lines. */
  readonly columns?: Columns;
  rows(play: ExportEpisode, leave: Leave): Iterable<JsonObject>;
}

/** A format of datasets: its tables and their contents. */
export interface DatasetFormat {
  readonly about: string;
  /** The contents of the rows and the meaning of their masks, for the card. */
  readonly notes: readonly string[];
  /** Whether its tables have state, so that rows depend on all earlier ones; otherwise they can be created in any order. */
  readonly remembers?: true;
  /** New tables for each export. */
  open(): readonly ExportTable[];
}

/** A format with one table of lines that remembers nothing. */
export function lines(about: string, notes: readonly string[], rows: ExportTable['rows']): DatasetFormat {
  return { about, notes, open: () => [{ name: '', rows }] };
}

/** Where a row comes from. */
export function originOf(play: ExportEpisode, seat: Seat): JsonObject {
  const { record, start, end, split, task } = play;
  return {
    episode: record.id,
    run: record.run,
    environment: record.environment,
    task,
    seed: record.seed,
    seat,
    agent: start.cast[seat] ?? '',
    return: end?.returns[seat] ?? null,
    scores: scoresOf(play, seat),
    split,
  };
}

/** The same in plain columns: nested objects of unlike keys do not fit into one table. */
export function flatOrigin(play: ExportEpisode, seat: Seat): JsonObject {
  const { return: reward, scores, run, ...rest } = originOf(play, seat);
  return { ...rest, run: run ?? '', reward: reward as Json, scores: JSON.stringify(scores) };
}

/** A message as OpenAI writes it; arguments are text there, and an object in chat templates. */
export function wireMessage(
  { role, content, images = [], name, toolCalls, toolCallId }: ChatMessage,
  forms: 'text' | 'object',
): JsonObject {
  // A column has one type, so only JSON lines contain images; the texts next to them are complete.
  const jsonObjects =
    forms === 'object' ? [] : images.map((image): JsonObject => ({ type: 'image_url', image_url: { url: imageUrl(image) } }));
  return {
    role,
    content: jsonObjects.length === 0 ? content : [{ type: 'text', text: content }, ...jsonObjects],
    ...(name === undefined ? {} : { name }),
    ...(toolCallId === undefined ? {} : { tool_call_id: toolCallId }),
    ...(toolCalls === undefined || toolCalls.length === 0 ? {} : { tool_calls: toolCalls.map((call) => wireCall(call, forms)) }),
  };
}

function wireCall(call: ToolCall, forms: 'text' | 'object'): JsonObject {
  const input = call.arguments;
  const text = typeof input === 'string' ? input : JSON.stringify(input);
  return { id: call.id, type: 'function', function: { name: call.name, arguments: forms === 'text' ? text : argumentsOf(call) } };
}

/** Arguments as an object. If a model wrote another value, it is stored under one name, unchanged. */
export function argumentsOf({ arguments: input }: ToolCall): JsonObject {
  const value = typeof input === 'string' ? parseOrText(input) : input;
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : { unparsed: input };
}

function parseOrText(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** The tools of a chat as servers take them. */
export function wireTools({ tools }: Chat): readonly JsonObject[] {
  return tools.map((tool) => ({ type: 'function', function: tool }));
}

/** The provenance of a score as text. Scores that are read together share it, so most texts are created once. */
export function provenanceText({ provenance }: Pick<Score, 'provenance'>): string {
  if (provenance === undefined) return '{}';
  let text = provenanceTexts.get(provenance);
  if (text === undefined) {
    text = JSON.stringify(provenance);
    provenanceTexts.set(provenance, text);
  }
  return text;
}

const provenanceTexts = new WeakMap<object, string>();
