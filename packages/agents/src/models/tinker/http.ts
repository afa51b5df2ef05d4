/**
 * @file One call to a Tinker server, with retries while they can help.
 *
 * A retry is safe: a call that changes a model has a sequence number, by which the server recognizes a repeated request. A final failure
 * becomes one sentence that names the server and never the key. The key is read from the environment at each call, and sent only to its
 * server.
 */

import type { JsonObject, Seed } from '@ludus-agents/kernel/internal/core/index';
import { Fault, parseJson, pause, rng, sentenceOf, withTimeLimit } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { tinkerKey, tinkerKeyFor, tinkerPlace } from '../key-origins.ts';
import { type CallName, calls, problemOf } from './wire.ts';

export interface TinkerClientOptions {
  /** The address of the server, without /api/v1. */
  readonly url: string;
  /**
   * The environment variable of the key; if it is not set, no key is sent. By default, the key bound to the server, or the one in
   * TINKER_API_KEY if the server is on this machine or named by TINKER_BASE_URL.
   */
  readonly keyFrom?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The most requests of a call, including the first. */
  readonly tries?: number;
  /** Milliseconds before the second try, on average half of it; doubles with every try. */
  readonly first?: number;
  /** The longest wait, in milliseconds. */
  readonly most?: number;
  /** The time limit of one request, in seconds. */
  readonly seconds?: number;
  readonly seed?: Seed;
}

export class TinkerFault extends Fault {
  /** The HTTP status, if any. */
  readonly status: number | undefined;
  /** How many requests were made. */
  readonly tried: number;

  constructor(message: string, status?: number, tried = 1) {
    super('model', message);
    this.status = status;
    this.tried = tried;
  }
}

/** Temporary failures: too early, too many requests, or a server error. */
const passing = (status: number | undefined): boolean =>
  status === undefined || status === 408 || status === 425 || status === 429 || status >= 500;

/** A failed request, with the wait that the server asks for. */
interface Failure {
  readonly fault: TinkerFault;
  readonly wait: number;
}

export class TinkerClient {
  readonly name: string;
  readonly #base: string;
  readonly #options: TinkerClientOptions;
  readonly #origin: string;
  #failures = 0;

  constructor(options: TinkerClientOptions) {
    this.#options = options;
    const url = URL.parse(options.url);
    if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '' || url.search !== '')
      throw new Fault('input', "A Tinker server's address must start with http:// or https:// and must not contain a password or a query.");
    this.name = url.host;
    this.#origin = url.origin;
    this.#base = `${url.origin}${url.pathname.replace(linear(/\/+$/), '')}/api/v1/`;
  }

  /**
   * Makes a call and checks request and reply. A future that is not ready (408) is requested again without limit. `held` asks for the
   * result instead of a promise (`Prefer: wait`, RFC 7240); servers that do not support it return a promise.
   */
  async call(name: CallName, body: JsonObject | null, signal: AbortSignal, isHeld = false): Promise<JsonObject> {
    const { tries = 8, first = 500, most = 30_000, seed = 0 } = this.#options;
    const { request, answer } = calls[name];
    const problem = request === null || body === null ? null : problemOf(request, body);
    if (problem !== null) throw new Fault('input', `A request "${name}" cannot be sent to ${this.name}: ${problem}.`);
    for (let tried = 1; ; tried++) {
      const got = await this.#once(name, body, { signal, held: isHeld });
      if (!('fault' in got)) {
        const wrong = problemOf(answer, got.value);
        if (wrong === null) return got.value;
        throw new TinkerFault(`${this.name} sent an unexpected answer to "${name}": ${wrong}. Is it a Tinker server?`, 200, tried);
      }
      const { fault, wait } = got as Failure;
      const pending = name === 'retrieve_future' && fault.status === 408;
      if (pending) tried = 0;
      else if (!passing(fault.status) || tried >= tries) throw withTries(fault, tried, '');
      else if (wait > most) throw withTries(fault, tried, ` It asks to wait ${Math.ceil(wait / 1000)} s, which is too long.`);
      const roll = rng(seed, 'tinker', this.#failures++).next();
      await pause(wait + roll * Math.min(most, pending ? first / 10 : first * 2 ** (tried - 1)), signal);
    }
  }

  /** A file from the server, by one GET. */
  async bytes(name: string, query: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Uint8Array> {
    const key = this.#key();
    const response = await fetch(`${this.#base}${name}?${new URLSearchParams(query)}`, {
      redirect: 'manual',
      signal,
      headers: key === undefined ? {} : { 'x-api-key': key },
    });
    if (!response.ok) throw this.#refusal(name, response.status, hideKey(await response.text(), key));
    return new Uint8Array(await response.arrayBuffer());
  }

  async #once(
    name: CallName,
    body: JsonObject | null,
    { signal, held }: { readonly signal: AbortSignal; readonly held: boolean },
  ): Promise<{ value: JsonObject } | Failure> {
    const { seconds = 120 } = this.#options;
    const key = this.#key();
    signal.throwIfAborted();
    try {
      const headers: Record<string, string> = { accept: 'application/json' };
      if (body !== null) headers['content-type'] = 'application/json';
      if (key !== undefined) headers['x-api-key'] = key;
      if (held) headers['prefer'] = 'wait';
      const { response, text } = await withTimeLimit(seconds * 1000, signal, async (limited) => {
        const response = await fetch(this.#base + name, {
          method: body === null ? 'GET' : 'POST',
          headers,
          redirect: 'manual',
          signal: limited,
          ...(body === null ? {} : { body: JSON.stringify(body) }),
        });
        return { response, text: await response.text() };
      });
      // A tokenizer is the longest reply: a few hundred thousand words.
      if (response.ok) return { value: parseJson(text, { bytes: 2 ** 28 }) as JsonObject };
      return { fault: this.#refusal(name, response.status, hideKey(text, key)), wait: retryAfter(response.headers) };
    } catch (thrown) {
      if (signal.aborted) throw signal.reason;
      // A server may keep a request open for longer than our timeout, which is not a failure.
      if ((thrown as Error).name === 'TimeoutError')
        return { fault: new TinkerFault(`${this.name} did not answer "${name}" within ${seconds} s.`, 408), wait: 0 };
      // An error of fetch may contain headers, so only its reason is kept.
      const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
      const why = thrown instanceof SyntaxError ? 'its answer breaks off' : hideKey(sentenceOf(cause), key).slice(0, 200);
      return { fault: new TinkerFault(`${this.name} could not be reached for "${name}": ${why}.`), wait: 0 };
    }
  }

  get #env(): Readonly<Record<string, string | undefined>> {
    return this.#options.env ?? process.env;
  }

  get #keyFrom(): string | undefined {
    return this.#options.keyFrom ?? tinkerKeyFor(this.#origin, this.#env);
  }

  #key(): string | undefined {
    const from = this.#keyFrom;
    const key = (from === undefined ? undefined : this.#env[from]?.trim()) || undefined;
    // fetch would quote such a key in its error.
    if (key !== undefined && !/^[\x21-\x7e]+$/.test(key))
      throw new Fault('input', `The key in ${from} has invalid characters. Set it again.`);
    return key;
  }

  #refusal(name: string, status: number, text: string): TinkerFault {
    const from = this.#keyFrom;
    const unsent = `The key in ${tinkerKey} goes to this machine and to the server in ${tinkerPlace}; set that to ${this.#origin} if the key is for it.`;
    const advice = status !== 401 && status !== 403 ? '' : ` ${from === undefined ? unsent : `Check the key in ${from}.`}`;
    return new TinkerFault(`${this.name} answered ${status} to "${name}": ${wordsOf(text)}.${advice}`, status);
  }
}

function withTries(fault: TinkerFault, tried: number, why: string): TinkerFault {
  return new TinkerFault(`${fault.message}${tried > 1 ? ` It was tried ${tried} times.` : ''}${why}`, fault.status, tried);
}

/** The message inside an error body. */
function wordsOf(body: string): string {
  let errorText = body;
  try {
    const { detail, error, message } = parseJson(body) as unknown as Record<string, unknown>;
    const statement = [detail, error, message].find((item) => item !== undefined && item !== null);
    if (statement !== undefined) errorText = typeof statement === 'string' ? statement : JSON.stringify(statement);
  } catch {
    // A body that is not JSON is reported unchanged.
  }
  const line = errorText.replace(/\s+/g, ' ').trim().replace(/\.$/, '');
  return line === '' ? 'no reason given' : line.slice(0, 300);
}

/** Milliseconds to wait, from "Retry-After" as seconds or as a date. */
function retryAfter(headers: Headers): number {
  const text = headers.get('retry-after')?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? 0 : Math.max(0, date - Date.now());
}

function hideKey(text: string, key: string | undefined): string {
  if (key === undefined) return text;
  let out = text;
  for (const form of [key, JSON.stringify(key).slice(1, -1), encodeURIComponent(key)]) out = out.replaceAll(form, '[key]');
  return out;
}
