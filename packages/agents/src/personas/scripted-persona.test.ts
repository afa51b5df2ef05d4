/** @file What a character says without a model. */

import type { AnyEnvironment, Seen, Turn } from '@ludus-agents/kernel/internal/core/index';
import { expect, it } from 'vitest';
import { parsePersona } from './index.ts';
import { createScriptedPersona, linesFor } from './scripted-persona.ts';

it('scriptedPersona says its card lines, then its written lines, each once, then stays silent', async () => {
  const environment = { scripts: { character: () => ({ text: '[none]' }) } } as unknown as AnyEnvironment;
  const examples = [{ turns: [{ speaker: 'char', speech: 'Mind the step.' }] }];
  const maud = createScriptedPersona(
    environment,
    parsePersona({ name: 'Maud', voice: { examples, posts: ['I rise at four. I like fog.'] } }),
  );
  const observations: Seen[] = [];
  const statements: string[] = [];
  for (let turn = 0; turn < 4; turn++) {
    const { action } = await maud.act({ view: { seen: observations } } as unknown as Turn, new AbortController().signal);
    observations.push({ kind: 'action', action });
    statements.push(action.text);
  }
  expect(statements).toEqual(['[speak "Mind the step."]', '[speak "I rise at four."]', '[speak "I like fog."]', '[none]']);
});

it('uses single quotation marks inside speech and never unbalanced ones', async () => {
  const environment = { scripts: { character: () => ({ text: '[none]' }) } } as unknown as AnyEnvironment;
  const voice = { examples: [{ turns: [{ speaker: 'char', speech: '“Come in,” I said.' }] }], posts: ['"It is late. Go home."'] };
  const maud = createScriptedPersona(environment, parsePersona({ name: 'Maud', voice }));
  const observations: Seen[] = [];
  for (let turn = 0; turn < 3; turn++) {
    const { action } = await maud.act({ view: { seen: observations } } as unknown as Turn, new AbortController().signal);
    observations.push({ kind: 'action', action });
  }
  const texts = observations.map((item) => (item.kind === 'action' ? item.action.text : ''));
  expect(texts).toEqual(['[speak "‘Come in,’ I said."]', '[speak "It is late."]', '[speak "Go home."]']);
});

it('speaks in the first person, with adverbs before the verb', () => {
  const statements = [
    'Maud never forgets a debt.',
    'Maud still keeps her inn.',
    'Maud has often been robbed.',
    'Maud can swim.',
    'The inn is old.',
  ];
  const lines = linesFor(parsePersona({ name: 'Maud', statements })).map(({ says }) => says);
  expect(lines.slice(0, 5)).toEqual([
    'I never forget a debt.',
    'I still keep my inn.',
    'I have often been robbed.',
    'I can swim.',
    'The inn is old.',
  ]);
});

it.each([
  [
    'Marek',
    ['Marek keeps gin behind the seat.', 'Marek is a 47-year-old night-shift tram driver.'],
    'I am a 47-year-old night-shift tram driver.',
  ],
  ['Old Benno', ['Benno Hartwig, 78, a retired ferryman.'], 'Benno Hartwig, 78, a retired ferryman.'],
  ['Yuki', ['Yuki (24) repairs vending machines.'], 'I repair vending machines.'],
])('answers %s’s age and work from a sentence of the card', (name, texts, answer) => {
  const lines = linesFor(parsePersona({ name, statements: texts }));
  expect(lines.find(({ cue }) => cue === 'howold')?.says).toBe(answer);
  expect(lines.find(({ cue }) => cue === 'whatdoyoudo')?.says).toBe(answer);
});

it('speaks the labeled lines of a card as sentences', () => {
  const lines = linesFor(parsePersona({ name: 'Rook', statements: ['Age: 52', 'Job: sky pirate, captain', 'Likes: rum, parrots.'] }));
  expect(lines.slice(0, 3).map(({ says }) => says)).toEqual(['I am 52.', 'My work? Sky pirate, captain.', 'I like rum, parrots.']);
  expect(['howold', 'whatdoyoudo'].map((wanted) => lines.find(({ cue }) => cue === wanted)?.says)).toEqual([
    'I am 52.',
    'My work? Sky pirate, captain.',
  ]);
});
