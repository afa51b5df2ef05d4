/**
 * @file The transformer learner: a small decoder-only language model in this process. It reads the text of a view and answers in text.
 *
 * By default nothing restricts it to legal moves: it learns an environment's grammar as it learns to play.
 */

import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type {
  Ask,
  JsonObject,
  Learner,
  ModelCall,
  Policy,
  Prompt,
  PromptCall,
  Reply,
  Rng,
  Sampling,
  Seed,
  TokenRow,
  Turn,
  View,
} from '@ludus-agents/kernel/internal/core/index';
import { Fault, rng, sentenceOf, textOf } from '@ludus-agents/kernel/internal/core/index';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import type { Sizes } from './network.ts';
import { runtime } from './runtime.ts';
import { readSafetensors, writeSafetensors } from './safetensors.ts';
import { logprobsBetween, type SampledReply, type Saying, speak, tokensBetween } from './speech.ts';
import { TokenMemory } from './token-memory.ts';
import { TransformerTrainer } from './trainer.ts';
import { after, rootNode, type TextNode } from './tree.ts';
import { ViewCache } from './view-cache.ts';
import { beginToken, endToken, Vocabulary } from './vocabulary.ts';

export interface TransformerOptions {
  readonly id?: string;
  readonly seed?: Seed;
  readonly vocabulary: Vocabulary;
  readonly context?: number;
  readonly width?: number;
  readonly layers?: number;
  readonly heads?: number;
  /** The number of threads per graph. */
  readonly threads?: number;
  /** The maximum answer, in tokens. */
  readonly maxTokens?: number;
  /** Answers only from the list of choices, if a turn has one. Off by default. */
  readonly constrained?: boolean;
  /** The folder of checkpoints; without one, a checkpoint's name contains all its data. */
  readonly folder?: string;
}

const inline = 'data:application/octet-stream;base64,';

interface Opened {
  readonly node: TextNode;
  readonly tokens: readonly number[];
  readonly prompt: Prompt;
}

/** A small transformer that is trained in this process, with onnxruntime. */
export class Transformer implements Learner {
  readonly id: string;
  /** It runs on this machine. */
  readonly price = { prompt: 0, completion: 0 };
  readonly trainer: TransformerTrainer;
  readonly #options: TransformerOptions;
  #vocabulary: Vocabulary;
  /** Texts read with the current weights, and the tree that they are branches of. */
  #opened = new Map<string, Opened>();
  #views = new ViewCache<Opened>();
  #root = rootNode();
  #memory: TokenMemory;
  /** Tokens sampled so far. */
  sampled = 0;

  private constructor(options: TransformerOptions, trainer: TransformerTrainer) {
    this.id = options.id ?? 'local/transformer';
    this.#options = options;
    this.#vocabulary = options.vocabulary;
    this.trainer = trainer;
    this.#memory = new TokenMemory(trainer.sizes);
  }

  static async create(options: TransformerOptions): Promise<Transformer> {
    const { vocabulary, context = 128, width = 32, layers = 1, heads = 2, threads = 1, seed = 0 } = options;
    const sizes: Sizes = { vocabulary: vocabulary.size, context, width, layers, heads };
    return new Transformer(options, new TransformerTrainer(sizes, { runtime: await runtime(threads), seed }));
  }

  /** A model with the sizes and the vocabulary of a saved checkpoint. */
  static async from(checkpoint: string, options: Omit<TransformerOptions, 'vocabulary'> = {}): Promise<Transformer> {
    const { tensors, metadata } = readSafetensors(await bytesOf(checkpoint));
    const [position, embedding] = [tensors['position']?.shape ?? [0], tensors['embedding']?.shape ?? [0, 0]];
    const transformer = await Transformer.create({
      ...options,
      vocabulary: vocabularyIn(metadata),
      context: position[0],
      width: embedding[1],
      layers: Object.keys(tensors).filter((name) => /^block\.\d+\.query$/.test(name)).length,
      heads: Number(metadata['heads'] ?? 2),
      maxTokens: options.maxTokens ?? Number(metadata['maxTokens'] ?? 16),
    });
    await transformer.load(checkpoint);
    return transformer;
  }

  /** The learner's input for a view: the latest part of the text, if not all of it fits. */
  promptOf(view: View): readonly number[] {
    return this.#promptTokens(cueOf(view));
  }

  /** An answer in the learner's tokens. */
  answerOf(text: string): readonly number[] {
    return [...this.#vocabulary.encode(text), endToken];
  }

  rowOf({ view }: Turn, text: string): TokenRow {
    return this.#row(this.promptOf(view), text);
  }

  rowFor(prompt: Prompt, text: string): TokenRow {
    return this.#row(this.#promptTokens(chatText(prompt)), text);
  }

  #row(prompt: readonly number[], text: string): TokenRow {
    const answer = this.answerOf(text);
    return { tokens: [...prompt, ...answer], mask: [...prompt.map(() => 0), ...answer.map(() => 1)] };
  }

  policy(sampling: Sampling = {}): Policy {
    return { name: this.id, act: (turns) => this.#act(turns, sampling) };
  }

  async complete(prompt: Prompt, sampling: Sampling, signal: AbortSignal, onText?: (piece: string) => void): Promise<ModelCall> {
    const [call] = (await this.completeAll([{ prompt, sampling }], signal)) as [ModelCall];
    onText?.(call.text);
    return call;
  }

  async completeAll(promptCalls: readonly PromptCall[], signal: AbortSignal): Promise<readonly ModelCall[]> {
    signal.throwIfAborted();
    const opened = promptCalls.map(({ prompt }) => this.#open(chatText(prompt)));
    const sayings = promptCalls.map(({ sampling }, i) =>
      this.#saying({ node: opened[i].node, dice: rng(sampling.seed ?? 0, this.id), ask: null }, sampling),
    );
    const memory = this.#memory;
    const answers = await speak(sayings, (nodes) => this.#read(nodes, memory));
    return answers.map((answer, i) => {
      const { prompt, sampling } = promptCalls[i];
      this.sampled += answer.end.depth - opened[i].node.depth;
      return this.#call({ ...opened[i], prompt }, answer, sampling);
    });
  }

  async forwardBackward(batch: readonly TokenRow[], loss: string, settings: JsonObject = {}): Promise<Readonly<Record<string, number>>> {
    return this.trainer.forwardBackward(batch, loss, settings);
  }

  async optimStep(settings: Readonly<Record<string, number>>): Promise<void> {
    await this.trainer.optimStep(settings);
    this.#forget();
  }

  /** `forwardBackward` and `optimStep` as one graph. */
  async step(
    batch: readonly TokenRow[],
    loss: string,
    settings: Readonly<Record<string, number>>,
  ): Promise<Readonly<Record<string, number>>> {
    const observation = await this.trainer.step(batch, loss, settings);
    this.#forget();
    return observation;
  }

  async logprobs(batch: readonly TokenRow[], of: 'current' | 'reference' = 'current'): Promise<readonly ArrayLike<number>[]> {
    return this.trainer.logprobs(
      batch.map(({ tokens }) => tokens),
      of,
    );
  }

  /** A vector for each text, used by critics of utterances. */
  async states(texts: readonly ArrayLike<number>[]): Promise<readonly ArrayLike<number>[]> {
    return this.trainer.states(texts);
  }

  async refer(share = 1): Promise<void> {
    this.trainer.refer(share);
  }

  /** Freezes everything but the head: several learners can share the trunk, each with its own head. */
  freezeTrunk(): void {
    this.trainer.still = true;
  }

  async average(): Promise<void> {
    this.trainer.average();
  }

  async settle(): Promise<void> {
    this.trainer.settle();
    this.#forget();
  }

  /** Saves weights, optimizer, reference and vocabulary, but not an unapplied gradient. */
  async save(): Promise<string> {
    const bytes = this.#written('all');
    const { folder } = this.#options;
    if (folder === undefined) return inlineBytes(bytes);
    await mkdir(folder, { recursive: true });
    const path = join(folder, `${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}.safetensors`);
    writeFileAtomicSync(path, bytes);
    return path;
  }

  async weights(): Promise<string> {
    return inlineBytes(this.#written('weights'));
  }

  #written(what: 'all' | 'weights'): Uint8Array {
    const { tensors, steps, moments } = this.trainer.write(what);
    const metadata = {
      format: 'ludus-transformer',
      steps: String(steps),
      ...(moments > 0 && { moments: String(moments) }),
      ...(this.trainer.still && { trunk: 'still' }),
      heads: String(this.trainer.sizes.heads),
      maxTokens: String(this.#longest),
      vocabulary: JSON.stringify(this.#vocabulary.pairs),
    };
    return writeSafetensors({ tensors, metadata });
  }

  async load(checkpoint: string): Promise<void> {
    const { tensors, metadata } = readSafetensors(await bytesOf(checkpoint));
    this.trainer.restore(tensors, Number(metadata['steps'] ?? 0), Number(metadata['moments'] ?? 0));
    this.trainer.still = metadata['trunk'] === 'still';
    this.#vocabulary = vocabularyIn(metadata);
    this.#forget();
  }

  async #act(turns: readonly Turn[], sampling: Sampling): Promise<readonly Reply[]> {
    const opened = turns.map(({ view }) => this.#views.get(view, () => this.#open(cueOf(view))));
    const sayings = turns.map(({ rng: dice, ask }, i) => this.#saying({ node: opened[i].node, dice, ask }, sampling));
    const memory = this.#memory;
    const answers = await speak(sayings, (nodes) => this.#read(nodes, memory));
    return answers.map((sampledReply, i) => {
      const { end } = sampledReply;
      const { node: prompt } = opened[i];
      this.sampled += end.depth - prompt.depth;
      if (end.answer?.prompt === prompt && end.answer.sampling === sampling) return end.answer.reply;
      const call = this.#call(opened[i], sampledReply, sampling);
      const reply = { action: { text: call.text }, calls: [call] };
      end.answer = { prompt, sampling, reply };
      return reply;
    });
  }

  #saying({ node, dice, ask }: { readonly node: TextNode; readonly dice: Rng; readonly ask: Ask | null }, sampling: Sampling): Saying {
    const { constrained = false } = this.#options;
    const { stop = [] } = sampling;
    const choices = ask?.choices ?? null;
    const listed = choices === null ? null : { count: choices.length, tokens: () => choices.map((choice) => this.answerOf(choice)) };
    return {
      prompt: node,
      dice,
      temperature: sampling.temperature ?? 1,
      topP: sampling.topP ?? 1,
      maxTokens: Math.min(sampling.maxTokens ?? this.#longest, this.#longest),
      allowed: constrained && listed !== null ? listed.tokens() : null,
      listed,
      stops: stop.length === 0 ? null : (tokens) => stop.some((word) => this.#vocabulary.decode(tokens).includes(word)),
    };
  }

  #call({ node, tokens, prompt }: Opened, { end, finished }: SampledReply, { stop = [] }: Sampling): ModelCall {
    const written = tokensBetween(node, end);
    let text = this.#vocabulary.decode(written);
    for (const word of stop) if (text.includes(word)) text = text.slice(0, text.indexOf(word));
    return {
      model: this.id,
      prompt,
      text,
      finish: finished ? 'stop' : 'length',
      usage: { promptTokens: tokens.length, completionTokens: written.length },
      cost: 0,
      promptTokenIds: tokens,
      tokenIds: written,
      logprobs: logprobsBetween(node, end),
    };
  }

  get #longest(): number {
    return Math.min(this.#options.maxTokens ?? 16, this.trainer.sizes.context - 1);
  }

  #promptTokens(text: string): readonly number[] {
    const room = this.trainer.sizes.context - this.#longest - 1;
    const tokens = this.#vocabulary.encode(text);
    return [beginToken, ...(tokens.length > room ? tokens.slice(-room) : tokens)];
  }

  #open(text: string): Opened {
    let opened = this.#opened.get(text);
    if (opened === undefined) {
      const tokens = this.#promptTokens(text);
      opened = { node: tokens.reduce(after, this.#root), tokens, prompt: { messages: [{ role: 'user', content: text }] } };
      this.#opened.set(text, opened);
    }
    return opened;
  }

  async #read(nodes: readonly TextNode[], memory: TokenMemory): Promise<void> {
    // Limits concurrent texts, so that many long ones fit in memory.
    for (let from = 0; from < nodes.length; from += 256) await this.trainer.read(nodes.slice(from, from + 256), memory);
    // Limits the stored texts to some hundred megabytes: texts in progress keep their own tree.
    if (memory === this.#memory && memory.size * this.trainer.memory > 2 ** 25) this.#forget();
  }

  #forget(): void {
    this.#opened = new Map();
    this.#views = new ViewCache();
    this.#root = rootNode();
    this.#memory = new TokenMemory(this.trainer.sizes);
  }
}

/** A chat as one text, ending with the cue for the answer. */
export function chatText({ messages }: Prompt): string {
  return `${messages.map(({ role, content }) => `${role}: ${content}\n`).join('')}assistant: `;
}

/** The text of a view with the cue of its seat, which also precedes the seat's earlier messages. */
function cueOf(view: View): string {
  return `${textOf(view)}${view.seat}: `;
}

function vocabularyIn(metadata: Readonly<Record<string, string>>): Vocabulary {
  return new Vocabulary(JSON.parse(metadata['vocabulary'] ?? '[]') as [number, number][]);
}

function inlineBytes(bytes: Uint8Array): string {
  return inline + Buffer.from(bytes).toString('base64');
}

async function bytesOf(checkpoint: string): Promise<Uint8Array> {
  if (checkpoint.startsWith(inline)) return Buffer.from(checkpoint.slice(inline.length), 'base64');
  try {
    return await readFile(checkpoint);
  } catch (thrown) {
    throw new Fault('input', `The checkpoint ${checkpoint} could not be read: ${sentenceOf(thrown)}`, { code: 'E_UNREADABLE_FILE' });
  }
}
