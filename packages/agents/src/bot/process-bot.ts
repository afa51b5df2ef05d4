/**
 * @file A bot that is a process: a line in, a line out. One process for each conversation, or one for all of them.
 *
 * As JSON, a message is {"id", "session", "message"} and an answer {"reply"} or {"error"}; with an "id" answers may come in any order. {"session", "end": true} says
 * that a conversation is over. As text, a message and an answer are one line each. The process sees a few variables of ours and those that
 * were named, and it ends with its conversation, together with whatever it has started.
 */

import { Fault, type Json, type JsonObject, parseJson, safely, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { BotChild } from './child.ts';
import { type BotAnswer, type BotLink, type BotServices, tellsOfCalls, textIn, toolCallsIn } from './session.ts';
import type { BotSettings } from './settings.ts';

const longestLine = 2 ** 20;

interface Waiting {
  readonly id: number;
  resolve(answer: BotAnswer): void;
  reject(fault: unknown): void;
}

export function processBot(name: string, settings: BotSettings, services: BotServices): BotLink {
  let shared: BotProcess | null = null;
  return {
    name: settings.command.join(' '),
    async open(session, _, hooks) {
      const isFresh = !settings.shared || shared === null || shared.isOver;
      const child = isFresh ? new BotProcess(name, settings, services, hooks) : (shared as BotProcess);
      if (settings.shared) shared = child;
      return {
        send: (message, signal) => child.ask(session, message, signal),
        async close() {
          if (settings.shared) child.end(session);
          else child.close();
        },
      };
    },
  };
}

class BotProcess {
  readonly #name: string;
  readonly #asText: boolean;
  readonly #shared: boolean;
  readonly #child: BotChild;
  readonly #waiting: Waiting[] = [];
  #asked = 0;
  #rest = '';
  #over: Fault | null = null;

  constructor(name: string, { command, lines, env, shared }: BotSettings, services: BotServices, hooks: string | undefined) {
    this.#name = name;
    this.#asText = lines === 'text';
    this.#shared = shared;
    this.#child = new BotChild({ command, env, ...(hooks === undefined ? {} : { values: { LUDUS_HOOKS: hooks } }) }, services);
    const onFailure = (thrown: unknown) => this.#fail(`could not be run: ${sentenceOf(thrown)}`);
    this.#child.onFailure((how) => this.#fail(how));
    this.#child.onEnd((how) => this.#fail(how));
    this.#child.io.stdout.setEncoding('utf8').on(
      'data',
      safely('A bot', (text: string) => this.#read(text), onFailure),
    );
  }

  get isOver(): boolean {
    return this.#over !== null || this.#child.isClosing;
  }

  ask(session: string, message: string, signal: AbortSignal): Promise<BotAnswer> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      if (this.#over !== null) return reject(this.#over);
      const id = ++this.#asked;
      const leave = () => {
        // The request stays queued, so a late answer is matched to it and not to the next one.
        done(reject)(signal.reason);
        if (!this.#shared) this.close();
      };
      const done =
        <T>(settle: (value: T) => void) =>
        (value: T) => {
          signal.removeEventListener('abort', leave);
          settle(value);
        };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.push({ id, resolve: done(resolve), reject: done(reject) });
      this.#child.hold(true);
      this.#write(this.#asText ? message.replace(linear(/\s*[\r\n\u2028\u2029]+\s*/g), ' ') : JSON.stringify({ id, session, message }));
    });
  }

  /** Tells a shared process that a conversation is over. */
  end(session: string): void {
    if (!this.isOver) this.#write(JSON.stringify({ session, end: true }));
  }

  close(): void {
    this.#child.close();
  }

  #write(line: string): void {
    const { stdin } = this.#child.io;
    if (stdin.writable) stdin.write(`${line}\n`);
  }

  #read(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) if (this.#asText || line.trim() !== '') this.#take(line.replace(/\r$/, ''));
    if (this.#rest.length > longestLine) this.#fail(`wrote a line of more than ${longestLine} characters`);
  }

  #take(line: string): void {
    if (this.#asText) {
      this.#settle()?.resolve({ text: line });
      return;
    }
    let answer: Json;
    try {
      answer = parseJson(line) as Json;
    } catch {
      this.#fail(
        `must answer with a line of JSON such as {"reply": "…"}, but wrote ${JSON.stringify(line.slice(0, 80))}; write messages for people to standard error, or set "lines": "text" in a bot.json if it answers in plain lines`,
      );
      return;
    }
    const { id, error } = (typeof answer === 'object' && answer !== null ? answer : {}) as JsonObject;
    const waiting = this.#settle(typeof id === 'number' ? id : undefined);
    const text = textIn(answer);
    if (error !== undefined)
      waiting?.reject(
        new Fault('agent', `The bot ${this.#name} failed: ${String(textIn(error) ?? JSON.stringify(error)).slice(0, 200)}`, {
          code: 'E_BOT_FAILED',
        }),
      );
    else if (text === undefined)
      waiting?.reject(
        new Fault('agent', `The bot ${this.#name} answered ${line.slice(0, 80)}, which has no "reply".`, { code: 'E_BOT_FAILED' }),
      );
    else {
      const toolCalls = toolCallsIn(answer);
      waiting?.resolve({ text, ...(tellsOfCalls(answer) ? { toolCalls } : {}) });
    }
  }

  /** Removes the waiting request with this id, or the oldest one, from the queue. */
  #settle(id?: number): Waiting | undefined {
    const at = id === undefined ? 0 : this.#waiting.findIndex((waiting) => waiting.id === id);
    const [matchingWaiting] = at < 0 ? [] : this.#waiting.splice(at, 1);
    if (this.#waiting.length === 0) this.#child.hold(false);
    return matchingWaiting;
  }

  #fail(what: string): void {
    this.#over ??= new Fault('agent', `The bot ${this.#name} ${what}.`, { code: 'E_BOT_FAILED' });
    for (let waiting = this.#settle(); waiting !== undefined; waiting = this.#settle()) waiting.reject(this.#over);
    this.close();
  }
}
