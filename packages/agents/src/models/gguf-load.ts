/**
 * @file Loads GGUF files once for each file and its settings. Adapters change the weights of a context, so the same base may be used with
 * and without them.
 */

import { stat } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { canonical, type Json } from '@ludus-agents/kernel/internal/core/index';
import { loadOptionalPackage } from '../runtimes/optional-package.ts';
import { inFours } from './gguf-batches.ts';
import type { Functions, Item } from './gguf-history.ts';
import { type LaneSequence, Lanes } from './gguf-lanes.ts';
import type { ScoredSequence } from './gguf-score.ts';
import { type AskedTokens, exactWrapper, readTrainedPrompts, type TrainedPrompts } from './trained-prompts.ts';

/** The part of node-llama-cpp 3 that is used here. */
export interface LlamaLibrary {
  getLlama(options: Readonly<Record<string, unknown>>): Promise<LlamaLike>;
  readonly LlamaChat: new (options: { contextSequence: Sequence; chatWrapper?: Chat['chatWrapper'] }) => Chat;
}

interface LlamaLike {
  /** The GPU backend; false if there is none. */
  readonly gpu?: string | false;
  loadModel(options: { modelPath: string; gpuLayers?: number | 'auto' }): Promise<Weights>;
  createGrammarForJsonSchema(schema: Json): Promise<object>;
  createGrammar(options: { grammar: string }): Promise<object>;
}

interface Weights {
  readonly trainContextSize: number;
  readonly tokenizer: unknown;
  readonly tokens: { readonly eot: number | null; readonly eos: number | null };
  readonly fileInsights?: {
    estimateContextResourceRequirementsV2?(
      options: Readonly<Record<string, unknown>>,
    ): Promise<{ readonly cpuRam: number; readonly gpuVram: number }>;
  };
  tokenize(text: string): readonly number[];
  createContext(options: Readonly<Record<string, unknown>>): Promise<{ getSequence(): Sequence }>;
}

type Sequence = ScoredSequence & LaneSequence;

interface Chat {
  readonly chatWrapper: {
    generateContextState(state: { chatHistory: Item[]; availableFunctions?: Functions }): {
      readonly contextText: { tokenize(tokenizer: unknown): readonly number[] };
    };
  };
  generateResponse(history: Item[], options: Readonly<Record<string, unknown>>): Promise<LlamaResponse>;
}

export interface LlamaResponse {
  readonly response: string;
  /** Text, and segments of thought. */
  readonly fullResponse?: readonly (string | { readonly type: string; readonly segmentType?: string; readonly text?: string })[];
  readonly functionCalls?: readonly { readonly functionName: string; readonly params: unknown }[];
  readonly metadata: { readonly stopReason: string };
}

export interface GgufOptions {
  readonly id?: string;
  readonly path: string;
  /** LoRA adapters in GGUF files, all applied at once. */
  readonly adapters?: readonly string[];
  readonly threads?: number;
  /** Tokens of prompt and answer together; by default, the model's training context, up to 4096. */
  readonly contextSize?: number;
  /** Layers computed on the GPU; by default as many as fit. */
  readonly gpuLayers?: number;
  /** Concurrent calls; by default up to 8, depending on memory. */
  readonly sequences?: number;
  /** Replaces the installed package. */
  readonly library?: LlamaLibrary;
}

interface Lane {
  /** Its index among the sequences of the context. */
  readonly place: number;
  readonly sequence: Sequence;
  readonly chat: Chat;
  /** The current prompt, if the weights define their prompt format. */
  readonly asked: AskedTokens;
}

export interface LoadedGguf {
  readonly llama: LlamaLike;
  readonly weights: Weights;
  readonly lanes: Lanes<Lane>;
  /** Formats prompts by the model's own template; the same for every sequence. */
  readonly template: Chat['chatWrapper'];
  readonly contextSize: number;
  /** The prompt format in training, if the adapter defines it. */
  readonly trained?: TrainedPrompts | undefined;
  readonly grammars: Map<string, Promise<object>>;
}

/** The installed package; throws with installation instructions if it is missing. */
export async function llamaLibrary(): Promise<LlamaLibrary> {
  return (await loadOptionalPackage('node-llama-cpp', 'Models named gguf:… need')) as unknown as LlamaLibrary;
}

/**
 * Loaded models, by package and settings. All uses of a file share its weights, and all uses with the same settings share its sequences.
 */
const loads = new WeakMap<LlamaLibrary, Map<string, Promise<unknown>>>();

function once<T>(library: LlamaLibrary, key: Json, make: () => Promise<T>): Promise<T> {
  const load = loads.get(library) ?? new Map<string, Promise<unknown>>();
  loads.set(library, load);
  const name = canonical(key);
  const result = (load.get(name) as Promise<T> | undefined) ?? make();
  load.set(name, result);
  // A file that failed to load may be fixed and loaded later.
  result.catch(() => load.delete(name));
  return result;
}

export async function loadGguf(library: LlamaLibrary, options: GgufOptions): Promise<LoadedGguf> {
  const { path, adapters = [], contextSize = 4096, gpuLayers = null, sequences = null, threads = null } = options;
  // A file that was overwritten counts as another file.
  const files = await Promise.all([path, ...adapters].map(fileMark));
  const weightsKey = { file: files[0]!, gpuLayers, threads };
  return once(library, { ...weightsKey, files, contextSize, sequences }, async () => {
    const trained = await readTrainedPrompts(path, adapters);
    const { llama, weights, used } = await once(library, weightsKey, () => weightsOf(library, options));
    const size = Math.min(contextSize, weights.trainContextSize);
    const many = sequences ?? (await fittingSequences(weights, size));
    const context = await weights.createContext({
      contextSize: size,
      threads: used,
      sequences: many,
      // Prompts return to where they differ, which a sliding window allows only with its full cache.
      swaFullCache: true,
      ...(llama.gpu === false ? { batching: { itemPrioritizationStrategy: inFours } } : {}),
      ...(adapters.length > 0 ? { lora: { adapters: adapters.map((filePath) => ({ filePath })) } } : {}),
    });
    const lanes = Array.from({ length: many }, (_, place): Lane => {
      const contextSequence = context.getSequence();
      const askedTokens: AskedTokens = { prompt: { messages: [] }, tokens: [] };
      const chat = new library.LlamaChat({ contextSequence });
      if (trained?.codec === undefined) return { place, sequence: contextSequence, chat, asked: askedTokens };
      const chatWrapper = exactWrapper(chat.chatWrapper, trained.codec, askedTokens);
      return { place, sequence: contextSequence, chat: new library.LlamaChat({ contextSequence, chatWrapper }), asked: askedTokens };
    });
    const template = lanes[0]!.chat.chatWrapper;
    return { llama, weights, lanes: new Lanes(lanes), template, contextSize: size, trained, grammars: new Map() };
  });
}

async function weightsOf({ getLlama }: LlamaLibrary, { path, gpuLayers, threads = idleThreads() }: GgufOptions) {
  // Never compile: a package without a binary for this machine should report it at once, not build for minutes.
  const llama = await getLlama({ build: 'never', skipDownload: true, progressLogs: false, logLevel: 'error', maxThreads: threads });
  const weights = await llama.loadModel({ modelPath: path, ...(gpuLayers === undefined ? {} : { gpuLayers }) });
  return { llama, weights, used: threads };
}

async function fileMark(path: string): Promise<Json> {
  const stats = await stat(path).catch(() => null);
  return stats === null ? [path] : [path, stats.size, stats.mtimeMs];
}

/** The default number of threads for a model: the idle cores, and at least one. */
function idleThreads(cores: number = availableParallelism(), load: number = loadavg()[0] ?? 0): number {
  return Math.max(1, Math.min(cores, Math.round(cores - load)));
}

/** The default maximum number of sequences. */
const usualSequences = 8;

/** As many sequences as fit in a quarter of the free memory. */
async function fittingSequences({ fileInsights }: Weights, contextSize: number): Promise<number> {
  const room = process.availableMemory() / 4;
  for (let many = usualSequences; many > 1; many /= 2) {
    const request = { contextSize, modelGpuLayers: 0, sequences: many, swaFullCache: true };
    const needed = await fileInsights?.estimateContextResourceRequirementsV2?.(request);
    if (needed === undefined || needed.cpuRam + needed.gpuVram <= room) return many;
  }
  return 1;
}
