/** @file Writes responses to callers: of built-in models, complete or streamed, and of a server as they arrive. */

import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { fieldsOf } from '@ludus-agents/agents/internal/models/openai.wire';
import { EventStream } from '@ludus-agents/agents/internal/models/sse';
import { type ModelCall, parseJson, report, safely, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import type { ReplyCollector } from './reply-collector.ts';
import { trimAnswer, type UpstreamCall } from './upstream.ts';
import { errorBody, type ProxyDialect, type ProxyRequest } from './wire.ts';

const finishes = { stop: 'stop', length: 'length', tool: 'tool_calls', refused: 'content_filter' } as const;

/** A call of a built-in model as the complete response. */
export function wholeAnswer(proxyRequest: ProxyRequest, call: ModelCall): object {
  const { kind, model } = proxyRequest;
  const choice = {
    index: 0,
    ...(kind === 'chat' ? { message: { role: 'assistant', content: call.text, refusal: null } } : { text: call.text }),
    finish_reason: finishes[call.finish],
    ...tokensOf(proxyRequest, call),
  };
  const object = kind === 'chat' ? 'chat.completion' : 'text_completion';
  const ids =
    proxyRequest.body['return_token_ids'] === true && call.promptTokenIds !== undefined ? { prompt_token_ids: call.promptTokenIds } : {};
  return { ...headOf(proxyRequest, object), model, ...ids, choices: [choice], usage: usageOf(call) };
}

/** The same as the text of an event stream. */
export function* streamedAnswer(proxyRequest: ProxyRequest, call: ModelCall): Generator<string, void, undefined> {
  const { kind, model } = proxyRequest;
  const head = { ...headOf(proxyRequest, kind === 'chat' ? 'chat.completion.chunk' : 'text_completion'), model };
  const piece = (choice: object) => event({ ...head, choices: [{ index: 0, finish_reason: null, logprobs: null, ...choice }] });
  if (kind === 'chat') yield piece({ delta: { role: 'assistant', content: '' } });
  yield piece({ ...(kind === 'chat' ? { delta: { content: call.text } } : { text: call.text }), ...tokensOf(proxyRequest, call) });
  yield piece({ ...(kind === 'chat' ? { delta: {} } : { text: '' }), finish_reason: finishes[call.finish] });
  if (proxyRequest.usage) yield event({ ...head, choices: [], usage: usageOf(call) });
  yield done;
}

const done = 'data: [DONE]\n\n';
const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;

function headOf({ kind }: ProxyRequest, object: string) {
  return {
    id: `${kind === 'chat' ? 'chatcmpl' : 'cmpl'}-${randomBytes(12).toString('hex')}`,
    object,
    created: Math.floor(Date.now() / 1000),
  };
}

function tokensOf({ body, kind }: ProxyRequest, { tokenIds, logprobs }: ModelCall): object {
  const wanted = (body['logprobs'] ?? false) !== false && logprobs !== undefined && kind === 'chat';
  return {
    logprobs: wanted
      ? { content: logprobs.map((logprob, i) => ({ token: `token_id:${tokenIds?.[i] ?? ''}`, logprob, bytes: null, top_logprobs: [] })) }
      : null,
    ...(body['return_token_ids'] === true && tokenIds !== undefined ? { token_ids: tokenIds } : {}),
  };
}

function usageOf({ usage }: ModelCall) {
  const { promptTokens: prompt, completionTokens: completion } = usage;
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}

/** Collects a stream for the record. */
export type Gathering = Pick<ReplyCollector, 'done' | 'take'>;

/** A stream on its way: its recipient, its collector, and a callback for how it ended (the sentence of a failure, or null). */
export interface Passage {
  readonly begun: UpstreamCall;
  readonly outgoing: ServerResponse;
  readonly gathered: Gathering;
  /** The stream is in another dialect: it is forwarded unchanged, byte by byte. */
  readonly dialect?: ProxyDialect | undefined;
  readonly stop: AbortController;
  /** Seconds that the server may be silent, or the caller may read nothing. */
  readonly seconds: number;
  readonly told: (failure: string | null) => void;
}

/**
 * Forwards a server's stream event by event, without data that the caller did not request, and no faster than it is read. If it breaks
 * off, a final event reports the reason.
 */
export function passOn({ begun, outgoing, gathered, dialect, stop, seconds, told }: Passage): void {
  const { body } = begun.response;
  const translation = new Translation(begun.added, gathered);
  let unread = false;
  let over = false;
  const patience = setTimeout(
    safely('A stream', () => {
      stop.abort(new Error(unread ? `the client has not read anything for ${seconds} s` : `the server sent nothing for ${seconds} s`));
      if (unread) outgoing.destroy();
    }),
    seconds * 1000,
  );
  const end = (broken: unknown) => {
    if (over) return;
    over = true;
    clearTimeout(patience);
    const { aborted, reason } = stop.signal;
    const why = broken === null && gathered.done ? null : sentenceOf(aborted ? reason : (broken ?? new Error('the answer is incomplete')));
    const failure = translation.failure ?? why;
    const last = failure === null ? (dialect === undefined ? done : '') : brokenOff(failure, dialect);
    if (!outgoing.destroyed) outgoing.end(last);
    told(failure);
  };
  // An error in a callback ends only this stream.
  const broken = (thrown: unknown) => {
    body.destroy();
    end(thrown);
  };
  body.on('data', (bytes: Uint8Array) => {
    // Bytes that were already read still arrive after the end, and must not be written then.
    if (over) return;
    patience.refresh();
    try {
      const display = translation.of(bytes);
      const text = dialect === undefined ? display : bytes;
      if (text.length === 0 || outgoing.destroyed || outgoing.write(text)) return;
      // Applies backpressure, so the server's data does not accumulate here.
      unread = true;
      body.pause();
    } catch (thrown) {
      safely('A stream', broken)(thrown);
    }
  });
  outgoing.on(
    'drain',
    safely('A stream', () => {
      unread = false;
      patience.refresh();
      body.resume();
    }),
  );
  // A caller with a broken connection receives nothing more, and does not affect others.
  outgoing.on('error', (thrown) => {
    report('A caller', thrown);
    outgoing.destroy();
  });
  body.on(
    'end',
    safely('A stream', () => end(null)),
  );
  body.on('error', safely('A stream', end));
  body.on(
    'close',
    safely('A stream', () => end(null)),
  );
}

function brokenOff(failure: string, dialect: ProxyDialect | undefined): string {
  const body = errorBody(502, `The answer broke off: ${failure}.`, { code: 'upstream_broke_off' });
  return dialect === undefined ? event(body) : `event: error\n${event({ type: 'error', ...body })}`;
}

/** One event of a server's stream. Anything but an object is ignored. */
function pieceOf(data: string): Record<string, unknown> {
  const piece = parseJson(data, { bytes: mostInLine });
  if (typeof piece === 'object' && piece !== null && !Array.isArray(piece)) return piece as Record<string, unknown>;
  throw new Error(`the server sent ${data.slice(0, 60)} instead of an object`);
}

/** The maximum size of a server event in bytes. */
const mostInLine = 2 ** 24;

/** Decodes a server's stream to the text that is forwarded to the caller. */
class Translation {
  /** The failure that the server reported. */
  failure: string | null = null;
  #held = 0;
  readonly #events = new EventStream();
  readonly #added: ReadonlySet<string>;
  readonly #gathered: Gathering;

  constructor(added: ReadonlySet<string>, gathered: Gathering) {
    this.#added = added;
    this.#gathered = gathered;
  }

  of(bytes: Uint8Array): string {
    let text = '';
    const events = this.#events.push(bytes);
    // An incomplete event is buffered, so a line that never ends is cut off.
    this.#held = events.length > 0 ? bytes.length : this.#held + bytes.length;
    if (this.#held > mostInLine) throw new Error(`the server sent ${this.#held} bytes without ending the event`);
    for (const data of events) {
      if (data === '[DONE]') continue;
      const piece = pieceOf(data);
      const error = piece['error'];
      if (error !== undefined && error !== null) this.failure = String(fieldsOf(error)['message'] ?? JSON.stringify(error));
      this.#gathered.take(piece);
      const fields = trimAnswer(piece, this.#added);
      if (fields !== null) text += this.#added.size === 0 ? `data: ${data}\n\n` : event(fields);
    }
    return text;
  }
}
