/** @file The row formats of pipeline output. */

import type { ChatMessage, JsonObject } from '@ludus-agents/kernel/internal/core/index';
import type { MadeItem } from '../../pipelines/pipeline.ts';

/** Converts a conversation to rows, by format name. */
export const madeFormats: Readonly<Record<string, (item: MadeItem) => JsonObject | readonly JsonObject[]>> = {
  cases: (item) => caseRows(item),
  openai: ({ messages, facts }) => ({ messages: messages.map((message) => openaiMessage(message)), facts }),
  sharegpt: ({ messages, facts }) => ({
    conversations: messages.map(({ role, content, toolCalls }) => ({
      from: { system: 'system', user: 'human', assistant: 'gpt', tool: 'tool' }[role],
      value: [
        content,
        ...(toolCalls ?? []).map((call) => `<tool_call>${JSON.stringify({ name: call.name, arguments: call.arguments })}</tool_call>`),
      ].join('\n'),
    })),
    facts,
  }),
  'trl-sft': ({ messages, facts }) => ({
    prompt: messages.slice(0, -1).map((message) => openaiMessage(message)),
    completion: messages.slice(-1).map((message) => openaiMessage(message)),
    facts,
  }),
};

/** Rows of a case file for "ludus eval": the cases listed in an item, or its last question with the answer. */
function caseRows({ messages, facts }: MadeItem): readonly JsonObject[] {
  const listed = facts['cases'];
  if (Array.isArray(listed)) return listed as readonly JsonObject[];
  const question = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  return [{ input: question, expected: messages.at(-1)?.content ?? '' }];
}

/** A message in OpenAI's format; only the assistant's messages are trained on. */
function openaiMessage({ role, content, toolCalls, toolCallId }: ChatMessage): JsonObject {
  return {
    role,
    content,
    ...(role === 'assistant' && { weight: 1 }),
    ...(toolCallId !== undefined && { tool_call_id: toolCallId }),
    ...(toolCalls !== undefined && {
      tool_calls: toolCalls.map(({ id, name, arguments: input }) => ({
        ...{ id, type: 'function', function: { name, arguments: JSON.stringify(input) } },
      })),
    }),
  };
}
