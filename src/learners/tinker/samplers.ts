/** @file Samplers on a Tinker server, of the current weights or of the reference. A sampler that the server has lost is made again. */

import { Fault, type JsonObject } from '../../core/index.ts';
import { isLost, type TinkerSession } from '../../models/tinker/session.ts';
import type { TinkerTrainer } from './trainer.ts';

type Source = 'current' | 'reference';

interface Sampler {
  readonly session: string;
  next: number;
}

export class Samplers {
  readonly #session: TinkerSession;
  readonly #trainer: TinkerTrainer;
  readonly #options: { readonly baseModel: string; readonly recoveries: number };
  readonly #made: Record<Source, Promise<Sampler> | null> = { current: null, reference: null };
  /** The trainer's version that was published; null while that is being done. */
  #version: number | null = null;
  #reference: string | null = null;
  #saved = 0;

  constructor(session: TinkerSession, trainer: TinkerTrainer, options: { readonly baseModel: string; readonly recoveries: number }) {
    this.#session = session;
    this.#trainer = trainer;
    this.#options = options;
  }

  /** Saved weights that are the reference; null for the base model, which is what every run begins with. */
  get reference(): string | null {
    return this.#reference;
  }

  set reference(path: string | null) {
    this.#reference = path;
    this.#made.reference = null;
  }

  /** Makes the weights as they are the reference. */
  async refer(): Promise<void> {
    const body = { path: `reference-${++this.#saved}`, type: 'save_weights_for_sampler' };
    const [result] = await this.#trainer.run([{ name: 'save_weights_for_sampler', body }]);
    this.reference = pathIn(result as JsonObject);
  }

  async ask(source: Source, body: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    for (let losses = 0; ; losses++) {
      const making = this.#sampler(source);
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

  /** Callers that come while a sampler is being made wait for that one. */
  #sampler(source: Source): Promise<Sampler> {
    const stale = source === 'current' && this.#version !== null && this.#version !== this.#trainer.version;
    const made = stale ? null : this.#made[source];
    if (made !== null) return made;
    const making = source === 'current' ? this.#publish() : this.#open();
    this.#made[source] = making;
    return making;
  }

  async #publish(): Promise<Sampler> {
    this.#version = null;
    const body = { sampling_session_seq_id: this.#session.nextSampler(), type: 'save_weights_for_sampler' };
    const [result] = await this.#trainer.run([{ name: 'save_weights_for_sampler', body }]);
    this.#version = this.#trainer.version;
    const { sampling_session_id: given } = result as JsonObject;
    return {
      session: typeof given === 'string' ? given : await this.#session.createSampler({ model_path: pathIn(result as JsonObject) }),
      next: 0,
    };
  }

  async #open(): Promise<Sampler> {
    const from = this.#reference === null ? { base_model: this.#options.baseModel } : { model_path: this.#reference };
    return { session: await this.#session.createSampler(from), next: 0 };
  }
}

function pathIn({ path }: JsonObject): string {
  if (typeof path !== 'string') throw new Fault('model', 'The Tinker server saved weights without telling where; check its version.');
  return path;
}
