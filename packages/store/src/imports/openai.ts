/** @file Training sets of OpenAI messages: {"messages": […], "tools": […]} a line. */

import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { assistant, linesIn, talk, toolsIn, user } from './messages.ts';
import type { TranscriptReader } from './transcript.ts';

export const openai: TranscriptReader = {
  name: 'openai',
  fits: ({ messages }) => Array.isArray(messages) && messages.every((message) => isObject(message) && typeof message['role'] === 'string'),
  read(item, index) {
    const id = item['id'] ?? index;
    const reward = item['reward'];
    return {
      ...talk(linesIn(item['messages'], '"messages"'), toolsIn(item['tools'])),
      cast: { [assistant]: typeof item['model'] === 'string' ? item['model'] : assistant, [user]: user },
      task: { id },
      trial: 0,
      ...(typeof reward === 'number' ? { rewards: { [assistant]: reward } } : {}),
    };
  },
};
