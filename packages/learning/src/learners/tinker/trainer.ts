/**
 * @file Trains a model on a Tinker server, and survives restarts of the server.
 *
 * Operations run one batch after another, with increasing sequence numbers. Those since the last checkpoint are retained: a server that has
 * restarted without the model gets a new one, which loads the checkpoint and repeats the operations since. After any other failure the
 * server's progress is unknown, so the next operation starts in the same way.
 */

import { setImmediate } from 'node:timers/promises';
import { isLost, type TinkerSession } from '@ludus-agents/agents/internal/models/tinker/session';
import type { CallName } from '@ludus-agents/agents/internal/models/tinker/wire';
import { Fault, type JsonObject, sentenceOf, withTimeLimit } from '@ludus-agents/kernel/internal/core/index';

/** A call on a model, without the model and the sequence number. */
export interface PendingStep {
  readonly name: CallName;
  readonly body: JsonObject;
}

export interface TrainerOptions {
  readonly baseModel: string;
  readonly rank: number;
  readonly seed: number;
  /** Stored by the server with the weights. */
  readonly metadata: JsonObject | null;
  /** The number of optimizer steps between automatic checkpoints, which limit the operations to retain and to repeat after a loss. */
  readonly checkpointEvery: number;
  /** The maximum number of consecutive attempts to recreate a lost model. */
  readonly recoveries: number;
}

interface Living {
  readonly id: string;
  next: number;
}

/** The state of the training: a checkpoint, or the base model, and the operations since. */
interface Standing {
  readonly checkpoint: string | null;
  readonly since: readonly PendingStep[];
}

export class TinkerTrainer {
  readonly #session: TinkerSession;
  readonly #options: TrainerOptions;
  readonly #stop: AbortSignal;
  #model: Living | null = null;
  #standing: Standing = { checkpoint: null, since: [] };
  #saved = 0;
  #version = 0;
  #queued: readonly PendingStep[] = [];
  #turn: Promise<unknown> = Promise.resolve();

  constructor(session: TinkerSession, options: TrainerOptions, stop: AbortSignal) {
    this.#session = session;
    this.#options = options;
    this.#stop = stop;
  }

  /** Changes whenever the weights change or may have changed. */
  get version(): number {
    return this.#version;
  }

  get checkpoint(): string | null {
    return this.#standing.checkpoint;
  }

  /** Runs operations in order and resolves with all their results. */
  run(operations: readonly PendingStep[]): Promise<readonly JsonObject[]> {
    const queued = this.#queued;
    this.#queued = [];
    return this.#inTurn(async () => {
      const all = [...queued, ...operations];
      if (all.length === 0) return [];
      const results = await this.#survive((model) => this.#carryOut(model, all)).catch((thrown) => {
        this.#queued = [...queued, ...this.#queued];
        throw thrown;
      });
      const { checkpoint, since } = this.#standing;
      const changes = all.filter(({ name }) => ['forward_backward', 'optim_step', 'refer', 'mean'].includes(name));
      const steps = (list: readonly PendingStep[]) => list.filter(({ name }) => name === 'optim_step').length;
      this.#standing = { checkpoint, since: [...since, ...changes] };
      if (steps(changes) > 0 || changes.some(({ body }) => body['settle'] === true)) this.#version++;
      if (steps(this.#standing.since) >= this.#options.checkpointEvery) await this.#save();
      return results.slice(queued.length);
    });
  }

  /** Queues an operation whose result is not needed before the next ones, which saves a round trip. */
  queue(operation: PendingStep): void {
    this.#queued = [...this.#queued, operation];
  }

  save(): Promise<string> {
    const before = this.run([]);
    return this.#inTurn(async () => {
      await before;
      return this.#save();
    });
  }

  /** Continues from a checkpoint. Weights can only be loaded into a new model; if that fails, nothing changes. */
  load(checkpoint: string): Promise<void> {
    return this.#inTurn(async () => {
      const [old, before] = [this.#model, this.#standing];
      this.#standing = { checkpoint, since: [] };
      this.#model = null;
      try {
        await this.#survive(async () => {});
      } catch (thrown) {
        this.#model = old;
        this.#standing = before;
        throw thrown;
      }
      this.#queued = [];
      if (old !== null) await this.#unload(old);
    });
  }

  close(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#model !== null) await this.#unload(this.#model);
      this.#model = null;
    });
  }

  async #save(): Promise<string> {
    const path = `ludus-${++this.#saved}`;
    const save = { name: 'save_weights', body: { path, type: 'save_weights' } } as const;
    const [result] = await this.#survive((model) => this.#carryOut(model, [save]));
    const checkpoint = (result as JsonObject)['path'] as string;
    const { since } = this.#standing;
    // A checkpoint has no gradient, so gradients added since the last step must still be retained. It does include the reference.
    const open = since.slice(since.findLastIndex(({ name }) => name === 'optim_step') + 1);
    this.#standing = { checkpoint, since: open.filter(({ name }) => name === 'forward_backward') };
    return checkpoint;
  }

  async #survive<T>(work: (model: Living) => Promise<T>): Promise<T> {
    for (let losses = 0; ; losses++) {
      try {
        this.#model ??= await this.#make();
        return await work(this.#model);
      } catch (thrown) {
        this.#model = null;
        if (this.#stop.aborted || !isLost(thrown)) throw thrown;
        this.#session.forget();
        if (losses >= this.#options.recoveries) throw this.#stopped(thrown);
      }
    }
  }

  /** Creates a model in the state of the last one. */
  async #make(): Promise<Living> {
    const { baseModel, rank, seed, metadata } = this.#options;
    const { checkpoint, since } = this.#standing;
    this.#version++;
    const model: Living = { id: await this.#session.createModel(baseModel, { rank, seed }, metadata), next: 1 };
    const load = { name: 'load_weights', body: { path: checkpoint, optimizer: true, type: 'load_weights' } } as const;
    if (checkpoint !== null) await this.#carryOut(model, [load]);
    for (const operation of since) await this.#carryOut(model, [operation]);
    return model;
  }

  async #carryOut(model: Living, operations: readonly PendingStep[]): Promise<readonly JsonObject[]> {
    const failed = new AbortController();
    const signal = AbortSignal.any([this.#stop, failed.signal]);
    try {
      const numbered = operations.map(({ name, body }) => ({ name, body: { ...body, model_id: model.id, seq_id: model.next++ } }));
      if (this.#session.waits) return await this.#sendAll(numbered, signal);
      const promised: { readonly name: CallName; readonly request: string }[] = [];
      for (const { name, body } of numbered) {
        promised.push({ name, request: await this.#session.submit(name, body, signal) });
      }
      return await Promise.all(promised.map(({ name, request }) => this.#session.retrieve(name, request, signal)));
    } catch (thrown) {
      failed.abort();
      throw thrown;
    }
  }

  /** Sends each request before serializing the next, so that the server starts on the first rows meanwhile. */
  async #sendAll(operations: readonly PendingStep[], signal: AbortSignal): Promise<readonly JsonObject[]> {
    const results: Promise<JsonObject>[] = [];
    for (const { name, body } of operations) {
      const result = this.#session.do(name, body, signal);
      // The failure is thrown where all results are awaited.
      result.catch(() => {});
      results.push(result);
      await setImmediate();
    }
    return Promise.all(results);
  }

  async #unload({ id }: Living): Promise<void> {
    // Frees the model on the server if possible within a short time; a server that has lost it needs no request.
    const body = { model_id: id, type: 'unload_model' };
    await withTimeLimit(5000, this.#stop, (signal) => this.#session.submit('unload_model', body, signal)).catch(() => {});
  }

  #stopped(thrown: unknown): Fault {
    const { checkpoint, since } = this.#standing;
    const text = checkpoint === null ? 'there is no checkpoint yet' : `the last checkpoint is ${checkpoint}`;
    const more = since.length === 0 ? '' : `, ${since.length} operations after it are remembered here`;
    const tries = this.#options.recoveries + 1;
    return new Fault(
      'model',
      `Training stopped because the server keeps losing it (${tries} tries; last error: ${sentenceOf(thrown).replace(/\.$/, '')}); ${text}${more}.`,
    );
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work);
    this.#turn = mine.catch(() => {});
    return mine;
  }
}
