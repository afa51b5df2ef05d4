/**
 * @file Any server that speaks OpenAI's chat completions: OpenAI, vLLM, SGLang, llama.cpp, Ollama, LM Studio, and others.
 *
 * Keys come from environment variables, are read at each call, and appear in no fault and no log. Missing features of a server are detected
 * by trying: a refused field is omitted from then on, and each call that wanted it carries a note. Token ids and logprobs correspond one to
 * one or are omitted.
 */

import type { Model, ModelCall, Prompt, Sampling } from '@ludus-agents/kernel/internal/core/index';
import { Fault, JsonFault, parseJson, reserveAnotherAttempt, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { hostedContext, seesByName, thinksByName } from './contexts.ts';
import { choiceIn, type Enforcement, enforcementWords, enforcing, freeNote, heldNote, probe, waysFor } from './enforcement.ts';
import { ModelFault } from './fault.ts';
import { type Bounds, exchange, type HttpReply, type HttpRequest, redactKey } from './http.ts';
import { keyElsewhere } from './key-origins.ts';
import { bodyOf, fieldsOf, listOf, optionalFields, replyLimits, StreamedReply, withoutLengths } from './openai.wire.ts';
import { isStuck, unstuck } from './repetition.ts';
import { lookAt, type ServerFacts, type Software } from './server-facts.ts';
import { EventStream } from './sse.ts';
import { promptTokens, tokensIn } from './tokens.ts';
import { beginWait, type WaitProgress } from './waits.ts';

export interface OpenAIOptions extends Bounds {
  /** The name in logs and prices; by default "URL#MODEL". */
  readonly id?: string;
  /** The address up to and including the version, e.g. "http://localhost:8000/v1". */
  readonly baseURL: string;
  readonly model: string;
  /** The environment variable of the key, or a function that finds it. Without one, no key is sent. */
  readonly keyFrom?: string | ((env: Readonly<Record<string, string | undefined>>) => string | undefined);
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Called once for each requested feature that is not supported. */
  readonly warn?: (sentence: string) => void;
  /** The server software, if known in advance. */
  readonly software?: Software;
  /** Tokens of prompt and answer together, if the user sets them. */
  readonly context?: number | undefined;
}

export function openaiModel(options: OpenAIOptions): Model {
  const base = addressOf(options.baseURL);
  const id = options.id ?? `${base}#${options.model}`;
  const server: Server = { ...options, id, base, refused: new Set(), told: new Set() };
  return {
    id,
    ...(thinksByName(server.model) ? { thinks: true } : {}),
    ...(seesByName(server.model) ? { sees: true } : {}),
    context: async () => options.context ?? (await factsOf(server)).context ?? hostedContext(server.model),
    slots: async () => slotsOf(await factsOf(server), server.env ?? process.env),
    complete: (prompt, sampling, signal, onText) => complete(server, { prompt, sampling, signal, onText }),
  };
}

/** The number of prompts it reads concurrently: its own report, or Ollama's setting if it is also set here. */
function slotsOf({ software, slots }: ServerFacts, env: Readonly<Record<string, string | undefined>>): number | undefined {
  const set = software === 'ollama' ? Number(env['OLLAMA_NUM_PARALLEL']) : Number.NaN;
  return Number.isSafeInteger(set) && set > 0 ? set : slots;
}

/** The time limit for querying a server, in seconds: it answers from memory or not at all. */
const lookSeconds = 5;

/** The server's software and context. A server whose provider is in a table is not queried. */
function factsOf(server: Server): Promise<ServerFacts> {
  if (server.software === 'openai') return Promise.resolve({ software: 'openai' });
  const signal = new AbortController().signal;
  const look = (url: string, body?: Readonly<Record<string, unknown>>): Promise<unknown> => {
    const request = { ...requestTo(server, '', signal), url, seconds: Math.min(lookSeconds, server.seconds ?? lookSeconds) };
    return exchange({ ...request, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }, async (answer) =>
      parseReply(await answer.text(), answer, server.id),
    ).catch(() => undefined);
  };
  server.facts ??= lookAt(server.base, server.model, look, server.software);
  return server.facts;
}

/** How the server constrains answers to choices; if untested, by a probe that is charged like a call. */
async function wayOf(server: Server): Promise<Enforcement> {
  if (server.software === 'openai') return 'schema';
  // Several callers may wait for it, so none of them can cancel it. A server that was down proves nothing.
  server.way ??= tryWays(server, new AbortController().signal).catch((thrown: unknown) => {
    server.way = undefined;
    throw thrown;
  });
  return server.way;
}

async function tryWays(server: Server, signal: AbortSignal): Promise<Enforcement> {
  const { software } = await factsOf(server);
  for (const way of waysFor(software)) {
    const prompt: Prompt = { messages: [{ role: 'user', content: probe.question }] };
    const body = { ...bodyOf(server.model, { prompt, sampling: { maxTokens: 24 }, streamed: false }), ...enforcing(way, probe.words) };
    const request = { ...requestTo(server, '/chat/completions', signal), body: JSON.stringify(body) };
    const reply = await exchange(request, (answer) => read(server.id, answer, {})).catch((thrown: unknown) => {
      if (thrown instanceof ModelFault && thrown.status !== undefined && thrown.status >= 400 && thrown.status < 500) return null;
      throw thrown;
    });
    await reserveAnotherAttempt(reply?.usage);
    if ((probe.words as readonly string[]).includes(choiceIn(reply?.words ?? '', way, probe.words))) return way;
  }
  return 'none';
}

/** The models that a server offers, by name. */
export function listOffered(options: Omit<OpenAIOptions, 'model'>, signal: AbortSignal): Promise<string[]> {
  const base = addressOf(options.baseURL);
  return exchange(
    requestTo({ ...options, id: options.id ?? base, base }, '/models', signal),
    async (answer) =>
      listOf(fieldsOf(parseReply(await answer.text(), answer, options.id ?? base))['data'])
        .slice(0, 10_000)
        .map((item) => fieldsOf(item)['id'])
        .filter((name) => typeof name === 'string' && name.length <= 500) as string[],
  );
}

/** A server and its detected features. */
interface Server extends OpenAIOptions {
  readonly id: string;
  readonly base: string;
  readonly refused: Set<string>;
  readonly told: Set<string>;
  /** Queried once, on first use. */
  facts?: Promise<ServerFacts>;
  way?: Promise<Enforcement> | undefined;
}

interface Call {
  readonly prompt: Prompt;
  readonly sampling: Sampling;
  readonly signal: AbortSignal;
  readonly onText: ((piece: string) => void) | undefined;
}

async function complete(server: Server, call: Call): Promise<ModelCall> {
  const { prompt, sampling, signal } = call;
  const began = performance.now();
  const choices = sampling.choices ?? [];
  const way = choices.length === 0 ? 'none' : await wayOf(server);
  // Constrained moves are not streamed, because the JSON around them is of no use to a listener.
  const onText = way === 'schema' ? undefined : call.onText;
  // Gateways time out after some minutes without a reply; a stream begins at once.
  const streamed = onText !== undefined || (server.seconds ?? 0) > 290;
  for (;;) {
    const { body, notes } = speakable(server, {
      ...bodyOf(server.model, { prompt, sampling: server.software === 'openai' ? strictly(sampling) : sampling, streamed }),
      ...enforcing(way, choices),
      // llama.cpp reports prompt progress in its stream.
      ...(streamed && (await server.facts)?.software === 'llama.cpp' ? { return_progress: true } : {}),
    });
    const request = { ...requestTo(server, '/chat/completions', signal), body: JSON.stringify(body) };
    let reads: WaitProgress | undefined;
    const endWait = beginWait(server.id, 'answers', () => reads);
    const hear: Hearing = {
      onRead: (progress) => {
        reads = progress;
      },
      ...(onText === undefined
        ? {}
        : {
            onText: (piece) => {
              // A listener that receives text no longer waits.
              endWait();
              onText(piece);
            },
          }),
    };
    try {
      const reply = await exchange(request, (answer) => read(server.id, answer, hear));
      const milliseconds = Math.round(performance.now() - began);
      const result = { ...callOf(server, call, { reply, notes }), milliseconds };
      return choices.length === 0 ? result : heldCall(result, { way, choices, onText: way === 'schema' ? call.onText : undefined });
    } catch (thrown) {
      const field = findRefusedField(thrown, body);
      if (field === undefined) throw thrown;
      server.refused.add(field);
      await reserveAnotherAttempt();
    } finally {
      endWait();
    }
  }
}

function strictly(sampling: Sampling): Sampling {
  return sampling.schema === undefined ? sampling : { ...sampling, schema: withoutLengths(sampling.schema) };
}

/** A call with its choice unwrapped, and a note about how it was constrained. */
function heldCall(
  call: ModelCall,
  current: { readonly way: Enforcement; readonly choices: readonly string[]; readonly onText: Call['onText'] },
): ModelCall {
  const { way, choices } = current;
  const text = choiceIn(call.text, way, choices);
  current.onText?.(text);
  const note = way === 'none' ? freeNote : choices.includes(text) ? heldNote(enforcementWords[way]) : freeNote;
  return { ...call, text, notes: [...(call.notes ?? []), note] };
}

function callOf(server: Server, { prompt, sampling }: Call, { reply, notes }: { reply: StreamedReply; notes: string[] }): ModelCall {
  const tokens = sampling.tokens === true ? reply.tokens : {};
  if (typeof tokens === 'string') notes.push(tokens);
  const usage = reply.usage ?? { promptTokens: promptTokens(prompt), completionTokens: tokensIn(reply.words), estimated: true };
  if (reply.usage === undefined) notes.push('The server counted no tokens, so the usage is an estimate.');
  if (reply.stuck) notes.push('The model repeated itself, so its answer was ended there.');
  for (const note of notes) tell(server, note);
  const { toolCalls } = reply;
  return {
    model: server.id,
    prompt,
    text: reply.stuck ? unstuck(reply.words) : reply.words,
    ...(reply.thinking === '' ? {} : { thinking: reply.thinking }),
    finish: reply.stuck ? 'length' : reply.finish,
    usage,
    cost: null,
    ...(toolCalls.length > 0 ? { toolCalls } : {}),
    ...(typeof tokens === 'string' ? {} : tokens),
    ...(notes.length > 0 ? { notes } : {}),
  };
}

/** Each kind of note is shown once per model, regardless of the numbers in it. */
function tell({ id, told, warn = (sentence) => process.emitWarning(sentence, 'ModelWarning') }: Server, note: string): void {
  const kind = note.replace(/\d+/g, '#');
  if (told.has(kind)) return;
  told.add(kind);
  warn(`${id}: ${note}`);
}

/** A body without the fields that this server has refused. */
function speakable({ refused }: Server, body: Record<string, unknown>): { body: Record<string, unknown>; notes: string[] } {
  const notes: string[] = [];
  for (const field of refused) {
    if (!(field in body)) continue;
    if (field === 'max_tokens') body['max_completion_tokens'] = body[field];
    else if (field !== 'stream_options') notes.push(`The server does not support "${field}", so it was omitted.`);
    delete body[field];
  }
  return { body, notes };
}

/** The field for which a request was refused, if the field is optional. */
function findRefusedField(thrown: unknown, body: Record<string, unknown>): string | undefined {
  if (!(thrown instanceof ModelFault) || (thrown.status !== 400 && thrown.status !== 422)) return undefined;
  const isNamed = (field: string) => field in body && new RegExp(`(?<![\\w.])${field}(?!\\w)`).test(thrown.message);
  if (isNamed('max_tokens') && thrown.message.includes('max_completion_tokens')) return 'max_tokens';
  return optionalFields.find(isNamed);
}

/** The listener for an answer while it is received. */
interface Hearing {
  readonly onText?: (piece: string) => void;
  readonly onRead?: (progress: WaitProgress) => void;
}

function read(id: string, answer: HttpReply, hear: Hearing): Promise<StreamedReply> {
  return answer.type.includes('text/event-stream') ? readStream(id, answer, hear) : readWhole(id, answer, hear);
}

async function readWhole(id: string, answer: HttpReply, { onText }: Hearing): Promise<StreamedReply> {
  const reply = new StreamedReply();
  const speech = takeChoice(id, reply, checkReply(id, parseReply(await answer.text(), answer, id), answer));
  if (!reply.spoke) throw noAnswer(id);
  if (speech !== '') onText?.(speech);
  return reply;
}

async function readStream(id: string, answer: HttpReply, { onText, onRead }: Hearing): Promise<StreamedReply> {
  const reply = new StreamedReply();
  const events = new EventStream();
  for await (const chunk of answer.chunks()) {
    for (const data of events.push(chunk)) {
      if (data === '[DONE]') {
        if (!reply.spoke) throw noAnswer(id);
        return reply;
      }
      const fields = checkReply(id, parseReply(data, answer, id), answer);
      const { total, processed } = fieldsOf(fields['prompt_progress']);
      if (typeof total === 'number' && typeof processed === 'number') onRead?.({ done: processed, of: total });
      const piece = takeChoice(id, reply, fields);
      if (piece !== '') onText?.(piece);
      if (isStuck(reply.text)) {
        reply.stuck = true;
        return reply;
      }
    }
  }
  if (!reply.done) throw new ModelFault(`${id} closed the connection in the middle of its answer.`);
  return reply;
}

/** A reply without a message is the server's fault, not the model's move. A retry may succeed. */
function noAnswer(id: string): ModelFault {
  return new ModelFault(`${id} sent a reply without an answer: "choices" has no message.`, { status: 502 });
}

function takeChoice(id: string, reply: StreamedReply, fields: Readonly<Record<string, unknown>>): string {
  try {
    return reply.take(fields);
  } catch (thrown) {
    throw new ModelFault(`${id} sent a reply that cannot be read: ${sentenceOf(thrown)}.`, { status: 502 });
  }
}

function parseReply(text: string, { type }: HttpReply, id: string): unknown {
  try {
    return parseJson(text, { depth: replyLimits.depth });
  } catch (thrown) {
    if (thrown instanceof JsonFault && thrown.reason !== 'syntax')
      throw new ModelFault(`${id} sent a reply that cannot be read: ${thrown.message}`, { status: 502 });
    // If a server returns invalid JSON, a retry may succeed; if it returns HTML, the address is wrong.
    if (/json|event-stream/.test(type)) throw new ModelFault(`${id} sent JSON that does not parse.`);
    throw new ModelFault(`${id} sent ${type === '' ? 'something' : type} instead of JSON. Check the address.`, { status: 200 });
  }
}

/** Checks that a reply, or a piece of one, contains an answer. */
function checkReply(id: string, value: unknown, { hide }: HttpReply): Readonly<Record<string, unknown>> {
  const reply = fieldsOf(value);
  const error = reply['error'];
  if (error !== undefined && error !== null) {
    const { message, code } = fieldsOf(error);
    const reason = typeof error === 'string' ? error : typeof message === 'string' ? message : 'no reason given';
    throw new ModelFault(`${id} failed: ${hide(reason).slice(0, 300)}`, typeof code === 'number' ? { status: code } : {});
  }
  if (!Array.isArray(reply['choices'])) throw new ModelFault(`${id} sent JSON without choices. Check the address.`, { status: 200 });
  return reply;
}

function requestTo(server: Pick<Server, 'id' | 'base' | 'keyFrom' | 'env'> & Bounds, path: string, signal: AbortSignal): HttpRequest {
  const { id, base, env = process.env, seconds, idleSeconds, mostBytes } = server;
  const keyFrom = typeof server.keyFrom === 'function' ? server.keyFrom(env) : server.keyFrom;
  const noKey = typeof server.keyFrom === 'function' && keyFrom === undefined ? keyElsewhere(base, env) : undefined;
  const bounds = {
    ...(seconds === undefined ? {} : { seconds }),
    ...(idleSeconds === undefined ? {} : { idleSeconds }),
    ...(mostBytes === undefined ? {} : { mostBytes }),
  };
  const key = keyFrom === undefined ? undefined : env[keyFrom]?.trim() || undefined;
  // The HTTP client would quote such a key in its error.
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key))
    throw new Fault('input', `The key in ${keyFrom} has invalid characters. Set it again.`);
  return { ...bounds, name: id, url: base + path, key, keyFrom, noKey, signal };
}

/** A base address without its trailing slash. An address that contains a password is rejected without quoting it. */
function addressOf(written: string): string {
  const url = URL.parse(written);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new Fault('input', `A model's address must start with http:// or https://, but got "${redactKey(written, url?.password)}".`);
  if (url.username !== '' || url.password !== '' || url.search !== '')
    throw new Fault('input', `The address of ${url.host} must not contain a password or a query. Put keys into environment variables.`);
  return url.origin + url.pathname.replace(linear(/\/+$/), '');
}
