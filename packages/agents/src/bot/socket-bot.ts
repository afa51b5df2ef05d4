/**
 * @file A bot behind a WebSocket: one connection is one conversation. A message is sent as a frame from a template. The answer is the next
 * frame that contains text, or all pieces up to a frame that marks the end.
 */

import { Fault, type Json, parseJson, safely, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { WebSocket } from 'ws';
import { filledHeaders } from './headers.ts';
import { addressOf, answerIn, type Filling, fill, sessionIn, valueAt } from './http-bot.ts';
import { reachServer } from './reach.ts';
import { type BotAnswer, type BotLink, type BotServices, type BotSession, textIn, toolCallsIn } from './session.ts';
import type { BotSettings } from './settings.ts';

const largest = 4 * 2 ** 20;

export function socketBot(name: string, settings: BotSettings, services: BotServices): BotLink {
  return {
    name: settings.url,
    reach: (signal) => reachServer(name, settings, signal),
    async open(input, signal, hooks): Promise<BotSession> {
      const headers = filledHeaders(name, settings.headers, services);
      const socket = new WebSocket(addressOf(settings.url, input), { headers, maxPayload: largest, followRedirects: false });
      const connection = new Connection(name, settings, socket);
      await connection.opened(signal);
      let session: string | undefined = settings.session === undefined ? input : undefined;
      const history: Json[] = [];
      const values = (message: string): Filling => ({ message, session, turn: history.length / 2, history, hooks });
      if (settings.open?.request !== undefined) {
        const begun = await connection.ask(fill(settings.open.request, values('')) ?? null, signal, 'any');
        session = sessionIn(begun.frame, settings.session) ?? session;
      }
      return {
        async send(message, until): Promise<BotAnswer> {
          const userMessage: Json = { role: 'user', content: message };
          const template = settings.request ?? { message: '{message}', session: '{session}' };
          const { answer, frame } = await connection.ask(
            fill(template, { ...values(message), history: [...history, userMessage] }) ?? null,
            until,
            'answer',
          );
          session = sessionIn(frame, settings.session) ?? session;
          history.push(userMessage, { role: 'assistant', content: answer.text });
          return answer;
        },
        async close() {
          if (settings.close?.request !== undefined) connection.send(fill(settings.close.request, values('')) ?? null);
          connection.close();
        },
      };
    },
  };
}

interface Heard {
  readonly frame: Json;
  readonly answer: BotAnswer;
}

class Connection {
  readonly #name: string;
  readonly #settings: BotSettings;
  readonly #socket: WebSocket;
  #over: Fault | null = null;
  #waiting: { readonly wants: 'any' | 'answer'; resolve(message: Heard): void; reject(fault: unknown): void } | null = null;
  #pieces = '';

  constructor(name: string, settings: BotSettings, socket: WebSocket) {
    [this.#name, this.#settings, this.#socket] = [name, settings, socket];
    const failed = (thrown: unknown) => this.#fail(`broke off: ${sentenceOf(thrown)}`);
    socket.on(
      'message',
      safely('A bot', (data: Buffer) => this.#hear(data.toString('utf8')), failed),
    );
    socket.on(
      'error',
      safely('A bot', (thrown: unknown) => failed(thrown)),
    );
    socket.on(
      'close',
      safely('A bot', (code: number) => this.#fail(`hung up (${code})`)),
    );
  }

  async opened(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    this.#socket.once('open', resolve);
    this.#socket.once('close', () => reject(this.#over));
    await promise
      .catch((thrown) => {
        this.#socket.terminate();
        throw thrown;
      })
      .finally(() => signal.removeEventListener('abort', stop));
  }

  ask(frame: Json, signal: AbortSignal, wants: 'any' | 'answer'): Promise<Heard> {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (this.#over !== null) return Promise.reject(this.#over);
    const { promise, resolve, reject } = Promise.withResolvers<Heard>();
    // A late answer must not be taken for the next one, so a connection is not reused after a request was abandoned.
    const stop = () => {
      reject(signal.reason);
      this.#socket.terminate();
    };
    signal.addEventListener('abort', stop, { once: true });
    this.#pieces = '';
    this.#waiting = { wants, resolve, reject };
    this.send(frame);
    return promise.finally(() => {
      this.#waiting = null;
      signal.removeEventListener('abort', stop);
    });
  }

  send(frame: Json): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  close(): void {
    this.#over ??= new Fault('agent', `The session with the bot ${this.#name} is over.`, { code: 'E_BOT_FAILED' });
    this.#socket.close();
  }

  #hear(text: string): void {
    const waiting = this.#waiting;
    if (waiting === null) return;
    let frame: Json = text;
    try {
      if (/^\s*[[{"]/.test(text)) frame = parseJson(text) as Json;
    } catch (thrown) {
      waiting.reject(
        new Fault('agent', `The bot ${this.#name} sent a frame that cannot be read: ${sentenceOf(thrown)}`, { code: 'E_UNREADABLE_FILE' }),
      );
      return;
    }
    const { reply, done } = this.#settings;
    const piece = textIn(reply === undefined ? frame : valueAt(frame, reply));
    const finish = (answer: BotAnswer) => waiting.resolve({ frame, answer });
    if (waiting.wants === 'any') finish({ text: piece ?? '' });
    else if (done !== undefined) {
      this.#pieces += piece ?? '';
      const toolCalls = toolCallsIn(frame);
      if (isDone(valueAt(frame, done))) finish({ text: this.#pieces, ...(toolCalls.length === 0 ? {} : { toolCalls }) });
      // Frames without a text, such as "typing" or a heartbeat, are not answers.
    } else if (piece !== undefined || toolCallsIn(frame).length > 0) finish(answerIn(this.#name, frame, reply));
  }

  #fail(how: string): void {
    this.#over ??= new Fault('agent', `The bot ${this.#name} ${how}.`, { code: 'E_BOT_FAILED' });
    this.#waiting?.reject(this.#over);
  }
}

function isDone(value: Json | undefined): boolean {
  return value !== undefined && value !== null && value !== false && value !== '';
}
