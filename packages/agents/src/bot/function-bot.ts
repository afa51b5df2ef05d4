/** @file A bot that is a function in this process: its answer is a text, an object that contains one, or a sequence of pieces. */

import { Fault, type Json, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { type BotFunction, type BotLink, tellsOfCalls, textIn, toolCallsIn } from './session.ts';

export function functionBot(name: string, file: string, load: () => Promise<BotFunction>): BotLink {
  return {
    name: file,
    // A missing file or function is reported before the first episode.
    reach: async () => void (await load()),
    async open(session, episode, hooks, records) {
      const call = await load();
      const context = { session, signal: episode, ...(hooks === undefined ? {} : { hooks }) };
      const takesRecords = records !== undefined && call.plant !== undefined;
      if (takesRecords) await settle(name, async () => call.plant?.(records, context), episode);
      return {
        takesRecords,
        async send(message, signal) {
          const answer = await settle(name, async () => call(message, { ...context, signal: AbortSignal.any([signal, episode]) }), signal);
          const text = textIn(answer as Json | undefined);
          if (text === undefined)
            throw new Fault(
              'agent',
              `The bot ${name} must return a string or an iterable of strings, but returned ${JSON.stringify(answer)?.slice(0, 80) ?? typeof answer}.`,
              { code: 'E_BOT_FAILED' },
            );
          const toolCalls = toolCallsIn(answer as Json | undefined);
          return { text, ...(tellsOfCalls(answer as Json | undefined) ? { toolCalls } : {}) };
        },
        close: async () => {},
      };
    },
  };
}

/** The result of a function, or its time limit: a function that ignores its signal cannot block. */
async function settle(name: string, work: () => Promise<unknown>, signal: AbortSignal): Promise<unknown> {
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([gather(work), stopped]);
  } catch (thrown) {
    if (signal.aborted) throw signal.reason;
    throw new Fault('agent', `The bot ${name} failed: ${sentenceOf(thrown)}`, { code: 'E_BOT_FAILED' });
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function gather(work: () => Promise<unknown>): Promise<unknown> {
  const input = await work();
  if (typeof input !== 'object' || input === null || !(Symbol.asyncIterator in input || Symbol.iterator in input)) return input;
  let text = '';
  for await (const piece of input as AsyncIterable<unknown>) text += textIn(piece as Json) ?? '';
  return text;
}
