/**
 * @file A bot that speaks the Agent Client Protocol: a process whose standard streams are connected to the protocol's own library. Each
 * conversation has one process and one session.
 *
 * Its answer is the text of its message chunks; thoughts are not passed on. Permission requests are granted once, so the bot behaves as
 * usual; it gets no files and no terminal.
 */

import { Readable, Writable } from 'node:stream';
import type { ClientConnection, SessionUpdate } from '@agentclientprotocol/sdk';
import { Fault, isFault, type Json, sentenceOf, type ToolCall } from '@ludus-agents/kernel/internal/core/index';
import { BotChild } from './child.ts';
import type { BotAnswer, BotLink, BotServices, BotSession } from './session.ts';
import type { BotSettings } from './settings.ts';

export function acpBot(name: string, settings: BotSettings, services: BotServices): BotLink {
  return {
    name: settings.command.join(' '),
    async open(_, signal, hooks): Promise<BotSession> {
      const acp = await import('@agentclientprotocol/sdk');
      const { command, env } = settings;
      const child = new BotChild({ command, env, ...(hooks === undefined ? {} : { values: { LUDUS_HOOKS: hooks } }) }, services);
      const ended = Promise.withResolvers<never>();
      ended.promise.catch(() => undefined);
      const fail = (how: string) => ended.reject(new Fault('agent', `The bot ${name} ${how}.`, { code: 'E_BOT_FAILED' }));
      child.onFailure(fail);
      child.onEnd(fail);
      let message = new Heard();
      const peer = acp
        .client({ name: 'ludus' })
        .onNotification('session/update', ({ params }) => message.take(params.update))
        .onRequest('session/request_permission', ({ params }) => {
          const allowed =
            params.options.find(({ kind }) => kind === 'allow_once') ?? params.options.find(({ kind }) => /^allow/.test(kind));
          message.notes.add(`It asked for permission for ${params.toolCall.title ?? 'a call'}, which was granted.`);
          return { outcome: allowed === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: allowed.optionId } };
        });
      let link: ClientConnection;
      const until = <T>(work: Promise<T>, how: AbortSignal): Promise<T> => {
        const stopped = Promise.withResolvers<never>();
        const stop = () => stopped.reject(how.reason);
        if (how.aborted) stop();
        else how.addEventListener('abort', stop, { once: true });
        child.hold(true);
        return Promise.race([work, ended.promise, stopped.promise]).finally(() => {
          how.removeEventListener('abort', stop);
          child.hold(false);
        });
      };
      // A closed connection has no error message, but the exit of the process has.
      const explain = async (thrown: unknown): Promise<unknown> => {
        if (isFault(thrown) || !link.signal.aborted) return faultOf(name, thrown);
        child.close();
        return ended.promise.catch((fault: unknown) => fault);
      };
      let session: string;
      try {
        link = peer.connect(
          acp.ndJsonStream(
            Writable.toWeb(child.io.stdin) as WritableStream<Uint8Array>,
            Readable.toWeb(child.io.stdout) as ReadableStream<Uint8Array>,
          ),
        );
        const version = acp.PROTOCOL_VERSION;
        const first = link.agent.request('initialize', { protocolVersion: version, clientCapabilities: {} });
        const { protocolVersion } = await until(first, signal);
        if (protocolVersion !== version)
          throw new Fault('agent', `The bot ${name} uses protocol version ${protocolVersion}, but version ${version} was expected.`, {
            code: 'E_BOT_FAILED',
          });
        ({ sessionId: session } = await until(link.agent.request('session/new', { cwd: services.cwd, mcpServers: [] }), signal));
      } catch (thrown) {
        child.close();
        if (signal.aborted) throw signal.reason;
        throw await explain(thrown);
      }
      return {
        async send(text, limit): Promise<BotAnswer> {
          message = new Heard();
          const promptResult = link.agent.request('session/prompt', { sessionId: session, prompt: [{ type: 'text', text }] });
          promptResult.catch(() => undefined);
          const { stopReason } = await until(promptResult, limit).catch(async (thrown: unknown) => {
            // Cancels a turn without waiting callers. Whether the bot really stops is up to the bot.
            link.agent.notify('session/cancel', { sessionId: session }).catch(() => undefined);
            if (limit.aborted) throw limit.reason;
            throw await explain(thrown);
          });
          if (stopReason === 'cancelled') throw new Fault('agent', `The bot ${name} canceled its turn.`, { code: 'E_BOT_FAILED' });
          return message.answer(stopReason);
        },
        async close() {
          link.close();
          child.close();
        },
      };
    },
  };
}

/** The text and tool calls of a bot in one turn. */
class Heard {
  readonly notes = new Set<string>();
  readonly #calls = new Map<string, { name: string; args: Json; failed: boolean }>();
  #text = '';

  take(update: SessionUpdate): void {
    if (update.sessionUpdate === 'agent_message_chunk') {
      if (update.content.type === 'text') this.#text += update.content.text;
      else this.notes.add(`It sent ${update.content.type}, which is not text.`);
    } else if (update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update') {
      const existing = this.#calls.get(update.toolCallId);
      this.#calls.set(update.toolCallId, {
        name: existing?.name ?? (update as { readonly name?: string }).name ?? update.title ?? '',
        args: (update.rawInput as Json | undefined) ?? existing?.args ?? {},
        failed: update.status === 'failed',
      });
    }
  }

  answer(stop: string): BotAnswer {
    const toolCalls = [...this.#calls].flatMap(([id, { name, args, failed }]): ToolCall[] =>
      failed ? [] : [{ id, name, arguments: args }],
    );
    const notes = [...this.notes, ...(stop === 'end_turn' ? [] : [`Its turn ended by ${stop}.`])];
    return { text: this.#text, ...(toolCalls.length === 0 ? {} : { toolCalls }), ...(notes.length === 0 ? {} : { notes }) };
  }
}

function faultOf(name: string, thrown: unknown): Fault {
  if (isFault(thrown)) return thrown;
  const data = (thrown as { data?: { details?: unknown } }).data?.details;
  return new Fault('agent', `The bot ${name} failed: ${typeof data === 'string' ? data : sentenceOf(thrown)}`, { code: 'E_BOT_FAILED' });
}
