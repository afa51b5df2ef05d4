/**
 * @file The messages read and written by one seat in an episode, as chats with a mask on its own messages.
 *
 * If the log contains the seat's model calls, these are used, and a prompt that begins with all of the previous chat continues it.
 * Otherwise the seat's view is written as a chat. In both cases only text that this seat wrote in this episode is under the mask, never
 * another seat's text or an assistant message that was part of a prompt.
 */

import { viewOf } from '@ludus-agents/kernel/internal/core/event';
import type {
  ChatMessage,
  EpisodeEvent,
  Json,
  JsonObject,
  ModelCall,
  Seat,
  ToolCall,
  ToolSpec,
} from '@ludus-agents/kernel/internal/core/index';
import { equal } from '@ludus-agents/kernel/internal/core/json';
import { argumentsOf } from './format.ts';

/** calls: as the seat's model read it. view: as the seat saw it. */
export type Wording = 'calls' | 'view';

export interface Chat {
  readonly messages: readonly ChatMessage[];
  /** Message by message: 1 for the seat's own messages, the only ones trained on. */
  readonly mask: readonly (0 | 1)[];
  readonly tools: readonly ToolSpec[];
  readonly wording: Wording;
  /** The call behind each message, if any. */
  readonly calls: readonly (ModelCall | null)[];
}

interface Growing {
  readonly messages: ChatMessage[];
  readonly mask: (0 | 1)[];
  readonly tools: readonly ToolSpec[];
  readonly wording: Wording;
  readonly calls: (ModelCall | null)[];
}

/** The chats of a seat; empty if it wrote nothing. By default, model calls are used if there are any. */
export function chatsOf({ events, wording, masked }: Worded, seat: Seat): readonly Chat[] {
  const hidden = masked?.[seat] ?? new Set<number>();
  const calls = wording === 'view' ? [] : turnCalls(events, seat);
  if (calls.length > 0) return fromCalls(calls, hidden);
  if (wording === 'calls') return [];
  const chat = fromView(events, seat, hidden);
  return chat.mask.includes(1) ? [chat] : [];
}

/** An episode, how it is worded, and the turns of each seat that are read and not learned. */
interface Worded {
  readonly events: readonly EpisodeEvent[];
  readonly wording?: Wording | undefined;
  readonly masked?: Readonly<Record<Seat, ReadonlySet<number>>>;
}

/** The model calls of a seat, each with the number of its turn. */
export function turnCalls(events: readonly EpisodeEvent[], seat: Seat): readonly { readonly call: ModelCall; readonly turn: number }[] {
  let turn = -1;
  return events.flatMap((event) => {
    if (event.kind !== 'action' || event.seat !== seat) return [];
    turn++;
    return (event.calls ?? []).map((call) => ({ call, turn }));
  });
}

/** The model calls of a seat in the order they were made. */
export function callsIn(events: readonly EpisodeEvent[], seat: Seat): readonly ModelCall[] {
  const calls: ModelCall[] = [];
  for (const event of events) if (event.kind === 'action' && event.seat === seat && event.calls !== undefined) calls.push(...event.calls);
  return calls;
}

function fromCalls(calls: ReturnType<typeof turnCalls>, hidden: ReadonlySet<number>): readonly Chat[] {
  const chats: Growing[] = [];
  for (const { call, turn } of calls) {
    const { messages, tools = [] } = call.prompt;
    let chat = chats.at(-1);
    if (chat === undefined || !extendsIt(messages, chat.messages) || !same(tools, chat.tools)) {
      chat = { messages: [], mask: [], tools, wording: 'calls', calls: [] };
      chats.push(chat);
    }
    for (const message of messages.slice(chat.messages.length)) add(chat, message, null);
    add(chat, answerOf(call), call, hidden.has(turn));
  }
  // A chat without trained messages is dropped.
  return hidden.size === 0 ? chats : chats.filter(({ mask }) => mask.includes(1));
}

/** A call's answer as the message that follows its prompt. */
export function answerOf({ text, toolCalls }: ModelCall): ChatMessage {
  return { role: 'assistant', content: text, ...(toolCalls === undefined || toolCalls.length === 0 ? {} : { toolCalls }) };
}

function extendsIt(messages: readonly ChatMessage[], before: readonly ChatMessage[]): boolean {
  return before.length <= messages.length && before.every((message, i) => same(plain(message), plain(messages[i]!)));
}

/** Arguments of calls as JSON, however they were written: programs hand a call back with their own blanks. */
function plain(message: ChatMessage): ChatMessage {
  const { toolCalls } = message;
  if (toolCalls === undefined) return message;
  return { ...message, toolCalls: toolCalls.map((call) => ({ ...call, arguments: argumentsOf(call) })) };
}

/** The user message for a seat that acts again and has seen nothing since. */
const yourTurn = '(It is your turn.)';

/**
 * Environments that carry other people's conversations put the kind of a message into its data: `role` with `toolCallId` and `name`; and in
 * an action's data which tools it called: `toolCalls`. Such messages are written separately and unchanged. All others are read together,
 * each after its speaker.
 */
function fromView(events: readonly EpisodeEvent[], seat: Seat, hidden: ReadonlySet<number>): Chat {
  const chat: Growing = { messages: [], mask: [], tools: toolsIn(events, seat), wording: 'view', calls: [] };
  // Text that a person wrote in the seat's place is context, not the seat's own.
  const edited = events.flatMap((event) => (event.kind === 'action' && event.seat === seat ? [event.edited === true] : []));
  let answers = 0;
  let open = false;
  let carried = false;
  for (const item of viewOf(events, seat).seen) {
    if (item.kind === 'reward') continue;
    if (item.kind === 'action') {
      const toolCalls = fieldsOf(item.action.data)['toolCalls'] as readonly ToolCall[] | undefined;
      // Templates take an answer after an answer as its continuation, so something must be between them.
      if (!carried && (chat.messages.at(-1)?.role ?? 'assistant') === 'assistant') add(chat, { role: 'user', content: yourTurn }, null);
      add(
        chat,
        { role: 'assistant', content: item.action.text, ...(toolCalls === undefined ? {} : { toolCalls }) },
        edited[answers] === true ? null : 'own',
        hidden.has(answers++),
      );
      open = false;
      continue;
    }
    const { role, toolCallId, name } = fieldsOf(item.data);
    if (role === 'system' || role === 'user' || role === 'tool' || role === 'assistant') {
      const more = { ...(typeof toolCallId === 'string' ? { toolCallId } : {}), ...(typeof name === 'string' ? { name } : {}) };
      add(chat, { role, content: item.text, ...(item.images === undefined ? {} : { images: item.images }), ...more }, null);
      open = false;
      carried = true;
      continue;
    }
    const line = item.from === undefined ? item.text : `${item.from}: ${item.text}`;
    const { content: before, images: imageParts = [] } = open ? (chat.messages.pop() as ChatMessage) : { content: '' };
    const images = [...imageParts, ...(item.images ?? [])];
    const chatMessage: ChatMessage = {
      role: 'user',
      content: open ? `${before}\n${line}` : line,
      ...(images.length === 0 ? {} : { images }),
    };
    if (open) chat.messages.push(chatMessage);
    else add(chat, chatMessage, null);
    open = true;
  }
  return chat;
}

/** Tools that a message to the seat offers in its data. */
function toolsIn(events: readonly EpisodeEvent[], seat: Seat): readonly ToolSpec[] {
  for (const event of events)
    if (event.kind === 'message' && event.to.includes(seat)) {
      const { tools } = fieldsOf(event.data);
      if (Array.isArray(tools)) return tools;
    }
  return [];
}

function add(chat: Growing, message: ChatMessage, by: ModelCall | 'own' | null, hidden = false): void {
  chat.messages.push(message);
  chat.mask.push(by === null || hidden ? 0 : 1);
  chat.calls.push(by === 'own' ? null : by);
}

/** The messages before the seat's first own message. */
export function openingOf({ messages, mask }: Chat): readonly ChatMessage[] {
  return messages.slice(0, mask.indexOf(1));
}

export function fieldsOf(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

function same(a: unknown, b: unknown): boolean {
  return equal(a as Json, b as Json);
}
