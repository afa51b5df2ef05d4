import { expect, it } from 'vitest';
import { heardFacts } from './heard.ts';

function hear(text: string, from = 'user'): readonly string[] {
  const items = [{ index: 4, seen: { kind: 'message' as const, to: ['character'], from, text } }];
  return heardFacts(items, { seat: 'character', nameOf: () => 'Jan' }).map((fact) => fact.text);
}

it('keeps what people say about themselves, and what they ask to remember', () => {
  expect(hear('My dog is called Pip. I come from Gull Island! Nice place?')).toEqual([
    'Jan said: My dog is called Pip.',
    'Jan said: I come from Gull Island!',
  ]);
  expect(hear('Please remember that the ferry leaves at six.')).toEqual(['Jan said: the ferry leaves at six.']);
  expect(hear('Hello Marek, my dog is called Pip. Well, I work at night.')).toEqual([
    'Jan said: my dog is called Pip.',
    'Jan said: I work at night.',
  ]);
  expect(hear('I’m allergic to honey.')).toEqual(["Jan said: I'm allergic to honey."]);
});

it.each([
  'Do you remember my dog?',
  'I think so.',
  'Remember?',
  'It is late.',
  'I am tired.',
  'Is my dog here?',
  'Hello Marek, is my dog here?',
  'Hello, Marek.',
])('leaves out %j', (text) => {
  expect(hear(text)).toEqual([]);
});

it('hears nothing from itself', () => {
  expect(hear('I live here.', 'character')).toEqual([]);
});
