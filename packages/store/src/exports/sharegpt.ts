/** @file Conversations in the ShareGPT format. Tool calls are in the text between tags, in the Hermes style. */

import { imageUrl } from '@ludus-agents/kernel/internal/core/image';
import type { ChatMessage, JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { argumentsOf, lines, originOf, wireMessage, wireTools } from './format.ts';
import { chatsOf } from './words.ts';

/** Conversations as OpenAI's fine-tuning reads them: messages, with a weight on each of the assistant's. */
export const openai = lines(
  'OpenAI messages, one conversation of one seat per line',
  [
    '`weight` is 1 on the assistant messages that this seat wrote in this episode, and 0 on masked ones and those from its prompt. `mask` does the same for all messages.',
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

const speakers = { system: 'system', user: 'human', assistant: 'gpt', tool: 'tool' } as const;

export const sharegpt = lines(
  'ShareGPT conversations, one conversation of one seat per line',
  [
    '`weight` is 1 on the turns of "gpt" that this seat wrote in this episode, and 0 on all others.',
    '`images` contains the images of the conversation as data URLs, in the order of the marks <image>. Conversations without images don’t have it.',
  ],
  function* (play) {
    for (const seat of play.seats)
      for (const chat of chatsOf(play, seat)) {
        const conversations = chat.messages.map((message, i): JsonObject => {
          return { from: speakers[message.role], value: messageText(message), weight: chat.mask[i]! };
        });
        const images = chat.messages.flatMap((message) => (message.images ?? []).map(imageUrl));
        yield {
          conversations,
          ...(images.length === 0 ? {} : { images }),
          ...(chat.tools.length === 0 ? {} : { tools: JSON.stringify(wireTools(chat)) }),
          metadata: { ...originOf(play, seat), wording: chat.wording },
        };
      }
  },
);

function messageText({ role, content, images = [], toolCalls, toolCallId, name }: ChatMessage): string {
  if (role === 'tool') {
    const observation = { ...(name === undefined ? {} : { name }), ...(toolCallId === undefined ? {} : { id: toolCallId }), content };
    return `<tool_response>\n${JSON.stringify(observation)}\n</tool_response>`;
  }
  const calls = (toolCalls ?? []).map((call) => {
    return `<tool_call>\n${JSON.stringify({ name: call.name, arguments: argumentsOf(call), id: call.id })}\n</tool_call>`;
  });
  return [...(content === '' ? [] : [content]), ...images.map(() => '<image>'), ...calls].join('\n');
}
