/** @file Tracks the input of a seat by hashes: finds new messages in a prompt, and the conversation that it continues. */

import { createHash } from 'node:crypto';
import { type ChatMessage, canonical, type Json, type Message, parseJson, type Seat } from '@ludus-agents/kernel/internal/core/index';
import type { ProxyTarget } from './target.ts';

/** A message of a prompt as a message of the environment. */
export function toSeatMessage(seat: Seat, { role, content, images, name, toolCalls, toolCallId }: ChatMessage): Message {
  const data = {
    role,
    ...(name === undefined ? {} : { name }),
    ...(toolCallId === undefined ? {} : { toolCallId }),
    ...(toolCalls === undefined ? {} : { toolCalls }),
  };
  return { to: [seat], text: content, data, ...(images === undefined ? {} : { images }) };
}

/** Arguments with the same JSON are equal regardless of formatting: programs return them with different whitespace. */
export function hashOf({ role, content, images, name, toolCalls, toolCallId }: ChatMessage): string {
  const calls = toolCalls?.map((call) => [call.id, call.name, canonical(argumentsIn(call.arguments))]);
  return digest(
    JSON.stringify([role, content, name ?? null, calls ?? null, toolCallId ?? null, ...(images ?? []).map(({ data }) => data)]),
  );
}

/** Text that is not JSON, or is nested too deeply, stays unchanged. */
function argumentsIn(input: Json): Json {
  if (typeof input !== 'string') return input;
  if (input.trim() === '') return {};
  try {
    return parseJson(input);
  } catch {
    return input;
  }
}

export function tailOf({ run, seat }: ProxyTarget, hashes: readonly string[]): string {
  return digest([run, seat, ...hashes].join(' '));
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

export function commonLength(a: readonly string[], b: readonly string[]): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}
