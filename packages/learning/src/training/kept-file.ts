/**
 * @file Reads files as training data: exports of a store, and conversations as ShareGPT, OpenAI messages, TRL (prompt with completion, or
 * with chosen and rejected) and others, as JSON, JSON Lines or Parquet. They become episodes of a store in memory.
 */

import { createReadStream, existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { checkFile } from '@ludus-agents/agents/internal/workspace/consent';
import type { NamingPlace } from '@ludus-agents/agents/internal/workspace/name-resolvers';
import { importAny } from '@ludus-agents/evaluation/internal/conversations/import';
import { Fault, hash, type Json, type JsonObject, type Store } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { linesIn } from '@ludus-agents/store/internal/files/lines';
import { memoryStore } from '@ludus-agents/store/internal/memory';

/** The episodes of a file in their own store, with rejected answers only if episodes are compared; null if the name is not a file. */
export async function openKeptFile(name: string, { cwd, trust }: NamingPlace, compares = false): Promise<Store | null> {
  const place = resolve(cwd, name);
  if ((!/[/\\]/.test(name) && !fileEnding.test(name)) || !existsSync(place)) return null;
  checkFile(place, trust, { cwd, env: process.env });
  const store = memoryStore();
  for (const path of filesAt(place, name, compares)) {
    const lines = /\.parquet$/i.test(path) ? parquetLines(path, name) : linesIn(createReadStream(path));
    await importAny(store, asConversations(lines, compares), { file: name });
  }
  return store;
}

const fileEnding = /\.(jsonl?|ndjson|parquet)$/i;

/** Parts of an exported folder without answers to imitate, and those without pairs. */
const [unanswered, unpaired] = [/^(episodes|values)[/\\]/, /^revisions[/\\]/];

/** The file itself; for a folder written by "ludus data export", its training part. */
function filesAt(path: string, name: string, compares: boolean): readonly string[] {
  if (!statSync(path).isDirectory()) return [path];
  const data = join(path, 'data');
  const inData = existsSync(data) ? readdirSync(data, { recursive: true, encoding: 'utf8' }).toSorted() : [];
  const parts = inData.filter(
    (file) => fileEnding.test(file) && /(^|[/\\])train/.test(file) && !unanswered.test(file) && !(compares && unpaired.test(file)),
  );
  if (parts.length === 0)
    throw new Fault('input', `${name} is a folder without data/train files. Name a file, or a folder that "ludus data export" wrote.`);
  return parts.map((file) => join(data, file));
}

/** The rows of a table as lines of JSON; parses cells that contain lists or objects as text. */
async function* parquetLines(path: string, name: string): AsyncGenerator<string> {
  const { readParquet } = await import('@ludus-agents/store/internal/files/parquet-table');
  const { columns, rows } = await readParquet(path, name, { nested: true });
  for (const row of rows)
    yield JSON.stringify(Object.fromEntries(columns.map((column, i) => [column, /^\s*[[{]/.test(row[i]) ? parseOrText(row[i]) : row[i]])));
}

/**
 * Converts TRL lines to conversations; a pair becomes two conversations of one task, and the better one is paid 1. Other lines are
 * unchanged.
 */
async function* asConversations(lines: AsyncIterable<string>, compares: boolean): AsyncGenerator<string> {
  let number = 0;
  for await (const line of lines) {
    number++;
    const item = /"(prompt|chosen|seen|mask)"/.test(line) ? parseOrText(line) : null;
    const answer = isObject(item)
      ? (item['completion'] ?? item['chosen'] ?? (Array.isArray(item['seen']) ? item['text'] : undefined))
      : undefined;
    if (isObject(item) && 'prompt' in item && answer === undefined && !('messages' in item))
      throw new Fault(
        'input',
        `Line ${number} has a prompt without an answer, so nothing can be learned from it. Export trl-sft or openai instead.`,
        {
          code: 'E_INVALID_DOCUMENT',
        },
      );
    if (isObject(item) && Array.isArray(item['messages']) && Array.isArray(item['mask'])) yield JSON.stringify(withMask(item));
    else if (!isObject(item) || answer === undefined || 'messages' in item) yield line;
    else {
      const { prompt, rejected, label, id, seen, mask, tools } = item;
      const read = Array.isArray(seen) ? seen.join('\n') : prompt;
      const conversation = (text: Json, reward: number) =>
        JSON.stringify({
          id: id ?? (label === undefined ? number : hash(read ?? '')),
          reward,
          ...(tools !== undefined && { tools }),
          messages: [
            ...messagesIn(read, 'user').map(withoutWeight),
            ...messagesIn(text, 'assistant').map(mask === '0' ? withoutWeight : same),
          ],
        });
      // Rejected answers are only read for comparisons.
      const isWanted = label !== false && label !== 'false';
      if (isWanted || compares) yield conversation(answer, isWanted ? 1 : 0);
      if (compares && rejected !== undefined) yield conversation(rejected, 0);
    }
  }
}

const same = (message: Json) => message;
const withoutWeight = (message: Json) => (isObject(message) && message['role'] === 'assistant' ? { ...message, weight: 0 } : message);

/** A line whose list `mask` says which of its messages are learned: revisions of a search. */
function withMask({ messages, mask, ...item }: JsonObject): JsonObject {
  return {
    ...item,
    messages: (messages as readonly Json[]).map((message, i) => ((mask as readonly Json[])[i] === 0 ? withoutWeight(message) : message)),
  };
}

function messagesIn(value: Json | undefined, role: string): readonly Json[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [{ role, content: String(value) }];
}

function parseOrText(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
