/**
 * @file How servers are held to one of a few answers: each has its own field for it, and a server that ignores a field says nothing.
 *
 * So a way is believed only after a probe: two words that nobody would say unless held to them. What was found is remembered with the model.
 */

import type { Json } from '@ludus-agents/kernel/internal/core/index';
import { fieldsOf } from './openai.wire.ts';
import type { Software } from './server-facts.ts';

export type Enforcement = 'structured' | 'guided' | 'grammar' | 'schema' | 'none';

/** What a note of a call says about each way. */
export const enforcementWords: Readonly<Record<Exclude<Enforcement, 'none'>, string>> = {
  structured: 'a choice that the server enforces',
  guided: 'a guided choice that the server enforces',
  grammar: 'a grammar',
  schema: 'a schema',
};

/** The note of a call that was held to its choices. */
export function heldNote(way: string): string {
  return `The answer was constrained to the given choices by ${way}.`;
}

export const freeNote = 'The server cannot constrain answers to choices, so the answer is used as written.';

/** Ways in the order in which they are tried. Bare choices come first: a schema makes the model write JSON around its move. */
export function waysFor(software: Software | undefined): readonly Enforcement[] {
  if (software === 'vllm') return ['structured', 'guided', 'schema'];
  if (software === 'llama.cpp') return ['grammar', 'schema'];
  return software === 'mlx' ? [] : ['schema'];
}

/** The fields of a request that hold it to the choices. */
export function enforcing(way: Enforcement, choices: readonly string[]): Readonly<Record<string, unknown>> {
  if (way === 'structured') return { structured_outputs: { choice: choices } };
  if (way === 'guided') return { guided_choice: choices };
  if (way === 'grammar') return { grammar: choiceGrammar(choices) };
  if (way === 'none') return {};
  const schema = choiceSchema(choices);
  return { response_format: { type: 'json_schema', json_schema: { name: 'move', schema, strict: true } } };
}

/** One object with one field, the shape that every server with schemas takes. */
export function choiceSchema(choices: readonly string[]): Json {
  return { type: 'object', properties: { move: { type: 'string', enum: choices } }, required: ['move'], additionalProperties: false };
}

/** The choice in an answer: a schema's wrapper is removed, and any other text stays as written. */
export function choiceIn(text: string, way: Enforcement, choices: readonly string[]): string {
  const bare = text.trim();
  if (way !== 'schema') return choices.includes(bare) ? bare : text;
  try {
    const { move } = fieldsOf(JSON.parse(bare));
    return typeof move === 'string' && choices.includes(move) ? move : text;
  } catch {
    return text;
  }
}

/** A grammar in GBNF of which the choices are all that can be said. */
export function choiceGrammar(choices: readonly string[]): string {
  return `root ::= ${choices.map(literal).join(' | ')}`;
}

function literal(text: string): string {
  const escaped = text.replace(/[\\"]/g, '\\$&').replace(/\n/g, '\\n').replace(/\r/g, '\\r').replace(/\t/g, '\\t');
  return `"${escaped}"`;
}

/** What a probe asks for, and the only answers it allows. No model says one of them by itself. */
export const probe = { words: ['zorblat', 'quimfex'], question: 'Which day comes after Monday? Answer in one word.' } as const;
