/** @file A conversation from another program, before it becomes an episode: each seat's messages, observations, and score. */

import type { Json, JsonObject, Score, Seat, ToolCall, ToolSpec } from '@ludus-agents/kernel/internal/core/index';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { brief, isObject } from '@ludus-agents/kernel/internal/core/json';

/** Not from a seat: rules, scenes, the answers of tools. */
export type TranscriptNote = {
  readonly kind: 'told';
  readonly to: readonly Seat[];
  readonly role: 'system' | 'user' | 'tool';
  readonly text: string;
  readonly toolCallId?: string;
  readonly name?: string;
};

/** Said by a seat; `to` are its readers. */
export type TranscriptSpeech = {
  readonly kind: 'said';
  readonly seat: Seat;
  readonly to: readonly Seat[];
  readonly text: string;
  readonly toolCalls?: readonly ToolCall[];
  /** 0 where a training set says that it is read and not learned. */
  readonly weight?: 0;
};

export type TranscriptLine = TranscriptNote | TranscriptSpeech;

export interface Transcript {
  readonly seats: readonly Seat[];
  /** The agents by seat, as far as the file names them. */
  readonly cast: Readonly<Record<Seat, string>>;
  /** The task: conversations with the same task get the same task here. */
  readonly task: JsonObject;
  /** Which try at the task it was. */
  readonly trial: number;
  readonly lines: readonly TranscriptLine[];
  readonly tools?: readonly ToolSpec[];
  readonly rewards?: Readonly<Record<Seat, number>>;
  /** From this reward on, the task is passed; without it passing is undefined. */
  readonly pass?: number;
  readonly scores?: readonly Score[];
  /** Parts that were omitted during parsing. */
  readonly left?: readonly string[];
}

/** One format: how it is recognized, and how it is read. */
export interface TranscriptReader {
  readonly name: string;
  fits(item: JsonObject): boolean;
  /** `index` is the place of the item in its file, from 0. */
  read(item: JsonObject, index: number): Transcript;
}

/** A list of objects, or a fault that names where one was expected. */
export function objectsIn(value: Json | undefined, where: string): readonly JsonObject[] {
  if (!Array.isArray(value) || !value.every(isObject))
    throw new Fault('input', `${where} must be a list of objects, but got ${brief(value)}.`);
  return value as readonly JsonObject[];
}

/** Text, or the text parts of a list of parts; nothing is not text. */
export function textIn(value: Json | undefined, where: string): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (Array.isArray(value))
    return value.map((part: Json) => (isObject(part) && typeof part['text'] === 'string' ? part['text'] : '')).join('');
  throw new Fault('input', `${where} must be a string, but got ${brief(value)}.`);
}

/** Arguments of a call as an object where they are JSON, and as they were written where they are not. */
export function argumentsIn(value: Json | undefined): Json {
  if (typeof value !== 'string') return value ?? {};
  try {
    return JSON.parse(value) as Json;
  } catch {
    return value;
  }
}
