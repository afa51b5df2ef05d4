/** @file Files of other programs to learn from: ShareGPT, OpenAI messages and TRL become episodes, line by line. */

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { bytes, learnerOn } from '../learners/tinker/tinker.cases.ts';
import { openKeptFile } from './kept-file.ts';

const place = { cwd: mkdtempSync(join(tmpdir(), 'ludus-kept-')), trust: Trust.commandLine };
const question = { role: 'user', content: 'Who guards the gate?' };
const answer = { role: 'assistant', content: 'Tom guards it.' };

async function answersIn(file: string, items: readonly object[]): Promise<readonly string[]> {
  writeFileSync(join(place.cwd, file), items.map((item) => JSON.stringify(item)).join('\n'));
  const store = (await openKeptFile(file, place))!;
  const texts: string[] = [];
  for (const { id } of await store.episodes({}))
    for (const event of (await store.events(id)) ?? [])
      if (event.kind === 'action' && event.seat === 'assistant') texts.push(event.action.text);
  return texts;
}

describe('a file to learn from', () => {
  it('has the answers of every format', async () => {
    const formats: Readonly<Record<string, object>> = {
      sharegpt: {
        conversations: [
          { from: 'human', value: question.content },
          { from: 'gpt', value: answer.content },
        ],
      },
      messages: { messages: [question, answer] },
      completion: { prompt: [question], completion: [answer] },
      text: { prompt: question.content, completion: answer.content },
      preference: { prompt: [question], chosen: [answer], rejected: [{ role: 'assistant', content: 'Nobody.' }] },
    };
    for (const [name, item] of Object.entries(formats)) expect(await answersIn(`${name}.jsonl`, [item])).toEqual([answer.content]);
  });

  it('is not meant by the name of a run', async () => {
    expect(await openKeptFile('import-chats', place)).toBeNull();
    expect(await openKeptFile('absent.jsonl', place)).toBeNull();
  });

  it('teaches a learner on a server also where its seat speaks first, and has read nothing', () => {
    const codec = { ...bytes, answer: (_: unknown, text: string) => [...Buffer.from(text, 'latin1')] };
    const row = learnerOn('http://127.0.0.1:9', { codec }).rowOf(
      { view: { seat: 'a', seen: [] }, ask: { seat: 'a' }, rng: rng(1) },
      'Hello.',
    );
    expect(row.mask[0]).toBe(0);
  });
});
