/**
 * @file Converts a sampler's output to calls for the log. Identical answers share their tokens and their text, because a game has few
 * moves.
 */

import { type Codec, textOfTokens } from '@ludus-agents/agents/internal/models/codec';
import type { SampledSequence } from '@ludus-agents/agents/internal/models/tinker/sequences';
import { TokenCache } from '@ludus-agents/agents/internal/models/token-cache';
import { Fault, type ModelCall, type Prompt, type Sampling } from '@ludus-agents/kernel/internal/core/index';

interface Written {
  readonly tokens: readonly number[];
  readonly text: string;
}

export class Answers {
  readonly #id: string;
  readonly #codec: Codec;
  readonly #known = new TokenCache<Written>();

  constructor(id: string, codec: Codec) {
    this.#id = id;
    this.#codec = codec;
  }

  callOf(
    { prompt, read }: { readonly prompt: Prompt; readonly read: readonly number[] },
    { stop_reason, tokens, logprobs }: SampledSequence,
    sampling: Sampling,
  ): ModelCall {
    if (logprobs && logprobs.length !== tokens.length)
      throw new Fault(
        'model',
        `${this.#id} returned ${tokens.length} tokens but ${logprobs.length} log-probabilities, so the answer cannot be used for training.`,
      );
    const { text, tokens: tokenIds } = this.#written(tokens);
    return {
      model: this.#id,
      prompt,
      text,
      finish: stop_reason,
      usage: { promptTokens: read.length, completionTokens: tokenIds.length },
      cost: null,
      promptTokenIds: read,
      tokenIds,
      ...(logprobs ? { logprobs } : {}),
      ...(sampling.schema === undefined ? {} : { notes: [`${this.#id} cannot be constrained to a schema.`] }),
    };
  }

  #written(tokens: readonly number[]): Written {
    return this.#known.of(tokens.join(), () => ({ tokens, text: textOfTokens(this.#codec, tokens) }));
  }
}
