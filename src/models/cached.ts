/**
 * @file Keeps every answer on disk under the hash of model, prompt and sampling: the same question is paid for once, and a re-run is exact.
 *
 * Draws that should differ need different seeds in their sampling. An entry that does not read back whole is a miss. Equal questions that
 * are asked at once share one call, which is called off only when all who wait for it have gone.
 */

import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hash, type Json, type Model, type ModelCall, type Prompt, type Sampling, sentenceOf } from '../core/index.ts';

type Entry = Omit<ModelCall, 'prompt'>;
type Ear = (piece: string) => void;

export interface CacheOptions {
  readonly folder: string;
  /** Hears when an answer could not be kept; the answer itself is given all the same. */
  readonly warn?: (sentence: string) => void;
}

export function cached(model: Model, options: CacheOptions): Model {
  const flights = new Map<string, Flight>();
  const { folder, warn = (sentence) => process.emitWarning(sentence, 'ModelWarning') } = options;
  return {
    id: model.id,
    async complete(prompt, sampling, signal, onText) {
      signal.throwIfAborted();
      const key = keyOf(model.id, prompt, sampling);
      const path = join(folder, key.slice(0, 2), `${key}.json`);
      const kept = flights.has(key) ? null : await read(path);
      if (kept !== null) {
        signal.throwIfAborted();
        if (kept.text !== '') onText?.(kept.text);
        return { ...kept, prompt, cost: 0 };
      }
      const joined = flights.get(key);
      const flight = joined ?? new Flight((alone, ears) => model.complete(prompt, sampling, alone, ears));
      if (joined === undefined) {
        flights.set(key, flight);
        flight.landed
          .then((call) => write(path, call))
          .catch((thrown) => {
            if (!flight.failed) warn(`An answer of ${model.id} could not be kept in ${folder}: ${sentenceOf(thrown)}.`);
          })
          .finally(() => flights.delete(key));
      }
      const call = await flight.wait(signal, onText);
      return joined === undefined ? call : { ...call, cost: 0 };
    },
  };
}

/** The address of a question. */
export function keyOf(model: string, prompt: Prompt, sampling: Sampling): string {
  return hash({ model, prompt, sampling } as unknown as Json);
}

/** One call that several wait for. */
class Flight {
  readonly landed: Promise<ModelCall>;
  failed = false;
  readonly #stop = new AbortController();
  readonly #ears = new Set<Ear>();
  #waiting = 0;
  #heard = '';

  constructor(begin: (signal: AbortSignal, ears: Ear | undefined) => Promise<ModelCall>) {
    // The call begins after the first has joined, so that it is known whether somebody listens.
    this.landed = Promise.resolve().then(() => begin(this.#stop.signal, this.#ears.size > 0 ? (piece) => this.#say(piece) : undefined));
    this.landed.catch(() => {
      this.failed = true;
    });
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
      // A call that nobody listened to when it began was not streamed.
      if (this.#heard === '' && call.text !== '') ear?.(call.text);
      return call;
    } finally {
      signal.removeEventListener('abort', leave);
      if (ear !== undefined) this.#ears.delete(ear);
      if (--this.#waiting === 0) this.#stop.abort(signal.reason);
    }
  }
}

async function read(path: string): Promise<Entry | null> {
  try {
    const { check, call } = JSON.parse(await readFile(path, 'utf8')) as { check: string; call: Json };
    return hash(call) === check ? (call as unknown as Entry) : null;
  } catch {
    return null;
  }
}

let written = 0;

/** Written beside its place and moved there, so that no reader ever sees half of it. */
async function write(path: string, { prompt: _, milliseconds: __, ...call }: ModelCall): Promise<void> {
  const draft = `${path}.${process.pid}.${written++}.tmp`;
  await mkdir(dirname(path), { recursive: true });
  try {
    await writeFile(draft, JSON.stringify({ check: hash(call as unknown as Json), call }));
    await rename(draft, path);
  } catch (thrown) {
    await rm(draft, { force: true });
    throw thrown;
  }
}
