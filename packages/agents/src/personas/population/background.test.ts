/** @file Backgrounds by a model: taken where they say what a person is, sent back where they say something else. */

import type { Prompt } from '@ludus-agents/kernel/internal/core/index';
import { expect, it } from 'vitest';
import { fakeModel } from '../../models/fake.ts';
import { backgroundProblems, writeBackgrounds } from './background.ts';
import { samplePopulation } from './sample.ts';

const sample = samplePopulation(
  { name: 'Folk', attributes: { gender: { female: 1, male: 1 }, age: { '30-39': 1 }, work: { baker: 1, 'ship carpenter': 1 } } },
  8,
  1,
);
const others = { gender: ['female', 'male'], age: ['30-39'], work: ['baker', 'ship carpenter'] };

const asked = ({ messages }: Prompt) => String(messages[1]!.content);
const field = (prompt: Prompt, name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(asked(prompt))?.[1] ?? '';
/** Everyone likes something else. */
const fitting = (prompt: Prompt, work = field(prompt, 'work'), likes = [...field(prompt, 'Name')].reverse().join('').toLowerCase()) =>
  `${field(prompt, 'Name')} is ${field(prompt, 'age')} and works as a ${work}. ${field(prompt, 'gender') === 'female' ? 'She' : 'He'} likes ${likes}.`;

it('writeBackgrounds keeps valid texts, retries invalid ones, and prefers no text to a wrong one', async () => {
  const good = await writeBackgrounds(fakeModel({ answers: (prompt) => fitting(prompt) }), sample);
  expect(good.failed).toEqual([]);
  expect(good.calls).toHaveLength(8);
  for (const [i, { statements, hash }] of good.personas.entries()) {
    expect(statements.filter(({ id }) => id.startsWith('background.')).map(({ text }) => text)[0]).toContain(
      sample.attributes[i]!['work']!,
    );
    expect(hash).not.toBe(sample.personas[i]!.hash);
  }
  // Someone who fixes it when told what is wrong.
  const mended = await writeBackgrounds(
    fakeModel({ answers: (prompt) => (prompt.messages.length > 2 ? fitting(prompt) : fitting(prompt, 'king')) }),
    sample,
  );
  expect(mended.failed).toEqual([]);
  expect(mended.calls).toHaveLength(16);
  // Everyone is a baker to this one: carpenters have no background and are named, bakers have theirs.
  const stubborn = await writeBackgrounds(fakeModel({ answers: (prompt) => fitting(prompt, 'baker') }), sample);
  const carpenters = sample.personas.filter((_, i) => sample.attributes[i]!['work'] === 'ship carpenter');
  expect(carpenters).toHaveLength(4);
  expect(stubborn.failed.map(({ id }) => id)).toEqual(carpenters.map(({ id }) => id).toSorted());
  expect(stubborn.failed[0]!.problems).toContain('it says "baker", but work is "ship carpenter"');
  for (const carpenter of carpenters) expect(stubborn.personas).toContainEqual(carpenter);
});

it('tells each story once, whoever it is about', async () => {
  const { failed, personas } = await writeBackgrounds(fakeModel({ answers: (prompt) => fitting(prompt, undefined, 'rain') }), sample);
  // Two genders and two trades make four stories for eight people.
  expect(failed).toHaveLength(4);
  expect(personas.filter(({ statements }) => statements.some(({ id }) => id === 'background.1'))).toHaveLength(4);
  // Texts that are all alike, apart from those of men and women.
  const meaning = {
    name: 'all alike',
    embed: async (texts: readonly string[]) => texts.map(() => [1]),
    calibration: async () => [0, 0.5] as const,
  };
  const byMeaning = await writeBackgrounds(fakeModel({ answers: (prompt) => fitting(prompt) }), sample, { encoder: meaning });
  expect(byMeaning.failed).toHaveLength(6);
});

it.each([
  ['NAME, a ship carpenter, is AGE years old. She sings.', []],
  ['NAME, a ship carpenter, is 71 years old. She sings.', ['no other age']],
  ['NAME is AGE years old. She is a carpenter.', ['"ship carpenter"']],
  ['NAME, a ship carpenter, is AGE years old.', ['"female" (gender)']],
  ['Somebody, a ship carpenter, is AGE years old. She sings.', ['must name']],
  ['', ['1 to 900 characters']],
])('finds the problems of “%s”', (template, wrong) => {
  const at = sample.attributes.findIndex(({ gender, work }) => gender === 'female' && work === 'ship carpenter');
  const persona = sample.personas[at]!;
  const text = template.replace('NAME', persona.name).replace('AGE', String(persona.identity.social.age));
  const problems = backgroundProblems(text, persona, sample.attributes[at]!, others);
  if (wrong.length === 0) expect(problems).toEqual([]);
  for (const item of wrong) expect(problems.join('; ')).toContain(item);
});
