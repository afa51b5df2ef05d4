/**
 * @file An existing bot on a seat, unchanged: it receives the messages of the other seats and answers in text. It gets no prompt, task, or
 * rules. If moves are listed and no seat speaks, it receives the environment's question and moves, because it could not answer otherwise.
 *
 * A conversation is one session, from its first message until the episode's signal aborts. If an episode continues elsewhere (a fork, a
 * resumed run), a new session receives the earlier messages, and the log notes where the bot answered differently.
 */

import type {
  Action,
  Agent,
  AnyEnvironment,
  JsonObject,
  ModelCall,
  Reply,
  Seat,
  ToolCall,
  View,
} from '@ludus-agents/kernel/internal/core/index';
import { Fault, isFault, listsMoves, reserveMessage, safely, sentenceOf, withTimeLimit } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { readChoice } from '../llm/choice.ts';
import { openBots } from './open-bots.ts';
import { exchangesIn, isSpokenTo, withChoices } from './other-words.ts';
import type { BotPace } from './pace.ts';
import type { BotAnswer, BotLink, BotRecords, BotSession } from './session.ts';
import type { BotSettings } from './settings.ts';

export interface BotAgentOptions {
  readonly name: string;
  readonly link: BotLink;
  readonly settings: Pick<BotSettings, 'opening' | 'seconds' | 'via'>;
  /** Shared by all seats that use the same bot. */
  readonly pace: BotPace;
  readonly environment: AnyEnvironment;
  readonly seat: Seat;
}

/** The state of a bot's seat between turns. */
type BotMind = { readonly session: string; readonly messages: number };

interface LiveSession {
  readonly session: BotSession;
  readonly signal: AbortSignal;
  messages: number;
}

export function botAgent({ name, link, settings, pace, environment, seat }: BotAgentOptions): Agent {
  const seats = environment.seats(environment.task(environment.about.tasks[0] ?? {}));
  const readsRules = seats.length === 1 || listsMoves(environment.about);
  const live = new Map<string, LiveSession>();
  const actionOf = (text: string, calls?: readonly ToolCall[], changes?: JsonObject): Action =>
    environment.plain?.(seat, text, calls, changes) ?? { text };

  const open = async (signal: AbortSignal, records: BotRecords | undefined): Promise<readonly [string, LiveSession]> => {
    const id = crypto.randomUUID();
    const session = await callWithLimit(name, settings.seconds, signal, (until) => link.open(id, until, undefined, records));
    const opened: LiveSession = { session, signal, messages: 0 };
    const close = safely(`Closing a session of ${name}`, async () => {
      live.delete(id);
      const closed = session.close();
      openBots.closing.add(closed);
      await closed.finally(() => openBots.closing.delete(closed));
    });
    if (signal.aborted) {
      close();
      throw signal.reason;
    }
    live.set(id, opened);
    signal.addEventListener('abort', close, { once: true });
    return [id, opened];
  };

  const send = async (
    to: LiveSession,
    message: string,
  ): Promise<{ readonly call: ModelCall; readonly changes: JsonObject | undefined }> => {
    const began = performance.now();
    const isLocal = settings.via === 'function' || settings.via === 'cmd';
    const reservation = await reserveMessage(`bot:${link.name}`, isLocal, to.signal);
    try {
      const answer = await pace.pass(to.signal, () =>
        callWithLimit(name, settings.seconds, to.signal, (until) => to.session.send(message, until)),
      );
      to.messages++;
      const call = callOf(link.name, message, answer, performance.now() - began);
      reservation.settle(call);
      return { call, changes: answer.changes };
    } catch (thrown) {
      reservation.fail(thrown, to.signal.aborted);
      throw thrown;
    }
  };

  return {
    name,
    speaks: true,
    ...(link.reach === undefined ? {} : { prepare: link.reach }),
    async act({ view, ask, mind: before }, signal): Promise<Reply> {
      const choices = environment.plain === undefined ? ask.choices : undefined;
      const exchanges = exchangesIn(view, readsRules || (choices !== undefined && !isSpokenTo(view)));
      const past = exchanges.slice(0, -1).map(({ heard, said }, i) => ({ heard: i === 0 ? heard || settings.opening : heard, said }));
      const message = exchanges.at(-1)?.heard || (past.length === 0 ? settings.opening : '');
      const pending = choices === undefined ? message : withChoices(message, choices);
      const mind = before as BotMind | undefined;
      // A bot answers only when a message is pending.
      if (pending === '') return { action: actionOf(''), ...(mind === undefined ? {} : { mind }) };
      const calls: ModelCall[] = [];
      const liveSession = mind === undefined ? undefined : live.get(mind.session);
      let [id, session] = [mind?.session ?? '', liveSession];
      if (session === undefined || session.signal !== signal || session.messages !== mind?.messages) {
        [id, session] = await open(signal, recordsIn(view.seen[0]));
        for (const { heard, said } of past) {
          if (heard === '') continue;
          const { call: again } = await send(session, heard);
          const same = again.text === said || actionOf(again.text).text === said;
          calls.push({
            ...again,
            notes: [
              ...(again.notes ?? []),
              same
                ? 'Said again to a fresh session; it answered the same.'
                : 'Said again to a fresh session; it answered differently than in the log.',
            ],
          });
        }
      }
      const { call, changes } = await send(session, pending);
      return {
        action: withRecords(
          actionOf(readChoice(call.text, choices ?? [])?.move ?? call.text, call.toolCalls, changes),
          session.session.takesRecords === true,
        ),
        mind: { session: id, messages: session.messages },
        calls: [...calls, call],
      };
    },
  };
}

/** The records that an environment plants in a bot, with its first message. */
function recordsIn(first: View['seen'][number] | undefined): BotRecords | undefined {
  const data = first?.kind === 'message' && isObject(first.data) ? first.data['records'] : undefined;
  return isObject(data) ? (data as BotRecords) : undefined;
}

/** The action with a note that the bot has accepted the records. */
function withRecords(action: Action, takesRecords: boolean): Action {
  return takesRecords && isObject(action.data) ? { ...action, data: { ...action.data, records: true } } : action;
}

/** Every failure of a bot is a fault of the agent with a readable message. Cancellation is not a fault. */
async function callWithLimit<T>(name: string, seconds: number, signal: AbortSignal, use: (until: AbortSignal) => Promise<T>): Promise<T> {
  try {
    return await withTimeLimit(seconds * 1000, signal, use);
  } catch (thrown) {
    if (signal.aborted) throw signal.reason;
    if (thrown instanceof Error && thrown.name === 'TimeoutError')
      throw new Fault('agent', `The bot ${name} did not answer within ${seconds} s.`, { code: 'E_TIMEOUT' });
    if (isFault(thrown))
      throw thrown.boundary === 'agent'
        ? thrown
        : new Fault('agent', thrown.message, { cause: thrown, code: thrown.code, details: thrown.details });
    throw new Fault('agent', `The bot ${name} failed: ${sentenceOf(thrown)}`, { code: 'E_BOT_FAILED' });
  }
}

/** A message and its answer as a logged call. The cost of a bot is unknown. */
function callOf(link: string, message: string, answer: BotAnswer, milliseconds: number): ModelCall {
  const { text, toolCalls, notes, promptTokens, completionTokens } = answer;
  const counted = promptTokens !== undefined && completionTokens !== undefined;
  return {
    model: `bot:${link}`,
    prompt: { messages: [{ role: 'user', content: message }] },
    text,
    ...(toolCalls === undefined ? {} : { toolCalls }),
    finish: 'stop',
    usage: { promptTokens: promptTokens ?? 0, completionTokens: completionTokens ?? 0, ...(counted ? {} : { estimated: true }) },
    cost: null,
    milliseconds: Math.round(milliseconds),
    ...(notes === undefined ? {} : { notes }),
  };
}
