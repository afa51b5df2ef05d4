/** @file A model completes a chat; a learner is a model whose weights we can change. */

import type { Policy, Turn } from './agent.ts';
import type { ImagePart } from './image.ts';
import type { Json, JsonObject } from './json.ts';
import type { PromptForm } from './prompt-form.ts';

export type ChatMessage = {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string;
  /** Pictures after the words; a model that sees none is given none. */
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
  /** How long a model that can think may think before it answers, where it can be set. */
  readonly reasoning?: 'off' | 'low' | 'medium' | 'high';
  /** JSON Schema that the answer must fit. */
  readonly schema?: Json;
  /** Ask for token ids and logprobs, where the model can give them. */
  readonly tokens?: boolean;
  /** The answer is to be exactly one of these texts. A model that can be held to them is; a note of the call says how, or that it was not. */
  readonly choices?: readonly string[];
};

export type Usage = {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens?: number;
  /** The reasoning part of the completion, at the same price. */
  readonly thinkingTokens?: number;
  /** True where the server counted nothing and this is a guess: budgets count such a call at its bound. */
  readonly estimated?: boolean;
};

/** One completed call, as it is kept in the log. */
export type ModelCall = {
  readonly model: string;
  readonly prompt: Prompt;
  readonly text: string;
  readonly toolCalls?: readonly ToolCall[];
  /** What it thought before it answered, where it shows that; never part of the text. */
  readonly thinking?: string;
  readonly finish: 'stop' | 'length' | 'tool' | 'refused';
  readonly usage: Usage;
  /** In US dollars; null where the price is unknown, which is not the same as free. */
  readonly cost: number | null;
  readonly promptTokenIds?: readonly number[];
  readonly tokenIds?: readonly number[];
  readonly logprobs?: readonly number[];
  /** Updates that a learner's weights had had when they sampled this, where episodes overlap with updates. */
  readonly version?: number;
  readonly milliseconds?: number;
  /** True for a cached answer, for which no call was made. */
  readonly kept?: true;
  /** Differences between the request and the result, one sentence each. */
  readonly notes?: readonly string[];
};

/** How likely a model is to answer each of some texts. */
export interface ChoiceScores {
  /** The log-probability of each text as the whole answer, the end of the turn included: not renormalised, so their sum tells how much falls on none. */
  readonly logprobs: readonly number[];
  /** What it took; its text is the likeliest one. */
  readonly call: ModelCall;
}

/** US dollars a million tokens. */
export type ModelPrice = {
  readonly prompt: number;
  readonly completion: number;
  /** For prompt tokens that the server had cached; the full price if it is not given. */
  readonly cached?: number;
  /** The longest prompt this price is valid for; beyond it the cost is unknown. */
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
  /** What calls cost; null where it is unknown. A budget of money refuses a model without a known price. */
  readonly price?: ModelPrice | null;
  /** Texts that the model's own tokenizer reads as roles, turns and other marks, where that is known. */
  readonly specialTokens?: readonly string[];
  /** How many tokens a text takes by the model's own tokenizer, where that is available. */
  readonly tokens?: (text: string) => number;
  /** Tokens that prompt and answer may have together, where that is known; asked of the server once. */
  readonly context?: () => Promise<number | undefined>;
  /** How many prompts a server reads or keeps at once, where that is few and known; asked once, when calls first meet. */
  readonly slots?: () => Promise<number | undefined>;
  /** It thinks before it answers, in tokens that count towards the limit of an answer. */
  readonly thinks?: boolean;
  /** It has vision: prompts may contain images. */
  readonly sees?: boolean;
  /** Settings that calls have which name none of their own. */
  readonly usual?: Sampling;
  /** The fingerprint of its program or weights, where they are available: a judge that changed is another judge. */
  readonly version?: string;
  /** How its weights were asked in training, where their file says so: language agents over it write the same prompts. */
  readonly form?: PromptForm;
  /** The chances of given answers, where the model can tell them. */
  readonly score?: (prompt: Prompt, texts: readonly string[], signal: AbortSignal) => Promise<ChoiceScores>;
  /** `onText` hears the answer piece by piece as it is written. It is no part of the sampling, which is plain data and names a cache entry. */
  complete(prompt: Prompt, sampling: Sampling, signal: AbortSignal, onText?: (piece: string) => void): Promise<ModelCall>;
}

/**
 * One training sequence. `mask` is 1 on tokens the policy itself sampled, 0 on everything it only read: those have no part in any loss. All
 * lists are as long as `tokens`, and each entry belongs to the token at the same index.
 */
export interface TokenRow {
  readonly tokens: ArrayLike<number>;
  readonly mask: ArrayLike<number>;
  /** How much each token's log-probability counts in `cross_entropy`, of either sign; 1 by default. */
  readonly weights?: ArrayLike<number>;
  readonly advantages?: ArrayLike<number>;
  /** What the policy that sampled the tokens gave them. */
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
  /** Applies the gradient and forgets it; `rate` is the learning rate. */
  optimStep(settings: Readonly<Record<string, number>>): Promise<void>;
  /** Log-probability of every token of each row given those before it, under the weights as they are or under the reference. */
  logprobs(batch: readonly TokenRow[], of?: 'current' | 'reference'): Promise<readonly ArrayLike<number>[]>;
  /** A turn and its answer as a row, with the answer under the mask: for learning from demonstrations. */
  rowOf?(turn: Turn, text: string): TokenRow;
  /** A prompt and an answer to it as a row, the answer under the mask: for learners that play through the prompts of language agents. */
  rowFor?(prompt: Prompt, text: string): TokenRow;
  /** Answers several prompts at once, in their order. */
  completeAll?(promptCalls: readonly PromptCall[], signal: AbortSignal): Promise<readonly ModelCall[]>;
  /** Makes the weights as they are the reference. */
  refer(): Promise<void>;
  /** A name under which `load` brings everything back: weights, optimizer, reference. */
  save(): Promise<string>;
  /** What others need to play as it does, for `load`, without what only training needs; a text that means the same on any machine. */
  weights?(): Promise<string>;
  load(checkpoint: string): Promise<void>;
  /** Calls off what is under way and gives back what is held elsewhere; nothing is asked of it afterwards. */
  close?(): Promise<void>;
}
