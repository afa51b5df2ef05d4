/** @file How many tokens a text will be, where no tokenizer is available. */

import { imageTokens, type Prompt } from '@ludus-agents/kernel/internal/core/index';

/** Rough and steady, as good as a rule of thumb gets without a tokenizer: one token for every four characters, rounded up. */
export function tokensIn(text: string): number {
  return Math.ceil(text.length / 4);
}

/** Four tokens a message for its role and separators, as chat templates have them, its words and its pictures. */
export function promptTokens(prompt: Prompt): number {
  return prompt.messages.reduce((sum, { content, images = [] }) => {
    return images.reduce((total, image) => total + imageTokens(image), sum + 4 + tokensIn(content));
  }, 0);
}
