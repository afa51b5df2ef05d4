/**
 * @file The part of an episode that a bot sees: the messages of the other seats, and nothing else.
 *
 * Rules, tasks, scenarios, tool results, rewards, and requests for another format have no speaker, so a bot never receives them. A bot that
 * is alone in its environment, as with a file of cases, reads the messages of the environment. So does a bot that has to choose among
 * listed moves.
 */

import type { View } from '@ludus-agents/kernel/internal/core/index';

/** A message to a bot, and its answer. */
export interface BotExchange {
  /** Empty if no message followed its last one. */
  readonly heard: string;
  /** Null while its answer is pending. */
  readonly said: string | null;
}

/**
 * A view as a conversation, with messages unchanged. Once a second speaker appears, every new message names its speaker; messages sent
 * earlier stay as they were.
 */
export function exchangesIn({ seat, seen }: View, readsRules = false): readonly BotExchange[] {
  const exchanges: BotExchange[] = [];
  const speakers = new Set<string>();
  let messages: { readonly from: string; readonly text: string }[] = [];
  const messageText = () => messages.map(({ from, text }) => (speakers.size > 1 && from !== '' ? `${from}: ${text}` : text)).join('\n');
  for (const item of seen) {
    if (readsRules && item.kind === 'message' && item.from === undefined) messages.push({ from: '', text: item.text });
    else if (item.kind === 'message' && item.from !== undefined && item.from !== seat) {
      speakers.add(item.from);
      messages.push({ from: item.from, text: item.text });
    } else if (item.kind === 'action') {
      exchanges.push({ heard: messageText(), said: item.action.text });
      messages = [];
    }
  }
  exchanges.push({ heard: messageText(), said: null });
  return exchanges;
}

/** Whether another seat has spoken to this one. */
export function isSpokenTo({ seat, seen }: View): boolean {
  return seen.some((item) => item.kind === 'message' && item.from !== undefined && item.from !== seat);
}

/** A message to a bot with the legal moves of this turn. */
export function withChoices(message: string, choices: readonly string[]): string {
  return `${message}${message === '' ? '' : '\n'}Answer with one of: ${choices.join(', ')}`;
}
