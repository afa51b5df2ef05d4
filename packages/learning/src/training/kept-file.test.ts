/** @file Files of other programs to learn from: ShareGPT, OpenAI messages and TRL become episodes, line by line. */

import { mkdirSync, mkdtempSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { memoryStore } from '@ludus-agents/store/internal/memory';
import { describe, expect, it } from 'vitest';
import { bytes, learnerOn } from '../learners/tinker/tinker.cases.ts';
import { keptRows, textsInKept } from '../rl/kept-lessons.ts';
import { openKeptFile } from './kept-file.ts';
import { keptGround } from './kept-source.ts';

const place = { cwd: mkdtempSync(join(tmpdir(), 'ludus-kept-')), trust: Trust.commandLine };
const writer = learnerOn('http://127.0.0.1:9', {
  codec: { ...bytes, answer: (_: unknown, text: string) => [...Buffer.from(text, 'latin1')] },
});
const question = { role: 'user', content: 'Who guards the gate?' };
const answer = { role: 'assistant', content: 'Tom guards it.' };

function conversations(file: string, items: readonly object[]) {
  writeFileSync(join(place.cwd, file), items.map((item) => JSON.stringify(item)).join('\n'));
  return openKeptFile(file, place);
}

async function answersIn(file: string, items: readonly object[]): Promise<readonly string[]> {
  const store = (await conversations(file, items))!;
  const texts: string[] = [];
  for (const { id } of await store.episodes({}))
    for (const event of (await store.events(id)) ?? [])
      if (event.kind === 'action' && event.seat === 'assistant') texts.push(event.action.text);
  return texts;
}

describe('training file', () => {
  it('yields the answers in every format', async () => {
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

  it('must have answers', async () => {
    await expect(conversations('prompts.jsonl', [{ prompt: [question] }])).rejects.toThrow('a prompt without an answer');
  });

  it('yields both answers of a preference pair on one task, with the better one rewarded', async () => {
    const pair = { prompt: [question], chosen: [answer], rejected: [{ role: 'assistant', content: 'Nobody.' }] };
    writeFileSync(join(place.cwd, 'pairs.jsonl'), JSON.stringify(pair));
    const store = (await openKeptFile('pairs.jsonl', place, true))!;
    const records = await store.episodes({});
    expect(new Set(records.map(({ task }) => JSON.stringify(task))).size).toBe(1);
    expect(records.map(({ returns }) => returns?.['assistant']).toSorted()).toEqual([0, 1]);
  });

  it('skips answers labeled bad unless comparing, and masks read-only answers', async () => {
    const early = { role: 'assistant', content: 'Yes?' };
    const items = [
      { prompt: [early, question], completion: [answer], label: true },
      { prompt: [question], completion: [{ role: 'assistant', content: 'Nobody.' }], label: false },
      { messages: [question, { ...early, weight: 0 }, question, answer] },
    ];
    const store = (await conversations('labels.jsonl', items))!;
    const logs = await Promise.all((await store.episodes({})).map(async ({ id }) => (await store.events(id))!));
    const { turns, left } = keptRows(
      writer,
      logs.map((log) => ({ log, seat: 'assistant' })),
    );
    expect([logs.length, turns, left]).toEqual([2, 2, { masked: 2 }]);
    expect((await (await openKeptFile('labels.jsonl', place, true))!.episodes({})).length).toBe(3);
  });

  it('can be an exported folder', async () => {
    mkdirSync(join(place.cwd, 'set/data'), { recursive: true });
    await conversations('set/data/train-0.jsonl', [{ messages: [question, answer] }]);
    expect((await (await openKeptFile('./set', place))!.episodes({})).length).toBe(1);
    await expect(openKeptFile('./set/data', place)).rejects.toThrow('without data/train');
  });

  it('can be the folder of a search: values have no answers, and mistakes before a revision are only read', async () => {
    const revision = { messages: [question, { role: 'assistant', content: 'Nobody.' }, question, answer], mask: [0, 0, 0, 1] };
    const pair = { prompt: [question], chosen: [answer], rejected: [{ role: 'assistant', content: 'Nobody.' }] };
    for (const part of ['pairs', 'revisions', 'values']) mkdirSync(join(place.cwd, 'tried/data', part), { recursive: true });
    writeFileSync(join(place.cwd, 'tried/data/values/train-0.jsonl'), JSON.stringify({ prompt: [question], value: 0.5 }));
    writeFileSync(join(place.cwd, 'tried/data/pairs/train-0.jsonl'), JSON.stringify(pair));
    const store = (await conversations('tried/data/revisions/train-0.jsonl', [revision]))!;
    const [record] = await store.episodes({});
    const { turns, left } = keptRows(writer, [{ log: (await store.events(record!.id))!, seat: 'assistant' }]);
    expect([turns, left]).toEqual([1, { masked: 1 }]);
    expect((await (await openKeptFile('./tried', place))!.episodes({})).length).toBe(2);
    expect((await (await openKeptFile('./tried', place, true))!.episodes({})).length).toBe(2);
  });

  it('writes tool calls as lines that a learner can produce', async () => {
    const call = { id: 'a', type: 'function', function: { name: 'refund', arguments: '{"order":12}' } };
    const store = (await conversations('tools.jsonl', [
      {
        messages: [
          question,
          { role: 'assistant', content: null, tool_calls: [call] },
          { role: 'tool', tool_call_id: 'a', content: 'ok' },
          answer,
        ],
      },
    ]))!;
    const [record] = await store.episodes({});
    const texts = textsInKept([{ log: (await store.events(record!.id))!, seat: 'assistant' }]);
    expect(texts.filter((_, i) => i % 2 === 1)).toEqual(['Tool: refund {"order":12}', answer.content]);
  });

  it('is not confused with the name of a run', async () => {
    expect(await openKeptFile('import-chats', place)).toBeNull();
    expect(await openKeptFile('absent.jsonl', place)).toBeNull();
  });

  it('is read by a name without an ending if no run has that name', async () => {
    await conversations('talks.jsonl', [{ messages: [question, answer] }]);
    renameSync(join(place.cwd, 'talks.jsonl'), join(place.cwd, 'talks'));
    for (const store of [undefined, memoryStore()])
      expect((await keptGround({ from: 'talks' }, { ...place, store }))?.tasks).toHaveLength(1);
    await expect(keptGround({ from: 'absent' }, { ...place, store: memoryStore() })).rejects.toMatchObject({ code: 'E_NOT_FOUND' });
  });

  it('trains a learner on a server even if its seat speaks first', () => {
    const row = writer.rowOf({ view: { seat: 'a', seen: [] }, ask: { seat: 'a' }, rng: rng(1) }, 'Hello.');
    expect(row.mask[0]).toBe(0);
  });
});
