/** @file Estimates the tokens of a text if no tokenizer is available. */

import { imageTokens, type Prompt } from '@ludus-agents/kernel/internal/core/index';

/** A rough rule of thumb: one token per four characters, rounded up. */
export function tokensIn(text: string): number {
  return Math.ceil(text.length / 4);
}

/** The text and images of the messages, plus four tokens per message for its role and separators, as in chat templates. */
export function promptTokens(prompt: Prompt): number {
  return prompt.messages.reduce((sum, { content, images = [] }) => {
    return images.reduce((total, image) => total + imageTokens(image), sum + 4 + tokensIn(content));
  }, 0);
}
