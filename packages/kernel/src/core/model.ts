/** @file A model completes a chat; a learner is a model with trainable weights. */

import type { Policy, Turn } from './agent.ts';
import type { ImagePart } from './image.ts';
import type { Json, JsonObject } from './json.ts';
import type { PromptForm } from './prompt-form.ts';

export type ChatMessage = {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string;
  /** Images after the text; models without vision receive none. */
  readonly images?: readonly ImagePart[];
  readonly name?: string;
  readonly toolCalls?: readonly ToolCall[];
  readonly toolCallId?: string;
};

export type ToolCall = {
  readonly id: string;
  readonly name: string;
  readonly arguments: Json;
};

export type ToolSpec = {
  readonly name: string;
  readonly description: string;
  readonly parameters: Json;
};

/** A prompt: messages, and the tools that the model may call. */
export type Prompt = {
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly ToolSpec[];
};

/** Sampling options: length, temperature, format. */
export type Sampling = {
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly stop?: readonly string[];
  readonly seed?: number;
  /** How long a reasoning model may think before it answers, if that can be set. */
  readonly reasoning?: 'off' | 'low' | 'medium' | 'high';
  /** JSON Schema for the answer. */
  readonly schema?: Json;
  /** Requests token ids and logprobs, if the model supports them. */
  readonly tokens?: boolean;
  /**
   * The answer must be exactly one of these texts. If possible, the model is constrained to them; a note of the call says how, or that it
   * was not.
   */
  readonly choices?: readonly string[];
};

export type Usage = {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens?: number;
  /** The reasoning part of the completion, at the same price. */
  readonly thinkingTokens?: number;
  /** True if the server reported no counts and this is an estimate: budgets count such a call at its bound. */
  readonly estimated?: boolean;
};

/** One completed call, as stored in the log. */
export type ModelCall = {
  readonly model: string;
  readonly prompt: Prompt;
  readonly text: string;
  readonly toolCalls?: readonly ToolCall[];
  /** The model's thoughts before the answer, if it shows them; never part of the text. */
  readonly thinking?: string;
  readonly finish: 'stop' | 'length' | 'tool' | 'refused';
  readonly usage: Usage;
  /** In US dollars; null if the price is unknown, which is not the same as free. */
  readonly cost: number | null;
  readonly promptTokenIds?: readonly number[];
  readonly tokenIds?: readonly number[];
  readonly logprobs?: readonly number[];
  /** The number of updates of a learner's weights at sampling time, if episodes overlap with updates. */
  readonly version?: number;
  readonly milliseconds?: number;
  /** True for a cached answer, for which no call was made. */
  readonly kept?: true;
  /** Differences between the request and the result, one sentence each. */
  readonly notes?: readonly string[];
};

/** The probabilities of given texts as a model's answer. */
export interface ChoiceScores {
  /**
   * The log-probability of each text as the whole answer, including the end of the turn: not renormalized, so their sum shows how much
   * falls on none.
   */
  readonly logprobs: readonly number[];
  /** The call; its text is the likeliest one. */
  readonly call: ModelCall;
}

/** US dollars per million tokens. */
export type ModelPrice = {
  readonly prompt: number;
  readonly completion: number;
  /** For cached prompt tokens; by default the full price. */
  readonly cached?: number;
  /** The longest prompt for which this price is valid; beyond it the cost is unknown. */
  readonly upTo?: number;
};

/** A prompt with the settings of its call. */
export interface PromptCall {
  readonly prompt: Prompt;
  readonly sampling: Sampling;
}

/** Completes a chat. */
export interface Model {
  readonly id: string;
  /** The price of calls; null if unknown. A budget of money rejects a model without a known price. */
  readonly price?: ModelPrice | null;
  /** Texts that the model's own tokenizer reads as special tokens (roles, turns), if known. */
  readonly specialTokens?: readonly string[];
  /** Counts tokens by the model's own tokenizer, if available. */
  readonly tokens?: (text: string) => number;
  /** The size of the context in tokens, if known; requested from the server once. */
  readonly context?: () => Promise<number | undefined>;
  /** The number of prompts that a server reads or caches at once, if small and known; requested once, when calls first overlap. */
  readonly slots?: () => Promise<number | undefined>;
  /** It thinks before it answers, in tokens that count toward the limit of an answer. */
  readonly thinks?: boolean;
  /** It has vision: prompts may contain images. */
  readonly sees?: boolean;
  /** Default settings of calls. */
  readonly usual?: Sampling;
  /** The fingerprint of its program or weights, if available: a judge that changed is another judge. */
  readonly version?: string;
  /** The prompt format in training, if the weights' file defines it: language agents over it write the same prompts. */
  readonly form?: PromptForm;
  /** The probabilities of given answers, if the model can compute them. */
  readonly score?: (prompt: Prompt, texts: readonly string[], signal: AbortSignal) => Promise<ChoiceScores>;
  /** `onText` receives the answer piece by piece. It is not part of the sampling, which is plain data and part of the cache key. */
  complete(prompt: Prompt, sampling: Sampling, signal: AbortSignal, onText?: (piece: string) => void): Promise<ModelCall>;
}

/**
 * One training sequence. `mask` is 1 on tokens the policy itself sampled, 0 on all other tokens, which are excluded from every loss. All
 * lists are as long as `tokens`, and each entry belongs to the token at the same index.
 */
export interface TokenRow {
  readonly tokens: ArrayLike<number>;
  readonly mask: ArrayLike<number>;
  /** The weight of each token's log-probability in `cross_entropy`, of either sign; 1 by default. */
  readonly weights?: ArrayLike<number>;
  readonly advantages?: ArrayLike<number>;
  /** Log-probabilities under the policy that sampled the tokens. */
  readonly logprobs?: ArrayLike<number>;
}

/**
 * Every learner has the loss `cross_entropy`: −Σ mask · weight · log-probability, a sum and not a mean. Every loss on the log-probabilities
 * of sampled tokens (clipped ratios, preferences, KL estimates) has this gradient under the right weights, so losses are written once,
 * outside. Learners that see whole distributions also use `kl` (to the reference) and `entropy` (a bonus) in the settings: coefficients of
 * sums over masked tokens. A learner refuses settings it does not know.
 */
export interface Learner extends Model {
  /** Answers turns for `rollout`. The call of each reply carries token ids and log-probabilities: rows are made from the log alone. */
  policy(sampling?: Sampling): Policy;
  /** Adds the gradient of a loss to the next step; returns `loss` and other metrics. */
  forwardBackward(batch: readonly TokenRow[], loss: string, settings?: JsonObject): Promise<Readonly<Record<string, number>>>;
  /** Applies the gradient and resets it; `rate` is the learning rate. */
  optimStep(settings: Readonly<Record<string, number>>): Promise<void>;
  /** Log-probability of every token of each row given the previous ones, under the current weights or the reference. */
  logprobs(batch: readonly TokenRow[], of?: 'current' | 'reference'): Promise<readonly ArrayLike<number>[]>;
  /** A turn and its answer as a row, with the answer under the mask: for learning from demonstrations. */
  rowOf?(turn: Turn, text: string): TokenRow;
  /** A prompt and its answer as a row, with the answer under the mask: for learners that use the prompts of language agents. */
  rowFor?(prompt: Prompt, text: string): TokenRow;
  /** Answers several prompts at once, in order. */
  completeAll?(promptCalls: readonly PromptCall[], signal: AbortSignal): Promise<readonly ModelCall[]>;
  /** Makes the current weights the reference. */
  refer(): Promise<void>;
  /** Returns a name from which `load` restores everything: weights, optimizer, reference. */
  save(): Promise<string>;
  /** A name for `load` with only what is needed to play as it does, without training state; valid on any machine. */
  weights?(): Promise<string>;
  load(checkpoint: string): Promise<void>;
  /** Cancels pending work and releases resources; the learner is not used afterward. */
  close?(): Promise<void>;
}
