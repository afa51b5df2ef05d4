/** @file Conversations as OpenAI's fine-tuning reads them: messages, with a weight on each of the assistant's. */

import { lines, originOf, wireMessage, wireTools } from './format.ts';
import { chatsOf } from './words.ts';

export const openai = lines(
  'OpenAI messages, a conversation of one seat a line',
  [
    '`weight` is 1 on the assistant messages that this seat wrote in this episode, and 0 on those that came with its prompt or are masked; `mask` says the same of all messages.',
  ],
  function* (play) {
    for (const seat of play.seats)
      for (const chat of chatsOf(play, seat)) {
        const messages = chat.messages.map((message, i) => {
          const wire = wireMessage(message, 'text');
          return message.role === 'assistant' ? { ...wire, weight: chat.mask[i]! } : wire;
        });
        const origin = originOf(play, seat);
        yield {
          messages,
          ...(chat.tools.length === 0 ? {} : { tools: wireTools(chat) }),
          mask: chat.mask,
          reward: origin['return'] ?? null,
          metadata: { ...origin, wording: chat.wording },
        };
      }
  },
);
