/**
 * @file A model on a Tinker server: the base model, or weights saved there.
 *
 * Choices are enforced by the model's own probabilities: each choice is scored after the prompt as if the model had written it, and one is
 * drawn. The key is in TINKER_API_KEY; a server that does not provide its tokenizer needs one at TINKER_TOKENIZER.
 */

import type { ChoiceScores, JsonObject, Model, ModelCall, Prompt, Sampling } from '@ludus-agents/kernel/internal/core/index';
import { Fault, rng } from '@ludus-agents/kernel/internal/core/index';
import { type Codec, textOfTokens } from '../codec.ts';
import { heldNote } from '../enforcement.ts';
import { TinkerClient, type TinkerClientOptions } from './http.ts';
import { inputOf, paramsOf, sequencesIn } from './sequences.ts';
import { lookAtServer } from './server-tokenizer.ts';
import { isLost, TinkerSession } from './session.ts';

export interface TinkerModelOptions extends TinkerClientOptions {
  readonly id: string;
  /** The base model, or the tinker:// path of saved weights; the server's first model by default. */
  readonly model?: string | undefined;
  /** Replaces the tokenizer provided by the server. */
  readonly codec?: Codec;
}

/** Creates a model from a name: URL, URL#BASE, or URL#tinker://MODEL/sampler_weights/NAME. */
export async function tinkerModel(options: TinkerModelOptions): Promise<Model> {
  const client = new TinkerClient(options);
  const saved = options.model?.startsWith('tinker://') === true ? options.model : undefined;
  const local = (options.env ?? process.env)['TINKER_TOKENIZER'] || undefined;
  const serverModel = await lookAtServer(client, saved === undefined ? options.model : undefined, { codec: options.codec, local });
  const session = new TinkerSession(client, {}, new AbortController().signal);
  const from = saved === undefined ? { base_model: serverModel.base } : { model_path: saved };
  return new TinkerSampler(options.id, session, { ...serverModel, from }).model();
}

interface Sampled {
  readonly codec: Codec;
  readonly context: number | undefined;
  readonly from: { readonly model_path: string } | { readonly base_model: string };
}

class TinkerSampler {
  readonly #id: string;
  readonly #session: TinkerSession;
  readonly #of: Sampled;
  #sampler: Promise<string> | null = null;
  #asked = 0;

  constructor(id: string, session: TinkerSession, of: Sampled) {
    this.#id = id;
    this.#session = session;
    this.#of = of;
  }

  model(): Model {
    const { codec, context } = this.#of;
    return {
      id: this.#id,
      tokens: (text) => codec.answer?.({ messages: [{ role: 'user', content: '?' }] }, text).length ?? Math.ceil(text.length / 3),
      context: async () => context,
      score: (prompt, texts, signal) => this.#score(prompt, texts, signal),
      complete: (prompt, sampling, signal, onText) => this.#complete(prompt, sampling, signal, onText),
    };
  }

  async #complete(prompt: Prompt, sampling: Sampling, signal: AbortSignal, onText?: (piece: string) => void): Promise<ModelCall> {
    const { codec, context } = this.#of;
    const { choices = [], stop = [], schema, ...rest } = sampling;
    const call = choices.length > 0 && codec.answer !== undefined ? await this.#choose(prompt, choices, sampling, signal) : null;
    if (call !== null) {
      onText?.(call.text);
      return call;
    }
    const tokens = codec.encode(prompt);
    const room = context === undefined ? {} : { maxTokens: Math.max(1, Math.min(rest.maxTokens ?? 256, context - tokens.length)) };
    const boundedSampling = { ...rest, ...room };
    const body = { num_samples: 1, prompt: inputOf(tokens), sampling_params: paramsOf(boundedSampling, codec) };
    const result = await this.#ask(body, signal);
    const [sequence] = sequencesIn(this.#id, result['sequences'], { count: 1, sampling: boundedSampling });
    const { tokens: tokenIds, logprobs, stop_reason } = sequence!;
    // Servers accept tokens or texts as stops, and few accept both: the model's own end token is sent, and stop texts are searched for
    // here.
    const whole = textOfTokens(codec, tokenIds);
    const cuts = stop.map((mark) => whole.indexOf(mark)).filter((at) => at >= 0);
    const text = cuts.length === 0 ? whole : whole.slice(0, Math.min(...cuts));
    if (text !== '') onText?.(text);
    return {
      model: this.#id,
      prompt,
      text,
      finish: cuts.length > 0 ? 'stop' : stop_reason,
      usage: { promptTokens: tokens.length, completionTokens: tokenIds.length, ...cacheHits(result) },
      cost: null,
      ...(cuts.length > 0 ? {} : { promptTokenIds: tokens, tokenIds, ...(logprobs ? { logprobs } : {}) }),
      ...(schema === undefined ? {} : { notes: [`${this.#id} cannot be constrained to a schema.`] }),
    };
  }

  /** Draws one of the choices by the model's probabilities at the temperature. */
  async #choose(prompt: Prompt, choices: readonly string[], { temperature = 1, seed }: Sampling, signal: AbortSignal): Promise<ModelCall> {
    const { logprobs, call } = await this.#score(prompt, choices, signal);
    const best = Math.max(...logprobs);
    const weights = logprobs.map((logprob) => (temperature === 0 ? Number(logprob === best) : Math.exp((logprob - best) / temperature)));
    const dice = rng(seed ?? crypto.getRandomValues(new Uint32Array(1))[0]!, 'tinker-choice');
    const text = choices[dice.weighted(weights)]!;
    return { ...call, text, notes: [heldNote('its own chances of them')] };
  }

  async #score(prompt: Prompt, texts: readonly string[], signal: AbortSignal): Promise<ChoiceScores> {
    const { codec } = this.#of;
    const read = codec.encode(prompt);
    const [end] = codec.stop;
    const tokenLists = texts.map((text) => [...codec.answer!(prompt, text), ...(end === undefined ? [] : [end])]);
    const scored = await Promise.all(tokenLists.map((answer) => this.#read([...read, ...answer], read.length, signal)));
    const logprobs = scored.map(({ logprob }) => logprob);
    const written = tokenLists.reduce((sum, answer) => sum + answer.length, 0);
    const usage = { promptTokens: read.length, completionTokens: written, ...cacheHits(scored[0]?.result ?? {}) };
    const text = texts[logprobs.indexOf(Math.max(...logprobs))]!;
    return { logprobs, call: { model: this.#id, prompt, text, finish: 'stop', usage, cost: null } };
  }

  /** The log-probability of the tokens from a position on. */
  async #read(tokens: readonly number[], from: number, signal: AbortSignal) {
    const body = { num_samples: 1, prompt: inputOf(tokens), sampling_params: { max_tokens: 1 }, prompt_logprobs: true };
    const result = await this.#ask(body, signal);
    const { prompt_logprobs: logprobs } = result;
    if (!Array.isArray(logprobs) || logprobs.length !== tokens.length || logprobs.slice(from).some((item) => typeof item !== 'number'))
      throw new Fault('model', `${this.#id} does not return log-probabilities of prompts, so its answers cannot be restricted to choices.`);
    return { result, logprob: (logprobs.slice(from) as readonly number[]).reduce((sum, value) => sum + value, 0) };
  }

  /** A sampler that the server has lost is created again, once. */
  async #ask(body: JsonObject, signal: AbortSignal, again = true): Promise<JsonObject> {
    this.#sampler ??= this.#session.createSampler(this.#of.from);
    const sampler = this.#sampler;
    try {
      return await this.#session.do(
        'asample',
        { ...body, sampling_session_id: await sampler, seq_id: this.#asked++, type: 'sample' },
        signal,
      );
    } catch (thrown) {
      if (this.#sampler === sampler) {
        this.#sampler = null;
        if (isLost(thrown)) this.#session.forget();
      }
      if (!again || signal.aborted || !isLost(thrown)) throw thrown;
      return this.#ask(body, signal, false);
    }
  }
}

function cacheHits({ prompt_cache_hit_tokens: hit }: JsonObject): { readonly cachedTokens?: number } {
  return typeof hit === 'number' ? { cachedTokens: hit } : {};
}
