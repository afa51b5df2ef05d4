/** @file Answers as callers read them: those of our own models, whole or as a stream, and those of a server as they come. */

import { randomBytes } from 'node:crypto';
import { type ModelCall, sentenceOf } from '../../core/index.ts';
import { fieldsOf } from '../../models/openai.wire.ts';
import { EventStream } from '../../models/sse.ts';
import type { Gathered } from './gather.ts';
import { type Begun, trimmed } from './upstream.ts';
import { type Asked, errorBody } from './wire.ts';

const finishes = { stop: 'stop', length: 'length', tool: 'tool_calls', refused: 'content_filter' } as const;

/** A call of one of our own models as the whole answer. */
export function wholeAnswer(asked: Asked, call: ModelCall): object {
  const { kind, model } = asked;
  const choice = {
    index: 0,
    ...(kind === 'chat' ? { message: { role: 'assistant', content: call.text, refusal: null } } : { text: call.text }),
    finish_reason: finishes[call.finish],
    ...tokensOf(asked, call),
  };
  const object = kind === 'chat' ? 'chat.completion' : 'text_completion';
  const ids = asked.body['return_token_ids'] === true && call.promptTokenIds !== undefined ? { prompt_token_ids: call.promptTokenIds } : {};
  return { ...headOf(asked, object), model, ...ids, choices: [choice], usage: usageOf(call) };
}

/** The same as the text of an event stream. */
export function* streamedAnswer(asked: Asked, call: ModelCall): Generator<string, void, undefined> {
  const { kind, model } = asked;
  const head = { ...headOf(asked, kind === 'chat' ? 'chat.completion.chunk' : 'text_completion'), model };
  const piece = (choice: object) => event({ ...head, choices: [{ index: 0, finish_reason: null, logprobs: null, ...choice }] });
  if (kind === 'chat') yield piece({ delta: { role: 'assistant', content: '' } });
  yield piece({ ...(kind === 'chat' ? { delta: { content: call.text } } : { text: call.text }), ...tokensOf(asked, call) });
  yield piece({ ...(kind === 'chat' ? { delta: {} } : { text: '' }), finish_reason: finishes[call.finish] });
  if (asked.usage) yield event({ ...head, choices: [], usage: usageOf(call) });
  yield done;
}

const done = 'data: [DONE]\n\n';
const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;

function headOf({ kind }: Asked, object: string) {
  return {
    id: `${kind === 'chat' ? 'chatcmpl' : 'cmpl'}-${randomBytes(12).toString('hex')}`,
    object,
    created: Math.floor(Date.now() / 1000),
  };
}

function tokensOf({ body, kind }: Asked, { tokenIds, logprobs }: ModelCall): object {
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

/** How a stream is watched: who hears what became of it (the sentence of a failure, or null), and what calls it off. */
export interface Watch {
  readonly told: (failure: string | null) => void;
  readonly stop: AbortController;
  /** Seconds that the server may be silent. */
  readonly seconds: number;
}

/** The stream of a server, event by event, without what the caller did not ask for. It ends with an event that says why, if it breaks off. */
export async function* passedOn({ response, added }: Begun, gathered: Gathered, watch: Watch): AsyncGenerator<string, void, undefined> {
  const events = new EventStream();
  const reader = response.body[Symbol.asyncIterator]();
  let outcome: string | null = null;
  try {
    for (let bytes = await next(reader, watch); bytes !== undefined; bytes = await next(reader, watch)) {
      let out = '';
      for (const data of events.push(bytes)) {
        if (data === '[DONE]') continue;
        const piece = JSON.parse(data) as Record<string, unknown>;
        const error = piece['error'];
        if (error !== undefined && error !== null) outcome = String(fieldsOf(error)['message'] ?? JSON.stringify(error));
        gathered.take(piece);
        const kept = trimmed(piece, added);
        if (kept !== null) out += added.size === 0 ? `data: ${data}\n\n` : event(kept);
      }
      if (out !== '') yield out;
    }
  } catch (thrown) {
    outcome ??= sentenceOf(watch.stop.signal.aborted ? watch.stop.signal.reason : thrown);
  } finally {
    // Also where the caller has left and nothing after a yield is reached.
    const { aborted, reason } = watch.stop.signal;
    if (!gathered.done) outcome ??= aborted ? sentenceOf(reason) : 'the answer was not whole';
    watch.told(outcome);
  }
  yield outcome === null ? done : event(errorBody(502, `The answer broke off: ${outcome}.`, { code: 'upstream_broke_off' }));
}

/** The next bytes, or undefined at the end. Only while we wait for the server does its time run. */
async function next(reader: AsyncIterator<Uint8Array>, { seconds, stop }: Watch): Promise<Uint8Array | undefined> {
  const late = setTimeout(() => stop.abort(new Error(`the server was silent for ${seconds} s`)), seconds * 1000);
  try {
    const { value, done: over } = await reader.next();
    return over === true ? undefined : value;
  } finally {
    clearTimeout(late);
  }
}

/** Text pieces as a body that is written no faster than it is read. `gone` is called when the reader leaves or stops reading. */
export function bodyOf(
  pieces: AsyncIterator<string> | Iterator<string>,
  { seconds, gone }: { readonly seconds: number; readonly gone: (why: string) => void },
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let stalled: NodeJS.Timeout | undefined;
  const leave = (why: string) => {
    clearTimeout(stalled);
    gone(why);
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(stalled);
        const { value, done: over } = await pieces.next();
        if (over === true) {
          controller.close();
          return;
        }
        controller.enqueue(encoder.encode(value));
        stalled = setTimeout(() => leave(`the caller has read nothing for ${seconds} s`), seconds * 1000).unref();
      },
      cancel() {
        leave('the caller left');
        // A piece that was handed over and never read is where the pieces wait.
        void pieces.return?.();
      },
    },
    { highWaterMark: 1 },
  );
}
