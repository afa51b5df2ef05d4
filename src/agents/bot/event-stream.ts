/** @file An answer that comes as server-sent events, put together: OpenAI-compatible deltas, or pieces of text at a path or by the usual names. */

import { type Json, parseJson } from '../../core/index.ts';
import { textIn } from './session.ts';

/** The answer as an OpenAI-compatible server would have sent it at once. */
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
  return { choices: [{ message: { content: events.map((event) => deltaOf(event) ?? textIn(at(event)) ?? '').join('') } }] };
}

function deltaOf(event: Json): string | undefined {
  const choices = (event as { readonly choices?: readonly { readonly delta?: { readonly content?: string | null } }[] } | null)?.choices;
  return Array.isArray(choices) ? (choices[0]?.delta?.content ?? '') : undefined;
}
