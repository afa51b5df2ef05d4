/** @file Sentences held against a profile: what is retired, what is trained on, and what is left out. */

import { chatTask } from '@ludus-agents/agents/internal/personas/chat-task';
import { parsePersona } from '@ludus-agents/agents/internal/personas/index';
import { putCastRun } from '@ludus-agents/agents/internal/workspace/cast-run';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { lexicalEmbedder, lexicalNli } from '@ludus-agents/evaluation/internal/scoring/small/lexical';
import type { Nli } from '@ludus-agents/evaluation/internal/scoring/small/small';
import { type Json, scripted } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { memoryStore } from '@ludus-agents/store/internal/memory';
import { expect, it } from 'vitest';
import { alignRun } from './align-run.ts';

const marit = parsePersona({
  name: 'Marit Sund',
  statements: ['Marit Sund keeps goats on the northern slope.', 'Marit Sund sails to the islands in winter.'],
});

/** A chat in which Marit says these lines. */
async function chatOf(lines: readonly string[]) {
  const store = memoryStore();
  const environment = await builtInEnvironment('chat');
  const task = { ...(chatTask(marit, { user: 'guest', turns: lines.length }) as { readonly [key: string]: Json }), greeting: '' };
  const cast = { character: { name: 'Marit Sund', kind: 'scripted:character', persona: marit as unknown as Json }, user: 'scripted' };
  const run = await putCastRun(
    store,
    { kind: 'chat', title: 'marit', environment: 'chat', task, seed: 1, cast },
    { place: { cwd: '.', env: {} } },
  );
  let turn = 0;
  const character = { ...scripted('marit', () => ({ text: lines[turn++] ?? '…' })), persona: marit.hash };
  const events = [];
  for await (const event of play(environment, { character, user: scripted('guest', () => ({ text: 'And you?' })) }, { task, seed: 1 }))
    events.push(event);
  await store.append('e1', 0, events, run);
  return { store, run };
}

it('alignRun retires contradicted entries, trains on the rest, and names its reader', async () => {
  const { store, run } = await chatOf([
    'I keep goats on the northern slope.',
    'I never sail to the islands in winter.',
    'It is windy today.',
  ]);
  const report = await alignRun({ store, run, nli: lexicalNli, embedder: lexicalEmbedder });
  expect(report).toMatchObject({ dialogues: 1, sentences: 3, leftOut: 0 });
  expect(report.reader).toContain('lexical fallback');
  expect(report.alignments.map(({ verdict, entry }) => [verdict, entry])).toEqual([
    ['shows', 's1'],
    ['contradicts', 's2'],
  ]);
  expect(report.changes).toMatchObject([{ entry: 's2', shows: 0, contradicts: 1, by: 'I never sail to the islands in winter.' }]);
  const adjusted = report.profiles['Marit Sund']!;
  expect(adjusted.statements.map(({ id }) => id)).toEqual(['s1']);
  expect(adjusted.ext['retired']).toMatchObject({ s2: { by: 'I never sail to the islands in winter.' } });
  // Three lines under the adjusted profile, and one alignment that still stands.
  expect(report.rows).toHaveLength(4);
  expect(report.rows[0]?.messages[0]?.content).toContain('keeps goats');
  expect(report.rows[0]?.messages[0]?.content).not.toContain('sails to the islands');
  expect(report.rows[0]?.messages.at(-1)).toEqual({ role: 'assistant', content: 'I keep goats on the northern slope.' });
});

it('prompts for each line with the preceding dialogue only', async () => {
  const lines = ['I keep goats on the northern slope.', 'It is windy today.'];
  const { store, run } = await chatOf(lines);
  const { rows } = await alignRun({ store, run, nli: lexicalNli, embedder: lexicalEmbedder });
  const spoken = rows
    .filter(({ messages }) => messages[0]?.role === 'system')
    .map(({ messages }) => messages.filter(({ role }) => role === 'assistant').map(({ content }) => content));
  expect(spoken).toEqual([lines.slice(0, 1), lines]);
});

it('keeps an entry confirmed as often as contradicted, and omits the contradicting lines', async () => {
  const { store, run } = await chatOf(['I keep goats on the northern slope.', 'I do not keep goats on the northern slope.']);
  const report = await alignRun({ store, run, nli: lexicalNli, embedder: lexicalEmbedder });
  expect(report.changes).toEqual([]);
  expect(report.leftOut).toBe(1);
  expect(report.profiles['Marit Sund']?.hash).toBe(marit.hash);
});

it('asks the reader about relevant sentences, or all sentences with a lexical embedder', async () => {
  const { store, run } = await chatOf(['My goats are on the slope. It rains.', 'Shall we sail in winter?']);
  const requested: string[] = [];
  const nli: Nli = {
    ...{ name: 'reader', basis: 'model' },
    async classify(pairs) {
      requested.push(...pairs.map(({ hypothesis }) => hypothesis));
      return pairs.map(() => ({ entails: 0, neutral: 1, contradicts: 0 }));
    },
  };
  const report = await alignRun({ store, run, nli, embedder: { ...lexicalEmbedder, basis: 'model' } });
  expect(report).toMatchObject({ reader: 'reader', sentences: 3, alignments: [], changes: [] });
  expect(new Set(requested)).toEqual(new Set(['My goats are on the slope.', 'Shall we sail in winter?']));
  expect((await alignRun({ store, run, nli, embedder: lexicalEmbedder })).compared).toBe(3 * marit.statements.length);
});
