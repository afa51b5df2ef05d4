/** @file A conversation on the page: past messages, the current one, and all actions on them. */

import type { ChatChangeRequest, ChatShown, ChatSpoken, ChatWriting } from '@ludus-agents/servers/internal/studio/api';
import { useCallback, useRef, useState } from 'react';
import { get, listen, post, put } from '../client.ts';

export interface Talking {
  /** What is being said: the person's words, null where the character answers again, and the answer as far as it is written. */
  readonly now: {
    readonly text: string | null;
    /** Who has begun to answer, each with the words so far. */
    readonly answers: readonly { readonly seat: string; readonly soFar: string }[];
    /** Lines from this event on are replaced. */
    readonly from: number;
  } | null;
  readonly error: string | null;
  say(text: string): void;
  /** In the place of an event: other words, or without them another answer. */
  fork(at: number, text?: string, mine?: boolean): void;
  /** What the model would say in the person's place; null where it could not be written. */
  draft(): Promise<string | null>;
  stop(): void;
  change(what: ChatChangeRequest): void;
}

/** `went` gets the conversation that it has become: a branch is another one. */
export function useTalking(
  chat: ChatShown | null,
  went: (shown: ChatShown, before: ChatShown) => void,
  /** What is being said though this page did not ask for it: it was loaded meanwhile, or another tab did. */
  elsewhere: ChatWriting | null = null,
): Talking {
  const [current, setCurrent] = useState<Talking['now']>(null);
  const now = current ?? (elsewhere === null ? null : { ...elsewhere, from: elsewhere.from ?? Number.POSITIVE_INFINITY });
  const [error, setError] = useState<string | null>(null);
  /** Answers that have been asked for, and those that have arrived. */
  const answered = useRef({ asked: 0, arrived: 0, last: Promise.resolve() });
  const exchange = useCallback(
    async (path: '/api/chats/:id/say' | '/api/chats/:id/fork', json: object, message: { text: string | null; from: number }) => {
      if (chat === null) return;
      setError(null);
      setCurrent({ ...message, answers: [] });
      const answers = new Map<string, string>();
      let came: ChatShown | null = null;
      let wrong: string | null = null;
      try {
        await listen<ChatSpoken>(path, { param: { id: chat.id }, json }, (line) => {
          if ('soFar' in line) {
            answers.set(line.seat, line.soFar);
            setCurrent({ ...message, answers: [...answers].map(([seat, soFar]) => ({ seat, soFar })) });
          } else if ('shown' in line) came = line.shown;
          else wrong = line.error;
        });
      } catch (thrown) {
        wrong = (thrown as Error).message;
      }
      setCurrent(null);
      setError(wrong);
      if (came !== null) went(came, chat);
    },
    [chat, went],
  );
  const speak: typeof exchange = (...args) => {
    answered.current.asked += 1;
    answered.current.last = exchange(...args).finally(() => {
      answered.current.arrived += 1;
    });
    return answered.current.last;
  };
  /** Changes a setting of the conversation. A reply that crossed an answer on its way may lack that answer, so the conversation is read again. */
  const change = async (of: ChatShown, json: ChatChangeRequest) => {
    const { asked, arrived } = answered.current;
    const reply = await put('/api/chats/:id', { param: { id: of.id }, json });
    const hasArrived = answered.current.arrived > arrived;
    if (!hasArrived) went(reply, of);
    if (asked === arrived && answered.current.asked === asked) return;
    await answered.current.last;
    went(await get('/api/chats/:id', { param: { id: of.id } }), of);
  };
  return {
    now,
    error,
    say: (text) => void speak('/api/chats/:id/say', { text }, { text: text === '' ? null : text, from: Number.POSITIVE_INFINITY }),
    fork: (at, text, mine = false) =>
      void speak('/api/chats/:id/fork', { at, ...(text === undefined ? {} : { text }) }, { text: mine ? (text ?? null) : null, from: at }),
    draft: async () => {
      if (chat === null) return null;
      setError(null);
      try {
        return (await post('/api/chats/:id/draft', { param: { id: chat.id } })).text;
      } catch (thrown) {
        setError((thrown as Error).message);
        return null;
      }
    },
    stop: () => {
      if (chat !== null) void post('/api/chats/:id/stop', { param: { id: chat.id } });
    },
    change: (json) => {
      if (chat !== null) change(chat, json).catch((thrown: Error) => setError(thrown.message));
    },
  };
}
