/** @file The wire format of OpenAI-compatible servers: requests, and whole or streamed replies. */

import type { ChatMessage, Json, ModelCall, Prompt, Sampling, ToolCall, Usage } from '@ludus-agents/kernel/internal/core/index';
import { imageUrl, parseJson } from '@ludus-agents/kernel/internal/core/index';

type Fields = Readonly<Record<string, unknown>>;

/** Fields that a server may not support. A refused one is omitted from then on, and every call that wanted it carries a note. */
export const optionalFields = [
  'return_token_ids',
  'logprobs',
  'stream_options',
  'seed',
  'temperature',
  'top_p',
  'reasoning_effort',
] as const;

interface Asked {
  readonly prompt: Prompt;
  readonly sampling: Sampling;
  readonly streamed: boolean;
}

/** The request body of a call. */
export function bodyOf(model: string, { prompt, sampling, streamed }: Asked): Record<string, unknown> {
  const { maxTokens, temperature, topP, stop, seed, schema, tokens, reasoning } = sampling;
  const body: Record<string, unknown> = { model, messages: prompt.messages.map(messageOf) };
  if (prompt.tools !== undefined && prompt.tools.length > 0)
    body['tools'] = prompt.tools.map((tool) => ({ type: 'function', function: tool }));
  if (maxTokens !== undefined) body['max_tokens'] = maxTokens;
  if (temperature !== undefined) body['temperature'] = temperature;
  if (topP !== undefined) body['top_p'] = topP;
  if (stop !== undefined && stop.length > 0) body['stop'] = stop;
  if (seed !== undefined) body['seed'] = seed;
  if (reasoning !== undefined) body['reasoning_effort'] = reasoning === 'off' ? 'none' : reasoning;
  if (schema !== undefined) {
    // Strict mode guarantees the schema, but accepts only fully closed schemas; with others the model still follows them mostly.
    body['response_format'] = { type: 'json_schema', json_schema: { name: 'answer', schema, strict: isClosed(schema) } };
  }
  if (tokens === true) Object.assign(body, { logprobs: true, return_token_ids: true });
  if (streamed) Object.assign(body, { stream: true, stream_options: { include_usage: true } });
  return body;
}

function messageOf({ role, content, images = [], name, toolCalls, toolCallId }: ChatMessage): Record<string, unknown> {
  const visible = images.map((image) => ({ type: 'image_url', image_url: { url: imageUrl(image) } }));
  const message: Record<string, unknown> = {
    role,
    content: visible.length === 0 ? content : [{ type: 'text', text: content }, ...visible],
  };
  // Servers reject names with spaces and brackets.
  if (name !== undefined) message['name'] = name.replace(/[\s<|\\/>]+/g, '_').slice(0, 64);
  if (toolCallId !== undefined) message['tool_call_id'] = toolCallId;
  if (toolCalls !== undefined && toolCalls.length > 0) {
    message['tool_calls'] = toolCalls.map((call) => ({
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments) },
    }));
  }
  return message;
}

/**
 * A schema without length limits, because OpenAI's strict mode rejects some schemas with them. Other servers keep the limits, which stop a
 * model that repeats itself inside a string.
 */
export function withoutLengths(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(withoutLengths);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { maxLength: most, ...rest } = schema as Readonly<Record<string, Json>>;
  // A field with this name is kept: its value is a schema, while a limit is a number.
  const retainedRest = typeof most === 'object' ? { ...rest, maxLength: most } : rest;
  return Object.fromEntries(Object.entries(retainedRest).map(([key, value]) => [key, withoutLengths(value)]));
}

/** Whether every object in a schema names all its keys, requires them and allows no others. */
function isClosed(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isClosed);
  if (typeof schema !== 'object' || schema === null) return true;
  const { type, properties, required, additionalProperties } = schema as Fields;
  if (type === 'object') {
    const keys = Object.keys(fieldsOf(properties));
    if (additionalProperties !== false || !keys.every((key) => listOf(required).includes(key))) return false;
  }
  return Object.values(schema).every(isClosed);
}

/** Limits that no valid reply comes near. */
export const replyLimits = {
  /** The deepest nesting of JSON in a reply. */
  depth: 64,
  /** Characters of text, refusals, and arguments together. */
  characters: 4 * 2 ** 20,
  toolCalls: 128,
  tokens: 2 ** 20,
} as const;

/** The part of an answer received so far. Streams fill it piece by piece, whole replies at once. Invalid data throws a sentence. */
export class StreamedReply {
  text = '';
  /** The model's thoughts: sent under one of two names, never part of the text. */
  thinking = '';
  done = false;
  /** Whether the answer was stopped because it repeated itself. */
  stuck = false;
  #refusal = '';
  #finish: string | undefined;
  #usage: Fields | undefined;
  #size = 0;
  #spoke = false;
  readonly #tools = new Map<number, { id: string; name: string; text: string }>();
  readonly #ids: unknown[] = [];
  readonly #promptIds: unknown[] = [];
  readonly #logprobs: Fields[] = [];

  /** Whether there was a choice: then an empty text is an answer. */
  get spoke(): boolean {
    return this.#spoke;
  }

  /** Parses a whole reply, or one piece of a stream, and returns its text. */
  take(reply: Fields): string {
    if (reply['usage'] !== undefined && reply['usage'] !== null) this.#usage = fieldsOf(reply['usage']);
    const match = listOf(reply['choices']).find((item) => (fieldsOf(item)['index'] ?? 0) === 0);
    // A piece of a stream may contain only the usage.
    if (match === undefined) return '';
    const choice = fieldsOf(match);
    const message = choice['delta'] ?? choice['message'];
    if (message !== undefined && message !== null && typeof message !== 'object') throw new Error('its message is not an object');
    if (typeof choice['finish_reason'] === 'string') {
      this.#finish = choice['finish_reason'];
      this.done = true;
    }
    if (typeof message === 'object' && message !== null) this.#spoke = true;
    this.#tokensOf(reply, choice);
    const { content, refusal, tool_calls: calls, reasoning_content: thought, reasoning } = fieldsOf(message);
    this.thinking += this.#sized(wordsIn(thought ?? reasoning));
    const piece = this.#sized(wordsIn(content));
    this.text += piece;
    this.#refusal += this.#sized(wordsIn(refusal));
    if (listOf(calls).length > replyLimits.toolCalls) throw tooMany('tool calls', replyLimits.toolCalls);
    for (const [at, call] of listOf(calls).entries()) this.#tool(fieldsOf(call), at);
    return piece;
  }

  #tokensOf(reply: Fields, choice: Fields): void {
    const [prompt, ids] = [listOf(reply['prompt_token_ids'] ?? choice['prompt_token_ids']), listOf(choice['token_ids'])];
    const logprobs = listOf(fieldsOf(choice['logprobs'])['content']);
    if (
      Math.max(this.#promptIds.length + prompt.length, this.#ids.length + ids.length, this.#logprobs.length + logprobs.length) >
      replyLimits.tokens
    )
      throw tooMany('tokens', replyLimits.tokens);
    for (const id of prompt) this.#promptIds.push(id);
    for (const id of ids) this.#ids.push(id);
    for (const logprob of logprobs) this.#logprobs.push(fieldsOf(logprob));
  }

  #sized(text: string): string {
    this.#size += text.length;
    if (this.#size > replyLimits.characters) throw tooMany('characters', replyLimits.characters);
    return text;
  }

  #tool(call: Fields, at: number): void {
    const { name, arguments: text } = fieldsOf(call['function']);
    const index = call['index'] ?? at;
    if (!isCount(index) || index >= replyLimits.toolCalls)
      throw new Error(
        `a tool call has the index ${JSON.stringify(index)?.slice(0, 40)}; expected an integer below ${replyLimits.toolCalls}`,
      );
    const tool = this.#tools.get(index) ?? { id: '', name: '', text: '' };
    this.#tools.set(index, tool);
    if (typeof call['id'] === 'string' && call['id'] !== '') tool.id = this.#sized(call['id']);
    if (typeof name === 'string') tool.name ||= this.#sized(name);
    // Some servers send arguments as an object.
    tool.text += this.#sized(typeof text === 'string' ? text : text === undefined || text === null ? '' : JSON.stringify(text));
  }

  get toolCalls(): ToolCall[] {
    return [...this.#tools]
      .sort(([a], [b]) => a - b)
      .map(([, tool], i) => ({ id: tool.id || `call_${i}`, name: tool.name, arguments: argumentsIn(tool.text) }));
  }

  /** The finish reason of the call. */
  get finish(): ModelCall['finish'] {
    if (this.#refusal !== '' || this.#finish === 'content_filter') return 'refused';
    if (this.#finish === 'length') return 'length';
    return this.#tools.size > 0 ? 'tool' : 'stop';
  }

  get words(): string {
    return this.text === '' ? this.#refusal : this.text;
  }

  get usage(): Usage | undefined {
    const {
      prompt_tokens: promptTokens,
      completion_tokens: written,
      total_tokens: total,
      prompt_tokens_details: details,
    } = this.#usage ?? {};
    if (!isCount(promptTokens)) return undefined;
    // Some servers omit counts that are zero, and some omit counts altogether.
    const completionTokens = written ?? (isCount(total) ? total - promptTokens : this.words === '' ? 0 : undefined);
    if (!isCount(completionTokens)) return undefined;
    const cached = fieldsOf(details)['cached_tokens'];
    const thought = fieldsOf(this.#usage?.['completion_tokens_details'])['reasoning_tokens'];
    return {
      promptTokens,
      completionTokens,
      ...(isCount(cached) && cached <= promptTokens ? { cachedTokens: cached } : {}),
      ...(isCount(thought) && thought > 0 && thought <= completionTokens ? { thinkingTokens: thought } : {}),
    };
  }

  /** Token ids and logprobs, one to one; or a sentence that explains why there are none. */
  get tokens(): Pick<ModelCall, 'promptTokenIds' | 'tokenIds' | 'logprobs'> | string {
    const logprobs = this.#logprobs.map((item) => item['logprob']);
    const ids = this.#ids.length > 0 ? this.#ids : this.#logprobs.map(idOf).filter((id) => id !== undefined);
    if (ids.length === 0 || ids.length !== logprobs.length || !ids.every(isCount) || !logprobs.every((logprob) => Number.isFinite(logprob)))
      return `Token ids and logprobs were requested, but got ${ids.length} ids and ${logprobs.length} logprobs, so both were left out.`;
    const prompt = this.#promptIds.length > 0 && this.#promptIds.every(isCount) ? { promptTokenIds: this.#promptIds as number[] } : {};
    return { ...prompt, tokenIds: ids as number[], logprobs: logprobs as number[] };
  }
}

/** Ids inside the logprobs: llama.cpp has an `id`, and vLLM can write tokens as "token_id:17". */
function idOf(entry: Fields): number | undefined {
  if (isCount(entry['id'])) return entry['id'];
  const written = /^token_id:(\d+)$/.exec(wordsIn(entry['token']));
  return written === null ? undefined : Number(written[1]);
}

/** Arguments that are not valid JSON stay text, so that the caller can tell the model. */
export function argumentsIn(text: string): Json {
  if (text.trim() === '') return {};
  try {
    return parseJson(text, { depth: replyLimits.depth });
  } catch {
    return text;
  }
}

function tooMany(what: string, most: number): Error {
  return new Error(`it has more than ${most} ${what}`);
}

export const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** Content is text, or a list of parts of which some are text. */
function wordsIn(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .map((part) => fieldsOf(part)['text'])
    .filter((text) => typeof text === 'string')
    .join('');
}
