/** @file Between words and tokens: what a model's tokenizer and chat template must offer, and a seat's view as a chat. */

import type { ChatMessage, Prompt, View } from '../../core/index.ts';

export interface Codec {
  /** The tokens of a prompt up to where the answer begins. Prompts that grow should give tokens that grow: then turns share a row. */
  encode(prompt: Prompt): readonly number[];
  decode(tokens: readonly number[]): string;
  /** Tokens that end an answer and are no part of its text. */
  readonly stop: readonly number[];
}

/** What a seat has seen, as a chat: its own actions are the assistant's words, everything else is read. */
export function promptOf(view: View): Prompt {
  const messages: ChatMessage[] = [];
  for (const item of view.seen) {
    if (item.kind === 'action') messages.push({ role: 'assistant', content: item.action.text });
    else if (item.kind === 'message') {
      const line = item.from === undefined ? item.text : `${item.from}: ${item.text}`;
      const last = messages.at(-1);
      if (last?.role === 'user') messages[messages.length - 1] = { role: 'user', content: `${last.content}\n${line}` };
      else messages.push({ role: 'user', content: line });
    }
  }
  return { messages };
}

/** The text of an answer, without the tokens that end it. */
export function textOfTokens(codec: Codec, tokens: readonly number[]): string {
  let end = tokens.length;
  while (end > 0 && codec.stop.includes(tokens[end - 1] as number)) end--;
  return codec.decode(tokens.slice(0, end));
}
