/** @file How much a proposer shows its model: what its context holds next to the answer. A small model is shown less, instead of failing. */

import type { Model } from '@ludus-agents/kernel/internal/core/index';

/** Tokens that a server puts around a message, and what counts are wrong by. */
const frame = 64;

export interface PromptRoom {
  /** The longest answer that is asked for. */
  readonly answer: number;
  /** The first of some contents, longest first, that fits; the last where none does. */
  readonly fitting: (contents: Iterable<string>) => string;
}

/** The room of a model for answers as long as the user lets it answer, or as long as is wanted. */
export async function roomOf(model: Model, wanted: number): Promise<PromptRoom> {
  const holds = (await model.context?.()) ?? Number.POSITIVE_INFINITY;
  const answer = Math.min(model.usual?.maxTokens ?? wanted, Math.floor(holds / 4));
  const count = model.tokens ?? ((text: string) => Math.ceil(text.length / 3));
  return {
    answer,
    fitting(contents) {
      let last = '';
      for (const content of contents) {
        last = content;
        if (holds === Number.POSITIVE_INFINITY || count(content) + frame <= holds - answer) break;
      }
      return last;
    },
  };
}
