/**
 * @file Servers with their own dialect: OpenAI's responses, Anthropic's messages, Gemini. A dialect builds the request of a call and parses
 * the reply; sending, streaming, limits, faults, and notes are shared.
 */

import type { Model, ModelCall, Prompt, Sampling, ToolCall, Usage } from '@ludus-agents/kernel/internal/core/index';
import { Fault, JsonFault, parseJson } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { hostedContext, seesByName, thinksByName } from '../contexts.ts';
import { choiceIn, choiceSchema, enforcementWords, freeNote, heldNote } from '../enforcement.ts';
import { ModelFault } from '../fault.ts';
import { type Bounds, exchange, type HttpReply } from '../http.ts';
import { argumentsIn, replyLimits } from '../openai.wire.ts';
import { isStuck, unstuck } from '../repetition.ts';
import { EventStream } from '../sse.ts';
import { promptTokens, tokensIn } from '../tokens.ts';

export type DialectFields = Readonly<Record<string, unknown>>;

export interface Asked {
  readonly model: string;
  readonly prompt: Prompt;
  readonly sampling: Sampling;
  /** The schema of a JSON answer: that of the call, or one for a move among its choices. */
  readonly schema: object | undefined;
  readonly streamed: boolean;
}

/** The part of an answer received so far. */
export interface Heard {
  text: string;
  thinking: string;
  refusal: string;
  finish: ModelCall['finish'] | undefined;
  usage: Usage | undefined;
  /** By their index in the answer; arguments as received so far. */
  readonly tools: Map<number, { id: string; name: string; text: string }>;
  /** Whether the last event has arrived. */
  done: boolean;
}

export interface Dialect {
  /** The path after the base address. */
  path(request: Asked): string;
  headers(key: string): Readonly<Record<string, string>>;
  body(request: Asked): Readonly<Record<string, unknown>>;
  /** Parses a whole reply. */
  whole(reply: DialectFields, message: Heard): void;
  /** Parses one event of a stream and returns its text. */
  event(event: DialectFields, message: Heard): string;
  /** Settings of a call that the dialect does not support: one sentence each. */
  lacks(sampling: Sampling): readonly string[];
}

export interface DialectOptions extends Bounds {
  readonly id: string;
  readonly dialect: Dialect;
  readonly baseURL: string;
  readonly model: string;
  /** The environment variable that holds the key. */
  readonly keyFrom: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly context?: number | undefined;
}

export function dialectModel(options: DialectOptions): Model {
  const { id, model } = options;
  return {
    id,
    ...(thinksByName(model) ? { thinks: true } : {}),
    ...(seesByName(model) ? { sees: true } : {}),
    context: async () => options.context ?? hostedContext(model),
    complete: (prompt, sampling, signal, onText) => complete(options, { prompt, sampling, signal, onText }),
  };
}

interface Call {
  readonly prompt: Prompt;
  readonly sampling: Sampling;
  readonly signal: AbortSignal;
  readonly onText: ((piece: string) => void) | undefined;
}

async function complete(options: DialectOptions, { prompt, sampling, signal, onText }: Call): Promise<ModelCall> {
  const { dialect, id, model, baseURL, keyFrom, env, seconds, idleSeconds, mostBytes } = options;
  const began = performance.now();
  const choices = sampling.choices ?? [];
  const schema = (choices.length > 0 ? choiceSchema(choices) : sampling.schema) as object | undefined;
  // Constrained moves are not streamed, because the JSON around them is of no use to a listener.
  const streamed = onText !== undefined && choices.length === 0;
  const callRequest: Asked = { model, prompt, sampling, schema, streamed };
  const key = env[keyFrom]?.trim() || undefined;
  // The HTTP client would quote such a key in its error.
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key))
    throw new Fault('input', `The key in ${keyFrom} has invalid characters. Set it again.`);
  const request = {
    ...(seconds === undefined ? {} : { seconds }),
    ...(idleSeconds === undefined ? {} : { idleSeconds }),
    ...(mostBytes === undefined ? {} : { mostBytes }),
    ...{ name: id, url: baseURL.replace(linear(/\/+$/), '') + dialect.path(callRequest), key, keyFrom, signal },
    ...(key === undefined ? {} : { keyHeaders: dialect.headers(key) }),
    body: JSON.stringify(dialect.body(callRequest)),
  };
  const { heard, stuck } = await exchange(request, (answer) => read(options, answer, streamed ? onText : undefined));
  const notes = [...dialect.lacks(sampling)];
  if (sampling.tokens === true) notes.push('Token ids and logprobs were requested, but this server does not return them.');
  if (heard.usage === undefined) notes.push('The server counted no tokens, so the usage is an estimate.');
  if (stuck) notes.push('The model repeated itself, so its answer was ended there.');
  const spokenRefusal = heard.text === '' ? heard.refusal : heard.text;
  const text = choices.length === 0 ? (stuck ? unstuck(spokenRefusal) : spokenRefusal) : choiceIn(spokenRefusal, 'schema', choices);
  if (choices.length > 0) {
    notes.push(choices.includes(text) ? heldNote(enforcementWords.schema) : freeNote);
    onText?.(text);
  }
  const toolCalls = toolCallsIn(heard);
  const finish = heard.refusal !== '' ? 'refused' : (heard.finish ?? (toolCalls.length > 0 ? 'tool' : 'stop'));
  return {
    model: id,
    prompt,
    text,
    ...(heard.thinking === '' ? {} : { thinking: heard.thinking }),
    finish: stuck ? 'length' : finish,
    usage: heard.usage ?? { promptTokens: promptTokens(prompt), completionTokens: tokensIn(spokenRefusal), estimated: true },
    cost: null,
    milliseconds: Math.round(performance.now() - began),
    ...(toolCalls.length > 0 ? { toolCalls } : {}),
    ...(notes.length > 0 ? { notes } : {}),
  };
}

/** The state before the first event. */
export function nothingHeard(): Heard {
  return { text: '', thinking: '', refusal: '', finish: undefined, usage: undefined, tools: new Map(), done: false };
}

export function toolCallsIn({ tools }: Heard): ToolCall[] {
  return [...tools]
    .sort(([a], [b]) => a - b)
    .map(([, { id, name, text }], i) => ({ id: id || `call_${i}`, name, arguments: argumentsIn(text) }));
}

async function read(
  { dialect, id }: DialectOptions,
  answer: HttpReply,
  onText: ((piece: string) => void) | undefined,
): Promise<{ readonly heard: Heard; readonly stuck: boolean }> {
  const message = nothingHeard();
  if (!answer.type.includes('text/event-stream')) {
    dialect.whole(checkReply(id, await answer.text(), answer), message);
    checkReplySize(id, message);
    if (message.text !== '') onText?.(message.text);
    return { heard: message, stuck: false };
  }
  const events = new EventStream();
  for await (const chunk of answer.chunks()) {
    for (const data of events.push(chunk)) {
      if (data === '[DONE]') continue;
      const piece = dialect.event(checkReply(id, data, answer), message);
      checkReplySize(id, message);
      if (piece !== '') onText?.(piece);
      if (isStuck(message.text)) return { heard: message, stuck: true };
    }
  }
  if (!message.done) throw new ModelFault(`${id} closed the connection in the middle of its answer.`);
  return { heard: message, stuck: false };
}

function checkReply(id: string, text: string, { type, hide }: HttpReply): DialectFields {
  let value: unknown;
  try {
    value = parseJson(text, { depth: replyLimits.depth });
  } catch (thrown) {
    if (thrown instanceof JsonFault && thrown.reason !== 'syntax')
      throw new ModelFault(`${id} sent a reply that cannot be read: ${thrown.message}`, { status: 502 });
    if (/json|event-stream/.test(type)) throw new ModelFault(`${id} sent JSON that does not parse.`);
    throw new ModelFault(`${id} sent ${type === '' ? 'something' : type} instead of JSON. Check the address.`, { status: 200 });
  }
  const reply = fields(value);
  const { message, code, type: kind } = fields(reply['error']);
  if (typeof message === 'string') {
    // Streams fail in the middle with an error type instead of a status.
    const status = typeof code === 'number' ? code : kind === 'overloaded_error' ? 529 : undefined;
    throw new ModelFault(`${id} failed: ${hide(message).slice(0, 300)}`, status === undefined ? {} : { status });
  }
  return reply;
}

function checkReplySize(id: string, { text, thinking, refusal, tools }: Heard): void {
  const size = text.length + thinking.length + refusal.length + [...tools.values()].reduce((sum, item) => sum + item.text.length, 0);
  if (size > replyLimits.characters || tools.size > replyLimits.toolCalls)
    throw new ModelFault(`${id} sent a reply that cannot be read: it has ${size} characters and ${tools.size} tool calls.`, {
      status: 502,
    });
}

export function fields(value: unknown): DialectFields {
  return typeof value === 'object' && value !== null ? (value as DialectFields) : {};
}

export function list(value: unknown): readonly DialectFields[] {
  return Array.isArray(value) ? value.map(fields) : [];
}

export function words(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function tokenCount(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
}

/** Usage from counts that may be missing. */
export function usageOf(
  prompt: unknown,
  completion: unknown,
  more: { readonly cached?: unknown; readonly thinking?: unknown } = {},
): Usage | undefined {
  const [promptTokens, completionTokens] = [tokenCount(prompt), tokenCount(completion)];
  if (promptTokens === undefined || completionTokens === undefined) return undefined;
  const [cachedTokens, thinkingTokens] = [tokenCount(more.cached), tokenCount(more.thinking)];
  return {
    promptTokens,
    completionTokens,
    ...(cachedTokens === undefined || cachedTokens > promptTokens ? {} : { cachedTokens }),
    ...(thinkingTokens === undefined || thinkingTokens === 0 ? {} : { thinkingTokens }),
  };
}

/** The note for a field that a dialect does not support. */
export function leftOutNote(field: string): string {
  return `The server does not support "${field}", so it was omitted.`;
}
