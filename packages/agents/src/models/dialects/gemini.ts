/**
 * @file Gemini's generateContent. The model's role is "model", the system prompt is separate, tool calls have no ids, thoughts are marked
 * parts, and a refused prompt has no answer at all.
 */

import type { ChatMessage, ModelCall, Prompt } from '@ludus-agents/kernel/internal/core/index';
import { type Asked, type Dialect, type DialectFields, fields, type Heard, list, usageOf, words } from './dialect.ts';

type Part = Record<string, unknown>;
interface Content {
  readonly role: 'user' | 'model';
  readonly parts: Part[];
}

function contentsOf(messages: readonly ChatMessage[]): Content[] {
  const names = new Map(messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id, name }) => [id, name] as const)));
  const out: Content[] = [];
  for (const { role, content, images = [], toolCalls = [], toolCallId = '' } of messages) {
    if (role === 'system') continue;
    const side = role === 'assistant' ? 'model' : 'user';
    const parts: Part[] =
      role === 'tool'
        ? [{ functionResponse: { name: names.get(toolCallId) ?? 'tool', response: { result: content } } }]
        : [
            ...(content === '' ? [] : [{ text: content }]),
            ...images.map(({ media, data }) => ({ inlineData: { mimeType: media, data } })),
            ...toolCalls.map(({ name, arguments: args }) => ({ functionCall: { name, args } })),
          ];
    const last = out.at(-1);
    if (last?.role === side) last.parts.push(...parts);
    else if (parts.length > 0) out.push({ role: side, parts });
  }
  return out.length > 0 ? out : [{ role: 'user', parts: [{ text: '…' }] }];
}

const budgets = { off: 0, low: 1024, medium: 8192, high: 24_576 } as const;

function bodyOf({ prompt, sampling, schema }: Asked): Readonly<Record<string, unknown>> {
  const { maxTokens, temperature, topP, stop, seed, reasoning } = sampling;
  const system = prompt.messages.filter(({ role }) => role === 'system').map(({ content }) => ({ text: content }));
  const config = {
    ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(stop === undefined || stop.length === 0 ? {} : { stopSequences: stop.slice(0, 5) }),
    ...(seed === undefined ? {} : { seed: seed % 2 ** 31 }),
    ...(schema === undefined ? {} : { responseMimeType: 'application/json', responseJsonSchema: schema }),
    ...(reasoning === undefined ? {} : { thinkingConfig: { thinkingBudget: budgets[reasoning], includeThoughts: reasoning !== 'off' } }),
  };
  return {
    contents: contentsOf(prompt.messages),
    ...(system.length > 0 ? { systemInstruction: { parts: system } } : {}),
    ...toolsOf(prompt),
    ...(Object.keys(config).length > 0 ? { generationConfig: config } : {}),
  };
}

function toolsOf({ tools = [] }: Prompt): DialectFields {
  if (tools.length === 0) return {};
  return {
    tools: [
      { functionDeclarations: tools.map(({ name, description, parameters }) => ({ name, description, parametersJsonSchema: parameters })) },
    ],
  };
}

/** Finish reasons which mean that the answer was withheld. */
const refusals = /^(?:SAFETY|RECITATION|BLOCKLIST|PROHIBITED_CONTENT|SPII|IMAGE_SAFETY|LANGUAGE|OTHER)$/;

const finishOf = (reason: string): ModelCall['finish'] => (reason === 'MAX_TOKENS' ? 'length' : refusals.test(reason) ? 'refused' : 'stop');

/** A whole reply, or a piece of a stream: both have the same shape. */
function take(reply: DialectFields, message: Heard): string {
  const { blockReason } = fields(reply['promptFeedback']);
  if (typeof blockReason === 'string') {
    message.refusal = `The prompt was refused: ${blockReason}.`;
    message.done = true;
  }
  const { promptTokenCount, candidatesTokenCount, thoughtsTokenCount, cachedContentTokenCount } = fields(reply['usageMetadata']);
  const thought = typeof thoughtsTokenCount === 'number' ? thoughtsTokenCount : 0;
  // An empty count is omitted. Thoughts are counted separately, and priced like text.
  const written = typeof candidatesTokenCount === 'number' ? candidatesTokenCount : 0;
  message.usage = usageOf(promptTokenCount, written + thought, { cached: cachedContentTokenCount, thinking: thought }) ?? message.usage;
  const candidate = list(reply['candidates'])[0] ?? {};
  let piece = '';
  for (const part of list(fields(candidate['content'])['parts'])) {
    const { functionCall } = part;
    if (functionCall !== undefined) {
      const { id, name, args } = fields(functionCall);
      message.tools.set(message.tools.size, { id: words(id), name: words(name), text: JSON.stringify(args ?? {}) });
    } else if (part['thought'] === true) message.thinking += words(part['text']);
    else piece += words(part['text']);
  }
  message.text += piece;
  if (typeof candidate['finishReason'] === 'string') {
    const finish = finishOf(candidate['finishReason']);
    message.finish = finish === 'stop' && message.tools.size > 0 ? 'tool' : finish;
    if (finish === 'refused' && message.text === '') message.refusal = `The answer was blocked: ${candidate['finishReason']}.`;
    message.done = true;
  }
  return piece;
}

export const geminiDialect: Dialect = {
  path: ({ model, streamed }) => `/models/${encodeURIComponent(model)}:${streamed ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  headers: (key) => ({ 'x-goog-api-key': key }),
  body: bodyOf,
  whole: take,
  event: take,
  lacks: ({ stop = [] }) => (stop.length > 5 ? ['The server supports five stop sequences, so the others were omitted.'] : []),
};
