/**
 * @file Answers of a bot that are kept on disk, so that an unchanged bot is not asked again. They stand under the bot's version, its settings
 * and the whole conversation so far. The second time that the same is said in one process counts as another question, so that repeats still
 * show whether a bot answers the same.
 *
 * A session is opened only when an answer is missing; it is then told first what was answered from disk.
 */

import { hash, type Json } from '@ludus-agents/kernel/internal/core/index';
import type { BotAnswer, BotLink, BotSession, KeptAnswers } from './session.ts';

/** How often each thing was said in this process, by where answers are kept. */
const counts = new WeakMap<KeptAnswers, Map<string, number>>();

/** `of` is what the answers depend on: the version of the bot and how it is spoken to. */
export function withKeptAnswers(link: BotLink, keep: KeptAnswers, of: Json): BotLink {
  const times = counts.get(keep) ?? new Map<string, number>();
  counts.set(keep, times);
  return {
    name: link.name,
    async open(session, signal, hooks, records): Promise<BotSession> {
      let opened: BotSession | undefined;
      const statements: string[] = [];
      let key = records === undefined ? hash(of) : hash([of, records]);
      /** How many messages the real session has been told. */
      let told = 0;
      return {
        async send(message, until): Promise<BotAnswer> {
          statements.push(message);
          const question = hash([key, message]);
          const time = (times.get(question) ?? 0) + 1;
          times.set(question, time);
          const name = `${question}-${time}`;
          const botAnswer = opened === undefined ? read(keep.read(name)) : null;
          if (botAnswer !== null) {
            key = hash([question, botAnswer.text]);
            return {
              ...botAnswer,
              kept: true,
              notes: [...(botAnswer.notes ?? []), 'Answered from what was kept of this version of the bot.'],
            };
          }
          opened ??= await link.open(session, signal, hooks, records);
          for (; told < statements.length - 1; told++) await opened.send(statements[told]!, until);
          const answer = await opened.send(message, until);
          told = statements.length;
          keep.write(name, JSON.stringify(answer));
          key = hash([question, answer.text]);
          return answer;
        },
        close: async () => opened?.close(),
      };
    },
  };
}

/** An answer that was kept whole; null otherwise. */
function read(text: string | null): BotAnswer | null {
  try {
    const answer = JSON.parse(text ?? 'null') as BotAnswer | null;
    return typeof answer?.text === 'string' ? answer : null;
  } catch {
    return null;
  }
}
