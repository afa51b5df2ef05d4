/**
 * @file Counts the tokens of a text, and selects texts that fit a budget.
 *
 * The model's own tokenizer is passed in if known. Otherwise the estimate is one token per four ASCII characters and one per other
 * character. It is close for English and too high for most other scripts, so prompts stay within the budget.
 */

import { type ChatMessage, imageTokens, type Prompt } from '@ludus-agents/kernel/internal/core/index';

export type Tokens = (text: string) => number;

/** The tokens that a chat template adds to each message: role and separators. */
const perMessage = 4;

export const estimate: Tokens = (text) => {
  let wide = 0;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) wide++;
  return Math.ceil((text.length - wide) / 4) + wide;
};

export function messageTokens(message: ChatMessage, tokens: Tokens): number {
  const called = message.toolCalls === undefined ? 0 : tokens(JSON.stringify(message.toolCalls));
  const seenCount = (message.images ?? []).reduce((sum, image) => sum + imageTokens(image), 0);
  return perMessage + tokens(message.content) + called + seenCount;
}

/** The tokens of a whole prompt, tools included. */
export function promptTokens({ messages, tools }: Prompt, tokens: Tokens): number {
  const described = tools === undefined || tools.length === 0 ? 0 : tokens(JSON.stringify(tools));
  return messages.reduce((sum, message) => sum + messageTokens(message, tokens), described);
}

export interface Parcel {
  readonly id: string;
  readonly score: number;
  readonly tokens: number;
}

/** Packs parcels, highest score first, and skips those that do not fit; with `dense`, by score per token. */
export function packParcels<P extends Parcel>(parcels: readonly P[], budget: number, dense = false): readonly P[] {
  const worth = (item: P) => (dense ? item.score / Math.max(1, item.tokens) : item.score);
  const order = parcels.map((parcel, i) => ({ one: parcel, i })).sort((a, b) => worth(b.one) - worth(a.one) || a.i - b.i);
  const used: P[] = [];
  let left = budget;
  for (const { one } of order) {
    if (one.tokens > left) continue;
    left -= one.tokens;
    used.push(one);
  }
  return used;
}

/** A text cut to at most this many tokens: whole, or its beginning and end with a mark between them. */
export function cutTo(text: string, budget: number, tokens: Tokens): string {
  if (tokens(text) <= budget) return text;
  const mark = ' … ';
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (tokens(shortenText(text, middle, mark)) <= budget) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? '' : shortenText(text, low, mark);
}

/** Two thirds of the remaining text are the beginning. No surrogate pair is split. */
function shortenText(text: string, length: number, mark: string): string {
  const head = Math.ceil((length * 2) / 3);
  return (text.slice(0, head) + mark + text.slice(text.length - (length - head))).toWellFormed();
}
