/** @file The conversation before the input of a case: messages in the row, or a file of them, so that a memory can be tested on a long talk. */

import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checkFile } from '@ludus-agents/agents/internal/workspace/consent';
import type { NamingPlace } from '@ludus-agents/agents/internal/workspace/name-resolvers';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { reasonOf } from '@ludus-agents/store/internal/files/read-failure';
import { type CaseMessage, messagesIn } from './case.ts';
import { type CaseRow, parseJson, rowsIn } from './read-cases.ts';

/** The rows with the conversations of the files that they name, relative to the file of the cases. */
export async function withConversations(rows: readonly CaseRow[], file: string, { cwd, trust }: NamingPlace): Promise<readonly CaseRow[]> {
  const talks = new Map<string, readonly CaseMessage[]>();
  const read: CaseRow[] = [];
  for (const row of rows) {
    const { where, fields } = row;
    const name = fields['conversation'];
    if (typeof name !== 'string' || name === '') {
      read.push(row);
      continue;
    }
    const path = join(dirname(file), name);
    const messages = talks.get(path) ?? readTalk(await readText(path, where), path);
    talks.set(path, messages);
    read.push({ where, fields: { ...fields, conversation: messages } });
  }
  return read;

  async function readText(path: string, where: string): Promise<string> {
    return readFile(checkFile(path, trust, { cwd, env: process.env }), 'utf8').catch((thrown: unknown) => {
      throw new Fault('input', `${where}: the conversation ${path} cannot be read: ${reasonOf(thrown)}.`, { code: 'E_UNREADABLE_FILE' });
    });
  }
}

/** Messages from JSON, JSONL, or lines such as "Ann: Hello"; a line without a name continues the message before it. */
function readTalk(text: string, file: string): readonly CaseMessage[] {
  if (/\.json$/i.test(file)) return messagesIn(parseJson(text, file), file);
  if (/\.jsonl$/i.test(file)) return rowsIn(text, file).flatMap(({ fields, where }) => messagesIn([fields], where));
  const messages: { from: string; text: string }[] = [];
  let isDated: boolean | undefined;
  for (const line of text.replace(/^\uFEFF/, '').split(/\r?\n/)) {
    // Exports of messengers have a date before the name. Then a line without one continues a message, whatever it looks like.
    const [, date, from, speech] =
      linear(/^(\[?\d[\d./, :-]{6,24}(?:[AP]M)?\]?(?: - )?\s{0,3})?(\p{L}[^:]{0,40}): (.*)$/u).exec(line) ?? [];
    const last = messages.at(-1);
    isDated ??= date !== undefined;
    if (from !== undefined && speech !== undefined && (date !== undefined || !isDated))
      messages.push({ from: date === undefined ? from : `${from} (${date.replace(/[[\] -]*$|^\[/g, '')})`, text: speech });
    else if (last !== undefined) last.text += `\n${line}`;
    else if (line.trim() !== '')
      throw new Fault('input', `${file}, line 1: expected a line such as "Ann: Hello", got "${line.slice(0, 60)}".`);
  }
  return messages.map((message) => ({ from: message.from, text: message.text.trimEnd() }));
}
