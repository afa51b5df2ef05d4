/**
 * @file A learner with remote weights: on any server with the Tinker API (Thinking Machines' service, SkyRL, Twinkle).
 *
 * Requests and answers are tokens; the codec, which is the model's own tokenizer and chat template, converts prompts to them and back.
 * Samples always come from the current weights: these are published to the sampler when they have changed.
 */

import type { Codec } from '@ludus-agents/agents/internal/models/codec';
import { TinkerClient, type TinkerClientOptions, TinkerFault } from '@ludus-agents/agents/internal/models/tinker/http';
import { inputOf, paramsOf, sequencesIn } from '@ludus-agents/agents/internal/models/tinker/sequences';
import { type SessionOptions, TinkerSession } from '@ludus-agents/agents/internal/models/tinker/session';
import { TokenCache } from '@ludus-agents/agents/internal/models/token-cache';
import type {
  JsonObject,
  Learner,
  ModelCall,
  Policy,
  Prompt,
  Reply,
  Sampling,
  TokenRow,
  Turn,
  View,
} from '@ludus-agents/kernel/internal/core/index';
import { allAnswers, chatOf, Fault } from '@ludus-agents/kernel/internal/core/index';
import { Answers } from './answers.ts';
import { readCheckpoint } from './checkpoint.ts';
import { chunkRows, datumOf, distinct, losses, refuse, skippedTargets, skipsTargets, trains } from './datum.ts';
import { figuresOf } from './figures.ts';
import { type AskedForm, metadataOf } from './form.ts';
import { mapWithLimit } from './map-with-limit.ts';
import { outputsIn, type PassOutputs } from './pass-outputs.ts';
import { type Sampler, Samplers } from './samplers.ts';
import { type PendingStep, TinkerTrainer } from './trainer.ts';

export interface TinkerOptions extends TinkerClientOptions, SessionOptions {
  readonly id?: string;
  /** The trained model's name on the server: "Qwen/Qwen3-4B". */
  readonly baseModel: string;
  readonly codec: Codec;
  /** Its prompt form: saved with the weights, so that other programs prompt it in the same way. */
  readonly form?: AskedForm | undefined;
  /** The rank of the trained low-rank weights, and the seed of their initial values. */
  readonly rank?: number;
  readonly seed?: number;
  readonly checkpointEvery?: number;
  readonly recoveries?: number;
  /** The number of concurrent sampling requests. */
  readonly inFlight?: number;
  /** The maximum size of one request. */
  readonly mostRows?: number;
  readonly mostTokens?: number;
  /** The maximum answer of calls without their own limit, in tokens. */
  readonly maxTokens?: number;
}

/** The maximum number of prompts in one request. */
const mostPrompts = 4096;

/** A prompt with its tokens and its sampling settings. */
interface Asked {
  readonly prompt: Prompt;
  readonly read: readonly number[];
  readonly sampling: Sampling;
}

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
  readonly #prompts = new TokenCache<readonly number[]>();
  readonly #shown = new TokenCache<readonly number[]>();
  readonly #answers: Answers;
  /** Tokens sampled so far. */
  sampled = 0;

  constructor(options: TinkerOptions) {
    this.#options = options;
    this.id = options.id ?? `tinker/${options.baseModel}`;
    this.#session = new TinkerSession(new TinkerClient(options), options, this.#stop.signal);
    const { baseModel, rank = 32, seed = 0, checkpointEvery = 20, recoveries = 3 } = options;
    const metadata = metadataOf(options.form, options.codec);
    this.#trainer = new TinkerTrainer(this.#session, { baseModel, rank, seed, metadata, checkpointEvery, recoveries }, this.#stop.signal);
    this.#answers = new Answers(this.id, options.codec);
    this.#samplers = new Samplers(this.#session, this.#trainer, { baseModel, recoveries });
  }

  /** Checks that the server answers; returns the models it can train. */
  async offers(): Promise<readonly string[]> {
    const { door } = this.#session;
    await door.call('healthz', null, this.#stop.signal);
    const { supported_models } = await door.call('get_server_capabilities', null, this.#stop.signal);
    return (supported_models as readonly JsonObject[]).map((model) => model['model_name']).filter((name) => typeof name === 'string');
  }

  policy(sampling: Sampling = {}): Policy {
    return { name: this.id, act: (turns) => this.#act(turns, sampling) };
  }

  /** A policy with the current weights, also while they change: those after all steps called so far. */
  frozenPolicy(): Policy {
    const current = this.#samplers.hold();
    return { name: this.id, act: (turns) => this.#act(turns, {}, current) };
  }

  /** The learner's input for a view. */
  promptOf(view: View): readonly number[] {
    return this.#tokensOf({ messages: chatOf(view) });
  }

  /** An answer in the learner's tokens, including the end token. */
  answerOf(text: string, prompt: Prompt = { messages: [{ role: 'user', content: '?' }] }): readonly number[] {
    const { answer, stop } = this.#options.codec;
    const [end] = stop;
    if (answer === undefined || end === undefined)
      throw new Fault('input', `${this.id} cannot be trained on answers: its codec has no "answer", or no end token. Add them.`, {
        code: 'E_UNSUPPORTED',
      });
    return this.#shown.of(`${keyOf(prompt)} ${text}`, () => [...answer(prompt, text), end]);
  }

  rowOf({ view }: Turn, text: string): TokenRow {
    return this.rowFor({ messages: chatOf(view) }, text);
  }

  rowFor(prompt: Prompt, text: string): TokenRow {
    const [read, answer] = [this.#tokensOf(prompt), this.answerOf(text, prompt)];
    return { tokens: [...read, ...answer], mask: [...read.map(() => 0), ...answer.map(() => 1)] };
  }

  async complete(prompt: Prompt, sampling: Sampling, signal: AbortSignal, onText?: (piece: string) => void): Promise<ModelCall> {
    const request = { prompt, read: this.#tokensOf(prompt), sampling: this.#params(sampling), count: 1 };
    const [call] = (await this.#sample([request], { signal: AbortSignal.any([signal, this.#stop.signal]) })) as [ModelCall];
    if (call.text !== '') onText?.(call.text);
    return call;
  }

  /** Turns with the same input are sampled together, so the server reads their prompt once. */
  async #act(turns: readonly Turn[], sampling: Sampling, current?: Promise<Sampler>): Promise<readonly Reply[]> {
    const out = new Array<PromiseSettledResult<Reply>>(turns.length);
    const groups = new Map<string, Asked & { readonly members: number[] }>();
    for (const [i, { view, rng }] of turns.entries()) {
      const prompt = { messages: chatOf(view) };
      const key = keyOf(prompt);
      let group = groups.get(key);
      if (group === undefined) {
        group = { prompt, read: this.#tokensOf(prompt, key), sampling: this.#params({ ...sampling, seed: rng.int(2 ** 31) }), members: [] };
        groups.set(key, group);
      }
      group.members.push(i);
    }
    const [requests, atOnce] = [[...groups.values()], this.#options.inFlight ?? 64];
    const each = requests.length > 1 && (await this.#session.has('prompts').catch(() => false)) ? mostPrompts : 1;
    const answer = async (subset: Readonly<typeof requests>): Promise<void> => {
      const members = subset.flatMap((item) => item.members);
      try {
        const counted = subset.map((item) => ({ ...item, count: item.members.length }));
        for (const [n, call] of (await this.#sample(counted, { signal: this.#stop.signal, held: current })).entries())
          out[members[n]] = { status: 'fulfilled', value: { action: { text: call.text }, calls: [call] } };
      } catch (reason) {
        // A conversation beyond the model's context length only ends its own episode.
        if (subset.length > 1 && reason instanceof TinkerFault && reason.status === 400)
          await mapWithLimit(chunksOf(subset, 1), atOnce, answer);
        else for (const i of members) out[i] = { status: 'rejected', reason };
      }
    };
    await mapWithLimit(chunksOf(requests, each), atOnce, answer);
    return allAnswers(out);
  }

  #params(sampling: Sampling): Sampling {
    return { maxTokens: this.#options.maxTokens ?? 256, ...sampling };
  }

  /** Samples answers to prompts of one request, prompt by prompt. */
  async #sample(
    requests: readonly (Asked & { readonly count: number })[],
    options: { readonly signal: AbortSignal; readonly held?: Promise<Sampler> | undefined },
  ): Promise<readonly ModelCall[]> {
    const { codec } = this.#options;
    const bodies = requests.map(({ read, count, sampling }) => ({
      num_samples: count,
      prompt: inputOf(read),
      sampling_params: paramsOf(sampling, codec),
    }));
    const result = await this.#samplers.ask('current', bodies.length === 1 ? bodies[0] : { prompts: bodies }, options);
    const matches = Array.isArray(result['sequences']) ? (result['sequences'] as readonly unknown[]) : [];
    let next = 0;
    return requests.flatMap(({ prompt, read, count, sampling }) => {
      const ownItems = matches.slice(next, next + count);
      next += count;
      return sequencesIn(this.id, ownItems, { count, sampling }).map((sequence) => {
        this.sampled += sequence.tokens.length;
        return this.#answers.callOf({ prompt, read }, sequence, sampling);
      });
    });
  }

  async forwardBackward(batch: readonly TokenRow[], loss: string, settings: JsonObject = {}): Promise<Readonly<Record<string, number>>> {
    const rows = batch.filter(trains);
    if (rows.length === 0) return this.#nothing(loss, settings);
    const outputs = await this.#pass('forward_backward', rows, { loss, config: this.#config(loss, settings) });
    return { ...outputs.metrics, ...figuresOf(rows, outputs, { loss, settings }) };
  }

  /** `forwardBackward` and `optimStep` as one request. */
  async step(
    batch: readonly TokenRow[],
    loss: string,
    { kl = 0, ...settings }: Readonly<Record<string, number>>,
  ): Promise<Readonly<Record<string, number>>> {
    const rows = batch.filter(trains);
    if (rows.length === 0) return this.#nothing(loss, { kl });
    const after = [this.#optimiser(settings)];
    const outputs = await this.#pass('forward_backward', rows, { loss, config: this.#config(loss, { kl }), after });
    return figuresOf(rows, outputs, { loss, settings: { kl } });
  }

  async #nothing(loss: string, settings: JsonObject): Promise<Readonly<Record<string, number>>> {
    await this.#config(loss, settings);
    return { loss: 0, tokens: 0 };
  }

  async optimStep(settings: Readonly<Record<string, number>>): Promise<void> {
    const step = this.#optimiser(settings);
    await this.#samplers.change(async () => [step]);
  }

  #optimiser(settings: Readonly<Record<string, number>>): PendingStep {
    const params: Record<string, number> = { learning_rate: 1e-4 };
    for (const [name, value] of Object.entries(settings)) {
      const theirs = adam[name];
      if (theirs === undefined)
        throw new Fault(
          'input',
          `${this.id} supports the optimizer settings ${Object.keys(adam).join(', ')}, but got "${name}". Remove it.`,
        );
      params[theirs] = value;
    }
    return { name: 'optim_step', body: { adam_params: params, type: 'optim_step' } };
  }

  async logprobs(batch: readonly TokenRow[], of: 'current' | 'reference' = 'current'): Promise<readonly ArrayLike<number>[]> {
    const there = of === 'reference' && (await this.#session.has('reference'));
    if (of === 'reference' && !there) return mapWithLimit(batch, this.#options.inFlight ?? 64, ({ tokens }) => this.#read(tokens));
    const long = batch
      .filter(({ tokens }) => tokens.length > 1)
      .map(({ tokens }) => ({ tokens, mask: new Uint8Array(tokens.length).fill(1) }));
    const { logprobs } =
      long.length === 0
        ? { logprobs: [] }
        : await this.#pass('forward', long, { loss: 'cross_entropy', config: Promise.resolve(there ? { reference: 1 } : null) });
    const rest = logprobs.values();
    return batch.map(({ tokens }) =>
      [0, ...(tokens.length > 1 ? Array.from(rest.next().value as ArrayLike<number>) : [])].slice(0, tokens.length),
    );
  }

  /** Moves the reference towards the current weights by a share of the distance; partial moves need the server's support. */
  async refer(share = 1): Promise<void> {
    if (await this.#session.has('refer')) this.#trainer.queue({ name: 'refer', body: { share } });
    else if (share === 1) await this.#samplers.refer();
    else
      throw new Fault(
        'input',
        `${this.id} is on a server that cannot update its reference by a share of ${share}. Use the training server ludus-gpu, or a recipe with a fixed reference.`,
      );
  }

  /** Adds the current weights to their mean. */
  average(): Promise<void> {
    return this.#mean(false);
  }

  /** Sets the weights to their mean. */
  settle(): Promise<void> {
    return this.#mean(true);
  }

  async #mean(settle: boolean): Promise<void> {
    if (!(await this.#session.has('mean')))
      throw new Fault(
        'input',
        `${this.id} is on a server that cannot average weights. Use the training server ludus-gpu, or a recipe without training.average.`,
      );
    const mean = { name: 'mean', body: { settle } } as const;
    if (settle) await this.#trainer.run([mean]);
    else this.#trainer.queue(mean);
  }

  async save(): Promise<string> {
    return JSON.stringify({ weights: await this.#trainer.save(), reference: this.#samplers.reference });
  }

  /** Accepts the result of `save`, or the plain tinker:// path of saved weights. */
  async load(checkpoint: string): Promise<void> {
    const { weights, reference } = readCheckpoint(checkpoint);
    await this.#trainer.load(weights);
    this.#samplers.reference = reference;
  }

  /** The latest saved weights, from which training could resume if this process were lost. */
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
    { loss, config: request, after = [] }: { loss: string; config: Promise<JsonObject | null>; after?: readonly PendingStep[] },
  ): Promise<PassOutputs> {
    const { mostRows = 256, mostTokens = 100_000 } = this.#options;
    for (const row of rows) refuse(row);
    const { rows: tokenRows, which } = loss === 'cross_entropy' ? distinct(rows) : { rows, which: [...rows.keys()] };
    const chunks = chunkRows(tokenRows, { rows: mostRows, tokens: mostTokens });
    const leavesOut = name === 'forward_backward' && skipsTargets(loss) ? this.#session.has('first').catch(() => false) : false;
    const prepare = async () => {
      const [config, shorter] = [await request, await leavesOut];
      const passes = chunks.map((chunk): PendingStep => {
        const data = chunk.map((row) => datumOf(row, loss, { kl: config?.['kl'] !== undefined, first: shorter ? skippedTargets(row) : 0 }));
        const input = { loss_fn: loss, loss_fn_config: config, data };
        return { name, body: { [name === 'forward' ? 'forward_input' : 'forward_backward_input']: input } };
      });
      return [...passes, ...after];
    };
    const observation = after.length > 0 ? this.#samplers.change(prepare) : prepare().then((operations) => this.#trainer.run(operations));
    const [results, shorter] = [(await observation).slice(0, chunks.length), await leavesOut];
    const counts = tokenRows.map((row) => row.tokens.length - 1 - (shorter ? skippedTargets(row) : 0));
    const { logprobs, metrics } = outputsIn(results, counts, this.id);
    return { logprobs: which.map((place) => logprobs[place]), metrics };
  }

  /** Settings in the server's format: refuses unknown ones, except with a coefficient of 0. */
  async #config(loss: string, settings: JsonObject): Promise<JsonObject | null> {
    const knownLoss = losses[loss];
    if (knownLoss === undefined)
      throw new Fault(
        'input',
        `${this.id} supports the losses ${Object.keys(losses).join(', ')}, but got "${loss}". Convert it to weights.`,
      );
    const config: Record<string, number> = {};
    for (const [name, value] of Object.entries(settings)) {
      const whole = name === 'kl' && value !== 0 && loss === 'cross_entropy' && (await this.#session.has('kl'));
      if (knownLoss.includes(name) || whole) config[name] = value as number;
      else if (value !== 0)
        throw new Fault('input', `${this.id} does not see full distributions, so it does not support "${name}" in "${loss}". Remove it.`, {
          code: 'E_UNSUPPORTED',
        });
    }
    return Object.keys(config).length === 0 ? null : config;
  }

  #tokensOf(prompt: Prompt, key = keyOf(prompt)): readonly number[] {
    return this.#prompts.of(key, () => {
      const tokens = this.#options.codec.encode(prompt);
      // A seat that speaks first has no input, but servers refuse an empty prompt.
      return tokens.length > 0 ? tokens : this.#options.codec.encode({ ...prompt, messages: [{ role: 'user', content: 'Begin.' }] });
    });
  }

  /** The reference's log-probabilities of a given text. */
  async #read(tokens: ArrayLike<number>): Promise<ArrayLike<number>> {
    const body = { num_samples: 1, prompt: inputOf(tokens), sampling_params: { max_tokens: 1 }, prompt_logprobs: true };
    const { prompt_logprobs } = await this.#samplers.ask('reference', body, { signal: this.#stop.signal });
    if (!Array.isArray(prompt_logprobs) || prompt_logprobs.length !== tokens.length)
      throw new Fault('model', `${this.id} does not return log-probabilities of prompts, so it has no reference. Train without one.`);
    return (prompt_logprobs as readonly (number | null)[]).map((value) => value ?? 0);
  }
}

/** A prompt as a key: the roles and contents of its messages. */
function keyOf({ messages }: Prompt): string {
  return JSON.stringify(messages.map(({ role, content }) => [role, content]));
}

/** Splits a list into chunks of at most this size, in order. */
function chunksOf<T>(items: readonly T[], most: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / most) }, (_, i) => items.slice(i * most, (i + 1) * most));
}
