/**
 * @file Adapts models of the Vercel AI SDK (version 7, LanguageModelV4): `fromAISDK(anthropic('claude-…'))`.
 *
 * Only the shape of such a model is used, so the SDK is not needed at run time. By name, a provider's package is loaded if it is installed;
 * the package itself reads the key from the environment.
 */

import type { ChatMessage, Model, ModelCall, Prompt, Sampling, ToolCall } from '@ludus-agents/kernel/internal/core/index';
import { Fault, isFault, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { loadOptionalPackage } from '../runtimes/optional-package.ts';
import { hostedContext, seesByName, thinksByName } from './contexts.ts';
import { choiceIn, choiceSchema, enforcementWords, freeNote, heldNote } from './enforcement.ts';
import { ModelFault } from './fault.ts';
import { redactKey, retryAfter } from './http.ts';
import { argumentsIn, replyLimits } from './openai.wire.ts';
import { promptTokens, tokensIn } from './tokens.ts';

/** The part of a LanguageModelV4 that is used here. */
export interface LanguageModelLike {
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: CallOptions): PromiseLike<Generated>;
  doStream(options: CallOptions): PromiseLike<{ readonly stream: ReadableStream<Part> }>;
}

interface Generated {
  readonly content: readonly Part[];
  readonly structuredOutputText?: string;
  readonly finishReason: { readonly unified: string };
  readonly usage: UsageLike;
}

interface UsageLike {
  readonly inputTokens: { readonly total: number | undefined; readonly cacheRead: number | undefined };
  readonly outputTokens: { readonly total: number | undefined };
}

/** A part of an answer or of its stream; unknown kinds are ignored. */
type Part = { readonly type: string };
type TextPart = { type: 'text'; text: string };
type FilePart = { type: 'file'; mediaType: string; data: { type: 'data'; data: string } };
type MessageLike =
  | { role: 'system'; content: string }
  | { role: 'user'; content: (TextPart | FilePart)[] }
  | { role: 'assistant'; content: (TextPart | { type: 'tool-call'; toolCallId: string; toolName: string; input: unknown })[] }
  | {
      role: 'tool';
      content: { type: 'tool-result'; toolCallId: string; toolName: string; output: { type: 'text'; value: string } }[];
    };

interface CallOptions {
  prompt: MessageLike[];
  maxOutputTokens?: number;
  temperature?: number;
  topP?: number;
  stopSequences?: string[];
  seed?: number;
  responseFormat?: { type: 'json'; schema?: object };
  tools?: { type: 'function'; name: string; description?: string; inputSchema: object }[];
  abortSignal?: AbortSignal;
}

export interface AISDKOptions {
  readonly id?: string;
  /** The time limit of a whole call, in seconds. */
  readonly seconds?: number;
  /** The environment variable whose value must not appear in any fault. */
  readonly keyFrom?: string;
}

export function fromAISDK(model: LanguageModelLike, options: AISDKOptions = {}): Model {
  const { id = `${model.provider}/${model.modelId}`, seconds = 300, keyFrom } = options;
  return {
    id,
    ...(thinksByName(model.modelId) ? { thinks: true } : {}),
    ...(seesByName(model.modelId) ? { sees: true } : {}),
    context: async () => hostedContext(model.modelId),
    async complete(prompt, sampling, signal, onText) {
      signal.throwIfAborted();
      const began = performance.now();
      const late = AbortSignal.timeout(seconds * 1000);
      const request = { ...optionsOf(prompt, sampling), abortSignal: AbortSignal.any([signal, late]) };
      try {
        const generated = onText === undefined ? await model.doGenerate(request) : await streamCall(model, request, onText);
        return {
          ...withChoice(callOf(id, { prompt, sampling }, generated), sampling.choices),
          milliseconds: Math.round(performance.now() - began),
        };
      } catch (thrown) {
        if (signal.aborted) throw signal.reason;
        if (late.aborted) throw new ModelFault(`${id} did not finish within ${seconds} s.`, { status: 408 });
        throw faultOf(id, thrown, keyFrom === undefined ? undefined : process.env[keyFrom]);
      }
    },
  };
}

/** Extracts a move from the schema that constrained the model. */
function withChoice(call: ModelCall, choices: readonly string[] = []): ModelCall {
  if (choices.length === 0) return call;
  const text = choiceIn(call.text, 'schema', choices);
  return { ...call, text, notes: [...(call.notes ?? []), choices.includes(text) ? heldNote(enforcementWords.schema) : freeNote] };
}

/** Reads a stream to its end and returns one result. */
async function streamCall(model: LanguageModelLike, callOptions: CallOptions, onText: (piece: string) => void): Promise<Generated> {
  const { stream } = await model.doStream(callOptions);
  const content: Part[] = [];
  let end: Pick<Generated, 'finishReason' | 'usage'> | undefined;
  for await (const part of stream) {
    if (part.type === 'text-delta') {
      const text = (part as unknown as { delta: string }).delta;
      content.push({ type: 'text', text } as Part);
      if (text !== '') onText(text);
    } else if (part.type === 'tool-call') content.push(part);
    else if (part.type === 'finish') end = part as unknown as Pick<Generated, 'finishReason' | 'usage'>;
    else if (part.type === 'error') throw (part as unknown as { error: unknown }).error;
  }
  if (end === undefined) throw new Error('the connection closed in the middle of its answer');
  return { content, ...end };
}

function callOf(id: string, { prompt, sampling }: { prompt: Prompt; sampling: Sampling }, generated: Generated): ModelCall {
  const { content, finishReason, usage } = generated;
  if (!Array.isArray(content) || typeof finishReason?.unified !== 'string') throw new Error('its reply has no content or no end');
  if (finishReason.unified === 'error') throw new Error('it ended in an error');
  const text = generated.structuredOutputText ?? texts(content);
  const toolCalls = content.filter((part: Part) => part?.type === 'tool-call').map(toolCallOf);
  const notes: string[] = [];
  if (sampling.tokens === true) notes.push('Token ids and logprobs were requested, but the AI SDK does not return them.');
  if (toolCalls.length > replyLimits.toolCalls || text.length > replyLimits.characters)
    throw new Error(`its reply has ${text.length} characters and ${toolCalls.length} tool calls, which is too large`);
  const [used, completionTokens] = [countIn(usage?.inputTokens?.total), countIn(usage?.outputTokens?.total)];
  if (used === undefined || completionTokens === undefined) notes.push('The server counted no tokens, so the usage is an estimate.');
  const cached = countIn(usage?.inputTokens?.cacheRead);
  return {
    model: id,
    prompt,
    text,
    finish: finishes[finishReason.unified] ?? (toolCalls.length > 0 ? 'tool' : 'stop'),
    usage: {
      promptTokens: used ?? promptTokens(prompt),
      completionTokens: completionTokens ?? tokensIn(text),
      ...(cached === undefined ? {} : { cachedTokens: cached }),
      ...(used === undefined || completionTokens === undefined ? { estimated: true } : {}),
    },
    cost: null,
    ...(toolCalls.length > 0 ? { toolCalls } : {}),
    ...(notes.length > 0 ? { notes } : {}),
  };
}

/** An invalid count is treated as missing. */
function countIn(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
}

const finishes: Readonly<Record<string, ModelCall['finish']>> = { length: 'length', 'content-filter': 'refused', 'tool-calls': 'tool' };

function texts(content: readonly Part[]): string {
  let text = '';
  for (const part of content) {
    if (part?.type !== 'text') continue;
    const { text: piece } = part as TextPart;
    if (typeof piece !== 'string') throw new Error('a text in its reply is not a string');
    text += piece;
  }
  return text;
}

function toolCallOf(part: Part): ToolCall {
  const { toolCallId, toolName, input } = part as unknown as { toolCallId: string; toolName: string; input: string };
  if (typeof toolCallId !== 'string' || typeof toolName !== 'string' || typeof input !== 'string')
    throw new Error('its reply has a tool call without an id, a name or arguments');
  return { id: toolCallId, name: toolName, arguments: argumentsIn(input) };
}

function optionsOf(prompt: Prompt, { maxTokens, temperature, topP, stop, seed, choices = [], ...more }: Sampling): CallOptions {
  const schema = choices.length > 0 ? choiceSchema(choices) : more.schema;
  const names = new Map(prompt.messages.flatMap(({ toolCalls = [] }) => toolCalls.map((call) => [call.id, call.name] as const)));
  return {
    prompt: prompt.messages.map((message) => messageOf(message, names)),
    ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(stop === undefined ? {} : { stopSequences: [...stop] }),
    ...(seed === undefined ? {} : { seed }),
    ...(schema === undefined ? {} : { responseFormat: { type: 'json' as const, schema: schema as object } }),
    ...(prompt.tools === undefined || prompt.tools.length === 0 ? {} : { tools: prompt.tools.map(toolOf) }),
  };
}

function toolOf({ name, description, parameters }: NonNullable<Prompt['tools']>[number]): NonNullable<CallOptions['tools']>[number] {
  return { type: 'function', name, description, inputSchema: parameters as object };
}

/** A tool result here names its tool; in our messages only the call names it. */
function messageOf(
  { role, content, images = [], name, toolCalls = [], toolCallId = '' }: ChatMessage,
  names: ReadonlyMap<string, string>,
): MessageLike {
  if (role === 'system') return { role, content };
  const text: TextPart[] = content === '' && toolCalls.length > 0 ? [] : [{ type: 'text', text: content }];
  if (role === 'user')
    return {
      role,
      content: [...text, ...images.map(({ media, data }): FilePart => ({ type: 'file', mediaType: media, data: { type: 'data', data } }))],
    };
  if (role === 'assistant') {
    const calls = toolCalls.map((call) => ({
      type: 'tool-call' as const,
      toolCallId: call.id,
      toolName: call.name,
      input: call.arguments,
    }));
    return { role, content: [...text, ...calls] };
  }
  const toolName = names.get(toolCallId) ?? name ?? 'tool';
  return { role, content: [{ type: 'tool-result', toolCallId, toolName, output: { type: 'text', value: content } }] };
}

/** The SDK's own error is dropped, because it quotes the request. */
function faultOf(id: string, thrown: unknown, key: string | undefined): Fault {
  if (isFault(thrown)) return thrown;
  const { statusCode, responseHeaders } = (thrown ?? {}) as { statusCode?: unknown; responseHeaders?: Record<string, string> };
  const wait = responseHeaders === undefined ? undefined : retryAfter(Object.fromEntries(new Headers(responseHeaders)));
  const text = redactKey(sentenceOf(thrown), key).slice(0, 300).replace(/\.$/, '');
  return new ModelFault(`${id} failed${typeof statusCode === 'number' ? ` with ${statusCode}` : ''}: ${text}.`, {
    ...(typeof statusCode === 'number' ? { status: statusCode } : {}),
    ...(wait === undefined ? {} : { retryAfter: wait }),
  });
}

/** Supported providers, with the package to install and the variable of their key. */
export const aiProviders: Readonly<Record<string, { readonly package: string; readonly keyFrom: string; readonly create: string }>> = {
  mistral: { package: '@ai-sdk/mistral', keyFrom: 'MISTRAL_API_KEY', create: 'createMistral' },
  xai: { package: '@ai-sdk/xai', keyFrom: 'XAI_API_KEY', create: 'createXai' },
  groq: { package: '@ai-sdk/groq', keyFrom: 'GROQ_API_KEY', create: 'createGroq' },
  deepseek: { package: '@ai-sdk/deepseek', keyFrom: 'DEEPSEEK_API_KEY', create: 'createDeepSeek' },
};

/** Does not follow redirects: some providers send their key in headers that would be forwarded. */
const staying: typeof fetch = (input, init) => fetch(input, { ...init, redirect: 'error' });

/** A model of a provider by name, e.g. ("mistral", "mistral-small-latest"). */
export async function aiModel(provider: string, model: string): Promise<Model> {
  const { package: name, keyFrom, create } = aiProviders[provider]!;
  const exports = await loadOptionalPackage(name, `Models named ${provider}/… need`);
  if ((process.env[keyFrom] ?? '') === '') throw new Fault('input', `Models named ${provider}/… need an API key. Set ${keyFrom}.`);
  type Make = ((model: string) => LanguageModelLike) | undefined;
  const creator = exports[create] as ((settings: { fetch: typeof fetch }) => Make) | undefined;
  const make = typeof creator === 'function' ? creator({ fetch: staying }) : (exports[provider] as Make);
  if (typeof make !== 'function')
    throw new Fault('input', `The package ${name} has no "${provider}" export that creates models. Update it.`);
  return fromAISDK(make(model), { id: `${provider}/${model}`, keyFrom });
}
