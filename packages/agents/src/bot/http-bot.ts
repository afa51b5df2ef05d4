/**
 * @file A bot behind HTTP: posts a message as JSON from a template, and reads the answer at the given path. An OpenAI-compatible server is
 * one such bot, and receives the conversation and nothing else.
 *
 * Redirects are not followed, so headers with keys go only to the address they were written for.
 */

import { Fault, isFault, type Json, type JsonObject, parseJson, pause, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { joinedEvents } from './event-stream.ts';
import { filledHeaders } from './headers.ts';
import { isUnreachable, reachServer, unreachableBot } from './reach.ts';
import { type BotAnswer, type BotLink, type BotServices, type BotSession, tellsOfCalls, textIn, toolCallsIn } from './session.ts';
import type { BotCall, BotSettings } from './settings.ts';

const mostBytes = 4 * 2 ** 20;

/** A message could not be delivered. The bot has not received it, so it may be sent again. */
class Undelivered extends Fault {
  readonly wait: number | undefined;

  constructor(message: string, wait?: number) {
    super('agent', message, { transient: true });
    this.wait = wait;
  }
}

export interface Filling {
  readonly message: string;
  readonly session: string | undefined;
  readonly turn: number;
  readonly history: readonly Json[];
  /** The address at which this process listens for the bot's calls. */
  readonly hooks?: string | undefined;
}

export function httpBot(name: string, settings: BotSettings, services: BotServices): BotLink {
  const isOpenAi = settings.via === 'openai';
  const template = settings.request ?? (isOpenAi ? { model: settings.model, messages: '{history}' } : usualRequest);
  const url =
    isOpenAi && !/\/chat\/completions\/?$/.test(settings.url) ? `${settings.url.replace(/\/$/, '')}/chat/completions` : settings.url;

  const send = async (call: BotCall, values: Filling, signal: AbortSignal): Promise<Posted> => {
    for (let tried = 1; ; tried++) {
      try {
        return await post({ name, call, values, headers: headersOf(name, settings.headers, services), reply: settings.reply }, signal);
      } catch (thrown) {
        if (!isFault(thrown) || !thrown.transient || tried >= settings.tries) throw thrown;
        await pause((thrown instanceof Undelivered ? thrown.wait : undefined) ?? 500 * 2 ** (tried - 1), signal);
      }
    }
  };

  return {
    name: url,
    reach: (signal) => reachServer(name, { ...settings, url }, signal),
    async open(input, signal, hooks): Promise<BotSession> {
      // If the bot names sessions itself, our session name is not sent.
      let session: string | undefined = settings.session === undefined ? input : undefined;
      const history: Json[] = [];
      const values = (message: string): Filling => ({ message, session, turn: history.length / 2, history, hooks });
      if (settings.open !== undefined) {
        const { body: begun } = await send(settings.open, values(''), signal);
        session = sessionIn(begun, settings.session) ?? session;
      }
      return {
        async send(message, until): Promise<BotAnswer> {
          const userMessage: Json = { role: 'user', content: message };
          const filling = { ...values(message), history: [...history, userMessage] };
          const { body, pieces } = await send({ url, method: 'POST', request: template }, filling, until);
          session = sessionIn(body, settings.session) ?? session;
          const answer = answerIn(name, body, pieces ? openAiReply : (settings.reply ?? (isOpenAi ? openAiReply : undefined)));
          history.push(userMessage, { role: 'assistant', content: answer.text });
          return answer;
        },
        async close() {
          if (settings.close === undefined) return;
          // If closing a session fails, the bot has to discard it.
          await send(settings.close, values(''), AbortSignal.timeout(settings.seconds * 1000)).catch(() => undefined);
        },
      };
    },
  };
}

const openAiReply = 'choices.0.message.content';
const usualRequest: Json = { message: '{message}', session: '{session}' };

function headersOf(name: string, headers: Readonly<Record<string, string>>, services: BotServices): Headers {
  return new Headers({ accept: 'application/json', 'content-type': 'application/json', ...filledHeaders(name, headers, services) });
}

interface Posted {
  readonly body: Json | undefined;
  /** True if the answer was streamed. */
  readonly pieces?: boolean;
}

interface Posting {
  readonly name: string;
  readonly call: BotCall;
  readonly values: Filling;
  readonly headers: Headers;
  readonly reply: string | undefined;
}

async function post({ name, call, values, headers, reply }: Posting, signal: AbortSignal): Promise<Posted> {
  const url = addressOf(call.url, values.session);
  const body = call.request === undefined ? null : JSON.stringify(fill(call.request, values) ?? null);
  let response: Response;
  try {
    response = await fetch(url, { method: call.method, headers, body, redirect: 'manual', signal });
  } catch (thrown) {
    if (signal.aborted) throw signal.reason;
    const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
    const code = (cause as { code?: unknown }).code;
    if (isUnreachable(code)) throw unreachableBot(name, url, code);
    throw new Fault('agent', `The bot ${name} closed the connection: ${sentenceOf(cause)}.`, { code: 'E_BOT_FAILED' });
  }
  const text = await bodyOf(name, response);
  const { status } = response;
  if (status === 429 || status === 503)
    throw new Undelivered(`The bot ${name} answered ${status}: ${brief(text)}.`, waitOf(response.headers.get('retry-after')));
  if (status >= 300 && status < 400)
    throw new Fault('agent', `The bot ${name} answered with a redirect (HTTP ${status}). Redirects are not followed; use the final URL.`, {
      code: 'E_BOT_FAILED',
    });
  if (!response.ok) {
    const format =
      body !== null && (status === 400 || status === 422)
        ? ` It got ${brief(body)}. If it expects another format, set "request" in an agent file (bot.json).`
        : '';
    throw new Fault('agent', `The bot ${name} answered ${status}: ${brief(text)}.${format}`, { code: 'E_BOT_FAILED' });
  }
  if (text.trim() === '') return { body: undefined };
  if (/text\/event-stream/i.test(response.headers.get('content-type') ?? ''))
    return { body: joinedEvents(text, (event) => (reply === undefined ? event : valueAt(event, reply))), pieces: true };
  // An HTML page is not an answer: it comes from a proxy, a login, or a server under a wrong path.
  if (/^\s*<(?:!doctype html|html)\b/i.test(text))
    throw new Fault(
      'agent',
      `The bot ${name} answered with a web page instead of a reply: ${brief(text)}. Check its path and the headers for authentication.`,
      { code: 'E_BOT_FAILED' },
    );
  if (!/json/i.test(response.headers.get('content-type') ?? '') && !/^\s*[[{"]/.test(text)) return { body: text };
  try {
    return { body: parseJson(text) as Json };
  } catch (thrown) {
    throw new Fault('agent', `The bot ${name} answered with JSON that cannot be read: ${sentenceOf(thrown)}`, {
      code: 'E_UNREADABLE_FILE',
    });
  }
}

export function addressOf(url: string, session: string | undefined): string {
  return url.replaceAll('{session}', encodeURIComponent(session ?? ''));
}

async function bodyOf(name: string, response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  try {
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length;
      if (bytes > mostBytes)
        throw new Fault('agent', `The bot ${name} sent more than ${mostBytes} bytes, which is too large for an answer.`, {
          code: 'E_BOT_FAILED',
        });
      text += decoder.decode(chunk, { stream: true });
    }
  } catch (thrown) {
    if (thrown instanceof Fault || (thrown instanceof Error && /Abort|Timeout/.test(thrown.name))) throw thrown;
    throw new Fault('agent', `The bot ${name} closed the connection in the middle of its answer: ${sentenceOf(thrown)}.`, {
      code: 'E_BOT_FAILED',
    });
  }
  return text + decoder.decode();
}

/** Converts a header in seconds to milliseconds, at most one minute. */
function waitOf(header: string | null): number | undefined {
  return header !== null && /^\d+$/.test(header) ? Math.min(60, Number(header)) * 1000 : undefined;
}

/** Fills a template with values. Without a session, fields that contain only {session} are left out. */
export function fill(template: Json, values: Filling): Json | undefined {
  if (typeof template === 'string') {
    if (template === '{history}') return values.history as Json;
    if (template === '{session}' && values.session === undefined) return undefined;
    return template.replace(/\{(message|session|turn|hooks)\}/g, (_, key: 'message' | 'session' | 'turn' | 'hooks') =>
      String(values[key] ?? ''),
    );
  }
  if (Array.isArray(template)) return template.map((item) => fill(item, values) ?? null);
  if (typeof template !== 'object' || template === null) return template;
  const entries = Object.entries(template as JsonObject).map(([key, value]) => [key, fill(value as Json, values)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Json;
}

/** The value at a path such as choices.0.message.content. */
export function valueAt(value: Json | undefined, path: string): Json | undefined {
  let current: Json | undefined = value;
  for (const key of path.split('.')) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key)) return undefined;
    current = (current as Readonly<Record<string, Json>>)[key];
  }
  return current;
}

export function sessionIn(body: Json | undefined, path: string | undefined): string | undefined {
  const replyValue = path === undefined ? undefined : valueAt(body, path);
  return typeof replyValue === 'string' || typeof replyValue === 'number' ? String(replyValue) : undefined;
}

export function answerIn(name: string, body: Json | undefined, path: string | undefined): BotAnswer {
  const toolCalls = [...toolCallsIn(valueAt(body, 'choices.0.message')), ...toolCallsIn(body)];
  const text = textIn(path === undefined ? body : valueAt(body, path));
  if (text === undefined && toolCalls.length === 0) {
    const where = path === undefined ? 'no text in the usual fields; set "reply" to its path' : `nothing at "${path}"`;
    throw new Fault('agent', `The bot ${name} answered ${brief(JSON.stringify(body ?? null))}, which has ${where}.`, {
      code: 'E_BOT_FAILED',
    });
  }
  const usage = (valueAt(body, 'usage') ?? {}) as JsonObject;
  const count = (field: string) => (typeof usage[field] === 'number' ? usage[field] : undefined);
  const [promptTokens, completionTokens] = [count('prompt_tokens'), count('completion_tokens')];
  return {
    text: text ?? '',
    ...(toolCalls.length > 0 || tellsOfCalls(body) || tellsOfCalls(valueAt(body, 'choices.0.message')) ? { toolCalls } : {}),
    ...(promptTokens === undefined ? {} : { promptTokens }),
    ...(completionTokens === undefined ? {} : { completionTokens }),
  };
}

function brief(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line === '' ? 'nothing' : line.length > 200 ? `${line.slice(0, 200)}…` : line;
}
