/**
 * @file How servers constrain an answer to given choices: each has its own field for it, and a server may silently ignore it.
 *
 * A method is therefore used only after a probe: two words that no model would say unless constrained. The result is stored with the model.
 */

import type { Json } from '@ludus-agents/kernel/internal/core/index';
import { fieldsOf } from './openai.wire.ts';
import type { Software } from './server-facts.ts';

export type Enforcement = 'structured' | 'guided' | 'grammar' | 'schema' | 'none';

/** The description of each method in the note of a call. */
export const enforcementWords: Readonly<Record<Exclude<Enforcement, 'none'>, string>> = {
  structured: 'a choice that the server enforces',
  guided: 'a guided choice that the server enforces',
  grammar: 'a grammar',
  schema: 'a schema',
};

/** The note of a call that was constrained to its choices. */
export function heldNote(way: string): string {
  return `The answer was constrained to the given choices by ${way}.`;
}

export const freeNote = 'The server cannot constrain answers to choices, so the answer is used as written.';

/** Methods in the order in which they are tried. Bare choices come first, because a schema makes the model write JSON around its move. */
export function waysFor(software: Software | undefined): readonly Enforcement[] {
  if (software === 'vllm') return ['structured', 'guided', 'schema'];
  if (software === 'llama.cpp') return ['grammar', 'schema'];
  return software === 'mlx' ? [] : ['schema'];
}

/** The request fields that constrain the answer to the choices. */
export function enforcing(way: Enforcement, choices: readonly string[]): Readonly<Record<string, unknown>> {
  if (way === 'structured') return { structured_outputs: { choice: choices } };
  if (way === 'guided') return { guided_choice: choices };
  if (way === 'grammar') return { grammar: choiceGrammar(choices) };
  if (way === 'none') return {};
  const schema = choiceSchema(choices);
  return { response_format: { type: 'json_schema', json_schema: { name: 'move', schema, strict: true } } };
}

/** An object with one field, a schema that every server with schema support accepts. */
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

/** A GBNF grammar that allows only the choices. */
export function choiceGrammar(choices: readonly string[]): string {
  return `root ::= ${choices.map(literal).join(' | ')}`;
}

function literal(text: string): string {
  const escaped = text.replace(/[\\"]/g, '\\$&').replace(/\n/g, '\\n').replace(/\r/g, '\\r').replace(/\t/g, '\\t');
  return `"${escaped}"`;
}

/** The probe's question and the only answers it allows. No model gives one of them by itself. */
export const probe = { words: ['zorblat', 'quimfex'], question: 'Which day comes after Monday? Answer in one word.' } as const;
