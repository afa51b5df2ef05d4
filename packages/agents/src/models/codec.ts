/** @file The interface of a codec between text and tokens: the functions of a model's tokenizer and chat template. */

import type { Prompt, PromptForm } from '@ludus-agents/kernel/internal/core/index';

export interface Codec {
  /**
   * The tokens of a prompt up to the start of the answer. If a prompt extends another, its tokens should extend the other's: then turns
   * share a row.
   */
  encode(prompt: Prompt): readonly number[];
  /** An answer as the model would write it after the prompt, without the end token; needed to learn from demonstrations. */
  answer?(prompt: Prompt, text: string): readonly number[];
  decode(tokens: readonly number[]): string;
  /** Tokens that end an answer and are not part of its text; the first is the model's own end token. */
  readonly stop: readonly number[];
  /** The chat template, if the model has one. */
  readonly template?: NonNullable<PromptForm['template']>;
}

/** The text of an answer, without the tokens that end it. */
export function textOfTokens(codec: Codec, tokens: readonly number[]): string {
  let end = tokens.length;
  while (end > 0 && codec.stop.includes(tokens[end - 1]!)) end--;
  return codec.decode(tokens.slice(0, end));
}
