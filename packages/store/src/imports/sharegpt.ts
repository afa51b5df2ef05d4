/** @file ShareGPT conversations: {"conversations": [{"from": "human", "value": "…"}]}, with tool calls in tags as Hermes writes them. */

import { Fault, type JsonObject, type ToolCall } from '@ludus-agents/kernel/internal/core/index';
import { brief, isObject, plainText } from '@ludus-agents/kernel/internal/core/json';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { assistant, linesIn, talk, toolsIn, user, weightIn } from './messages.ts';
import { argumentsIn, objectsIn, type TranscriptLine, type TranscriptReader, textIn } from './transcript.ts';

/** Training sets of OpenAI messages: {"messages": […], "tools": […]} a line. */
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

export const sharegpt: TranscriptReader = {
  name: 'sharegpt',
  fits: ({ conversations }) => Array.isArray(conversations),
  read(item, index) {
    const turns = objectsIn(item['conversations'], '"conversations"');
    const { system, id, model } = item;
    const transcriptLines: readonly TranscriptLine[] =
      typeof system === 'string' && system !== '' ? [{ kind: 'told', to: [assistant], role: 'system', text: system }] : [];
    return {
      ...talk([...transcriptLines, ...turns.map((turn, i) => lineOf(turn, `turn ${i + 1}`))], toolsIn(item['tools'])),
      cast: { [assistant]: typeof model === 'string' ? model : assistant, [user]: user },
      task: { id: id ?? index },
      trial: 0,
    };
  },
};

const speakers: Readonly<Record<string, 'system' | 'user' | 'assistant' | 'tool'>> = {
  system: 'system',
  human: 'user',
  user: 'user',
  gpt: 'assistant',
  assistant: 'assistant',
  chatgpt: 'assistant',
  bing: 'assistant',
  bard: 'assistant',
  model: 'assistant',
  function_call: 'assistant',
  tool: 'tool',
  observation: 'tool',
  function_response: 'tool',
};

function lineOf(turn: JsonObject, where: string): TranscriptLine {
  const from = plainText(turn['from'] ?? turn['role'] ?? '').toLowerCase();
  const value = textIn(turn['value'] ?? turn['content'], `The value of ${where}`);
  const role = Object.hasOwn(speakers, from) ? speakers[from] : undefined;
  if (role === undefined)
    throw new Fault('input', `The speaker of ${where} must be system, human, gpt or tool, but got ${brief(turn['from'])}.`);
  if (role === 'system') return { kind: 'told', to: [assistant], role, text: value };
  if (role === 'tool') return answerOf(value);
  if (role === 'user') return { kind: 'said', seat: user, to: [assistant], text: value };
  const { text, toolCalls } = from === 'function_call' ? { text: '', toolCalls: [callOf(argumentsIn(value), 0)] } : toolCallsIn(value);
  const to = toolCalls.length > 0 && text === '' ? [] : [user];
  return { kind: 'said', seat: assistant, to, text, ...(toolCalls.length === 0 ? {} : { toolCalls }), ...weightIn(turn) };
}

/** The calls between tags, and the surrounding text. Tags around anything but a call are text. */
function toolCallsIn(value: string): { readonly text: string; readonly toolCalls: readonly ToolCall[] } {
  const toolCalls: ToolCall[] = [];
  const text = value.replace(linear(/\n?<tool_call>\s*(.*?)\s*<\/tool_call>/gs), (whole, inner: string) => {
    const call = argumentsIn(inner);
    if (!isObject(call) || typeof call['name'] !== 'string') return whole;
    toolCalls.push(callOf(call, toolCalls.length));
    return '';
  });
  return { text, toolCalls };
}

function callOf(call: ReturnType<typeof argumentsIn>, index: number): ToolCall {
  const { name, arguments: input, id } = isObject(call) ? call : { name: 'unknown', arguments: call, id: null };
  return { id: typeof id === 'string' ? id : `call_${index}`, name: plainText(name), arguments: argumentsIn(input) };
}

function answerOf(value: string): TranscriptLine {
  const inner = linear(/^\s*<tool_response>\s*(.*?)\s*<\/tool_response>\s*$/s).exec(value)?.[1];
  const toolResponse = inner === undefined ? null : argumentsIn(inner);
  const bare: TranscriptLine = { kind: 'told', to: [assistant], role: 'tool', text: inner ?? value };
  if (!isObject(toolResponse ?? undefined)) return bare;
  const { name, id, content } = toolResponse as JsonObject;
  if (content === undefined) return bare;
  return {
    ...bare,
    text: typeof content === 'string' ? content : JSON.stringify(content),
    ...(typeof id === 'string' ? { toolCallId: id } : {}),
    ...(typeof name === 'string' ? { name } : {}),
  };
}
