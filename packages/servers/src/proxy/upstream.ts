/**
 * @file The server behind the proxy. Requests are forwarded with an added request for token ids and log-probabilities; data that the caller
 * did not request is removed from the responses. Fields that the server rejects are no longer requested.
 */

import { fieldsOf, listOf } from '@ludus-agents/agents/internal/models/openai.wire';
import { Fault, parseJson, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { type Answered, exchange } from './exchange.ts';
import { errorBody, type ProxyDialect, type ProxyRequest, Refused } from './wire.ts';

export interface UpstreamOptions {
  /** Including the version, e.g. "http://localhost:8000/v1". */
  readonly url: string;
  /** The environment variable with the server's key; the caller's key is never forwarded. */
  readonly keyFrom?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Ask for token ids and log-probabilities; on by default. */
  readonly tokens?: boolean;
  /** Seconds until the response must start. */
  readonly seconds?: number;
}

type Fields = Record<string, unknown>;

/** A response that has started. */
export interface UpstreamCall {
  readonly response: Answered;
  /** The fields requested in addition to the caller's. */
  readonly added: ReadonlySet<string>;
}

/** Fields that are requested and a server may not support. */
const ours = ['return_token_ids', 'logprobs', 'stream_options'] as const;

export class Upstream {
  readonly url: string;
  readonly #options: UpstreamOptions;
  readonly #refused = new Set<string>();

  constructor(options: UpstreamOptions) {
    const url = URL.parse(options.url);
    if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '' || url.search !== '')
      throw new Fault(
        'input',
        `The upstream must be an address such as http://localhost:8000/v1, without a password, but got "${options.url.slice(0, 80)}".`,
      );
    this.url = url.origin + url.pathname.replace(linear(/\/+$/), '');
    this.#options = options;
  }

  /** Sends a request; throws a fault if no response started. A refusal counts as a response. */
  async ask({ kind, body, model, dialect, streamed }: ProxyRequest, stop: AbortController): Promise<UpstreamCall> {
    if (dialect !== undefined) {
      const response = await this.#send(dialectPath(dialect, model, streamed), JSON.stringify(body), stop, { dialect });
      return { response, added: new Set() };
    }
    const path = kind === 'chat' ? '/chat/completions' : '/completions';
    for (;;) {
      const { sent, added } = this.#extended(kind, body, model);
      const response = await this.#send(path, JSON.stringify(sent), stop);
      if (response.status !== 400 && response.status !== 422) return { response, added };
      const text = await response.text();
      const field = [...added].find((name) => new RegExp(`(?<![\\w.])${name}(?!\\w)`).test(text));
      if (field === undefined) return { response: again(response, text), added };
      this.#refused.add(`${model} ${field}`);
    }
  }

  /** The models that the server lists; empty if it does not answer soon. */
  async models(): Promise<readonly Fields[]> {
    try {
      const response = await this.#send('/models', undefined, new AbortController(), { seconds: 3 });
      return response.status === 200
        ? listOf(fieldsOf(parseJson(await response.text()))['data']).map((item) => ({ ...fieldsOf(item) }))
        : [];
    } catch {
      return [];
    }
  }

  #extended(
    kind: ProxyRequest['kind'],
    body: ProxyRequest['body'],
    model: string,
  ): { readonly sent: Fields; readonly added: ReadonlySet<string> } {
    const fields: Fields = { ...body };
    const added = new Set<string>();
    const want = (name: (typeof ours)[number], value: unknown) => {
      if (this.#refused.has(`${model} ${name}`)) return;
      fields[name] = value;
      added.add(name);
    };
    if (this.#options.tokens !== false) {
      if ((body['return_token_ids'] ?? false) === false) want('return_token_ids', true);
      if ((body['logprobs'] ?? false) === false) want('logprobs', kind === 'chat' ? true : 0);
    }
    const options = fieldsOf(body['stream_options']);
    if (body['stream'] === true && options['include_usage'] !== true) want('stream_options', { ...options, include_usage: true });
    return { sent: fields, added };
  }

  async #send(
    path: string,
    body: string | undefined,
    stop: AbortController,
    { seconds = this.#options.seconds ?? 600, dialect }: { readonly seconds?: number; readonly dialect?: ProxyDialect } = {},
  ): Promise<Answered> {
    const { keyFrom, env = process.env } = this.#options;
    const key = keyFrom === undefined ? undefined : env[keyFrom]?.trim() || undefined;
    const headers: Record<string, string> = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
    if (key !== undefined) Object.assign(headers, keyHeaders(key, dialect));
    // Without a version, their server rejects every request.
    if (dialect === 'messages') headers['anthropic-version'] = '2023-06-01';
    const timer = setTimeout(
      // Aborting only calls our own listeners.
      () => stop.abort(new Refused(504, `${this.url} did not start to answer within ${seconds} s.`)),
      seconds * 1000,
    );
    try {
      return await exchange(this.url + path, {
        method: body === undefined ? 'GET' : 'POST',
        headers,
        ...(body === undefined ? {} : { body }),
        signal: stop.signal,
      });
    } catch (thrown) {
      if (stop.signal.aborted) throw stop.signal.reason;
      const code = String((thrown as { code?: unknown }).code ?? '');
      const why = code === 'ECONNREFUSED' ? 'connection refused' : sentenceOf(thrown).replaceAll(key ?? '\0', '[key]');
      throw new Refused(502, `${this.url} could not be reached: ${why}.`, { code: 'upstream_unreachable' });
    } finally {
      clearTimeout(timer);
    }
  }
}

function dialectPath(dialect: ProxyDialect, model: string, streamed: boolean): string {
  if (dialect !== 'gemini') return `/${dialect}`;
  return `/models/${encodeURIComponent(model)}:${streamed ? 'streamGenerateContent?alt=sse' : 'generateContent'}`;
}

function keyHeaders(key: string, dialect: ProxyDialect | undefined): Record<string, string> {
  if (dialect === 'messages') return { 'x-api-key': key };
  return dialect === 'gemini' ? { 'x-goog-api-key': key } : { authorization: `Bearer ${key}` };
}

/** A response with its text. */
function again(response: Answered, text: string): Answered {
  return { ...response, text: async () => text };
}

/** A server's response or a piece of one, without data that the caller did not request; null if nothing is left. */
export function trimAnswer(answer: Fields, added: ReadonlySet<string>): Fields | null {
  if (added.size === 0) return answer;
  const choices = listOf(answer['choices']);
  if (added.has('stream_options')) {
    if (choices.length === 0 && answer['usage'] !== undefined && answer['usage'] !== null) return null;
    if ('usage' in answer) delete answer['usage'];
  }
  if (added.has('return_token_ids')) delete answer['prompt_token_ids'];
  for (const choice of choices as Fields[]) {
    if (typeof choice !== 'object' || choice === null) continue;
    if (added.has('return_token_ids')) {
      delete choice['token_ids'];
      delete choice['prompt_token_ids'];
    }
    if (added.has('logprobs')) choice['logprobs'] = null;
  }
  return answer;
}

/** The reason for the server's refusal, from the protocol's error field if present. */
export async function refusalOf(
  response: Answered,
): Promise<{ readonly status: number; readonly body: unknown; readonly message: string }> {
  const text = (await response.text()).slice(0, 100_000);
  const status = response.status >= 400 ? response.status : 502;
  try {
    const body = parseJson(text) as unknown;
    const error = fieldsOf(body)['error'];
    if (error !== undefined) return { status, body, message: String(fieldsOf(error)['message'] ?? JSON.stringify(error)) };
  } catch {
    // Not JSON: reported below.
  }
  const message = `The upstream server answered ${response.status}: ${text.replace(/\s+/g, ' ').slice(0, 200)}`;
  return { status, body: errorBody(status, message), message };
}
