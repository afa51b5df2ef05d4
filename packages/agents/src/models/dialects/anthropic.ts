/**
 * @file Anthropic's messages API. The system prompt is separate, turns alternate and must not be empty, a limit is required, temperatures
 * end at 1, and JSON is obtained by forcing a call of one tool whose input is the answer.
 */

import type { ChatMessage, ModelCall, Usage } from '@ludus-agents/kernel/internal/core/index';
import { type Asked, type Dialect, type DialectFields, fields, type Heard, leftOutNote, list, usageOf, words } from './dialect.ts';

const answerTool = 'answer';
/** The API requires a limit; this is the default. */
const usualLimit = 4096;
const thinkingBudgets = { low: 1024, medium: 4096, high: 16_384 } as const;

type Block = Record<string, unknown>;
interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: Block[];
}

/** Converts our messages: adjacent messages of one side become one turn, and tool results are the user's. */
function messagesOf(messages: readonly ChatMessage[]): Message[] {
  const out: Message[] = [];
  for (const { role, content, images = [], toolCalls = [], toolCallId = '' } of messages) {
    if (role === 'system') continue;
    const side = role === 'assistant' ? 'assistant' : 'user';
    const text: Block[] = content.trim() === '' ? [] : [{ type: 'text', text: content }];
    const blocks: Block[] =
      role === 'tool'
        ? [{ type: 'tool_result', tool_use_id: toolCallId, content }]
        : [
            ...text,
            ...images.map(({ media, data }) => ({ type: 'image', source: { type: 'base64', media_type: media, data } })),
            ...toolCalls.map(({ id, name, arguments: input }) => ({ type: 'tool_use', id, name, input })),
          ];
    const last = out.at(-1);
    if (last?.role === side) last.content.push(...blocks);
    else if (blocks.length > 0) out.push({ role: side, content: blocks });
  }
  // The first turn must be the user's, and a message to answer is required.
  if (out[0]?.role !== 'user') out.unshift({ role: 'user', content: [{ type: 'text', text: '…' }] });
  const last = out.at(-1);
  // A prefilled answer must not end in whitespace.
  if (last?.role === 'assistant')
    for (const block of last.content) if (typeof block['text'] === 'string') block['text'] = block['text'].trimEnd();
  return out;
}

function bodyOf({ model, prompt, sampling, schema, streamed }: Asked): Readonly<Record<string, unknown>> {
  const { maxTokens = usualLimit, temperature, topP, stop, reasoning } = sampling;
  const system = prompt.messages.filter(({ role }) => role === 'system').map(({ content }) => content);
  const tools = (prompt.tools ?? []).map(({ name, description, parameters }) => ({ name, description, input_schema: parameters }));
  // A model that is forced to call a tool cannot think first.
  const budget = reasoning === undefined || reasoning === 'off' || schema !== undefined ? undefined : thinkingBudgets[reasoning];
  const stops = (stop ?? []).filter((item) => item.trim() !== '');
  return {
    model,
    max_tokens: maxTokens + (budget ?? 0),
    messages: messagesOf(prompt.messages),
    ...(system.length > 0 ? { system: system.join('\n\n') } : {}),
    // With thinking the temperature must be 1; newer models accept only one of the two.
    ...(budget !== undefined
      ? { thinking: { type: 'enabled', budget_tokens: budget } }
      : temperature !== undefined
        ? { temperature: Math.min(1, temperature) }
        : topP !== undefined
          ? { top_p: topP }
          : {}),
    ...(stops.length > 0 ? { stop_sequences: stops } : {}),
    ...(schema === undefined
      ? tools.length > 0
        ? { tools }
        : {}
      : {
          tools: [{ name: answerTool, description: 'Gives the answer.', input_schema: schema }],
          tool_choice: { type: 'tool', name: answerTool },
        }),
    ...(streamed ? { stream: true } : {}),
  };
}

const finishes: Readonly<Record<string, ModelCall['finish']>> = {
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'refused',
  tool_use: 'tool',
};

function setFinish(reason: unknown, message: Heard): void {
  if (typeof reason !== 'string') return;
  message.finish = finishes[reason] ?? 'stop';
  if (reason === 'refusal' && message.text === '') message.refusal = 'The model refused to answer.';
}

/** Prompt tokens come in three parts: new, read from the cache, and written into it. */
function usageIn(usage: DialectFields): Heard['usage'] {
  const { input_tokens: input, output_tokens: output, cache_read_input_tokens: read, cache_creation_input_tokens: result } = usage;
  const more = (value: unknown) => (typeof value === 'number' ? value : 0);
  return usageOf(typeof input === 'number' ? input + more(read) + more(result) : undefined, output, { cached: read });
}

/** An invalid count discards the usage: the call then counts at its bound. */
function withWritten({ promptTokens, cachedTokens }: Usage, written: unknown): Heard['usage'] {
  return usageOf(promptTokens, written, { cached: cachedTokens });
}

/** The input of the forced tool is the text of the answer. */
function takeAnswerTool(message: Heard): void {
  for (const [at, { name, text }] of message.tools) {
    if (name !== answerTool) continue;
    message.text = text;
    message.tools.delete(at);
    if (message.finish === 'tool') message.finish = 'stop';
  }
}

export const anthropicDialect: Dialect = {
  path: () => '/messages',
  headers: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
  body: bodyOf,
  whole(reply, message) {
    for (const [at, block] of list(reply['content']).entries()) {
      if (block['type'] === 'text') message.text += words(block['text']);
      else if (block['type'] === 'thinking') message.thinking += words(block['thinking']);
      else if (block['type'] === 'tool_use')
        message.tools.set(at, { id: words(block['id']), name: words(block['name']), text: JSON.stringify(block['input'] ?? {}) });
    }
    message.usage = usageIn(fields(reply['usage']));
    setFinish(reply['stop_reason'], message);
    takeAnswerTool(message);
    message.done = true;
  },
  event(event, message) {
    const at = typeof event['index'] === 'number' ? event['index'] : 0;
    if (event['type'] === 'message_start') message.usage = usageIn(fields(fields(event['message'])['usage']));
    if (event['type'] === 'content_block_start') {
      const block = fields(event['content_block']);
      if (block['type'] === 'tool_use') message.tools.set(at, { id: words(block['id']), name: words(block['name']), text: '' });
    }
    if (event['type'] === 'content_block_delta') {
      const delta = fields(event['delta']);
      message.thinking += words(delta['thinking']);
      const tool = message.tools.get(at);
      if (tool !== undefined) tool.text += words(delta['partial_json']);
      const piece = words(delta['text']);
      message.text += piece;
      return piece;
    }
    if (event['type'] === 'message_delta') {
      setFinish(fields(event['delta'])['stop_reason'], message);
      // Input counts come first, and the latest output count last.
      const { output_tokens: written } = fields(event['usage']);
      if (message.usage !== undefined && written !== undefined && written !== null) message.usage = withWritten(message.usage, written);
    }
    if (event['type'] === 'message_stop') {
      takeAnswerTool(message);
      message.done = true;
    }
    return '';
  },
  lacks: ({ seed, temperature, topP }) => [
    ...(seed === undefined ? [] : [leftOutNote('seed')]),
    ...(temperature !== undefined && topP !== undefined ? [leftOutNote('top_p')] : []),
  ],
};
