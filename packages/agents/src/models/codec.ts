/** @file The interface of a codec between text and tokens: the functions of a model's tokenizer and chat template. */

import type { Prompt, PromptForm } from '@ludus-agents/kernel/internal/core/index';

export interface Codec {
  /** The tokens of a prompt up to where the answer begins. Prompts that grow should give tokens that grow: then turns share a row. */
  encode(prompt: Prompt): readonly number[];
  /** An answer as the model itself would write it after the prompt, without the end token; needed to learn from demonstrations. */
  answer?(prompt: Prompt, text: string): readonly number[];
  decode(tokens: readonly number[]): string;
  /** Tokens that end an answer and are no part of its text; the first is the one that ends an answer by itself. */
  readonly stop: readonly number[];
  /** The chat template, where it has one. */
  readonly template?: NonNullable<PromptForm['template']>;
}

/** The text of an answer, without the tokens that end it. */
export function textOfTokens(codec: Codec, tokens: readonly number[]): string {
  let end = tokens.length;
  while (end > 0 && codec.stop.includes(tokens[end - 1]!)) end--;
  return codec.decode(tokens.slice(0, end));
}
