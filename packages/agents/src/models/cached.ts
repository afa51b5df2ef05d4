/**
 * @file Stores every answer on disk under the hash of model, prompt, and sampling: the same request is paid for once, and a re-run is
 * exact.
 *
 * Samples that should differ need different seeds. An incomplete entry is a miss. Equal concurrent requests share one call, which is
 * canceled only when all its callers have left.
 */

import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Json, Model, ModelCall, Prompt, Sampling } from '@ludus-agents/kernel/internal/core/index';
import { currentBudget, hash, modelFacts, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';

type Entry = Omit<ModelCall, 'prompt'>;
type Ear = (piece: string) => void;

export interface CacheOptions {
  readonly folder: string;
  /** Called if an answer could not be stored; the answer itself is returned anyway. */
  readonly warn?: (sentence: string) => void;
}

export function cached(model: Model, options: CacheOptions): Model {
  const flights = new Map<string, Flight>();
  const { folder, warn = (sentence) => process.emitWarning(sentence, 'ModelWarning') } = options;

  /** Returns an answer from disk, or computes it. A new answer is returned once it is on disk, because it was paid for. */
  async function find(path: string, prompt: Prompt, make: () => Promise<ModelCall>): Promise<ModelCall> {
    const entry = await read(path);
    if (entry !== null) return { ...entry, prompt, cost: 0, kept: true };
    const call = await make();
    await write(path, call).catch((thrown) => warn(`An answer of ${model.id} could not be saved in ${folder}: ${sentenceOf(thrown)}.`));
    return call;
  }

  return {
    ...modelFacts(model),
    async complete(prompt, sampling, signal, onText) {
      signal.throwIfAborted();
      const key = keyOf(model.id, prompt, sampling);
      const joined = flights.get(key);
      if (joined !== undefined && !joined.abandoned) return countCall({ ...(await joined.wait(signal, onText)), cost: 0, kept: true });
      const path = join(folder, key.slice(0, 2), `${key}.json`);
      const flight = new Flight((alone, ear) => find(path, prompt, () => model.complete(prompt, sampling, alone, ear())));
      flights.set(key, flight);
      try {
        return countCall(await flight.wait(signal, onText));
      } finally {
        flight.landed
          .catch(() => {})
          .finally(() => {
            if (flights.get(key) === flight) flights.delete(key);
          });
      }
    },
  };
}

/** Tells the budget about a cached answer, for which no call was made. */
function countCall(call: ModelCall): ModelCall {
  if (call.kept === true) currentBudget()?.countCached?.();
  return call;
}

/** The cache key of a request. */
export function keyOf(model: string, prompt: Prompt, sampling: Sampling): string {
  return hash({ model, prompt, sampling });
}

/** One call shared by several callers. */
class Flight {
  readonly landed: Promise<ModelCall>;
  readonly #stop = new AbortController();
  readonly #ears = new Set<Ear>();
  #waiting = 0;
  #heard = '';
  #over = false;

  /** `ear` is read when the call starts. Without a listener, the answer is not streamed. */
  constructor(begin: (signal: AbortSignal, ear: () => Ear | undefined) => Promise<ModelCall>) {
    this.landed = begin(this.#stop.signal, () => (this.#ears.size === 0 ? undefined : (piece) => this.#say(piece))).finally(() => {
      this.#over = true;
    });
  }

  /** All callers have left and the call was stopped, so new callers must not wait for it. */
  get abandoned(): boolean {
    return this.#stop.signal.aborted;
  }

  #say(piece: string): void {
    this.#heard += piece;
    for (const ear of this.#ears) ear(piece);
  }

  async wait(signal: AbortSignal, ear: Ear | undefined): Promise<ModelCall> {
    this.#waiting++;
    if (ear !== undefined) {
      if (this.#heard !== '') ear(this.#heard);
      this.#ears.add(ear);
    }
    let leave = () => {};
    const gone = new Promise<never>((_, reject) => {
      leave = () => reject(signal.reason);
      signal.addEventListener('abort', leave, { once: true });
    });
    try {
      const call = await Promise.race([this.landed, gone]);
      // Answers from disk, or answers that were not streamed, are passed on now.
      if (this.#heard === '' && call.text !== '') ear?.(call.text);
      return call;
    } finally {
      signal.removeEventListener('abort', leave);
      if (ear !== undefined) this.#ears.delete(ear);
      if (--this.#waiting === 0 && !this.#over) this.#stop.abort(signal.reason);
    }
  }
}

async function read(path: string): Promise<Entry | null> {
  try {
    const { check, call } = JSON.parse(await readFile(path, 'utf8')) as { check: string; call: Json };
    return hash(call) === check ? (call as Entry) : null;
  } catch {
    return null;
  }
}

/** Readers never see a partial entry. It need not be flushed to disk: a lost entry is requested again. */
async function write(path: string, { prompt: _, milliseconds: __, ...call }: ModelCall): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  writeFileAtomicSync(path, JSON.stringify({ check: hash(call), call }), { flush: false });
}
