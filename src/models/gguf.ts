/**
 * @file A GGUF model inside this process, through node-llama-cpp: an optional package that is loaded when such a model is named.
 *
 * One sequence serves one call at a time, so calls queue; a prompt that begins like the last one is read only from where it differs. As many
 * threads as the machine has idle cores, unless told otherwise. Choices are a grammar; an answer that repeats itself is ended. A prompt that
 * does not fit is refused, never cut: what an agent sends fits, because it asks for the context first.
 */

import { availableParallelism, loadavg } from 'node:os';
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
import { thinksByName } from './contexts.ts';
import { choiceGrammar, heldNote } from './enforcement.ts';
import { ModelFault } from './fault.ts';
import { readSpecialTokens } from './gguf-header.ts';
import { type ScoredSequence, scoreTexts } from './gguf-score.ts';
import { limited, ModelRateLimit } from './limited.ts';
import { loadPeer } from './peer.ts';
import { isStuck, unstuck } from './repetition.ts';

/** As much of node-llama-cpp 3 as is used here. */
export interface LlamaLibrary {
  getLlama(options: Readonly<Record<string, unknown>>): Promise<LlamaLike>;
  readonly LlamaChat: new (options: { contextSequence: Sequence }) => Chat;
}

interface LlamaLike {
  loadModel(options: { modelPath: string; gpuLayers?: number | 'auto' }): Promise<Weights>;
  createGrammarForJsonSchema(schema: Json): Promise<object>;
  createGrammar(options: { grammar: string }): Promise<object>;
}

interface Weights {
  readonly trainContextSize: number;
  readonly tokenizer: unknown;
  readonly tokens: { readonly eot: number | null; readonly eos: number | null };
  tokenize(text: string): readonly number[];
  createContext(options: { contextSize: number; threads: number }): Promise<{ getSequence(): Sequence }>;
}

interface Sequence extends ScoredSequence {
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
  /** Layers that a graphics card computes; as many as fit if it is not given. */
  readonly gpuLayers?: number;
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
    ...limited({ ...model, score: scorer(loaded, id, toInert) }, new ModelRateLimit({ concurrency: 1 })),
    specialTokens,
    price: { prompt: 0, completion: 0 },
    tokens: (text) => loaded.weights.tokenize(text).length,
    context: async () => loaded.contextSize,
    ...(thinksByName(path) ? { thinks: true } : {}),
  };
}

/** The chances of given answers, by reading each after the prompt as if the model had written it. */
function scorer(loaded: Loaded, id: string, toInert: Escape): NonNullable<Model['score']> {
  const { chat, sequence, weights, contextSize } = loaded;
  return async (prompt, texts, signal) => {
    const began = performance.now();
    const history = historyOf(escaped(prompt, toInert).messages);
    const before = chat.chatWrapper.generateContextState({ chatHistory: history }).contextText.tokenize(weights.tokenizer);
    const answers = texts.map((text) => weights.tokenize(text));
    const longest = Math.max(0, ...answers.map(({ length }) => length));
    if (before.length + longest + 1 > contextSize) throw tooLong(id, contextSize, before.length + longest + 1);
    const logprobs = await scoreTexts(sequence, { before, answers, end: weights.tokens.eot ?? weights.tokens.eos, signal });
    const best = logprobs.indexOf(Math.max(...logprobs));
    const read = answers.reduce((sum, { length }) => sum + length + 1, 0);
    const milliseconds = Math.round(performance.now() - began);
    const usage = { promptTokens: before.length, completionTokens: read };
    return { logprobs, call: { model: id, prompt, text: texts[best] ?? '', finish: 'stop', usage, cost: 0, milliseconds } };
  };
}

function tooLong(id: string, contextSize: number, tokens: number): ModelFault {
  return new ModelFault(`${id} holds ${contextSize} tokens, but the prompt alone has ${tokens}; shorten it.`, { status: 400 });
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
  if (promptTokens >= contextSize) throw tooLong(id, contextSize, promptTokens);
  const choices = sampling.choices ?? [];
  const stuck = new AbortController();
  let soFar = '';
  const hear = (piece: string) => {
    soFar += piece;
    onText?.(piece);
    if (isStuck(soFar)) stuck.abort();
  };
  const readBefore = sequence.tokenMeter.usedInputTokens;
  let completionTokens = 0;
  const response = await chat.generateResponse(history, {
    signal: AbortSignal.any([signal, stuck.signal]),
    // What was written before it got stuck is still an answer.
    stopOnAbortSignal: true,
    maxTokens: Math.min(sampling.maxTokens ?? contextSize, contextSize - promptTokens),
    temperature: sampling.temperature ?? 0.8,
    topP: sampling.topP ?? 1,
    onToken: (tokens: readonly number[]) => {
      completionTokens += tokens.length;
    },
    onTextChunk: hear,
    ...(sampling.seed !== undefined && { seed: sampling.seed }),
    ...(sampling.stop && { customStopTriggers: [...sampling.stop] }),
    ...(functions ? { functions } : await heldBy(loaded, sampling)),
  });
  signal.throwIfAborted();
  // The meter counts the last token of a prompt as the first of the answer, since reading it makes that one.
  const cachedTokens = Math.max(0, promptTokens - 1 - (sequence.tokenMeter.usedInputTokens - readBefore));
  const toolCalls = toolCallsIn(response);
  const isEnded = stuck.signal.aborted;
  const notes = [
    ...(isEnded ? ['The model repeated itself, so its answer was ended there.'] : []),
    ...(choices.length > 0 && functions === undefined ? [heldNote('a grammar')] : []),
    ...(sampling.tokens === true ? ['Token ids and logprobs were asked for, but a model inside the process gives none.'] : []),
  ];
  return {
    model: id,
    prompt,
    text: isEnded ? unstuck(response.response) : response.response,
    finish: response.metadata.stopReason === 'maxTokens' || isEnded ? 'length' : toolCalls.length > 0 ? 'tool' : 'stop',
    usage: { promptTokens, completionTokens, cachedTokens },
    cost: 0,
    milliseconds: Math.round(performance.now() - began),
    ...(toolCalls.length > 0 && { toolCalls }),
    ...(notes.length > 0 && { notes }),
  };
}

function toolCallsIn({ functionCalls = [] }: Response): ToolCall[] {
  return functionCalls.map(({ functionName, params }, i) => ({ id: `call_${i}`, name: functionName, arguments: (params ?? {}) as Json }));
}

/** Threads of a model where nobody says how many: the cores that nothing else runs on, and one at least. */
function idleThreads(cores: number = availableParallelism(), load: number = loadavg()[0] ?? 0): number {
  return Math.max(1, Math.min(cores, Math.round(cores - load)));
}

async function load({ getLlama, LlamaChat }: LlamaLibrary, options: GgufOptions): Promise<Loaded> {
  const { path, threads = idleThreads(), contextSize = 4096, gpuLayers } = options;
  // Never compile: a package that has no binary for this machine should say so at once, not build for minutes.
  const llama = await getLlama({ build: 'never', skipDownload: true, progressLogs: false, logLevel: 'error', maxThreads: threads });
  const weights = await llama.loadModel({ modelPath: path, ...(gpuLayers === undefined ? {} : { gpuLayers }) });
  const size = Math.min(contextSize, weights.trainContextSize);
  const sequence = (await weights.createContext({ contextSize: size, threads })).getSequence();
  return { llama, weights, sequence, chat: new LlamaChat({ contextSequence: sequence }), contextSize: size, grammars: new Map() };
}

/** The grammar of a call that is held to choices or to a schema. */
async function heldBy({ llama, grammars }: Loaded, { choices = [], schema }: Sampling): Promise<{ grammar?: object }> {
  if (choices.length === 0 && schema === undefined) return {};
  const key = canonical(choices.length > 0 ? { choices } : { schema: schema as Json });
  const make = () =>
    choices.length > 0 ? llama.createGrammar({ grammar: choiceGrammar(choices) }) : llama.createGrammarForJsonSchema(schema as Json);
  const grammar = grammars.get(key) ?? make();
  grammars.set(key, grammar);
  return { grammar: await grammar };
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
