/** @file A session on a Tinker server: opened on first use, kept alive by a heartbeat; it resolves the server's futures. */

import { type JsonObject, pause, withTimeLimit } from '@ludus-agents/kernel/internal/core/index';
import { type TinkerClient, TinkerFault } from './http.ts';
import { type CallName, calls, failed, problemOf, type TinkerEndpoint, tryAgain } from './wire.ts';

export interface SessionOptions {
  /** Seconds between two heartbeats. */
  readonly heartbeat?: number;
  /** The time limit for a single result, in seconds. */
  readonly patience?: number;
  readonly tags?: readonly string[];
}

/** Extensions that a server must announce before they are used. */
type Extension = 'kl' | 'refer' | 'mean' | 'reference' | 'prompts' | 'first' | 'tokenizer' | 'adapter';

/** Whether the server no longer has the requested object: it has restarted, or has deleted it. */
export function isLost(thrown: unknown): boolean {
  if (!(thrown instanceof TinkerFault)) return false;
  // A conflict after a second try: the first one did arrive, but its result is unknown.
  return thrown.status === 404 || thrown.status === 410 || (thrown.status === 409 && thrown.tried > 1);
}

export class TinkerSession {
  readonly door: TinkerClient;
  readonly #options: SessionOptions;
  readonly #stop: AbortSignal;
  #opening: Promise<string> | null = null;
  #heart: ReturnType<typeof setInterval> | undefined;
  #models = 0;
  #samplers = 0;
  #waits = false;
  #extensions: Promise<readonly string[]> | null = null;

  constructor(door: TinkerClient, options: SessionOptions, stop: AbortSignal) {
    this.door = door;
    this.#options = options;
    this.#stop = stop;
    stop.addEventListener('abort', () => clearInterval(this.#heart), { once: true });
  }

  id(): Promise<string> {
    this.#opening ??= this.#open();
    return this.#opening;
  }

  /** The next call opens a new session. */
  forget(): void {
    clearInterval(this.#heart);
    this.#opening = null;
  }

  async createModel(
    base: string,
    lora: { readonly rank: number; readonly seed: number },
    metadata: JsonObject | null = null,
  ): Promise<string> {
    const named = { session_id: await this.id(), model_seq_id: this.#models++, base_model: base, lora_config: lora };
    const body = { ...named, ...(metadata !== null && { user_metadata: metadata }), type: 'create_model' };
    const { model_id } = await this.do('create_model', body, this.#stop);
    return model_id as string;
  }

  nextSampler(): number {
    return this.#samplers++;
  }

  /** Creates a sampler: from saved weights, or from the base model. */
  async createSampler(from: { readonly model_path: string } | { readonly base_model: string }): Promise<string> {
    const type = 'create_sampling_session';
    const body = { session_id: await this.id(), sampling_session_seq_id: this.nextSampler(), ...from, type };
    return (await this.door.call(type, body, this.#stop))['sampling_session_id'] as string;
  }

  /**
   * Whether the server has held a reply until there was a result. Such a server processes requests by their numbers, whatever their order
   * of arrival.
   */
  get waits(): boolean {
    return this.#waits;
  }

  /** Whether the server announces an extension of the published calls. */
  async has(extension: Extension): Promise<boolean> {
    this.#extensions ??= this.door
      .call('get_server_capabilities', null, this.#stop)
      .then(({ extensions }) => (Array.isArray(extensions) ? (extensions as readonly string[]) : []));
    try {
      return (await this.#extensions).includes(extension);
    } catch (thrown) {
      this.#extensions = null;
      throw thrown;
    }
  }

  /** Makes a call that returns a promise, and waits for the result: in one round trip if the server supports waiting. */
  async do(name: CallName, body: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const { request_id, result } = await this.door.call(name, body, signal, true);
    if (result === undefined || result === null) return this.retrieve(name, request_id as string, signal);
    this.#waits = true;
    return this.#checked(name, result as JsonObject);
  }

  async submit(name: CallName, body: JsonObject, signal: AbortSignal): Promise<string> {
    return (await this.door.call(name, body, signal))['request_id'] as string;
  }

  async retrieve(name: CallName, request: string, signal: AbortSignal): Promise<JsonObject> {
    const { patience = 3600 } = this.#options;
    try {
      return await withTimeLimit(patience * 1000, signal, async (limited) => {
        for (;;) {
          const got = await this.door.call('retrieve_future', { request_id: request }, limited);
          if (problemOf(tryAgain, got) === null) await pause(got['queue_state'] === 'active' ? 50 : 1000, limited);
          else return this.#checked(name, got);
        }
      });
    } catch (thrown) {
      if (thrown instanceof DOMException && thrown.name === 'TimeoutError' && !signal.aborted)
        throw new TinkerFault(`${this.door.name} did not finish "${name}" within ${patience} s. Check its queue.`);
      throw thrown;
    }
  }

  #checked(name: CallName, got: JsonObject): JsonObject {
    if (problemOf(failed, got) === null) throw new TinkerFault(`${this.door.name} failed at "${name}": ${got['error']}.`, 400);
    const wrong = problemOf((calls[name] as TinkerEndpoint).result ?? 'any', got);
    if (wrong !== null) throw new TinkerFault(`${this.door.name} sent an unexpected answer to "${name}": ${wrong}.`, 200);
    return got;
  }

  async #open(): Promise<string> {
    const { heartbeat = 10, tags = ['ludus'] } = this.#options;
    try {
      const body = { tags, user_metadata: null, sdk_version: 'ludus', type: 'create_session' };
      const { session_id, error_message } = await this.door.call('create_session', body, this.#stop);
      if (typeof error_message === 'string') throw new TinkerFault(`${this.door.name} did not open a session: ${error_message}.`, 400);
      clearInterval(this.#heart);
      this.#heart = setInterval(() => this.#beat(session_id as string), heartbeat * 1000);
      this.#heart.unref();
      return session_id as string;
    } catch (thrown) {
      this.#opening = null;
      throw thrown;
    }
  }

  #beat(session: string): void {
    // A missed heartbeat is not reported: the next caller that needs the session gets the error.
    this.door.call('session_heartbeat', { session_id: session, type: 'session_heartbeat' }, this.#stop).catch(() => {});
  }
}
