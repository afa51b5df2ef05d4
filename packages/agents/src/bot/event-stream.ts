/** @file Assembles an answer from server-sent events: OpenAI-compatible deltas, or pieces of text at a path or under the usual names. */

import { isObject, type Json, type JsonObject, parseJson } from '@ludus-agents/kernel/internal/core/index';
import { textIn } from './session.ts';

/** The answer as an OpenAI-compatible server would have sent it without streaming. */
export function joinedEvents(text: string, at: (event: Json) => Json | undefined): Json {
  const events = text.split(/\r?\n\r?\n/).flatMap((block): Json[] => {
    const lines = block.split(/\r?\n/).filter((line) => line.startsWith('data:'));
    const data = lines.map((line) => line.slice(5).replace(/^ /, '')).join('\n');
    if (data === '' || data === '[DONE]') return [];
    try {
      return [parseJson(data) as Json];
    } catch {
      return [data];
    }
  });
  // Streams of deltas repeat the whole answer at their end.
  const deltas = events.filter((event) => isObject(event) && event['delta'] !== undefined);
  const statements =
    deltas.length > 0
      ? deltas.map((event) => textIn(at(event)) ?? ownDeltaOf(event as JsonObject))
      : events.map((event) => deltaOf(event) ?? textIn(at(event)) ?? '');
  return { choices: [{ message: { content: statements.join('') } }] };
}

/** A chunk in the format of Responses, Messages, and many bots; reasoning and tool input are not part of the answer. */
function ownDeltaOf({ type, delta }: JsonObject): string {
  return typeof type === 'string' && /arguments|reasoning|thinking/.test(type) ? '' : (textIn(delta) ?? '');
}

function deltaOf(event: Json): string | undefined {
  const choices = (event as { readonly choices?: readonly { readonly delta?: { readonly content?: string | null } }[] } | null)?.choices;
  return Array.isArray(choices) ? (choices[0]?.delta?.content ?? '') : undefined;
}
