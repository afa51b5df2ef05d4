/** @file The dialect of OpenAI-compatible servers: the requests, and the complete or streamed responses. */

import {
  type ChatMessage,
  imageUrl,
  type Json,
  type ModelCall,
  type Prompt,
  parseJson,
  type Sampling,
  type ToolCall,
  type Usage,
} from '@ludus-agents/kernel/internal/core/index';

type Fields = Readonly<Record<string, unknown>>;

/** Fields that a server may not know. A refused one is left out from then on, and every call that wanted it says so. */
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
    // Strict mode guarantees the schema, but takes only schemas that are closed throughout; others are still followed as well as can be.
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
  // Servers refuse names with blanks and brackets.
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
 * A schema without limits of length: OpenAI's strict mode refuses some schemas for them. Other servers keep them, and a model that repeats
 * itself inside a text is ended by them.
 */
export function withoutLengths(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(withoutLengths);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { maxLength: most, ...rest } = schema as Readonly<Record<string, Json>>;
  // A field that is called so is kept: its value is a schema, and a limit is a number.
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

/** Bounds that no honest reply comes near. */
export const replyLimits = {
  /** How deep JSON of a reply may be nested. */
  depth: 64,
  /** Characters of text, of refusals and of arguments together. */
  characters: 4 * 2 ** 20,
  toolCalls: 128,
  tokens: 2 ** 20,
} as const;

/** An answer as far as it has come. Streams fill it piece by piece, whole replies at once. What does not fit throws a sentence. */
export class StreamedReply {
  text = '';
  /** What the model thought: under one of two names, never part of the text. */
  thinking = '';
  done = false;
  /** The answer was ended because it repeated itself. */
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

  /** Whether there was a choice, so that an empty text is an answer and not the lack of one. */
  get spoke(): boolean {
    return this.#spoke;
  }

  /** Takes a whole reply, or one piece of a stream, and gives the text it brought. */
  take(reply: Fields): string {
    if (reply['usage'] !== undefined && reply['usage'] !== null) this.#usage = fieldsOf(reply['usage']);
    const match = listOf(reply['choices']).find((item) => (fieldsOf(item)['index'] ?? 0) === 0);
    // A piece of a stream may bring nothing but the usage.
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
    // Some servers hand arguments over as an object.
    tool.text += this.#sized(typeof text === 'string' ? text : text === undefined || text === null ? '' : JSON.stringify(text));
  }

  get toolCalls(): ToolCall[] {
    return [...this.#tools]
      .sort(([a], [b]) => a - b)
      .map(([, tool], i) => ({ id: tool.id || `call_${i}`, name: tool.name, arguments: argumentsIn(tool.text) }));
  }

  /** What the call says besides its text. */
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
    // Some servers leave out what is nothing, and some what they do not count.
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

  /** Token ids and logprobs, one for one; or the sentence that says why there are none. */
  get tokens(): Pick<ModelCall, 'promptTokenIds' | 'tokenIds' | 'logprobs'> | string {
    const logprobs = this.#logprobs.map((item) => item['logprob']);
    const ids = this.#ids.length > 0 ? this.#ids : this.#logprobs.map(idOf).filter((id) => id !== undefined);
    if (ids.length === 0 || ids.length !== logprobs.length || !ids.every(isCount) || !logprobs.every((logprob) => Number.isFinite(logprob)))
      return `Token ids and logprobs were requested, but got ${ids.length} ids and ${logprobs.length} logprobs, so both were left out.`;
    const prompt = this.#promptIds.length > 0 && this.#promptIds.every(isCount) ? { promptTokenIds: this.#promptIds as number[] } : {};
    return { ...prompt, tokenIds: ids as number[], logprobs: logprobs as number[] };
  }
}

/** Where ids come inside the logprobs: llama.cpp has an `id`, and vLLM can write tokens as "token_id:17". */
function idOf(entry: Fields): number | undefined {
  if (isCount(entry['id'])) return entry['id'];
  const written = /^token_id:(\d+)$/.exec(wordsIn(entry['token']));
  return written === null ? undefined : Number(written[1]);
}

/** Arguments that are not JSON stay the text that the model wrote: anyone who reads the call can tell it so. */
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

/** Content is text, or a list of parts some of which are. */
function wordsIn(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .map((part) => fieldsOf(part)['text'])
    .filter((text) => typeof text === 'string')
    .join('');
}
