/**
 * @file One HTTP request to a model's server, with time and size limits. Every failure becomes a ModelFault with a sentence that names the
 * model and never its key.
 */

import type { IncomingHttpHeaders } from 'node:http';
import { isFault, parseJson, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { type Begun, beginRequest } from './begin-request.ts';
import { ModelFault } from './fault.ts';
import { routeHeader, routeNow } from './routed.ts';

export interface Bounds {
  /** The time limit of a whole call, in seconds. */
  readonly seconds?: number;
  /** The time limit between two pieces of a reply, in seconds. */
  readonly idleSeconds?: number;
  /** The size limit of a whole reply, in bytes. */
  readonly mostBytes?: number;
}

export interface HttpRequest extends Bounds {
  /** The name in error messages. */
  readonly name: string;
  readonly url: string;
  readonly key?: string | undefined;
  /** Headers with the key, if it is not sent as a bearer token, and additional headers. */
  readonly keyHeaders?: Readonly<Record<string, string>>;
  /** The variable to check when the key is refused. */
  readonly keyFrom?: string | undefined;
  /** Why an existing key was not sent. */
  readonly noKey?: string | undefined;
  /** JSON to post; without it the request is a GET. */
  readonly body?: string;
  readonly signal: AbortSignal;
}

export interface HttpReply {
  readonly type: string;
  /** Removes the key from a text of the server, so that it can be quoted. */
  hide(text: string): string;
  /** The whole reply. */
  text(): Promise<string>;
  /** The reply as a stream. */
  chunks(): AsyncGenerator<Uint8Array, void, undefined>;
}

const megabyte = 2 ** 20;

/** Sends a request and passes the reply to a reader, within the time and size limits. A status other than 2xx is a fault. */
export async function exchange<T>(request: HttpRequest, read: (answer: HttpReply) => Promise<T>): Promise<T> {
  const { name, signal, seconds = 300 } = request;
  signal.throwIfAborted();
  const stop = new AbortController();
  const abort = () => stop.abort(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  const late = setTimeout(() => stop.abort(new ModelFault(`${name} did not finish within ${seconds} s.`, { status: 408 })), seconds * 1000);
  let whole = false;
  try {
    const response = await send(request, stop.signal);
    const answer = answerOf(response, request, stop);
    if (response.status < 200 || response.status > 299) throw await refusal(response, answer, request);
    const result = await read(answer);
    whole = true;
    return result;
  } catch (thrown) {
    if (stop.signal.aborted) throw stop.signal.reason;
    if (isFault(thrown)) throw thrown;
    throw broken(thrown, request);
  } finally {
    clearTimeout(late);
    signal.removeEventListener('abort', abort);
    // Unread data is not awaited: this closes the socket.
    if (!whole && !stop.signal.aborted) stop.abort();
  }
}

function send({ url, key, keyHeaders, body }: HttpRequest, signal: AbortSignal): Promise<Begun> {
  const headers: Record<string, string> = { accept: 'application/json, text/event-stream' };
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (keyHeaders !== undefined) Object.assign(headers, keyHeaders);
  else if (key !== undefined) headers['authorization'] = `Bearer ${key}`;
  const route = routeNow();
  if (route !== undefined) headers[routeHeader] = route;
  return beginRequest(url, { method: body === undefined ? 'GET' : 'POST', headers, body, signal });
}

function answerOf(
  response: Begun,
  { name, key, idleSeconds = 120, mostBytes = 32 * megabyte }: HttpRequest,
  stop: AbortController,
): HttpReply {
  async function* chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    const tooMuch = () => new ModelFault(`${name} sent more than ${mostBytes} bytes, which is too large for an answer.`, { status: 413 });
    if (Number(response.headers['content-length'] ?? 0) > mostBytes) throw tooMuch();
    const silent = () =>
      stop.abort(new ModelFault(`${name} sent nothing for ${idleSeconds} s in the middle of its answer.`, { status: 408 }));
    const idle = setTimeout(silent, idleSeconds * 1000);
    try {
      let bytes = 0;
      // A reader that stops early closes the socket.
      for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
        bytes += chunk.length;
        if (bytes > mostBytes) throw tooMuch();
        idle.refresh();
        yield chunk;
      }
    } finally {
      clearTimeout(idle);
    }
  }
  const text = async () => {
    const decoder = new TextDecoder();
    let all = '';
    for await (const chunk of chunks()) all += decoder.decode(chunk, { stream: true });
    return all + decoder.decode();
  };
  return { type: (response.headers['content-type'] ?? '').toLowerCase(), hide: (message) => redactKey(message, key), text, chunks };
}

/** The fault for an error reply, with the server's own message if it is readable. */
async function refusal({ status, headers }: Begun, answer: HttpReply, request: HttpRequest): Promise<ModelFault> {
  if (status >= 300 && status < 400) {
    const to = redactKey(headers.location ?? 'an unknown place', request.key);
    return new ModelFault(
      `${request.name} redirects to ${brief(to)} (HTTP ${status}). Redirects are not followed; if you trust that address, use it instead.`,
      { status },
    );
  }
  const spokenText = redactKey(wordsOf(await answer.text()).slice(0, 10_000), request.key).replace(linear(/[.\s]+$/), '');
  const wait = retryAfter(headers);
  const advice = adviceFor(status, request);
  return new ModelFault(`${request.name} answered ${status}: ${brief(spokenText)}.${advice}`, {
    status,
    ...(wait === undefined ? {} : { retryAfter: wait }),
  });
}

function adviceFor(status: number, { keyFrom, noKey }: HttpRequest): string {
  if ((status === 401 || status === 403) && keyFrom === undefined) return ` It asks for a key.${noKey === undefined ? '' : ` ${noKey}`}`;
  if (status === 401 || status === 403) return ` Check the key in ${keyFrom}.`;
  return status === 404 ? ' Check the address and the name of the model.' : '';
}

/** The message inside an error body, in any of the formats that servers use. */
function wordsOf(body: string): string {
  const trimmed = body.trim();
  if (trimmed === '') return 'no reason given';
  try {
    const { error, message, detail } = parseJson(trimmed) as Record<string, unknown>;
    const inner = typeof error === 'object' && error !== null ? (error as Record<string, unknown>)['message'] : error;
    const errorText = [inner, message, detail].find((item) => typeof item === 'string' && item !== '');
    return errorText === undefined ? trimmed : (errorText as string);
  } catch {
    const title = linear(/<title[^>]*>([^<]*)<\/title>/i).exec(trimmed)?.[1];
    return /^<(!doctype|html)/i.test(trimmed) ? `an HTML page${title === undefined ? '' : ` titled "${title.trim()}"`}` : trimmed;
  }
}

/** Milliseconds to wait, from "Retry-After" as seconds or as a date. */
export function retryAfter(headers: IncomingHttpHeaders, now: number = Date.now()): number | undefined {
  const milliseconds = Number(headers['retry-after-ms'] ?? Number.NaN);
  if (milliseconds >= 0) return milliseconds;
  const text = headers['retry-after']?.trim();
  if (text === undefined || text === '') return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

const brokeOff = 'the connection broke off';
const unknownSigner = 'its certificate is signed by an unknown authority; set NODE_EXTRA_CA_CERTS to a file with your certificates';

/** The meanings of socket error codes. */
const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused (is the server running?)',
  ENOTFOUND: 'the host does not exist, or there is no network',
  EAI_AGAIN: 'the name of the host could not be looked up; is there a network?',
  ECONNRESET: brokeOff,
  EPIPE: brokeOff,
  ERR_STREAM_PREMATURE_CLOSE: brokeOff,
  Z_BUF_ERROR: brokeOff,
  ERR_PROXY_TUNNEL: 'the proxy of HTTPS_PROXY does not let it through; NO_PROXY names hosts that are called without it',
};

/** Reasons for which retries are useless. */
const lastingReasons: Readonly<Record<string, string>> = {
  ERR_INVALID_URL: 'invalid address; use one such as http://localhost:8000/v1',
  ERR_INVALID_CHAR: 'its key has a character that cannot be sent, such as a line break or "…"; enter the key again',
  EPROTO: 'the server does not speak TLS; perhaps its address should start with http:// instead of https://',
  HPE_INVALID_CONSTANT: 'the server does not speak HTTP; check the port, and whether its address should start with https://',
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownSigner,
  SELF_SIGNED_CERT_IN_CHAIN: unknownSigner,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownSigner,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownSigner,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
  Z_DATA_ERROR: 'its answer is compressed in an unsupported way',
};

/** A fault for a socket error. The original error is dropped, because it may contain headers. */
function broken(thrown: unknown, { name, key }: HttpRequest): ModelFault {
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
  const code = String((cause as { code?: unknown }).code ?? '');
  if (/TIMEOUT|ETIMEDOUT/.test(code)) return new ModelFault(`${name} did not answer in time.`, { status: 408 });
  const lasting = lastingReasons[code];
  const why = lasting ?? reasons[code] ?? brief(redactKey(sentenceOf(cause), key));
  const isUnsent = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ERR_INVALID_URL'].includes(code);
  return new ModelFault(`${name} could not be reached: ${why}.`, { isLasting: lasting !== undefined, isUnsent });
}

/** A text without the key, in any encoding. */
export function redactKey(text: string, key: string | undefined): string {
  if (key === undefined || key === '') return text;
  let out = text;
  for (const form of [key, JSON.stringify(key).slice(1, -1), encodeURIComponent(key)]) out = out.replaceAll(form, '[key]');
  return out;
}

function brief(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}
