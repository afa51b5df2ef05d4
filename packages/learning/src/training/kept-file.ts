/**
 * @file Files that a training learns from: exports of a store, and conversations as ShareGPT, OpenAI messages, TRL (prompt with completion, or
 * with chosen and rejected) and others, as JSON, JSON Lines or Parquet. Each becomes episodes of a store in memory.
 */

import { createReadStream, existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { checkFile } from '@ludus-agents/agents/internal/workspace/consent';
import type { NamingPlace } from '@ludus-agents/agents/internal/workspace/name-resolvers';
import { importAny } from '@ludus-agents/evaluation/internal/conversations/import';
import type { Json, Store } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { linesIn } from '@ludus-agents/store/internal/files/lines';
import { memoryStore } from '@ludus-agents/store/internal/memory';

/** The episodes of a file in a store of their own, rejected answers only where they are compared; null where the name is not a file. */
export async function openKeptFile(name: string, { cwd, trust }: NamingPlace, compares = false): Promise<Store | null> {
  const path = resolve(cwd, name);
  if (!/\.(jsonl?|ndjson|parquet)$/i.test(name) || !existsSync(path)) return null;
  checkFile(path, trust, { cwd, env: process.env });
  const store = memoryStore();
  await importAny(store, asConversations(/\.parquet$/i.test(name) ? parquetLines(path, name) : linesIn(createReadStream(path)), compares), {
    file: name,
  });
  return store;
}

/** The rows of a table as lines of JSON; cells that hold lists or objects as text are read. */
async function* parquetLines(path: string, name: string): AsyncGenerator<string> {
  const { readParquet } = await import('@ludus-agents/store/internal/files/parquet-table');
  const { columns, rows } = await readParquet(path, name);
  for (const row of rows)
    yield JSON.stringify(Object.fromEntries(columns.map((column, i) => [column, /^\s*[[{]/.test(row[i]) ? parseOrText(row[i]) : row[i]])));
}

/** Lines of TRL as conversations; a pair is two of one task, of which the better one is paid 1. Every other line stays as it is. */
async function* asConversations(lines: AsyncIterable<string>, compares: boolean): AsyncGenerator<string> {
  let number = 0;
  for await (const line of lines) {
    number++;
    const item = /"(prompt|chosen)"/.test(line) ? parseOrText(line) : null;
    const answer = isObject(item) ? (item['completion'] ?? item['chosen']) : undefined;
    if (!isObject(item) || answer === undefined || 'messages' in item) yield line;
    else {
      const { prompt, completion: _completion, chosen: _chosen, rejected, ...rest } = item;
      const conversation = (text: Json, reward: number) =>
        JSON.stringify({
          ...(compares && { id: `pair-${number}`, reward }),
          ...rest,
          messages: [...messagesIn(prompt, 'user'), ...messagesIn(text, 'assistant')],
        });
      yield conversation(answer, 1);
      if (compares && rejected !== undefined) yield conversation(rejected, 0);
    }
  }
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
