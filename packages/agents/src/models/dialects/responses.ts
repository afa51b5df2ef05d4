/**
 * @file OpenAI's responses API: items in and items out, with thoughts as separate items. Nothing is stored on the server: the conversation
 * is in our logs, and each call sends all of it.
 */

import { type ChatMessage, imageUrl, type Json, type ModelCall } from '@ludus-agents/kernel/internal/core/index';
import { ModelFault } from '../fault.ts';
import { withoutLengths } from '../openai.wire.ts';
import { type Asked, type Dialect, type DialectFields, fields, type Heard, leftOutNote, list, usageOf, words } from './dialect.ts';

/** The server refuses limits below this. */
const leastLimit = 16;

function itemsOf({ role, content, images = [], toolCalls = [], toolCallId = '' }: ChatMessage): DialectFields[] {
  if (role === 'tool') return [{ type: 'function_call_output', call_id: toolCallId, output: content }];
  const calls = toolCalls.map(({ id, name, arguments: input }) => ({
    ...{ type: 'function_call', call_id: id, name },
    arguments: typeof input === 'string' ? input : JSON.stringify(input),
  }));
  const visible = images.map((image) => ({ type: 'input_image', image_url: imageUrl(image) }));
  const inputContent = visible.length === 0 ? content : [{ type: 'input_text', text: content }, ...visible];
  return content === '' && calls.length > 0 ? calls : [{ role, content: inputContent }, ...calls];
}

function bodyOf({ model, prompt, sampling, schema, streamed }: Asked): Readonly<Record<string, unknown>> {
  const { maxTokens, temperature, topP, reasoning } = sampling;
  const tools = prompt.tools ?? [];
  return {
    model,
    input: prompt.messages.flatMap(itemsOf),
    store: false,
    ...(maxTokens === undefined ? {} : { max_output_tokens: Math.max(leastLimit, maxTokens) }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(reasoning === undefined ? {} : { reasoning: { effort: reasoning === 'off' ? 'none' : reasoning } }),
    ...(schema === undefined
      ? {}
      : {
          text: {
            format: { type: 'json_schema', name: 'answer', schema: withoutLengths(schema as Json), strict: sampling.choices !== undefined },
          },
        }),
    ...(tools.length === 0 ? {} : { tools: tools.map((tool) => ({ type: 'function', ...tool, strict: false })) }),
    ...(streamed ? { stream: true } : {}),
  };
}

function whole(reply: DialectFields, message: Heard): void {
  message.text = '';
  message.thinking = '';
  message.refusal = '';
  message.tools.clear();
  for (const [at, item] of list(reply['output']).entries()) {
    if (item['type'] === 'message')
      for (const part of list(item['content'])) {
        message.text += part['type'] === 'output_text' ? words(part['text']) : '';
        message.refusal += words(part['refusal']);
      }
    else if (item['type'] === 'reasoning')
      message.thinking += [...list(item['summary']), ...list(item['content'])].map(({ text }) => words(text)).join('\n');
    else if (item['type'] === 'function_call')
      message.tools.set(at, { id: words(item['call_id']), name: words(item['name']), text: words(item['arguments']) });
  }
  const usage = fields(reply['usage']);
  message.usage = usageOf(usage['input_tokens'], usage['output_tokens'], {
    cached: fields(usage['input_tokens_details'])['cached_tokens'],
    thinking: fields(usage['output_tokens_details'])['reasoning_tokens'],
  });
  message.finish = finishOf(reply, message);
  if (message.finish === 'refused' && message.text === '' && message.refusal === '') message.refusal = 'The answer was blocked.';
  message.done = true;
}

function finishOf(reply: DialectFields, message: Heard): ModelCall['finish'] | undefined {
  const { reason } = fields(reply['incomplete_details']);
  if (reason === 'content_filter') return 'refused';
  if (reply['status'] === 'incomplete') return 'length';
  return message.tools.size > 0 ? 'tool' : undefined;
}

export const responsesDialect: Dialect = {
  path: () => '/responses',
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  body: bodyOf,
  whole,
  event(event, reply) {
    const { type } = event;
    if (type === 'response.output_text.delta') {
      const piece = words(event['delta']);
      reply.text += piece;
      return piece;
    }
    // The last event contains the whole answer, which takes precedence over the pieces.
    if (type === 'response.failed') {
      const { message } = fields(fields(event['response'])['error']);
      throw new ModelFault(`The server failed in the middle of its answer: ${words(message).slice(0, 300) || 'no reason given'}`, {
        status: 502,
      });
    }
    if (type === 'response.completed' || type === 'response.incomplete') whole(fields(event['response']), reply);
    return '';
  },
  lacks: ({ stop = [], seed, maxTokens }) => [
    ...(stop.length > 0 ? [leftOutNote('stop')] : []),
    ...(seed === undefined ? [] : [leftOutNote('seed')]),
    ...(maxTokens !== undefined && maxTokens < leastLimit
      ? [`The server does not support a limit below ${leastLimit}, so that limit was used.`]
      : []),
  ],
};
