/** @file People with statements about them, and stored conversations in which a script plays them. */

import { chatTask } from '@ludus-agents/agents/internal/personas/chat-task';
import { type Persona, parsePersona } from '@ludus-agents/agents/internal/personas/index';
import { putCastRun } from '@ludus-agents/agents/internal/workspace/cast-run';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { type ChatMessage, type Json, type Rng, type Store, scripted } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { memoryStore } from '@ludus-agents/store/internal/memory';
import type { Lesson } from './_taught.ts';

/** Something to say of a person: how it is written down, said and denied, and how one asks after it. */
export interface Subject {
  readonly values: readonly string[];
  readonly written: (value: string) => string;
  readonly said: (value: string) => string;
  readonly denied: string;
  readonly asked: readonly string[];
  /** Other words, for tests. */
  readonly fresh: string;
}

const subject = (
  values: string,
  [written, statement, denied, ...asks]: readonly [string, string, string, string, string, string],
): Subject => ({
  values: values.split(' '),
  written: (value) => written.replace('*', value),
  said: (value) => statement.replace('*', value),
  ...{ denied, asked: asks.slice(0, 2), fresh: asks[2] },
});

export const subjects: readonly Subject[] = [
  subject('goats hawks bees ponies ferrets geese', [
    'keeps *',
    'I look after my * every day.',
    'I never had an animal.',
    'Which animals are yours?',
    'What animals do you have?',
    'Are there animals at your home?',
  ]),
  subject('flute drum harp organ violin lute', [
    'plays the *',
    'The * is mine, I practice at night.',
    'I cannot play a note.',
    'What do you play?',
    'Which instrument is yours?',
    'Do you make music?',
  ]),
  subject('Arle Brin Colt Elva Garth Holt', [
    'lives in *',
    'My house is in *.',
    'I have no home.',
    'Where is your home?',
    'In which town do you live?',
    'Where do you stay?',
  ]),
  subject('baker nurse sailor smith clerk farmer', [
    'works as a *',
    'I earn my bread as a *.',
    'I have never worked.',
    'What is your work?',
    'What do you do for a living?',
    'How do you earn a living?',
  ]),
  subject('tea cider milk coffee broth beer', [
    'drinks * every morning',
    'Each day begins with * for me.',
    'I drink nothing in the morning.',
    'What do you drink?',
    'What do you have in the morning?',
    'What is in your cup at breakfast?',
  ]),
  subject('dogs storms ghosts heights fire crowds', [
    'is afraid of *',
    'Do not speak of *, I tremble.',
    'Nothing frightens me.',
    'What are you afraid of?',
    'What frightens you?',
    'Is there anything you dread?',
  ]),
];

const syllables = ['ba', 'ko', 'li', 'mu', 'ne', 'ra', 'so', 'ti', 'vu', 'ze'];

export interface Person {
  readonly persona: Persona;
  /** By subject. */
  readonly values: readonly string[];
}

/** Someone of whom all subjects are stated; further statements are put behind. */
export function personOf(random: Rng, more: (name: string) => readonly string[] = () => []): Person {
  const letters = Array.from({ length: 3 }, () => random.pick(syllables)).join('');
  const name = `${letters[0].toUpperCase()}${letters.slice(1)}`;
  const values = subjects.map((each) => random.pick(each.values));
  const statements = [...subjects.map((each, i) => `${name} ${each.written(values[i])}.`), ...more(name)];
  return { persona: parsePersona({ name, statements } as Json), values };
}

export interface Exchange {
  readonly asked: string;
  readonly said: string;
}

/** A conversation in which the person says these lines, as a run of a new store. */
export async function storedTalk(
  persona: Persona,
  exchanges: readonly Exchange[],
): Promise<{ readonly store: Store; readonly run: string }> {
  const store = memoryStore();
  const environment = await builtInEnvironment('chat');
  const task = { ...(chatTask(persona, { user: 'guest', turns: exchanges.length }) as { readonly [key: string]: Json }), greeting: '' };
  const cast = { character: { name: persona.name, kind: 'scripted:character', persona: persona as Json }, user: 'scripted' };
  const run = await putCastRun(store, { kind: 'chat', title: persona.name, environment: 'chat', task, seed: 1, cast });
  const speaker = (textFor: (exchange: Exchange) => string) => {
    let turn = 0;
    return () => ({ text: textFor(exchanges[turn++] ?? { asked: '/quit', said: '…' }) });
  };
  const character = {
    ...scripted(
      persona.name,
      speaker(({ said: statement }) => statement),
    ),
    persona: persona.hash,
  };
  const events = [];
  for await (const event of play(
    environment,
    {
      character,
      user: scripted(
        'guest',
        speaker(({ asked: question }) => question),
      ),
    },
    { task, seed: 1 },
  ))
    events.push(event);
  await store.append('talk', 0, events, run);
  return { store, run };
}

/** A row of training data as a lesson: the taught model reads a single turn, so of a conversation it sees the card and the latest question. */
export function lessonFrom(messages: readonly ChatMessage[]): Lesson {
  const [answer, question, ...before] = messages.toReversed();
  const card = before.filter(({ role }) => role === 'system');
  return { prompt: promptFrom([...card, question]), answer: answer.content };
}

export function promptFrom(messages: readonly ChatMessage[]): string {
  const lines = messages.map(({ role, content }) => (role === 'assistant' ? `You: ${content}` : content));
  return [...lines, ...(messages[0]?.role === 'system' ? ['You:'] : [])].join('\n');
}

/** A question as it stands in such a row. */
export function questionTo(content: string): ChatMessage {
  return { role: 'user', content: `user: ${content}` };
}
