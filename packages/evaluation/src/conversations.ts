/** @file Human conversations from a user's file: lines with "turns" of {speaker, text}, or any format of `ludus data import`. */

import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { Fault, type Json } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import { linesIn } from '@ludus-agents/store/internal/files/lines';
import { reasonOf } from '@ludus-agents/store/internal/files/read-failure';
import { readerOf } from '@ludus-agents/store/internal/imports/index';

export interface HumanConversation {
  /** The speaker who is the user. */
  readonly user: string;
  readonly turns: readonly { readonly speaker: string; readonly text: string }[];
}

export async function readConversations(file: string, cwd: string): Promise<readonly HumanConversation[]> {
  const all: HumanConversation[] = [];
  let number = 0;
  try {
    for await (const line of linesIn(createReadStream(resolve(cwd, file)))) {
      number++;
      if (line.trim() !== '') all.push(conversationIn(jsonFrom(line, `${file}, line ${number}`) as Json));
    }
  } catch (thrown) {
    if (thrown instanceof Fault) throw thrown;
    throw new Fault('input', `${file} cannot be read: ${reasonOf(thrown)}.`, { code: 'E_UNREADABLE_FILE' });
  }
  return all;
}

/** The user's messages in a conversation, in order. */
export function userTurns({ user, turns }: HumanConversation): readonly string[] {
  return turns.filter(({ speaker, text }) => speaker === user && text !== '').map(({ text }) => text);
}

function conversationIn(item: Json): HumanConversation {
  if (!isObject(item)) return { user: '', turns: [] };
  const input = item['turns'];
  if (Array.isArray(input)) {
    const turns = (input as readonly Json[])
      .filter(isObject)
      .map((turn) => ({ speaker: String(turn['speaker'] ?? ''), text: String(turn['text'] ?? '') }));
    const user = turns.find(({ speaker }) => /^(?:user|customer|human)$/i.test(speaker))?.speaker ?? turns[0]?.speaker ?? '';
    return { user, turns };
  }
  const lines = readerOf(item)?.read(item, 0).lines ?? [];
  return { user: 'user', turns: lines.flatMap((line) => (line.kind === 'said' ? [{ speaker: line.seat, text: line.text }] : [])) };
}
