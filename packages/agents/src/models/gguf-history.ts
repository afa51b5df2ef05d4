/** @file Converts our chats to the format of node-llama-cpp. */

import type { ChatMessage, Json, Prompt } from '@ludus-agents/kernel/internal/core/index';

export type FunctionCall = { type: 'functionCall'; name: string; params: Json; result: Json };
export type Item = { type: 'system' | 'user'; text: string } | { type: 'model'; response: (string | FunctionCall)[] };
export type Functions = Record<string, { description: string; params: Json }>;

/**
 * A chat in the format of node-llama-cpp: adjacent messages of one kind are one item, tool results are in the calls they answer, and the
 * model speaks last.
 */
export function historyOf(messages: readonly ChatMessage[]): Item[] {
  const items: Item[] = [];
  const calls = new Map<string, FunctionCall>();
  for (const { role, content, toolCalls = [], toolCallId = '' } of messages) {
    const last = items.at(-1);
    if (role === 'tool') {
      const call = calls.get(toolCallId);
      if (call !== undefined) call.result = content;
    } else if (role === 'assistant') {
      const functionCalls = toolCalls.map(({ id, name, arguments: params }): FunctionCall => {
        const call: FunctionCall = { type: 'functionCall', name, params, result: '' };
        calls.set(id, call);
        return call;
      });
      const response = [...(content === '' ? [] : [content]), ...functionCalls];
      if (last?.type === 'model') last.response.push(...response);
      else items.push({ type: 'model', response });
    } else if (last?.type === role) last.text += `\n\n${content}`;
    else items.push({ type: role, text: content });
  }
  if (items.at(-1)?.type !== 'model') items.push({ type: 'model', response: [] });
  return items;
}

export function functionsOf({ tools = [] }: Prompt): Functions | undefined {
  if (tools.length === 0) return undefined;
  return Object.fromEntries(tools.map(({ name, description, parameters }) => [name, { description, params: parameters }]));
}
