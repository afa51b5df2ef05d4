/** @file Templates: a copy of a persona under another name, every part of the form with an example, and scenes with gallery personas. */

import type { JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { derive, type Persona, parsePersona, slug } from './index.ts';

/** The copy uses its own name wherever the original did. */
export function renamePersona(original: Persona, name: string): Persona {
  const { nickname: _, ...rest } = original;
  const text = JSON.stringify({ ...rest, aliases: [], raw: {} }).replaceAll(
    JSON.stringify(original.name).slice(1, -1),
    JSON.stringify(name).slice(1, -1),
  );
  return derive(original, () => ({ ...(JSON.parse(text) as Persona), id: slug(name), name }));
}

/** Every part that a scene can use, with example values to change. */
export function template(name: string): Persona {
  return parsePersona({
    name,
    identity: {
      social: { age: 40, occupation: { title: 'clockmaker' }, residence: 'a small town' },
      personal: {
        bigFive: { O: { score: 60 }, C: { score: 70 }, E: { score: 40 }, A: { score: 55 }, N: { score: 45 } },
        moral: { level: 2, traits: ['patient', 'stubborn'] },
        decisionStyle: 'sleeps on it',
      },
      context: { likes: ['quiet mornings'], dislikes: ['being hurried'], skills: ['mending what others throw away'] },
    },
    statements: [
      { text: `${name} keeps a workshop on the market square.`, visibility: 'public', keys: ['workshop', 'work'] },
      { text: `${name} never lets a customer watch.`, kind: 'rule', visibility: 'public', keys: ['watch'] },
      { text: `${name} owes the landlord two months of rent.`, visibility: { min: 'friend' }, keys: ['rent', 'money'] },
      { text: `${name} speaks slowly and ends with a question.`, kind: 'style' },
      { text: `${name} breaks a promise.`, kind: 'boundary', polarity: 'must_not' },
    ],
    voice: {
      register: 'Slow, dry, kind.',
      greetings: ['Come in, mind the step. What has stopped?'],
      examples: [
        {
          turns: [
            { speaker: 'user', speech: 'Can you do it by tomorrow?' },
            { speaker: 'char', speech: 'I can do it well, or I can do it tomorrow. Which would you like?' },
          ],
        },
      ],
    },
    goals: [{ text: 'Be paid before the week is over.', horizon: 'scene', visibility: 'self' }],
    secrets: [{ text: `${name} sold a clock that was left for repair.`, severity: 2 }],
    knowledge: { knows: [{ topic: 'clocks', depth: 'expert' }], onUnknown: 'admit' },
    relations: [{ to: 'Mara Lind', role: 'landlady', kind: 'acquaintance', text: 'Polite, and counting the days.' }],
  });
}

/** Scenes with gallery personas, in the format of scene files. */
export const sceneTemplates: Readonly<Record<string, JsonObject>> = {
  'a-favour': {
    name: 'A favour',
    setting: 'A dinner at Hollow House, between the soup and the fish.',
    topic: 'a loan that nobody has mentioned yet',
    characters: [{ persona: 'beatrix' }, { persona: 'tomas', goal: 'Leave the table with a loan, without having asked for one.' }],
    turns: 12,
  },
  'a-dinner-for-five': {
    name: 'A dinner for five',
    setting: 'The garden room of Hollow House, on the evening the roof began to leak.',
    topic: 'who will buy the house',
    characters: ['beatrix', 'tomas', 'ines', 'pell', 'noor'],
    narrator: true,
    turns: 25,
  },
  'a-late-guest': {
    name: 'A late guest',
    setting: 'An inn at the edge of the forest, an hour after the door was barred.',
    topic: 'the stranger at the door',
    characters: [
      { persona: 'innkeeper', goal: 'Find out who the guest is before the lamp is lit.' },
      { persona: 'villain', goal: 'Be given the room above the gate.' },
    ],
    turns: 12,
  },
};
