/** @file Checks a bot in a minute: whether it answers, how fast, whether it remembers, and whether its conversations are separate. */

import { Fault, isFault, sentenceOf, withTimeLimit } from '@ludus-agents/kernel/internal/core/index';
import type { BotLink, BotSession } from './session.ts';
import type { BotSettings } from './settings.ts';

export interface BotCheck {
  readonly bot: string;
  readonly via: string;
  /** True if no problems were detected. */
  readonly fine: boolean;
  /** Milliseconds of each answer, in order. */
  readonly milliseconds: readonly number[];
  /** Whether it could repeat something from earlier in the conversation; null if unknown. */
  readonly remembers: boolean | null;
  /** Whether another conversation had no access to it; null if unknown. */
  readonly separate: boolean | null;
  /** The bot's own tools that it reported. */
  readonly tools: readonly string[];
  readonly exchanges: readonly { readonly session: 1 | 2; readonly said: string; readonly answered: string }[];
  /** Problems, as sentences. */
  readonly problems: readonly string[];
  /** Remarks that are not problems, as sentences. */
  readonly notes: readonly string[];
}

export interface BotCheckOptions {
  readonly name: string;
  readonly link: BotLink;
  readonly settings: Pick<BotSettings, 'seconds' | 'via'>;
  /** A name that cannot be guessed. */
  readonly secret: string;
  readonly signal: AbortSignal;
}

export async function checkBot({ name, link, settings, secret, signal }: BotCheckOptions): Promise<BotCheck> {
  const milliseconds: number[] = [];
  const exchanges: { session: 1 | 2; said: string; answered: string }[] = [];
  const [tools, notes] = [new Set<string>(), new Set<string>()];
  const problems: string[] = [];
  let remembers: boolean | null = null;
  let separate: boolean | null = null;
  const opened: BotSession[] = [];
  const limit = <T>(use: (until: AbortSignal) => Promise<T>) => withTimeLimit(settings.seconds * 1000, signal, use);
  const talk = async (number: 1 | 2) => {
    const session = await limit((until) => link.open(`check-${secret}-${number}`, until));
    opened.push(session);
    return async (speech: string): Promise<string> => {
      const began = performance.now();
      const answer = await limit((until) => session.send(speech, until));
      milliseconds.push(Math.round(performance.now() - began));
      exchanges.push({ session: number, said: speech, answered: answer.text });
      for (const call of answer.toolCalls ?? []) tools.add(call.name);
      for (const note of answer.notes ?? []) notes.add(note);
      if (answer.text.trim() === '' && (answer.toolCalls ?? []).length === 0) problems.push(`It answered "${speech}" with nothing.`);
      return answer.text;
    };
  };
  const knows = (text: string) => text.toLowerCase().includes(secret.toLowerCase());
  const question = 'What is my name?';
  try {
    await link.reach?.(signal);
    const first = await talk(1);
    await first('Hello!');
    await first(`My name is ${secret}.`);
    remembers = knows(await first(question));
    const second = await talk(2);
    // Only a bot that repeats the name in the first conversation proves separation by not repeating it elsewhere.
    if (knows(await second(question))) separate = false;
    else if (remembers) separate = true;
  } catch (thrown) {
    signal.throwIfAborted();
    problems.push(problemOf(name, settings.seconds, thrown));
  } finally {
    for (const session of opened) await session.close();
  }
  if (remembers === false)
    notes.add('It did not remember a name from two messages before: it may not keep sessions, or may not answer such questions.');
  if (separate === false)
    problems.push('A second session knew a name that was only given in the first one: its conversations are not separate.');
  return {
    ...{ bot: name, via: settings.via, fine: problems.length === 0, milliseconds, remembers, separate },
    ...{ tools: [...tools], exchanges, problems, notes: [...notes] },
  };
}

function problemOf(name: string, seconds: number, thrown: unknown): string {
  if (thrown instanceof Error && thrown.name === 'TimeoutError') return `The bot ${name} did not answer within ${seconds} s.`;
  return isFault(thrown)
    ? thrown.message
    : new Fault('agent', `The bot ${name} failed: ${sentenceOf(thrown)}`, { code: 'E_BOT_FAILED' }).message;
}
