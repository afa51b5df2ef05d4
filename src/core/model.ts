/** @file A model completes a chat; a learner is a model whose weights we can change. */

import type { Json } from './json.ts';

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string;
  readonly name?: string;
  readonly toolCalls?: readonly ToolCall[];
  readonly toolCallId?: string;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: Json;
}

export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly parameters: Json;
}

export interface Prompt {
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly ToolSpec[];
}

export interface Sampling {
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly stop?: readonly string[];
  readonly seed?: number;
  /** JSON Schema that the answer must fit. */
  readonly schema?: Json;
  /** Ask for token ids and logprobs, where the model can give them. */
  readonly tokens?: boolean;
}

export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens?: number;
}

/** One completed call, as it is kept in the log. */
export interface ModelCall {
  readonly model: string;
  readonly prompt: Prompt;
  readonly text: string;
  readonly toolCalls?: readonly ToolCall[];
  readonly finish: 'stop' | 'length' | 'tool' | 'refused';
  readonly usage: Usage;
  /** In US dollars; null where the price is unknown, which is not the same as free. */
  readonly cost: number | null;
  readonly promptTokenIds?: readonly number[];
  readonly tokenIds?: readonly number[];
  readonly logprobs?: readonly number[];
  readonly milliseconds?: number;
  /** What was asked for and not given, or given otherwise: one sentence each. */
  readonly notes?: readonly string[];
}

export interface Model {
  readonly id: string;
  /** `onText` hears the answer piece by piece as it is written. It is no part of the sampling, which is plain data and names a cache entry. */
  complete(prompt: Prompt, sampling: Sampling, signal: AbortSignal, onText?: (piece: string) => void): Promise<ModelCall>;
}

/** One training sequence. `mask` is 1 on tokens the policy itself sampled, 0 on everything it only read. */
export interface TokenRow {
  readonly tokens: ArrayLike<number>;
  readonly mask: ArrayLike<number>;
  readonly advantages?: ArrayLike<number>;
  readonly logprobs?: ArrayLike<number>;
}

export interface Learner extends Model {
  forwardBackward(batch: readonly TokenRow[], loss: string, settings?: Json): Promise<Readonly<Record<string, number>>>;
  optimStep(settings: Readonly<Record<string, number>>): Promise<void>;
  save(): Promise<string>;
  load(reference: string): Promise<void>;
}
