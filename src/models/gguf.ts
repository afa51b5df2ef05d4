/**
 * @file A GGUF model inside this process, through node-llama-cpp: an optional package that is loaded when such a model is named.
 *
 * One sequence serves one call at a time, so calls queue; a prompt that begins like the last one is read only from where it differs. One
 * thread unless told otherwise: episodes, not matrix products, are what runs side by side here. A prompt that does not fit is refused, never cut.
 */

import {
  type ChatMessage,
  canonical,
  type Escape,
  escapeTokens,
  type Json,
  type Model,
  type ModelCall,
  type Prompt,
  type Sampling,
  sentenceOf,
  type ToolCall,
} from '../core/index.ts';
import { ModelFault } from './fault.ts';
import { readSpecialTokens } from './gguf-header.ts';
import { limited, ModelRateLimit } from './limited.ts';
import { loadPeer } from './peer.ts';

/** As much of node-llama-cpp 3 as is used here. */
export interface LlamaLibrary {
  getLlama(options: Readonly<Record<string, unknown>>): Promise<LlamaLike>;
  readonly LlamaChat: new (options: { contextSequence: Sequence }) => Chat;
}

interface LlamaLike {
  loadModel(options: { modelPath: string }): Promise<Weights>;
  createGrammarForJsonSchema(schema: Json): Promise<object>;
}

interface Weights {
  readonly trainContextSize: number;
  readonly tokenizer: unknown;
  tokenize(text: string): readonly number[];
  createContext(options: { contextSize: number; threads: number }): Promise<{ getSequence(): Sequence }>;
}

interface Sequence {
  readonly tokenMeter: { readonly usedInputTokens: number };
}

interface Chat {
  readonly chatWrapper: {
    generateContextState(state: { chatHistory: Item[]; availableFunctions?: Functions }): {
      readonly contextText: { tokenize(tokenizer: unknown): readonly number[] };
    };
  };
  generateResponse(history: Item[], options: Readonly<Record<string, unknown>>): Promise<Response>;
}

interface Response {
  readonly response: string;
  readonly functionCalls?: readonly { readonly functionName: string; readonly params: unknown }[];
  readonly metadata: { readonly stopReason: string };
}

type FunctionCall = { type: 'functionCall'; name: string; params: Json; result: Json };
type Item = { type: 'system' | 'user'; text: string } | { type: 'model'; response: (string | FunctionCall)[] };
type Functions = Record<string, { description: string; params: Json }>;

export interface GgufOptions {
  readonly id?: string;
  readonly path: string;
  readonly threads?: number;
  /** Tokens of prompt and answer together; what the model was trained on, up to 4096, if it is not given. */
  readonly contextSize?: number;
  /** In place of the installed package. */
  readonly library?: LlamaLibrary;
}

interface Loaded {
  readonly llama: LlamaLike;
  readonly weights: Weights;
  readonly sequence: Sequence;
  readonly chat: Chat;
  readonly contextSize: number;
  readonly grammars: Map<string, Promise<object>>;
}

/** The installed package, or the sentence that says how to get it. */
export async function llamaLibrary(): Promise<LlamaLibrary> {
  return (await loadPeer('node-llama-cpp', 'Models named gguf:… need')) as unknown as LlamaLibrary;
}

/** Loads the model at once, so that a file that cannot be used says so before anything is played. */
export async function ggufModel(options: GgufOptions): Promise<Model> {
  const { path, id = `gguf:${path}` } = options;
  const library = options.library ?? (await llamaLibrary());
  const loaded = await load(library, options).catch((thrown: unknown) => {
    throw new ModelFault(`${path} could not be loaded: ${sentenceOf(thrown).slice(0, 300)}`, { status: 400 });
  });
  const specialTokens = await readSpecialTokens(path);
  const toInert = escapeTokens(specialTokens);
  const model: Model = {
    id,
    complete: async (prompt, sampling, signal, onText) => ({
      ...(await complete(loaded, id, { prompt: escaped(prompt, toInert), sampling, signal, onText })),
      prompt,
    }),
  };
  return {
    ...limited(model, new ModelRateLimit({ concurrency: 1 })),
    specialTokens,
    price: { prompt: 0, completion: 0 },
    tokens: (text) => loaded.weights.tokenize(text).length,
  };
}

interface Call {
  readonly prompt: Prompt;
  readonly sampling: Sampling;
  readonly signal: AbortSignal;
  readonly onText: ((piece: string) => void) | undefined;
}

/** No text of a message is a mark: marks are written around messages, by the model's own template. */
function escaped(prompt: Prompt, toInert: Escape): Prompt {
  return { ...prompt, messages: prompt.messages.map((message) => ({ ...message, content: toInert(message.content) })) };
}

async function complete(loaded: Loaded, id: string, { prompt, sampling, signal, onText }: Call): Promise<ModelCall> {
  signal.throwIfAborted();
  const began = performance.now();
  const history = historyOf(prompt.messages);
  const functions = functionsOf(prompt);
  const { chat, contextSize, sequence, weights } = loaded;
  const state = chat.chatWrapper.generateContextState({ chatHistory: history, ...(functions && { availableFunctions: functions }) });
  const promptTokens = state.contextText.tokenize(weights.tokenizer).length;
  if (promptTokens >= contextSize)
    throw new ModelFault(`${id} holds ${contextSize} tokens, but the prompt alone has ${promptTokens}; shorten it.`, { status: 400 });
  const readBefore = sequence.tokenMeter.usedInputTokens;
  let completionTokens = 0;
  const response = await chat.generateResponse(history, {
    signal,
    maxTokens: Math.min(sampling.maxTokens ?? contextSize, contextSize - promptTokens),
    temperature: sampling.temperature ?? 0.8,
    topP: sampling.topP ?? 1,
    onToken: (tokens: readonly number[]) => {
      completionTokens += tokens.length;
    },
    ...(onText && { onTextChunk: onText }),
    ...(sampling.seed !== undefined && { seed: sampling.seed }),
    ...(sampling.stop && { customStopTriggers: [...sampling.stop] }),
    ...(functions ? { functions } : sampling.schema !== undefined && { grammar: await grammarFor(loaded, sampling.schema) }),
  });
  // The meter counts the last token of a prompt as the first of the answer, since reading it makes that one.
  const cachedTokens = Math.max(0, promptTokens - 1 - (sequence.tokenMeter.usedInputTokens - readBefore));
  const toolCalls = toolCallsIn(response);
  return {
    model: id,
    prompt,
    text: response.response,
    finish: response.metadata.stopReason === 'maxTokens' ? 'length' : toolCalls.length > 0 ? 'tool' : 'stop',
    usage: { promptTokens, completionTokens, cachedTokens },
    cost: 0,
    milliseconds: Math.round(performance.now() - began),
    ...(toolCalls.length > 0 && { toolCalls }),
    ...(sampling.tokens === true && { notes: ['Token ids and logprobs were asked for, but a model inside the process gives none.'] }),
  };
}

function toolCallsIn({ functionCalls = [] }: Response): ToolCall[] {
  return functionCalls.map(({ functionName, params }, i) => ({ id: `call_${i}`, name: functionName, arguments: (params ?? {}) as Json }));
}

async function load({ getLlama, LlamaChat }: LlamaLibrary, { path, threads = 1, contextSize = 4096 }: GgufOptions): Promise<Loaded> {
  // Never compile: a package that has no binary for this machine should say so at once, not build for minutes.
  const llama = await getLlama({ build: 'never', skipDownload: true, progressLogs: false, logLevel: 'error', maxThreads: threads });
  const weights = await llama.loadModel({ modelPath: path });
  const size = Math.min(contextSize, weights.trainContextSize);
  const sequence = (await weights.createContext({ contextSize: size, threads })).getSequence();
  return { llama, weights, sequence, chat: new LlamaChat({ contextSequence: sequence }), contextSize: size, grammars: new Map() };
}

function grammarFor({ llama, grammars }: Loaded, schema: Json): Promise<object> {
  const key = canonical(schema);
  const grammar = grammars.get(key) ?? llama.createGrammarForJsonSchema(schema);
  grammars.set(key, grammar);
  return grammar;
}

/** A chat as node-llama-cpp tells it: neighbours of one kind are one item, results stand in the calls they answer, the model speaks last. */
function historyOf(messages: readonly ChatMessage[]): Item[] {
  const items: Item[] = [];
  const calls = new Map<string, FunctionCall>();
  for (const { role, content, toolCalls = [], toolCallId = '' } of messages) {
    const last = items.at(-1);
    if (role === 'tool') {
      const call = calls.get(toolCallId);
      if (call !== undefined) call.result = content;
    } else if (role === 'assistant') {
      const made = toolCalls.map(({ id, name, arguments: params }): FunctionCall => {
        const call: FunctionCall = { type: 'functionCall', name, params, result: '' };
        calls.set(id, call);
        return call;
      });
      const response = [...(content === '' ? [] : [content]), ...made];
      if (last?.type === 'model') last.response.push(...response);
      else items.push({ type: 'model', response });
    } else if (last?.type === role) last.text += `\n\n${content}`;
    else items.push({ type: role, text: content });
  }
  if (items.at(-1)?.type !== 'model') items.push({ type: 'model', response: [] });
  return items;
}

function functionsOf({ tools = [] }: Prompt): Functions | undefined {
  if (tools.length === 0) return undefined;
  return Object.fromEntries(tools.map(({ name, description, parameters }) => [name, { description, params: parameters }]));
}
