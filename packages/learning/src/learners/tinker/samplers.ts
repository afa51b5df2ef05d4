/** @file Samplers on a Tinker server, of the current weights or of the reference. A sampler that the server has lost is created again. */

import { isLost, type TinkerSession } from '@ludus-agents/agents/internal/models/tinker/session';
import { Fault, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import type { PendingStep, TinkerTrainer } from './trainer.ts';

type Source = 'current' | 'reference';

/** The source of samples from some weights. */
export interface Sampler {
  readonly session: string;
  next: number;
}

interface AskOptions {
  readonly signal: AbortSignal;
  /** Used instead of the source's current sampler as long as the server has it. */
  readonly held?: Promise<Sampler> | undefined;
}

export class Samplers {
  readonly #session: TinkerSession;
  readonly #trainer: TinkerTrainer;
  readonly #options: { readonly baseModel: string; readonly recoveries: number };
  readonly #made: Record<Source, Promise<Sampler> | null> = { current: null, reference: null };
  /** The trainer's version that was published; null while publishing. */
  #version: number | null = null;
  #reference: string | null = null;
  /** Whether the current weights have been sampled from. */
  #asked = false;
  #saved = 0;

  constructor(session: TinkerSession, trainer: TinkerTrainer, options: { readonly baseModel: string; readonly recoveries: number }) {
    this.#session = session;
    this.#trainer = trainer;
    this.#options = options;
  }

  /** Saved weights of the reference; null for the base model, the initial reference of every run. */
  get reference(): string | null {
    return this.#reference;
  }

  set reference(path: string | null) {
    this.#reference = path;
    this.#made.reference = null;
  }

  /** Makes the current weights the reference. */
  async refer(): Promise<void> {
    const body = { path: `reference-${++this.#saved}`, type: 'save_weights_for_sampler' };
    const [result] = await this.#trainer.run([{ name: 'save_weights_for_sampler', body }]);
    this.reference = pathIn(result as JsonObject);
  }

  /** The sampler of the current weights, after all steps called so far. */
  hold(): Promise<Sampler> {
    this.#asked = true;
    const current = this.#sampler('current');
    // The error is thrown to callers that sample from it.
    current.catch(() => {});
    return current;
  }

  /**
   * Runs operations that change the weights. If the previous weights were sampled from, the new ones are published with the same request,
   * and all later calls wait for them.
   */
  async change(prepare: () => Promise<readonly PendingStep[]>): Promise<readonly JsonObject[]> {
    if (!this.#asked) return this.#trainer.run(await prepare());
    this.#asked = false;
    this.#version = null;
    const running = prepare().then((operations) => this.#trainer.run([...operations, this.#publishing()]));
    const making = running.then((results) => this.#opened(results.at(-1) as JsonObject));
    this.#made.current = making;
    making.catch(() => {
      if (this.#made.current === making) this.#made.current = null;
    });
    return (await running).slice(0, -1);
  }

  /** Samples from a held sampler or the source's current one. A lost sampler is replaced by the source's. */
  async ask(source: Source, body: JsonObject, { signal, held }: AskOptions): Promise<JsonObject> {
    if (source === 'current') this.#asked = true;
    for (let losses = 0; ; losses++) {
      const making = losses === 0 && held !== undefined ? held : this.#sampler(source);
      try {
        const sampler = await making;
        const named = { ...body, sampling_session_id: sampler.session, seq_id: sampler.next++, type: 'sample' };
        return await this.#session.do('asample', named, signal);
      } catch (thrown) {
        if (signal.aborted) throw thrown;
        if (this.#made[source] === making) {
          this.#made[source] = null;
          // The trainer manages the session it trains in; a caller may need only a reference.
          if (source === 'reference' && isLost(thrown)) this.#session.forget();
        }
        if (!isLost(thrown) || losses >= this.#options.recoveries) throw thrown;
      }
    }
  }

  /** Calls during the creation of a sampler wait for it. */
  #sampler(source: Source): Promise<Sampler> {
    const stale = source === 'current' && this.#version !== null && this.#version !== this.#trainer.version;
    const result = stale ? null : this.#made[source];
    if (result !== null) return result;
    const making = source === 'current' ? this.#publish() : this.#open();
    this.#made[source] = making;
    return making;
  }

  async #publish(): Promise<Sampler> {
    this.#version = null;
    const [result] = await this.#trainer.run([this.#publishing()]);
    return this.#opened(result as JsonObject);
  }

  #publishing(): PendingStep {
    const body = { sampling_session_seq_id: this.#session.nextSampler(), type: 'save_weights_for_sampler' };
    return { name: 'save_weights_for_sampler', body };
  }

  async #opened(published: JsonObject): Promise<Sampler> {
    this.#version = this.#trainer.version;
    const { sampling_session_id: input } = published;
    return {
      session: typeof input === 'string' ? input : await this.#session.createSampler({ model_path: pathIn(published) }),
      next: 0,
    };
  }

  async #open(): Promise<Sampler> {
    const from = this.#reference === null ? { base_model: this.#options.baseModel } : { model_path: this.#reference };
    return { session: await this.#session.createSampler(from), next: 0 };
  }
}

function pathIn({ path }: JsonObject): string {
  if (typeof path !== 'string')
    throw new Fault('model', 'The Tinker server saved weights without returning their location. Check its version.');
  return path;
}
