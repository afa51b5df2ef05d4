/** @file How much a proposer shows its model: the context left besides the answer. A small model is shown less, instead of failing. */

import type { Model } from '@ludus-agents/kernel/internal/core/index';

/** Tokens that a server adds around a message, and a margin for counting errors. */
const frame = 64;

export interface PromptRoom {
  /** The maximum length of the answer. */
  readonly answer: number;
  /** The first of some contents, longest first, that fits; the last if none does. */
  readonly fitting: (contents: Iterable<string>) => string;
}

/** The room of a model for answers of the user's maximum length, or of the wanted one. */
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
