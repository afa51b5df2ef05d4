/**
 * @file A learner whose weights are elsewhere: any server that speaks the Tinker API (Thinking Machines' service, SkyRL, Twinkle).
 *
 * Requests and answers are tokens; the codec, which is the model's own tokenizer and chat template, converts prompts to them and back.
 * Samples always come from the current weights: these are published to the sampler when they have changed.
 */

import {
  allAnswers,
  chatOf,
  Fault,
  type JsonObject,
  type Learner,
  type ModelCall,
  type Policy,
  type Prompt,
  type Reply,
  type Sampling,
  type TokenRow,
  type Turn,
  type View,
} from '../../core/index.ts';
import { type Codec, textOfTokens } from '../../models/codec.ts';
import { TinkerClient, type TinkerClientOptions } from '../../models/tinker/http.ts';
import { inputOf, paramsOf, type SampledSequence, sequencesIn } from '../../models/tinker/sequences.ts';
import { type SessionOptions, TinkerSession } from '../../models/tinker/session.ts';
import { readCheckpoint } from './checkpoint.ts';
import { chunkRows, datumOf, distinct, losses, refuse, trains } from './datum.ts';
import { figuresOf } from './figures.ts';
import { type AskedForm, metadataOf } from './form.ts';
import { mapWithLimit } from './map-with-limit.ts';
import { Samplers } from './samplers.ts';
import { type PendingStep, TinkerTrainer } from './trainer.ts';

export interface TinkerOptions extends TinkerClientOptions, SessionOptions {
  readonly id?: string;
  /** The model that is trained, as the server names it: "Qwen/Qwen3-4B". */
  readonly baseModel: string;
  readonly codec: Codec;
  /** How it is asked: saved with its weights, so that anyone who plays with them asks the same. */
  readonly form?: AskedForm | undefined;
  /** Rank of the low-rank weights that are trained, and the seed they are drawn with. */
  readonly rank?: number;
  readonly seed?: number;
  readonly checkpointEvery?: number;
  readonly recoveries?: number;
  /** Samples requested at the same time. */
  readonly inFlight?: number;
  /** The most that one request contains. */
  readonly mostRows?: number;
  readonly mostTokens?: number;
  /** The longest answer of calls that name no other, in tokens. */
  readonly maxTokens?: number;
}

/** What a server must have announced to be asked for more than the published calls. */
type Extension = 'kl' | 'refer' | 'mean' | 'reference' | 'tokenizer' | 'adapter';

/** Prompts whose tokens are remembered: small environments ask the same few again and again. */
const mostPrompts = 4096;

const adam: Readonly<Record<string, string>> = {
  rate: 'learning_rate',
  beta1: 'beta1',
  beta2: 'beta2',
  eps: 'eps',
  decay: 'weight_decay',
  clip: 'grad_clip_norm',
};

/** A learner whose weights are on a training server. */
export class Tinker implements Learner {
  readonly id: string;
  readonly #options: TinkerOptions;
  readonly #stop = new AbortController();
  readonly #session: TinkerSession;
  readonly #trainer: TinkerTrainer;
  readonly #samplers: Samplers;
  #prompts = new Map<string, readonly number[]>();
  #extensions: Promise<readonly string[]> | null = null;
  /** Tokens sampled so far. */
  sampled = 0;

  constructor(options: TinkerOptions) {
    this.#options = options;
    this.id = options.id ?? `tinker/${options.baseModel}`;
    this.#session = new TinkerSession(new TinkerClient(options), options, this.#stop.signal);
    const { baseModel, rank = 32, seed = 0, checkpointEvery = 20, recoveries = 3 } = options;
    const metadata = metadataOf(options.form, options.codec);
    this.#trainer = new TinkerTrainer(this.#session, { baseModel, rank, seed, metadata, checkpointEvery, recoveries }, this.#stop.signal);
    this.#samplers = new Samplers(this.#session, this.#trainer, { baseModel, recoveries });
  }

  /** Whether the server answers, and the models it can train. */
  async offers(): Promise<readonly string[]> {
    const { door } = this.#session;
    await door.call('healthz', null, this.#stop.signal);
    const { supported_models } = await door.call('get_server_capabilities', null, this.#stop.signal);
    return (supported_models as readonly JsonObject[]).map((model) => model['model_name']).filter((name) => typeof name === 'string');
  }

  policy(sampling: Sampling = {}): Policy {
    return { name: this.id, act: (turns) => this.#act(turns, sampling) };
  }

  /** What it reads when a view is put before it. */
  promptOf(view: View): readonly number[] {
    return this.#tokensOf({ messages: chatOf(view) });
  }

  /** An answer as it would write it, with the token that ends it. */
  answerOf(text: string, prompt: Prompt = { messages: [{ role: 'user', content: '?' }] }): readonly number[] {
    const { codec } = this.#options;
    const [end] = codec.stop;
    if (codec.answer === undefined || end === undefined)
      throw new Fault('input', `${this.id} cannot be shown an answer: its codec has no "answer", or no token that ends one; add them.`);
    return [...codec.answer(prompt, text), end];
  }

  rowOf({ view }: Turn, text: string): TokenRow {
    return this.rowFor({ messages: chatOf(view) }, text);
  }

  rowFor(prompt: Prompt, text: string): TokenRow {
    const [read, answer] = [this.#tokensOf(prompt), this.answerOf(text, prompt)];
    return { tokens: [...read, ...answer], mask: [...read.map(() => 0), ...answer.map(() => 1)] };
  }

  async complete(prompt: Prompt, sampling: Sampling, signal: AbortSignal, onText?: (piece: string) => void): Promise<ModelCall> {
    const [call] = (await this.#sample({ prompt, count: 1 }, sampling, signal)) as [ModelCall];
    if (call.text !== '') onText?.(call.text);
    return call;
  }

  /** Turns that read the same are one request for several samples: the server reads their prompt once. */
  async #act(turns: readonly Turn[], sampling: Sampling): Promise<readonly Reply[]> {
    const out = new Array<PromiseSettledResult<Reply>>(turns.length);
    const groups = new Map<string, { readonly prompt: Prompt; readonly seed: number; readonly members: number[] }>();
    for (const [i, { view, rng }] of turns.entries()) {
      const prompt = { messages: chatOf(view) };
      const key = keyOf(prompt);
      const group = groups.get(key) ?? { prompt, seed: rng.int(2 ** 31), members: [] as number[] };
      group.members.push(i);
      groups.set(key, group);
    }
    await mapWithLimit([...groups.values()], this.#options.inFlight ?? 64, async ({ prompt, seed, members }) => {
      try {
        const calls = await this.#sample({ prompt, count: members.length }, { ...sampling, seed }, this.#stop.signal);
        for (const [n, i] of members.entries()) {
          const call = calls[n]!;
          out[i] = { status: 'fulfilled', value: { action: { text: call.text }, calls: [call] } };
        }
      } catch (reason) {
        // One conversation that has outgrown what the model reads is the end of that one alone.
        for (const i of members) out[i] = { status: 'rejected', reason };
      }
    });
    return allAnswers(out);
  }

  async #sample(
    { prompt, count }: { readonly prompt: Prompt; readonly count: number },
    given: Sampling,
    signal: AbortSignal,
  ): Promise<readonly ModelCall[]> {
    const { codec, maxTokens = 256 } = this.#options;
    const sampling = { maxTokens, ...given };
    const tokens = this.#tokensOf(prompt);
    const body = { num_samples: count, prompt: inputOf(tokens), sampling_params: paramsOf(sampling, codec) };
    const result = await this.#samplers.ask('current', body, AbortSignal.any([signal, this.#stop.signal]));
    const sequences = sequencesIn(this.id, result['sequences'], { count, sampling });
    return sequences.map((sequence) => this.#call({ prompt, tokens }, sequence, sampling));
  }

  #call(
    { prompt, tokens }: { readonly prompt: Prompt; readonly tokens: readonly number[] },
    { stop_reason, tokens: tokenIds, logprobs }: SampledSequence,
    sampling: Sampling,
  ): ModelCall {
    const { codec } = this.#options;
    if (logprobs && logprobs.length !== tokenIds.length)
      throw new Fault(
        'model',
        `${this.id} gave ${tokenIds.length} tokens but ${logprobs.length} log-probabilities; such an answer trains nothing.`,
      );
    const text = textOfTokens(codec, tokenIds);
    this.sampled += tokenIds.length;
    return {
      model: this.id,
      prompt,
      text,
      finish: stop_reason,
      usage: { promptTokens: tokens.length, completionTokens: tokenIds.length },
      cost: null,
      promptTokenIds: tokens,
      tokenIds,
      ...(logprobs ? { logprobs } : {}),
      ...(sampling.schema === undefined ? {} : { notes: [`${this.id} cannot be held to a schema.`] }),
    };
  }

  async forwardBackward(batch: readonly TokenRow[], loss: string, settings: JsonObject = {}): Promise<Readonly<Record<string, number>>> {
    const rows = batch.filter(trains);
    const config = await this.#config(loss, settings);
    if (rows.length === 0) return { loss: 0, tokens: 0 };
    const outputs = await this.#pass('forward_backward', rows, { loss, config });
    return { ...outputs.metrics, ...figuresOf(rows, outputs, { loss, settings }) };
  }

  /** `forwardBackward` and `optimStep`, of which the server hears together. */
  async step(
    batch: readonly TokenRow[],
    loss: string,
    { kl = 0, ...settings }: Readonly<Record<string, number>>,
  ): Promise<Readonly<Record<string, number>>> {
    const rows = batch.filter(trains);
    const config = await this.#config(loss, { kl });
    if (rows.length === 0) return { loss: 0, tokens: 0 };
    const outputs = await this.#pass('forward_backward', rows, { loss, config, after: [this.#optimiser(settings)] });
    return figuresOf(rows, outputs, { loss, settings: { kl } });
  }

  async optimStep(settings: Readonly<Record<string, number>>): Promise<void> {
    await this.#trainer.run([this.#optimiser(settings)]);
  }

  #optimiser(settings: Readonly<Record<string, number>>): PendingStep {
    const params: Record<string, number> = { learning_rate: 1e-4 };
    for (const [name, value] of Object.entries(settings)) {
      const theirs = adam[name];
      if (theirs === undefined)
        throw new Fault('input', `${this.id} steps by ${Object.keys(adam).join(', ')}, but was given "${name}"; leave it out.`);
      params[theirs] = value;
    }
    return { name: 'optim_step', body: { adam_params: params, type: 'optim_step' } };
  }

  async logprobs(batch: readonly TokenRow[], of: 'current' | 'reference' = 'current'): Promise<readonly ArrayLike<number>[]> {
    const there = of === 'reference' && (await this.#has('reference'));
    if (of === 'reference' && !there) return mapWithLimit(batch, this.#options.inFlight ?? 64, ({ tokens }) => this.#read(tokens));
    const long = batch
      .filter(({ tokens }) => tokens.length > 1)
      .map(({ tokens }) => ({ tokens, mask: new Uint8Array(tokens.length).fill(1) }));
    const { logprobs } =
      long.length === 0
        ? { logprobs: [] }
        : await this.#pass('forward', long, { loss: 'cross_entropy', config: there ? { reference: 1 } : null });
    const rest = logprobs.values();
    return batch.map(({ tokens }) =>
      [0, ...(tokens.length > 1 ? Array.from(rest.next().value as ArrayLike<number>) : [])].slice(0, tokens.length),
    );
  }

  /** The reference goes a share of the way to the weights as they are; a part of the way only on servers that can do that. */
  async refer(share = 1): Promise<void> {
    if (await this.#has('refer')) await this.#trainer.run([{ name: 'refer', body: { share } }]);
    else if (share === 1) await this.#samplers.refer();
    else
      throw new Fault(
        'input',
        `${this.id} is on a server whose reference cannot follow by ${share}; use deploy/gpu/server.py, or a recipe with a fixed reference.`,
      );
  }

  /** Adds the weights as they are to their mean. */
  average(): Promise<void> {
    return this.#mean(false);
  }

  /** Makes the mean the weights. */
  settle(): Promise<void> {
    return this.#mean(true);
  }

  async #mean(settle: boolean): Promise<void> {
    if (!(await this.#has('mean')))
      throw new Fault(
        'input',
        `${this.id} is on a server that cannot average weights; use deploy/gpu/server.py, or a recipe without training.average.`,
      );
    await this.#trainer.run([{ name: 'mean', body: { settle } }]);
  }

  async save(): Promise<string> {
    return JSON.stringify({ weights: await this.#trainer.save(), reference: this.#samplers.reference });
  }

  /** Takes what `save` gave, or the plain tinker:// path of saved weights. */
  async load(checkpoint: string): Promise<void> {
    const { weights, reference } = readCheckpoint(checkpoint);
    await this.#trainer.load(weights);
    this.#samplers.reference = reference;
  }

  /** Where training could be taken up if everything here were lost: the latest weights that were saved, asked or unasked. */
  get checkpoint(): string | null {
    return this.#trainer.checkpoint;
  }

  async close(): Promise<void> {
    await this.#trainer.close();
    this.#stop.abort(new Fault('model', `${this.id} was closed.`));
  }

  async #pass(
    name: 'forward' | 'forward_backward',
    rows: readonly TokenRow[],
    { loss, config, after = [] }: { loss: string; config: JsonObject | null; after?: readonly PendingStep[] },
  ): Promise<{ readonly logprobs: readonly ArrayLike<number>[]; readonly metrics: Readonly<Record<string, number>> }> {
    const { mostRows = 256, mostTokens = 100_000 } = this.#options;
    for (const row of rows) refuse(row);
    const { rows: own, which } = loss === 'cross_entropy' ? distinct(rows) : { rows, which: [...rows.keys()] };
    const passes = chunkRows(own, { rows: mostRows, tokens: mostTokens }).map((chunk): PendingStep => {
      const data = chunk.map((row) => datumOf(row, loss, config?.['kl'] !== undefined));
      const input = { loss_fn: loss, loss_fn_config: config, data };
      return { name, body: { [name === 'forward' ? 'forward_input' : 'forward_backward_input']: input } };
    });
    const results = (await this.#trainer.run([...passes, ...after])).slice(0, passes.length);
    const logprobs = results.flatMap((result) =>
      (result['loss_fn_outputs'] as readonly JsonObject[]).map(({ logprobs: own }) => tensorData(own)),
    );
    if (logprobs.length !== own.length || logprobs.some((list, i) => list.length !== own[i]!.tokens.length - 1))
      throw new Fault('model', `${this.id} did not give one log-probability for each of the tokens it was trained on; check the server.`);
    const metrics: Record<string, number> = {};
    for (const result of results)
      for (const [figure, value] of Object.entries(result['metrics'] as Readonly<Record<string, number>>))
        if (results.length === 1) metrics[figure] = value;
        else if (figure.endsWith(':sum')) metrics[figure] = (metrics[figure] ?? 0) + value;
    return { logprobs: which.map((place) => logprobs[place]!), metrics };
  }

  async #has(extension: Extension): Promise<boolean> {
    this.#extensions ??= this.#session.door
      .call('get_server_capabilities', null, this.#stop.signal)
      .then(({ extensions }) => (Array.isArray(extensions) ? (extensions as readonly string[]) : []));
    try {
      return (await this.#extensions).includes(extension);
    } catch (thrown) {
      this.#extensions = null;
      throw thrown;
    }
  }

  /** Settings as the server takes them: an unknown one is refused, a coefficient of 0 is not. */
  async #config(loss: string, settings: JsonObject): Promise<JsonObject | null> {
    const known = losses[loss];
    if (known === undefined)
      throw new Fault(
        'input',
        `${this.id} knows the losses ${Object.keys(losses).join(', ')}, but was asked for "${loss}"; turn it into weights.`,
      );
    const config: Record<string, number> = {};
    for (const [name, value] of Object.entries(settings)) {
      const whole = name === 'kl' && value !== 0 && loss === 'cross_entropy' && (await this.#has('kl'));
      if (known.includes(name) || whole) config[name] = value as number;
      else if (value !== 0)
        throw new Fault('input', `${this.id} sees no whole distributions and takes no "${name}" in "${loss}"; leave it out.`);
    }
    return Object.keys(config).length === 0 ? null : config;
  }

  #tokensOf(prompt: Prompt): readonly number[] {
    const key = keyOf(prompt);
    let tokens = this.#prompts.get(key);
    if (tokens === undefined) {
      if (this.#prompts.size >= mostPrompts) this.#prompts = new Map();
      tokens = this.#options.codec.encode(prompt);
      this.#prompts.set(key, tokens);
    }
    return tokens;
  }

  /** What the reference gives a text that it is only shown. */
  async #read(tokens: ArrayLike<number>): Promise<ArrayLike<number>> {
    const body = { num_samples: 1, prompt: inputOf(tokens), sampling_params: { max_tokens: 1 }, prompt_logprobs: true };
    const { prompt_logprobs } = await this.#samplers.ask('reference', body, this.#stop.signal);
    if (!Array.isArray(prompt_logprobs) || prompt_logprobs.length !== tokens.length)
      throw new Fault('model', `${this.id} gives no log-probabilities of prompts, so that it has no reference; train without one.`);
    return (prompt_logprobs as readonly (number | null)[]).map((value) => value ?? 0);
  }
}

/** A prompt as a key: what its chat says, and who says it. */
function keyOf({ messages }: Prompt): string {
  return JSON.stringify(messages.map(({ role, content }) => [role, content]));
}

function tensorData(value: unknown): ArrayLike<number> {
  return ((value as JsonObject | undefined)?.['data'] ?? []) as readonly number[];
}
