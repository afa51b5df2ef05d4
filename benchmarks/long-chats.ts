/**
 * @file Fifty turns with a character, with memory and without: `npm run bench -- long-chats [--personas=FOLDER]`. The folder has cards or persona files.
 *
 * The visitor tells facts in its first messages, then makes small talk, and asks for them in the last turns, between questions about the card. The model is a program: it
 * quotes the line of its prompt that shares most words with the question, so it fails exactly where the prompt lacks the line. This measures prompts, not a language model.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { chatCast, chatSeats, chatTask } from '@ludus-agents/agents/internal/personas/chat-task';
import { importPersona } from '@ludus-agents/agents/internal/personas/exchange/detect';
import { type Persona, parsePersona } from '@ludus-agents/agents/internal/personas/index';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { type Json, type Model, type Prompt, rng, scripted } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { sizeOf } from './_size.ts';
import type { Figure, Flags } from './run.ts';

const sample = ['Nell Brook is a ferry pilot of 44.', 'Nell Brook lives in Gull Harbor.', 'Nell Brook mends nets with her brother Aldous.'];

/** What the visitor says about itself, and how it asks for it. */
const statements = [
  ['My dog is called Pip.', 'What is my dog called?', 'pip'],
  ['I work as a glazier.', 'What do I work as?', 'glazier'],
  ['I am allergic to walnuts.', 'What am I allergic to?', 'walnuts'],
  ['My sister lives in Trieste.', 'Where does my sister live?', 'trieste'],
  ['I never drink coffee.', 'What do I never drink?', 'coffee'],
] as const;
const smallTalk = [
  'The weather turned this morning, and the whole street was wet before anyone had found a coat.',
  'There was a queue at the bakery again, and they had only the dark loaves left when it was my turn.',
  'Somebody has painted the bridge railing, badly, and in a green that nobody would choose twice.',
  'They say the festival will be later this year, because the hall needs a new roof before the rain.',
  'A band played under the arches last night, mostly old songs, and one that everybody knew.',
] as const;

const termsOf = (text: string) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []);

/** Quotes the line of the prompt nearest to the last message. */
function quotingModel(): Model {
  return {
    id: 'quotes',
    async complete(prompt: Prompt) {
      const text = prompt.messages.map(({ content }) => content).join('\n');
      const lines = text.split('\n').filter((line) => line.length < 120 && /^(?:- |[A-Z][^?]*\.$)/.test(line));
      const question = prompt.messages.at(-1)?.content.match(/Ida: (.*)/)?.[1] ?? '';
      const wanted = termsOf(question);
      const shared = (line: string) => [...termsOf(line)].filter((term) => wanted.has(term)).length;
      const best = lines.reduce((leader, line) => (shared(line) > shared(leader) ? line : leader), '');
      const answer = question.endsWith('?') && best !== '' ? best.replace(/^- /, '') : 'So it goes, day after day.';
      return { prompt, text: `Speech: ${answer}`, usage: { promptTokens: Math.ceil(text.length / 4), completionTokens: 8 } } as never;
    },
  };
}

interface Outcome {
  readonly visitor: number;
  readonly card: number;
  readonly tokens: number;
}

async function talkWith(
  persona: Persona,
  memory: boolean,
  { turns, seed }: { readonly turns: number; readonly seed: number },
): Promise<Outcome> {
  const dice = rng(seed, persona.id);
  const facts = persona.statements.filter(({ visibility }) => visibility !== 'self').slice(0, statements.length);
  const cardQuestions = facts.map(({ text }) => `Is it true that ${text.replace('{{char}}', 'you')}`.replace(/[.!]?$/, '?'));
  const questions = dice.shuffle([...statements.map(([, question]) => question), ...cardQuestions]);
  const talk = Array.from(
    { length: Math.max(0, turns - statements.length - questions.length) },
    (_, i) => `${smallTalk[i % smallTalk.length]} ${i}`,
  );
  const messages = [...statements.map(([statement]) => statement), ...talk, ...questions, '/quit'];
  const chat = await builtInEnvironment('chat');
  const options = { user: 'Ida', model: 'quotes', memory, turns: turns + 1 };
  const spec = chatCast(chatSeats([persona]), options)['character'];
  if (spec === undefined) throw new Error('The cast has no character.');
  const character = await createAgentLoader({ model: async () => quotingModel() } as never)(spec, 'character', chat);
  const visitor = scripted('visitor', ({ view }) => ({
    text: messages[view.seen.filter(({ kind }) => kind === 'action').length] ?? '/quit',
  }));
  const task = chat.task(chatTask(persona, options)) as Json;
  const log = await Array.fromAsync(play(chat, { character, user: visitor }, { task, seed }));
  const answers = log.flatMap((event) => (event.kind === 'action' && event.seat === 'character' ? [event.action.text.toLowerCase()] : []));
  const calls = log.flatMap((event) => (event.kind === 'action' ? (event.calls ?? []) : []));
  const answerTo = (question: string) => answers[messages.indexOf(question)] ?? '';
  const share = (right: readonly boolean[]) => (right.length === 0 ? 0 : right.filter(Boolean).length / right.length);
  const isQuoted = (answer: string, text: string) => {
    const terms = [...termsOf(text.replace('{{char}}', ''))];
    return terms.filter((term) => answer.includes(term)).length >= 0.8 * terms.length;
  };
  return {
    visitor: share(statements.map(([, question, key]) => answerTo(question).includes(key))),
    card: share(cardQuestions.map((question, i) => isQuoted(answerTo(question), facts[i]?.text ?? ''))),
    tokens: calls.reduce((sum, { usage }) => sum + (usage?.promptTokens ?? 0), 0) / Math.max(1, calls.length),
  };
}

export async function measure(flags: Flags): Promise<readonly Figure[]> {
  const folder = flags['personas'];
  const turns = sizeOf(flags, 'turns', 50, 12);
  const number = sizeOf(flags, 'number', 60, 1);
  const personas =
    typeof folder === 'string'
      ? readdirSync(folder)
          .filter((name) => /\.(?:json|png)$/.test(name))
          .slice(0, number)
          .map((name) => importPersona(readFileSync(join(folder, name))).persona)
      : [parsePersona({ name: 'Nell Brook', statements: sample })];
  const figures: Figure[] = [{ name: 'characters', value: personas.length, unit: 'characters' }];
  const visitors: (readonly number[])[] = [];
  for (const memory of [true, false]) {
    const outcomes = await Promise.all(personas.map((persona, i) => talkWith(persona, memory, { turns, seed: 7001 + i })));
    visitors.push(outcomes.map(({ visitor }) => visitor));
    const mean = (of: (outcome: Outcome) => number) => outcomes.reduce((sum, outcome) => sum + of(outcome), 0) / outcomes.length;
    const arm = memory ? 'memory on' : 'memory off';
    figures.push(
      { name: `${arm}: right on what the visitor told`, value: mean(({ visitor }) => visitor), unit: 'share' },
      { name: `${arm}: right on the card`, value: mean(({ card }) => card), unit: 'share' },
      { name: `${arm}: prompt`, value: mean(({ tokens }) => tokens), unit: 'tokens a turn' },
    );
  }
  const differences = personas.map((_, i) => (visitors[0]?.[i] ?? 0) - (visitors[1]?.[i] ?? 0));
  const dice = rng(7001, 'bootstrap');
  const average = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const draws = Array.from({ length: 1000 }, () => average(differences.map(() => dice.pick(differences)))).sort((x, y) => x - y);
  const note = `${draws[24]?.toFixed(3)} to ${draws[974]?.toFixed(3)}, characters drawn again`;
  figures.push({ name: 'difference on what the visitor told', value: average(differences), unit: 'share', note });
  return figures;
}
