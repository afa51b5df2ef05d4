/**
 * @file A learner whose weights are elsewhere: any server that speaks the Tinker API (Thinking Machines' service, SkyRL, Twinkle).
 *
 * Requests and answers are tokens; the codec, which is the model's own tokenizer and chat template, converts prompts to them and back.
 * Samples always come from the current weights: these are published to the sampler when they have changed.
 */

import {
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
} from '../../core/index.ts';
import { type Codec, textOfTokens } from './codec.ts';
import { chunked, datumOf, inputOf, losses, lossOf, trains } from './datum.ts';
import { TinkerClient, type TinkerClientOptions } from './http.ts';
import { Samplers } from './samplers.ts';
import { type SessionOptions, TinkerSession } from './session.ts';
import { TinkerTrainer } from './trainer.ts';

export interface TinkerOptions extends TinkerClientOptions, SessionOptions {
  readonly id?: string;
  /** The model that is trained, as the server names it: "Qwen/Qwen3-4B". */
  readonly baseModel: string;
  readonly codec: Codec;
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

  constructor(options: TinkerOptions) {
    this.#options = options;
    this.id = options.id ?? `tinker/${options.baseModel}`;
    this.#session = new TinkerSession(new TinkerClient(options), options, this.#stop.signal);
    const { baseModel, rank = 32, seed = 0, checkpointEvery = 20, recoveries = 3 } = options;
    this.#trainer = new TinkerTrainer(this.#session, { baseModel, rank, seed, checkpointEvery, recoveries }, this.#stop.signal);
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
    const answer = async (turn: Turn): Promise<Reply> => {
      const call = await this.complete({ messages: chatOf(turn.view) }, { ...sampling, seed: turn.rng.int(2 ** 31) }, this.#stop.signal);
      return { action: { text: call.text }, calls: [call] };
    };
    return { name: this.id, act: (turns) => pooled(turns, this.#options.inFlight ?? 64, answer) };
  }

  async complete(prompt: Prompt, sampling: Sampling, signal: AbortSignal, onText?: (piece: string) => void): Promise<ModelCall> {
    const { codec } = this.#options;
    const tokens = codec.encode(prompt);
    const body = { num_samples: 1, prompt: inputOf(tokens), sampling_params: paramsOf(sampling, codec) };
    const result = await this.#samplers.ask('current', body, AbortSignal.any([signal, this.#stop.signal]));
    const { stop_reason, tokens: tokenIds, logprobs } = sequenceIn(this.id, result['sequences'], sampling);
    if (logprobs && logprobs.length !== tokenIds.length)
      throw new Fault(
        'model',
        `${this.id} gave ${tokenIds.length} tokens but ${logprobs.length} log-probabilities; such an answer trains nothing.`,
      );
    const text = textOfTokens(codec, tokenIds);
    if (text !== '') onText?.(text);
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
    const config = configOf(this.id, loss, settings);
    if (rows.length === 0) return { loss: 0, tokens: 0 };
    const outputs = await this.#pass('forward_backward', rows, { loss, config });
    const sums: Record<string, number> = { loss: 0, tokens: 0 };
    rows.forEach((row, i) => {
      const logprobs = outputs.logprobs[i] as ArrayLike<number>;
      sums['loss'] = (sums['loss'] as number) + lossOf(row, loss, { logprobs, settings });
      for (let at = 1; at < row.tokens.length; at++) if (row.mask[at] !== 0) sums['tokens'] = (sums['tokens'] as number) + 1;
    });
    return { ...outputs.metrics, ...sums };
  }

  async optimStep(settings: Readonly<Record<string, number>>): Promise<void> {
    const params: Record<string, number> = { learning_rate: 1e-4 };
    for (const [name, value] of Object.entries(settings)) {
      const theirs = adam[name];
      if (theirs === undefined)
        throw new Fault('input', `${this.id} steps by ${Object.keys(adam).join(', ')}, but was given "${name}"; leave it out.`);
      params[theirs] = value;
    }
    await this.#trainer.run([{ name: 'optim_step', body: { adam_params: params, type: 'optim_step' } }]);
  }

  async logprobs(batch: readonly TokenRow[], of: 'current' | 'reference' = 'current'): Promise<readonly ArrayLike<number>[]> {
    if (of === 'reference') return pooled(batch, this.#options.inFlight ?? 64, ({ tokens }) => this.#read(tokens));
    const long = batch
      .filter(({ tokens }) => tokens.length > 1)
      .map(({ tokens }) => ({ tokens, mask: new Uint8Array(tokens.length).fill(1) }));
    const { logprobs } = long.length === 0 ? { logprobs: [] } : await this.#pass('forward', long, { loss: 'cross_entropy', config: null });
    const rest = logprobs.values();
    return batch.map(({ tokens }) =>
      [0, ...(tokens.length > 1 ? Array.from(rest.next().value as ArrayLike<number>) : [])].slice(0, tokens.length),
    );
  }

  refer(): Promise<void> {
    return this.#samplers.refer();
  }

  async save(): Promise<string> {
    return JSON.stringify({ weights: await this.#trainer.save(), reference: this.#samplers.reference });
  }

  /** Takes what `save` gave, or the plain tinker:// path of saved weights. */
  async load(checkpoint: string): Promise<void> {
    const plain = checkpoint.startsWith('tinker://');
    const { weights, reference } = plain ? { weights: checkpoint, reference: null } : readCheckpoint(checkpoint);
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
    { loss, config }: { loss: string; config: JsonObject | null },
  ) {
    const { mostRows = 256, mostTokens = 100_000 } = this.#options;
    const results = await this.#trainer.run(
      chunked(rows, { rows: mostRows, tokens: mostTokens }).map((chunk) => {
        const input = { loss_fn: loss, loss_fn_config: config, data: chunk.map((row) => datumOf(row, loss)) };
        return { name, body: { [name === 'forward' ? 'forward_input' : 'forward_backward_input']: input } };
      }),
    );
    const logprobs = results.flatMap((result) =>
      (result['loss_fn_outputs'] as readonly JsonObject[]).map(({ logprobs: own }) => tensorData(own)),
    );
    if (logprobs.length !== rows.length || logprobs.some((list, i) => list.length !== (rows[i] as TokenRow).tokens.length - 1))
      throw new Fault('model', `${this.id} did not give one log-probability for each of the tokens it was trained on; check the server.`);
    const metrics: Record<string, number> = {};
    for (const result of results) Object.assign(metrics, result['metrics'] as JsonObject);
    return { logprobs, metrics: results.length === 1 ? metrics : {} };
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

function paramsOf({ maxTokens = 256, temperature = 1, topP = 1, stop = [], seed }: Sampling, codec: Codec): JsonObject {
  const ends = stop.length > 0 ? stop : codec.stop;
  return { max_tokens: maxTokens, temperature, top_p: topP, top_k: -1, stop: ends.length > 0 ? ends : null, seed: seed ?? null };
}

/** Settings as the server takes them: an unknown one is refused, a coefficient of 0 is not. */
function configOf(id: string, loss: string, settings: JsonObject): JsonObject | null {
  const known = losses[loss];
  if (known === undefined)
    throw new Fault(
      'input',
      `${id} knows the losses ${Object.keys(losses).join(', ')}, but was asked for "${loss}"; turn it into weights.`,
    );
  const config: Record<string, number> = {};
  for (const [name, value] of Object.entries(settings)) {
    if (known.includes(name)) config[name] = value as number;
    else if (value !== 0) throw new Fault('input', `${id} sees no whole distributions and takes no "${name}" in "${loss}"; leave it out.`);
  }
  return Object.keys(config).length === 0 ? null : config;
}

function readCheckpoint(text: string): { weights: string; reference: string | null } {
  try {
    const { weights, reference } = JSON.parse(text) as Record<string, unknown>;
    if (typeof weights === 'string' && (reference === null || typeof reference === 'string')) return { weights, reference };
  } catch {
    // Reported below, with everything else that is no checkpoint.
  }
  throw new Fault(
    'input',
    `A checkpoint is what "save" gave, or a path like tinker://MODEL/weights/NAME, but came as "${text.slice(0, 80)}".`,
  );
}

function tensorData(value: unknown): ArrayLike<number> {
  return ((value as JsonObject | undefined)?.['data'] ?? []) as readonly number[];
}

/** Does work on all items, at most so many at a time, and gives the results in order. The first failure is thrown when all have ended. */
async function pooled<T, R>(items: readonly T[], most: number, work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const out = new Array<R>(items.length);
  let next = 0;
  const lane = async () => {
    while (next < items.length) {
      const i = next++;
      out[i] = await work(items[i] as T);
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: Math.min(most, items.length) }, lane));
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
  return out;
}

interface Sequence {
  readonly stop_reason: 'stop' | 'length';
  readonly tokens: readonly number[];
  readonly logprobs?: number[] | null;
}

/** The one requested answer. A reply of another shape is the server's fault, and no move. */
function sequenceIn(id: string, found: unknown, { maxTokens }: Sampling): Sequence {
  const [first] = Array.isArray(found) ? (found as readonly unknown[]) : [];
  if (first === undefined || first === null) throw new Fault('model', `${id} was asked for one answer and gave none; ask it again.`);
  const { stop_reason, tokens, logprobs } = first as Partial<Sequence>;
  const most = maxTokens ?? 2 ** 20;
  const isToken = (token: unknown) => Number.isSafeInteger(token) && (token as number) >= 0;
  if (!Array.isArray(tokens) || tokens.length > most || !tokens.every(isToken))
    throw new Fault('model', `${id} was asked for at most ${most} tokens, and gave something else; ask it again.`);
  if (logprobs !== undefined && logprobs !== null && (!Array.isArray(logprobs) || !logprobs.every((one) => typeof one === 'number')))
    throw new Fault('model', `${id} gave log-probabilities that are no numbers; ask it again.`);
  return { stop_reason: stop_reason === 'length' ? 'length' : 'stop', tokens, ...(logprobs ? { logprobs } : {}) };
}
